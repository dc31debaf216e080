//! What somebody saw of the sites, written down beside a failover: `observations.json`, the answers of one site one after
//! another, and `probes.json`, what each site answered, seen from one place or from several.

use crate::syntax::{Entry, Node};
use crate::text::Span;

/// What was seen.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The folder of the file.
    pub folder: String,
    /// The whole document.
    pub at: Span,
    /// What it says.
    pub seen: Seen,
}

/// A place, and whether each site answers, seen from there.
pub type View = (String, Vec<(String, bool)>);

/// What a file of observations says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Whether each of the answers of one site was a good one.
    Answers(Vec<bool>),
    /// Whether each site answers, seen from each place; the place is empty where there is one alone.
    Views(Vec<View>),
}

impl Observed {
    /// Whether a file of this name can hold observations.
    #[must_use]
    pub fn recognises_path(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        matches!(name, "observations.json" | "probes.json")
    }

    /// Reads a document; `None` where it is another thing.
    #[must_use]
    pub fn read(path: &str, root: &Node) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let seen = if name == "observations.json" {
            let answers: Option<Vec<bool>> = root.as_list()?.iter().map(is_good).collect();
            Seen::Answers(answers.filter(|answers| !answers.is_empty())?)
        } else {
            Seen::Views(views(root)?)
        };
        Some(Self {
            folder: folder.to_owned(),
            at: root.span(),
            seen,
        })
    }
}

fn is_good(node: &Node) -> Option<bool> {
    match node.as_str()? {
        "ok" => Some(true),
        "fail" => Some(false),
        _ => None,
    }
}

fn views(root: &Node) -> Option<Vec<View>> {
    let entries = root.as_map().filter(|entries| !entries.is_empty())?;
    if let Some(sites) = sites(root) {
        return Some(vec![(String::new(), sites)]);
    }
    let view = |entry: &Entry| {
        let place = entry.key.as_str().strip_prefix("from_")?;
        Some((place.to_owned(), sites(&entry.value)?))
    };
    entries.iter().map(view).collect()
}

fn sites(node: &Node) -> Option<Vec<(String, bool)>> {
    let entries = node.as_map().filter(|entries| !entries.is_empty())?;
    let site = |entry: &Entry| Some((entry.key.as_str().to_owned(), is_good(&entry.value)?));
    entries.iter().map(site).collect()
}
