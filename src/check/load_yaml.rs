//! YAML files to models: workflows and monitors.

use crate::diag::Undecided;
use crate::model::monitor::{Monitor, looks_exported};
use crate::model::workflow::{ActionFile, Workflow, second_document};
use crate::rules::{Artefact, Role, Subject};
use crate::syntax::{Comment, Kind, Node, Parsed, yaml};
use crate::text::{FileId, Span, nearest};

use super::load::{Loaded, Options, Standing};
use super::load_monitors::{changed_by, is_kustomization, must_be_rendered};
use super::suppress::Suppression;

/// The kind of what AutoKuma reads.
const ENTITY: &str = "KumaEntity";

impl Loaded {
    /// Whether it is a workflow or holds monitors, or could not be read.
    #[expect(
        clippy::too_many_lines,
        reason = "one question after another, each short"
    )]
    pub(super) fn take_yaml(
        &mut self,
        file: FileId,
        path: &str,
        standing: Standing,
        role: Option<Role>,
        options: Options,
    ) -> bool {
        let Some(text) = self.sources.text(file) else {
            return false;
        };
        let wants = |subject| options.subject.is_none_or(|wanted| wanted == subject);
        // What the spec has there is an artefact of another kind than the one that was asked for.
        let of_another_kind = match role {
            Some(Role::Workflow) => !wants(Subject::Workflow),
            Some(Role::Monitors) => !wants(Subject::Monitors),
            Some(Role::Cluster) => !wants(Subject::Kubernetes),
            Some(Role::Terraform | Role::ChangeRecords | Role::ReadZone | Role::Trust)
            | Some(Role::Other) => options.subject.is_some(),
            None => false,
        };
        if of_another_kind && standing != Standing::Named {
            return false;
        }
        // Who asks for workflows below a path is told of each file there what it is.
        let asked = standing == Standing::Found
            && options.subject == Some(Subject::Workflow)
            && !options.whole
            && !Monitor::looks_alike(text.as_str());
        let of_a_kind = role.is_some_and(|role| role != Role::Cluster);
        let must = standing == Standing::Named || of_a_kind || asked;
        let parsed = yaml::read(&text);
        let alone = standing == Standing::Named && !options.whole;
        let nearly = parsed.documents.iter().any(|it| slip(it).is_some());
        if !nearly
            && self.may_be_manifests(text.as_str(), standing, role, options)
            && let Some(known) =
                self.take_manifests(file, path, text.as_str(), &parsed, (alone, role))
        {
            return known;
        }
        let is_broken = wants(Subject::Workflow)
            && !parsed.faults.is_empty()
            && Workflow::looks_alike(text.as_str());
        let is_workflow = wants(Subject::Workflow)
            && (role == Some(Role::Workflow)
                || Workflow::recognises_stream(path, &parsed.documents)
                || must && Workflow::has_jobs(&parsed.documents));
        let is_action = wants(Subject::Workflow)
            && !is_workflow
            && (ActionFile::recognises_path(path)
                || parsed.documents.first().is_some_and(|root| {
                    ActionFile::recognises(path, root) || must && root.get("runs").is_some()
                }));
        let has_monitors = wants(Subject::Monitors)
            && (role == Some(Role::Monitors) || nearly || Monitor::looks_alike(text.as_str()));
        let may_list = wants(Subject::Monitors)
            && !is_workflow
            && !is_action
            && looks_exported(path, text.as_str());
        if is_broken && !must {
            return self.faults(file, &parsed);
        }
        if !is_workflow && !is_action && !has_monitors && !must {
            let before = self.workspace.monitors.len();
            let listed = may_list && self.add_listed(path, &parsed.documents, role);
            self.add_comments(before, &parsed.comments);
            return listed;
        }
        let alike = has_monitors && Monitor::looks_alike(text.as_str());
        let template = || must_be_rendered(text.as_str()).filter(|_| alike);
        let changed = || changed_by(path, &parsed.documents);
        let unrendered = has_monitors.then(|| template().or_else(changed)).flatten();
        if let Some(reason) = unrendered {
            self.unread(file, None, reason.to_owned());
            return true;
        }
        if self.faults(file, &parsed) {
            return true;
        }
        let comments = Suppression::from_comments(&parsed.comments, &self.sources);
        self.suppressions.extend(comments);
        self.unknown_parts(&parsed.documents);
        if is_workflow || is_action {
            self.add_steps(file, path, text.as_str(), parsed, role, is_action);
            return true;
        }
        let is_empty = parsed
            .documents
            .iter()
            .all(|root| matches!(root.kind, Kind::Null));
        let misspelled = (has_monitors || must && wants(Subject::Monitors))
            && self.misspelled(file, &parsed.documents);
        // Another Kubernetes resource beside the monitors, a kustomization say, is nothing that is looked at here.
        let is_other =
            |document: &Node| document.get("kind").is_some() && !Monitor::recognises(document);
        let others = !parsed.documents.is_empty() && parsed.documents.iter().all(is_other)
            || is_kustomization(path, &parsed.documents);
        let before = self.workspace.monitors.len();
        let listed = may_list && self.add_listed(path, &parsed.documents, role);
        let entities = wants(Subject::Monitors) && self.add_monitors(path, parsed.documents, role);
        let found = listed || entities;
        self.add_comments(before, &parsed.comments);
        if others && role == Some(Role::Monitors) {
            return misspelled;
        }
        if must && !found && !misspelled {
            let reason = match options.subject {
                Some(Subject::Workflow) if is_empty => {
                    "the file is empty; a workflow with `on` and `jobs` is expected".to_owned()
                }
                Some(Subject::Workflow) => {
                    format!(
                        "`{path}` is no workflow: it has no `jobs`; and no action: it has no `runs`"
                    )
                }
                _ if is_empty && role == Some(Role::Monitors) => {
                    "the file is empty; a monitor or a notification, `kind: KumaEntity`, is expected"
                        .to_owned()
                }
                Some(Subject::Monitors) => format!("`{path}` declares no `KumaEntity`"),
                Some(Subject::Kubernetes) => format!(
                    "`{path}` declares no `Certificate`, `Issuer`, `Gateway`, `VirtualService`, `HTTPRoute` or `Ingress`"
                ),
                _ => format!(
                    "`{path}` is neither a workflow, with `on` and `jobs`, nor does it declare a `KumaEntity`"
                ),
            };
            self.unread(file, None, reason);
        }
        found || must || misspelled
    }

    fn add_steps(
        &mut self,
        file: FileId,
        path: &str,
        text: &str,
        parsed: Parsed,
        role: Option<Role>,
        is_action: bool,
    ) {
        let what = if is_action { "an action" } else { "a workflow" };
        let keys = if is_action {
            "`runs`"
        } else {
            "`on` and `jobs`"
        };
        let mut documents = parsed.documents.into_iter();
        let Some(root) = documents.next() else {
            let reason = format!("the file is empty; {what} with {keys} is expected");
            self.unread(file, None, reason);
            return;
        };
        if let Some(second) = documents.next() {
            self.unread(file, Some(second.span()), second_document(is_action));
            return;
        }
        if is_action {
            let model = ActionFile::read(path, text, root, &parsed.comments);
            self.workspace.actions.push(Artefact { model, role });
        } else {
            let model = Workflow::read(path, text, root, &parsed.comments);
            self.workspace.workflows.push(Artefact { model, role });
        }
    }

    /// Documents that are AutoKuma's, or nearly, and that it does not read; whether there are any.
    fn misspelled(&mut self, file: FileId, documents: &[Node]) -> bool {
        let slips: Vec<(Span, String)> = documents.iter().filter_map(slip).collect();
        let any = !slips.is_empty();
        for (at, reason) in slips {
            self.unread(file, Some(at), reason);
        }
        any
    }

    fn add_monitors(&mut self, path: &str, documents: Vec<Node>, role: Option<Role>) -> bool {
        let before = self.workspace.monitors.len();
        let entities = documents.into_iter().filter(Monitor::recognises);
        let entities = entities.map(|document| Artefact {
            model: Monitor::read(path, document),
            role,
        });
        self.workspace.monitors.extend(entities);
        self.workspace.monitors.len() > before
    }

    /// The comments of a file, for the monitors from this one on.
    fn add_comments(&mut self, from: usize, comments: &[Comment]) {
        let added = self.workspace.monitors.iter_mut().skip(from);
        let mut added: Vec<&mut Monitor> = added.map(|artefact| &mut artefact.model).collect();
        Monitor::comment(&mut added, comments);
    }

    /// Values with a tag of their own: what they are is not known.
    fn unknown_parts(&mut self, documents: &[Node]) {
        for (unknown, at) in documents.iter().flat_map(Node::unknowns) {
            self.undecided.push(Undecided {
                what: "a value of this file".to_owned(),
                why: unknown.why.clone(),
                at,
                missing: unknown.missing.clone(),
            });
        }
    }
}

/// A document that is AutoKuma's by its group, or nearly by its kind, and that it does not read. Other resources of
/// Kubernetes are nobody's business.
fn slip(document: &Node) -> Option<(Span, String)> {
    if Monitor::recognises(document) {
        return None;
    }
    let group = document.get("apiVersion").and_then(Node::as_str);
    let of_autokuma = group.is_some_and(|group| group.starts_with("autokuma."));
    let Some(kind) = document.get("kind") else {
        let reason = format!("`kind` is not here, so that nobody reads it; `{ENTITY}` is expected");
        return of_autokuma.then(|| (document.span(), reason));
    };
    let written = kind.as_str().unwrap_or_default();
    let close = nearest(written, [ENTITY]).is_some();
    (of_autokuma || close).then(|| {
        let reason =
            format!("`kind: {written}` is nothing that AutoKuma reads; did you mean `{ENTITY}`?");
        (kind.span(), reason)
    })
}
