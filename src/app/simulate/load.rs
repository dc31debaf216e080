//! Reads tables and the policies they name.

use std::collections::BTreeMap;

use crate::diag::Unread;
use crate::iam::cases::{self, Case, CasePolicies, PolicySource};
use crate::iam::{NamedPolicy, Policies};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::ports::Files;
use crate::syntax::{Node, Parsed, json, toml};
use crate::text::{FileId, SourceMap, Span, Text};

/// Larger files are refused, as in `validate`.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Reads, and remembers what it has read.
pub(in crate::app) struct Loader<'a> {
    files: &'a dyn Files,
    pub(super) sources: SourceMap,
    pub(in crate::app) unread: Vec<Unread>,
    /// Whether a policy that a case names does not exist.
    pub(super) missing: bool,
    /// Trees of policy files by path; `None` for one that could not be read.
    trees: BTreeMap<String, Option<Node>>,
}

/// A policy with the name it is told by.
type Named = (String, PolicyDocument);

/// The policies of a case, read.
pub(in crate::app) struct Layers {
    identity: Vec<Named>,
    resource: Vec<Named>,
    boundary: Option<Vec<Named>>,
    scps: Vec<Vec<Named>>,
    rcps: Vec<Vec<Named>>,
    session: Vec<Named>,
}

impl Layers {
    /// The policies, as the evaluator and AWS take them.
    pub(in crate::app) fn policies(&self) -> Policies<'_> {
        Policies {
            identity: named(&self.identity),
            resource: named(&self.resource).pop(),
            permissions_boundary: self.boundary.as_deref().map(named),
            scps: self.scps.iter().map(|level| named(level)).collect(),
            rcps: self.rcps.iter().map(|level| named(level)).collect(),
            session: named(&self.session).pop(),
        }
    }
}

