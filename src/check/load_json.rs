//! JSON files to models: policies, alone or inside what else stands in a file.

use crate::diag::Undecided;
use crate::iam::Simulation;
use crate::model::policy::{PolicyDocument, PolicyKind, enclosed};
use crate::parts::in_parts;
use crate::rules::{Role, Subject};
use crate::syntax::{Fault, Node, Parsed, json, pointer};
use crate::text::{FileId, Span, Text};

use super::load::{Loaded, Options, Standing};

/// Whether it is what `terraform plan -json` writes: lines with messages.
fn is_stream_of_plan(text: &str) -> bool {
    let first = text.trim_start();
    first.starts_with("{\"@level\"")
        && ["\"planned_change\"", "\"change_summary\""]
            .iter()
            .any(|word| text.contains(word))
}

impl Loaded {
    /// Whether there is a policy in it, or it could not be read.
    pub(super) fn take_json(
        &mut self,
        file: FileId,
        standing: Standing,
        role: Option<Role>,
        options: Options,
        reader: fn(&Text) -> Parsed,
    ) -> bool {
        let named = standing == Standing::Named;
        let must = named || role.is_some();
        let is_no_trust = matches!(role, Some(Role::ChangeRecords | Role::ReadZone));
        if !named && is_no_trust && options.subject == Some(Subject::Trust) {
            return false;
        }
        let Some(text) = self.sources.text(file) else {
            return false;
        };
        let path = self.sources.path(file).to_owned();
        if self.take_ownership(file, &path, &text) {
            return true;
        }
        let of_terraform = options
            .subject
            .is_none_or(|subject| subject == Subject::Terraform);
        if of_terraform && is_stream_of_plan(text.as_str()) {
            let reason = "this is the stream of `terraform plan -json`, which holds no values; save the plan with `-out`, and write it with `terraform show -json`";
            self.unread(file, None, reason.to_owned());
            return true;
        }
        if self.take_plan(file, &text, options) {
            return true;
        }
        if let Some(taken) = self.take_monitors_json(file, &path, &text, (standing, role), options)
        {
            return taken;
        }
        if !is_no_trust && let Some(taken) = self.take_beside(file, &path, &text, options) {
            return taken;
        }
        if options.subject == Some(Subject::Terraform) {
            if named {
                let reason = "this is no plan (`terraform show -json`) and no ownership.json";
                self.unread(file, None, reason.to_owned());
            }
            return named;
        }
        let simulated = self.take_simulation(&path, &text, options);
        if !(must && !simulated || enclosed::looks_alike(text.as_str())) {
            return simulated;
        }
        let Some(parsed) = self.parsed(file, &text, reader) else {
            return true;
        };
        let faulty = self.faults(file, &parsed);
        self.hint_at_template(&text);
        let span = parsed.documents.first().map(Node::span);
        let policies = self.workspace.policies.len();
        let told = self.unread.len() + self.undecided.len();
        let documents = self.take_all(file, parsed.documents, standing, role, options);
        let found = policies < self.workspace.policies.len();
        if faulty || simulated || found || told < self.unread.len() + self.undecided.len() {
            return true;
        }
        // A policy that is no trust policy was not asked for, unless the file was named for one.
        let missing = if documents == 0 { must } else { named };
        if missing {
            self.no_policy(file, span, documents);
        }
        missing
    }

    /// Says of what looks like a template of Terraform where it is judged.
    fn hint_at_template(&mut self, text: &Text) {
        let file = text.span().file;
        let Some(last) = self.unread.last_mut() else {
            return;
        };
        let begins = |at: Span| {
            let rest = text.as_str().get(at.range().start..);
            at.file == file
                && rest.is_some_and(|rest| rest.starts_with("${") || rest.starts_with("%{"))
        };
        if last.at.is_some_and(begins) {
            last.reason
                .push_str("; a template is judged where `templatefile` of a module renders it");
        }
    }

    /// What a file holds, also one that is percent-encoded as a whole. `None` where it cannot be decoded, which is told.
    fn parsed(&mut self, file: FileId, text: &Text, reader: fn(&Text) -> Parsed) -> Option<Parsed> {
        match enclosed::percent_encoded(text) {
            Some(Ok(decoded)) => Some(reader(&decoded)),
            Some(Err(fault)) => {
                self.unread(file, Some(fault.at), fault.reason);
                None
            }
            None => Some(reader(text)),
        }
    }

