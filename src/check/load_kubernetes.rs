//! Manifests of the sites' clusters to models.

use crate::model::cluster::Manifest;
use crate::model::monitor::Monitor;
use crate::rules::{Role, Subject};
use crate::syntax::{Node, Parsed};
use crate::text::FileId;

use super::load::{Loaded, Options, Standing};
use super::load_monitors::must_be_rendered;
use super::suppress::Suppression;

const CHANGES: &str = "a kustomization changes what is here, or takes more from elsewhere; render it with `kubectl kustomize` and check what comes out";

impl Loaded {
    /// Whether the manifests of a file are to be looked at: without a spec nothing says which hosts a site serves.
    pub(super) fn may_be_manifests(
        &self,
        text: &str,
        standing: Standing,
        role: Option<Role>,
        options: Options,
    ) -> bool {
        let wanted = options
            .subject
            .is_none_or(|subject| subject == Subject::Kubernetes);
        let asked = self.with_spec || options.subject == Some(Subject::Kubernetes);
        wanted
            && asked
            && standing != Standing::Context
            && !Monitor::looks_alike(text)
            && (Manifest::looks_alike(text) || role == Some(Role::Cluster))
    }

    /// Whether the file holds manifests of the kinds that serve a host, or could not be read; `None` where it is
    /// another thing.
    pub(super) fn take_manifests(
        &mut self,
        file: FileId,
        path: &str,
        text: &str,
        parsed: &Parsed,
        (alone, role): (bool, Option<Role>),
    ) -> Option<bool> {
        let alike = Manifest::looks_alike(text);
        let unrendered = alike
            .then(|| must_be_rendered(text))
            .flatten()
            .or_else(|| kustomized(&parsed.documents).filter(|_| role == Some(Role::Cluster)));
        if let Some(reason) = unrendered {
            self.unread(file, None, reason.to_owned());
            return Some(true);
        }
        if self.faults(file, parsed) {
            return Some(true);
        }
        let documents = parsed.documents.iter().cloned();
        let mut found: Vec<Manifest> = documents
            .flat_map(|document| Manifest::read(path, document))
            .collect();
        for manifest in &mut found {
            manifest.alone = alone;
        }
        if found.is_empty() {
            return (role == Some(Role::Cluster)).then_some(false);
        }
        let comments = Suppression::from_comments(&parsed.comments, &self.sources);
        self.suppressions.extend(comments);
        self.workspace.manifests.extend(found);
        Some(true)
    }
}

/// Whether the documents are a kustomization that makes something else of what lies beside it.
fn kustomized(documents: &[Node]) -> Option<&'static str> {
    let kind = |node: &Node| node.get("kind").and_then(Node::as_str) == Some("Kustomization");
    let file = |node: &Node| kind(node) && node.get("spec").is_none();
    documents
        .iter()
        .any(|node| file(node) && changes(node))
        .then_some(CHANGES)
}

/// Whether a kustomization makes something else of what lies beside it.
pub(super) fn changes(node: &Node) -> bool {
    let keys = [
        "patches",
        "patchesStrategicMerge",
        "patchesJson6902",
        "replacements",
        "components",
        "bases",
        "namePrefix",
        "nameSuffix",
        "helmCharts",
    ];
    let resources = node.get("resources").and_then(Node::as_list).unwrap_or(&[]);
    let elsewhere = |path: &str| path.contains("://") || path.starts_with("../");
    keys.iter().any(|key| node.get(key).is_some())
        || resources.iter().filter_map(Node::as_str).any(elsewhere)
}