impl<'a> Loader<'a> {
    pub(in crate::app) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            sources: SourceMap::default(),
            unread: Vec::new(),
            missing: false,
            trees: BTreeMap::new(),
        }
    }

    /// The cases of a table that can be read.
    pub(super) fn table(&mut self, path: &str) -> Vec<Case> {
        let reader = match path.rsplit_once('.').map(|(_, ending)| ending) {
            Some("toml") => toml::read,
            Some("json") => json::read,
            _ => {
                let reason = "a table of cases is a .toml or .json file";
                self.unread(path, None, reason.to_owned());
                return Vec::new();
            }
        };
        let Some(root) = self.tree(path, reader) else {
            return Vec::new();
        };
        let (cases, faults) = cases::read(&root);
        for fault in faults {
            self.unread(path, Some(fault.at), fault.reason);
        }
        cases
    }

    fn tree(&mut self, path: &str, reader: fn(&Text) -> Parsed) -> Option<Node> {
        let file = match self.files.read(path).map_err(|fault| fault.reason) {
            Ok(bytes) if bytes.len() > MAX_BYTES => Err(format!(
                "{} bytes; files over {MAX_BYTES} bytes are not read",
                bytes.len()
            )),
            Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                format!("byte {at} is not UTF-8; save the file as UTF-8")
            }),
            Err(reason) => Err(reason),
        };
        let file: FileId = match file {
            Ok(text) => self.sources.add(path, text),
            Err(reason) => {
                self.unread(path, None, reason);
                return None;
            }
        };
        let text = self.sources.text(file)?;
        let mut parsed = reader(&text);
        if path.ends_with(".toml") && !parsed.faults.is_empty() && is_json(&text) {
            let reason = "this looks like JSON, not TOML; name it .json".to_owned();
            self.unread(path, None, reason);
            return None;
        }
        for fault in &parsed.faults {
            self.unread(path, Some(fault.at), fault.reason.clone());
        }
        if parsed.faults.is_empty() {
            parsed.documents.pop()
        } else {
            None
        }
    }

    fn unread(&mut self, path: &str, at: Option<Span>, reason: String) {
        self.unread.push(Unread {
            path: path.to_owned(),
            reason,
            at,
        });
    }

    /// Says that a case was not tried.
    pub(super) fn not_tried(&mut self, case: &Case, table: &str) {
        let id = case.id.as_str();
        let reason = format!("case `{id}` was not tried, since a policy of it could not be read");
        self.unread(table, Some(case.id.span()), reason);
    }

    /// The policies of a case; `None` when one of them could not be read, which is told.
    pub(in crate::app) fn layers(
        &mut self,
        policies: &CasePolicies,
        table: &str,
    ) -> Option<Layers> {
        let identity = self.list(&policies.identity, "identity", PolicyKind::Identity, table);
        let resource = self.one(
            policies.resource.as_ref(),
            "resource",
            PolicyKind::Resource,
            table,
        );
        let boundary = policies
            .permissions_boundary
            .as_deref()
            .map(|list| self.list(list, "permissions_boundary", PolicyKind::Boundary, table));
        let scps = self.levels(&policies.scps, "scps", PolicyKind::Scp, table);
        let rcps = self.levels(&policies.rcps, "rcps", PolicyKind::Rcp, table);
        let session = self.one(
            policies.session.as_ref(),
            "session",
            PolicyKind::Session,
            table,
        );
        let (identity, resource, session) = (identity?, resource?, session?);
        let (scps, rcps) = (scps?, rcps?);
        let boundary = match boundary {
            Some(read) => Some(read?),
            None => None,
        };
        Some(Layers {
            identity,
            resource,
            boundary,
            scps,
            rcps,
            session,
        })
    }

    fn levels(
        &mut self,
        levels: &[Vec<PolicySource>],
        layer: &str,
        kind: PolicyKind,
        table: &str,
    ) -> Option<Vec<Vec<Named>>> {
        levels
            .iter()
            .enumerate()
            .map(|(index, level)| self.list(level, &format!("{layer} {index}"), kind, table))
            .collect()
    }

    fn one(
        &mut self,
        source: Option<&PolicySource>,
        layer: &str,
        kind: PolicyKind,
        table: &str,
    ) -> Option<Vec<Named>> {
        match source {
            None => Some(Vec::new()),
            Some(source) => Some(vec![self.policy(source, layer.to_owned(), kind, table)?]),
        }
    }

    fn list(
        &mut self,
        sources: &[PolicySource],
        layer: &str,
        kind: PolicyKind,
        table: &str,
    ) -> Option<Vec<Named>> {
        let read: Vec<Option<Named>> = sources
            .iter()
            .enumerate()
            .map(|(index, source)| self.policy(source, format!("{layer} {index}"), kind, table))
            .collect();
        read.into_iter().collect()
    }

    fn policy(
        &mut self,
        source: &PolicySource,
        place: String,
        kind: PolicyKind,
        table: &str,
    ) -> Option<Named> {
        match source {
            PolicySource::Inline(node) => {
                Some((place, PolicyDocument::read(node.clone(), Some(kind), None)))
            }
            PolicySource::Path(written) => {
                let path = self.found(written, table)?;
                if !self.trees.contains_key(&path) {
                    let tree = self.tree(&path, json::read);
                    self.trees.insert(path.clone(), tree);
                }
                let tree = self.trees.get(&path)?.clone()?;
                let document = PolicyDocument::read(tree, Some(kind), None);
                Some((path, document))
            }
        }
    }

    /// The file that a table names, where it is there: beside the table, else from the working directory.
    pub(in crate::app) fn place(&self, written: &Text, table: &str) -> Option<String> {
        let name = written.as_str();
        let places = [beside(name, table), name.to_owned()];
        let mut places = places.into_iter();
        places.find(|path| self.files.kind(path).is_some())
    }

    fn found(&mut self, written: &Text, table: &str) -> Option<String> {
        if let Some(path) = self.place(written, table) {
            return Some(path);
        }
        let name = written.as_str();
        let beside = beside(name, table);
        self.missing = true;
        let reason = if beside == name {
            format!("there is no policy file `{name}`")
        } else {
            format!("there is no policy file `{beside}`, nor `{name}`")
        };
        self.unread(table, Some(written.span()), reason);
        None
    }
}

/// The path of `name` in the folder of `table`.
fn beside(name: &str, table: &str) -> String {
    match table.rsplit_once('/') {
        Some((folder, _)) if !name.starts_with('/') => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}

/// Whether a text is whole JSON: a list or an object.
fn is_json(text: &Text) -> bool {
    let first = text.as_str().trim_start().chars().next();
    matches!(first, Some('[' | '{')) && json::read(text).faults.is_empty()
}

fn named(policies: &[Named]) -> Vec<NamedPolicy<'_>> {
    policies
        .iter()
        .map(|(name, document)| NamedPolicy { name, document })
        .collect()
}
