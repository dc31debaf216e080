//! What the `configuration` of a plan says of each resource: which attributes are written, and what they refer to.

use std::collections::BTreeMap;

use crate::syntax::Node;

/// The expressions of each resource, by its address without keys.
#[derive(Debug, Clone, Default)]
pub(super) struct Configured {
    expressions: BTreeMap<String, Node>,
}

/// Modules nest no deeper than this in a plan that is read.
const MAX_MODULES: usize = 64;

impl Configured {
    pub(super) fn read(root: &Node) -> Self {
        let mut found = Self::default();
        let mut open = Vec::new();
        let configuration = root.get("configuration");
        open.extend(
            configuration.and_then(|node| Some((String::new(), node.get("root_module")?, 0))),
        );
        while let Some((place, module, depth)) = open.pop() {
            let resources = module.get("resources").and_then(Node::as_list);
            for resource in resources.unwrap_or_default() {
                let address = resource.get("address").and_then(Node::as_str);
                if let (Some(address), Some(written)) = (address, resource.get("expressions")) {
                    found
                        .expressions
                        .insert(format!("{place}{address}"), written.clone());
                }
            }
            let calls = module.get("module_calls").and_then(Node::as_map);
            for call in calls.unwrap_or_default() {
                if let Some(called) = call.value.get("module").filter(|_| depth < MAX_MODULES) {
                    open.push((
                        format!("{place}module.{}.", call.key.as_str()),
                        called,
                        depth + 1,
                    ));
                }
            }
        }
        found
    }

    /// Whether the resource at this address without keys has the attribute or block; `None` where the plan does not say.
    pub(super) fn writes(&self, address: &str, name: &str) -> Option<bool> {
        Some(self.expressions.get(address)?.get(name).is_some())
    }

    /// What the attribute refers to, as addresses without keys, in the order of the plan.
    pub(super) fn references(&self, address: &str, name: &str) -> Vec<String> {
        let written = self
            .expressions
            .get(address)
            .and_then(|written| written.get(name));
        let references = written.and_then(|node| node.get("references")?.as_list());
        let place = match address.rsplit_once("module.") {
            Some((before, rest)) => {
                let name = rest.split_once('.').map_or(rest, |(name, _)| name);
                format!("{before}module.{name}.")
            }
            None => String::new(),
        };
        let named = references
            .unwrap_or_default()
            .iter()
            .filter_map(Node::as_str);
        named.map(|name| format!("{place}{name}")).collect()
    }
}
