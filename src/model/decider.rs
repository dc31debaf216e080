//! Who decides about a switch, from where, and after how many observations: small JSON files that people keep beside a
//! failover, `topology.json`, `decision.json` and `failover.json`.
//!
//! The keys are `sites`, `decider`, `monitor`, `monitor_site`, `target_site`, `hairpin_nat`, `single_observer`,
//! `observers`, `fall`, `rise` and `current`; other keys are passed over. The names of the files are common, so that a file counts
//! only with keys that belong together.

use crate::syntax::{Entry, Node};

/// What a file says of who decides.
#[derive(Debug, Clone)]
pub struct Deciders {
    /// The whole document.
    pub root: Node,
}

impl Deciders {
    /// Whether a file of this name can say it.
    #[must_use]
    pub fn recognises_path(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        matches!(name, "topology.json" | "decision.json" | "failover.json")
    }

    /// Reads a document; `None` where it is another thing.
    #[must_use]
    pub fn read(path: &str, root: &Node) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let has = |key: &str| root.get(key).is_some();
        let known = match name {
            "topology.json" => {
                has("sites") && (has("decider") || has("monitor"))
                    || has("monitor_site") && has("target_site")
            }
            "decision.json" => has("single_observer") || has("observers"),
            _ => has("fall") && has("rise") || has("current"),
        };
        known.then(|| Self { root: root.clone() })
    }

    /// The names of the sites: a list of names, a list of maps with `name`, or the keys of a map.
    #[must_use]
    pub fn sites(&self) -> Vec<&str> {
        let Some(sites) = self.root.get("sites") else {
            return Vec::new();
        };
        let of_map = sites.as_map().unwrap_or_default().iter();
        let of_list = sites.as_list().unwrap_or_default().iter();
        let name = |node: &'_ Node| node.as_str().is_some() || node.get("name").is_some();
        let named = of_list.filter(|node| name(node));
        named
            .filter_map(|node| node.as_str().or_else(|| node.get("name")?.as_str()))
            .chain(of_map.map(|entry| entry.key.as_str()))
            .collect()
    }

    /// An entry of the document.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.root.entry(key)
    }

    /// The text of an entry.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.root.get(key)?.as_str()
    }
}