    /// The policies of each document of the file; a document without any, beside others that have some, is unread. How many
    /// there are.
    fn take_all(
        &mut self,
        file: FileId,
        roots: Vec<Node>,
        standing: Standing,
        role: Option<Role>,
        options: Options,
    ) -> usize {
        let several = roots.len() > 1;
        let (mut documents, mut empty) = (0, Vec::new());
        let read = |(index, root): (usize, Node)| {
            let first = several.then(|| pointer::join("", index));
            OfValue::read(root, first.as_deref(), standing, role, options)
        };
        let values = in_parts(roots.into_iter().enumerate(), PART, |part| {
            part.into_iter().map(read).collect::<Vec<OfValue>>()
        });
        for value in values.into_iter().flatten() {
            let span = value.span;
            let told = self.unread.len() + self.undecided.len();
            let of_this = self.take_documents(file, value, role);
            documents += of_this;
            if of_this == 0 && told == self.unread.len() + self.undecided.len() {
                empty.push(span);
            }
        }
        if documents > 0 {
            for at in empty {
                let reason = "there is no policy in this value, one of several in the file: a policy is an object with `Version` and `Statement`";
                self.unread(file, Some(at), reason.to_owned());
            }
        }
        documents
    }

    /// Says that there is no policy, or no trust policy, where one should be.
    fn no_policy(&mut self, file: FileId, at: Option<Span>, documents: usize) {
        let path = self.sources.path(file);
        let what = if documents == 0 {
            "policy"
        } else {
            "trust policy"
        };
        let reason = format!(
            "`{path}` is no {what}, and there is none in it: a policy is an object with `Version` and `Statement`"
        );
        self.unread(file, at, reason);
    }

    /// Whether it holds requests to policies, or what AWS's simulator answered; policies may stand in it too.
    fn take_simulation(&mut self, path: &str, text: &Text, options: Options) -> bool {
        let about_policies = options
            .subject
            .is_none_or(|subject| subject == Subject::Policy);
        if !about_policies || !Simulation::looks_alike(text.as_str()) {
            return false;
        }
        let parsed = json::read(text);
        let root = parsed.documents.first();
        let read = root.and_then(|root| Simulation::read(path, root));
        let known = read.is_some() && parsed.faults.is_empty();
        self.workspace.simulations.extend(read.filter(|_| known));
        known
    }

    /// Takes in what one JSON value holds; the number of documents.
    fn take_documents(&mut self, file: FileId, value: OfValue, role: Option<Role>) -> usize {
        for fault in value.faults {
            self.unread(file, Some(fault.at), fault.reason);
        }
        self.undecided.extend(value.undecided);
        for policy in value.policies {
            self.add_policy(policy, role);
        }
        value.documents
    }
}

/// How many values of a file a thread reads policies from before it takes more.
const PART: usize = 8;

/// What one JSON value of a file holds.
struct OfValue {
    span: Span,
    /// The number of documents in it, also of those that were not asked for.
    documents: usize,
    policies: Vec<PolicyDocument>,
    undecided: Vec<Undecided>,
    faults: Vec<Fault>,
}

impl OfValue {
    /// The policies in the value `root`, which stands at `first` in its file, or is all of it.
    fn read(
        root: Node,
        first: Option<&str>,
        standing: Standing,
        role: Option<Role>,
        options: Options,
    ) -> Self {
        let span = root.span();
        let found = enclosed::documents(root);
        let place = first.unwrap_or_default();
        let unknown = found.unknown.into_iter();
        let undecided = unknown.map(|(pointer, unknown, at)| Undecided {
            what: format!("the policy at `{place}{pointer}`"),
            why: unknown.why,
            at,
            missing: unknown.missing,
        });
        let undecided = undecided.collect();
        let only_trust = options.subject == Some(Subject::Trust);
        let documents = found.documents.len();
        let mut policies = Vec::with_capacity(documents);
        for document in found.documents {
            let alone = first.is_none() && document.pointer.is_empty();
            let asked = only_trust && alone && standing == Standing::Named;
            let of_role = match role {
                Some(Role::Trust) => Some(PolicyKind::Trust),
                Some(Role::ChangeRecords | Role::ReadZone) => Some(PolicyKind::Identity),
                Some(
                    Role::Terraform | Role::Workflow | Role::Monitors | Role::Cluster | Role::Other,
                )
                | None => asked.then_some(PolicyKind::Trust),
            };
            let kind = options.policy_kind.or(document.kind).or(of_role);
            let mut policy = PolicyDocument::read(document.root, kind, None);
            policy.place = format!("{place}{}", document.pointer);
            policy.bare = document.bare;
            if !only_trust || policy.kind == PolicyKind::Trust {
                policies.push(policy);
            }
        }
        Self {
            span,
            documents,
            policies,
            undecided,
            faults: found.faults,
        }
    }
}
