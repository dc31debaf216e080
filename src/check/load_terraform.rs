//! Terraform files to models: the files of a folder are one module.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Undecided;
use crate::model::policy::{Malformed, PolicyDocument, PolicyKind, Statement, UnknownPart};
use crate::model::spec::Spec;
use crate::rules::Subject;
use crate::syntax::{Standing as PartStanding, Unknown, hcl, json};
use crate::terraform::{
    AttachedPolicy, DataFile, Declarations, Known, Library, Module, Ownership, Plan, PolicyText,
};
use crate::text::{FileId, Text};

use super::load::{Loaded, MAX_BYTES, Options, Standing};
use super::roles;
use super::suppress::Suppression;

/// What the spec says about the account that its module is applied to.
#[must_use]
pub fn known(spec: &Spec) -> Known {
    Known {
        account: Some(spec.aws.account.clone()),
        partition: Some(spec.aws.partition.clone()),
    }
}

impl Loaded {
    /// Whether it is looked at; what it means is known when its whole folder is there.
    pub(super) fn take_terraform(&mut self, file: FileId, path: &str, options: Options) -> bool {
        let wanted = match options.subject {
            None | Some(Subject::Terraform | Subject::Policy | Subject::Trust) => true,
            Some(Subject::Workflow | Subject::Monitors | Subject::Kubernetes) => false,
        };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let json = name.ends_with(".json");
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let variables = stem.ends_with(".tfvars");
        let loaded_by_itself = stem == "terraform.tfvars" || stem.ends_with(".auto.tfvars");
        if !wanted || variables && !loaded_by_itself {
            return false;
        }
        let Some(text) = self.sources.text(file) else {
            return false;
        };
        let read = match (json, variables) {
            (true, true) => hcl::read_json_values(&text),
            (true, false) => hcl::read_json(&text),
            (false, _) => hcl::read(&text),
        };
        for fault in &read.faults {
            self.unread(file, Some(fault.at), fault.reason.clone());
        }
        let comments = Suppression::from_comments(&read.comments, &self.sources);
        self.suppressions.extend(comments);
        let files = self.folders.entry(folder.to_owned()).or_default();
        files.push((name.to_owned(), read));
        true
    }

    /// Makes a module of each folder. One that another calls is judged as it is called, by the one that is applied.
    pub(super) fn add_modules(&mut self, spec: Option<&Spec>, options: Options) {
        let known = spec.map(known).unwrap_or_default();
        let folders = std::mem::take(&mut self.folders);
        if folders.is_empty() {
            if matches!(options.subject, None | Some(Subject::Terraform)) {
                self.tell_unmet();
            }
            return;
        }
        let made = folders.into_iter().map(|(folder, files)| {
            let mut module = Module::of_files(folder.clone(), files);
            module.lacks_files = self.lacks_files_in(&folder);
            (folder, module)
        });
        let library = Library {
            modules: made.collect(),
            files: self.data_files(),
        };
        let called = library.called();
        let (later, first): (Vec<&Module>, Vec<&Module>) = library
            .modules
            .values()
            .partition(|module| called.contains(&module.folder.as_str()));
        let mut seen = BTreeSet::new();
        let (unread, undecided) = (self.unread.len(), self.undecided.len());
        let policies = self.workspace.policies.len();
        let mut templates = BTreeSet::new();
        for module in first.into_iter().chain(later) {
            if seen.contains(&module.folder) {
                continue;
            }
            let mut declared = Declarations::read_beside(&library, module, &known);
            seen.extend(declared.folders.iter().cloned());
            declared.whole &= !declared
                .folders
                .iter()
                .any(|folder| self.is_unread_in(folder, &declared.templates));
            declared.owned = self.owned_in(&declared.folder);
            templates.extend(declared.templates.iter().copied());
            self.add_policies(&declared, spec, options);
            if matches!(options.subject, None | Some(Subject::Terraform)) {
                self.tell_unread_calls(&declared);
                self.workspace.modules.push(declared);
            }
        }
        self.library = library;
        self.forget_templates(&templates, (unread, undecided, policies));
        self.tell_unmet();
    }

    /// Takes back what was said of templates as if they were policies themselves, by what was there `before` they were
    /// rendered: each is judged as it is rendered.
    fn forget_templates(&mut self, templates: &BTreeSet<FileId>, before: (usize, usize, usize)) {
        if templates.is_empty() {
            return;
        }
        let (unread, undecided, policies) = before;
        let paths: BTreeSet<String> = templates
            .iter()
            .map(|file| self.sources.path(*file).to_owned())
            .collect();
        drop_first(&mut self.unread, unread, |one| paths.contains(&one.path));
        drop_first(&mut self.undecided, undecided, |one| {
            templates.contains(&one.at.file)
        });
        drop_first(&mut self.workspace.policies, policies, |one| {
            one.role.is_none() && templates.contains(&one.model.root.span().file)
        });
    }

    /// Says which calls lead to modules that are not here: what those declare is not looked at.
    fn tell_unread_calls(&mut self, declared: &Declarations) {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for call in &declared.calls {
            let why = call.unknown.why.as_str();
            *reasons.entry(why).or_default() += usize::from(why.starts_with("more than "));
        }
        // One limit is one thing to tell, however many calls it stops.
        for call in &declared.calls {
            let why = call.unknown.why.as_str();
            let others = match reasons.get(why).copied() {
                None => continue,
                Some(0) => " declares".to_owned(),
                Some(count) => {
                    reasons.remove(why);
                    match count {
                        1 => " declares".to_owned(),
                        _ => format!(" and {} more calls declare", count - 1),
                    }
                }
            };
            self.undecided.push(Undecided {
                what: format!("what `{}`{others}", call.address),
                why: call.unknown.why.clone(),
                at: call.head,
                missing: call.unknown.missing.clone(),
            });
        }
    }

    /// Says which records that others write are in no module: a slip in a name would leave a record unguarded.
    fn tell_unmet(&mut self) {
        let mut unmet = Vec::new();
        for (folder, ownership) in &self.owned {
            let modules = self.workspace.modules.iter();
            let below: Vec<&Declarations> = modules
                .filter(|module| is_above(folder, &module.folder))
                .collect();
            // A plan may be what it is for.
            if below.is_empty() && !self.workspace.plans.is_empty() {
                continue;
            }
            for owned in &ownership.records {
                let mut records = below.iter().flat_map(|module| &module.records);
                if records.any(|record| owned.may_be(record)) {
                    continue;
                }
                let kind = owned.record_type.as_deref();
                let kind = kind.map_or_else(String::new, |kind| format!(" {kind}"));
                unmet.push(Undecided {
                    what: format!("which record others write as `{}{kind}`", owned.name),
                    why: if below.is_empty() {
                        "there is no module beside this file or below it"
                    } else {
                        "no record of the modules here has this name and type"
                    }
                    .to_owned(),
                    at: owned.at,
                    missing: Vec::new(),
                });
            }
        }
        self.undecided.extend(unmet);
    }

    /// What others write of a module: a file in its folder or above says so.
    fn owned_in(&self, folder: &str) -> Vec<Ownership> {
        let files = self.owned.iter();
        let files = files.filter(|(other, _)| is_above(other, folder));
        files.map(|(_, ownership)| ownership.clone()).collect()
    }

    /// What functions of the modules may read.
    fn data_files(&mut self) -> BTreeMap<String, DataFile> {
        let mut files = std::mem::take(&mut self.data);
        for (path, file) in std::mem::take(&mut self.texts) {
            if let Some(text) = self.sources.text(file) {
                // A link that no function follows may be read by itself.
                files.entry(path).or_insert(DataFile::Text(text));
            }
        }
        files
    }

    /// Takes a file that a function of a module may read, or a link that none follows.
    pub(super) fn take_beside_module(
        &mut self,
        path: String,
        bytes: Result<Vec<u8>, String>,
        standing: Standing,
    ) {
        let data = match bytes {
            Err(reason) if standing == Standing::Link => DataFile::Link(reason),
            bytes => self.data_of(&path, bytes),
        };
        self.data.insert(path, data);
    }

    fn data_of(&mut self, path: &str, bytes: Result<Vec<u8>, String>) -> DataFile {
        let bytes = match bytes {
            Ok(bytes) if bytes.len() > MAX_BYTES => {
                let length = bytes.len();
                let reason =
                    format!("has {length} bytes; files over {MAX_BYTES} bytes are not read");
                return DataFile::Absent(reason);
            }
            Ok(bytes) => bytes,
            Err(reason) => return DataFile::Absent(reason),
        };
        match String::from_utf8(bytes) {
            Ok(text) => {
                let file = self.sources.add(path, text);
                let absent = || DataFile::Absent("could not be read".to_owned());
                self.sources.text(file).map_or_else(absent, DataFile::Text)
            }
            Err(error) => DataFile::Bytes(error.into_bytes()),
        }
    }

    /// Whether it is a plan of Terraform.
    pub(super) fn take_plan(&mut self, file: FileId, text: &Text, options: Options) -> bool {
        if matches!(
            options.subject,
            Some(Subject::Workflow | Subject::Monitors | Subject::Kubernetes)
        ) {
            return false;
        }
        let path = self.sources.path(file);
        if !Plan::looks_alike(text.as_str()) && !Plan::is_remainder(path, text.as_str()) {
            return false;
        }
        let parsed = json::read(text);
        let whole = parsed
            .documents
            .first()
            .filter(|_| parsed.faults.is_empty());
        if whole.is_none() && Plan::is_remainder(path, text.as_str()) {
            if !self.faults(file, &parsed) {
                let reason = "the file is empty; a plan is what `terraform show -json` writes";
                self.unread(file, None, reason.to_owned());
            }
            return true;
        }
        let Some(root) = whole.filter(|root| Plan::recognises(root)) else {
            return false;
        };
        if !self.faults(file, &parsed) {
            let plan = Plan::read(root);
            for fault in &plan.faults {
                self.unread(file, Some(fault.at), fault.reason.clone());
            }
            self.workspace.plans.push(plan);
        }
        true
    }

    /// Whether it says what others than Terraform write.
    pub(super) fn take_ownership(&mut self, file: FileId, path: &str, text: &Text) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name != Ownership::FILE {
            return false;
        }
        let mut parsed = json::read(text);
        if self.faults(file, &parsed) {
            return true;
        }
        match parsed.documents.pop().as_ref().map(Ownership::read) {
            Some(Ok(ownership)) => self.owned.push((folder.to_owned(), ownership)),
            Some(Err(fault)) => self.unread(file, Some(fault.at), fault.reason),
            None => {
                let reason = "the file is empty; an object with `records` is expected";
                self.unread(file, None, reason.to_owned());
            }
        }
        true
    }

    /// Takes in what plans would make, beside what the modules declare.
    pub(super) fn add_plans(&mut self, spec: Option<&Spec>, options: Options) {
        let planned: Vec<Declarations> = self.workspace.plans.iter().map(Plan::declared).collect();
        for declared in &planned {
            for policy in declared.policies.iter().chain(&declared.permissions) {
                self.add_planned(policy, declared, spec, options);
            }
            if spec.is_some() {
                roles::leave_one_of_each(&mut self.workspace.policies, declared);
            }
        }
        self.tell_partial_plans();
        if matches!(options.subject, None | Some(Subject::Terraform)) {
            self.workspace.planned = planned;
        }
    }

    /// Says what plans leave open.
    fn tell_partial_plans(&mut self) {
        let plans = &self.workspace.plans;
        let partial = plans.iter().filter_map(|plan| plan.partial);
        let partial = partial.map(|(why, at)| Undecided {
            what: "what else the plan would do".to_owned(),
            why: why.to_owned(),
            at,
            missing: Vec::new(),
        });
        let deferred = plans.iter().flat_map(|plan| &plan.deferred);
        let deferred = deferred.map(|change| Undecided {
            what: format!("what a later plan does to `{}`", change.address),
            why: "it is deferred until more is known".to_owned(),
            at: change.at,
            missing: vec![change.address.clone()],
        });
        self.undecided.extend(partial.chain(deferred));
    }

    /// Takes in a policy of a plan, unless the module gives the same one, or knows it where the plan does not.
    fn add_planned(
        &mut self,
        policy: &AttachedPolicy,
        declared: &Declarations,
        spec: Option<&Spec>,
        options: Options,
    ) {
        let trust = policy.kind == Some(PolicyKind::Trust);
        if options.subject == Some(Subject::Trust) && !trust {
            return;
        }
        let written = || self.workspace.policies_at(&policy.address);
        match &policy.text {
            PolicyText::Tree(root) if policy.kind.is_some() || PolicyDocument::recognises(root) => {
                if written().any(|artefact| artefact.model.root == *root) {
                    return;
                }
                let address = Some(policy.address.clone());
                let model = PolicyDocument::read(root.clone(), policy.kind, address);
                let role = spec.map(|spec| roles::of_policy(&model, spec, declared));
                self.add_policy(model, role);
            }
            PolicyText::Unknown(unknown) => {
                let incomplete = |statement: &Statement| statement.incomplete;
                if written().any(|artefact| !artefact.model.statements.iter().any(incomplete)) {
                    return;
                }
                self.undecided.push(Undecided {
                    what: format!("the policy `{}`", policy.address),
                    why: unknown.why.clone(),
                    at: policy.at,
                    missing: unknown.missing.clone(),
                });
            }
            PolicyText::Broken(fault) if policy.kind.is_some() => {
                let what = format!("the policy `{}`", policy.address);
                let why = format!("its text is not JSON: {}", fault.reason);
                self.undecided.push(Undecided {
                    what,
                    why,
                    at: policy.at,
                    missing: Vec::new(),
                });
            }
            PolicyText::Tree(_) | PolicyText::Broken(_) => {}
        }
    }

    /// Whether a file of the module in `folder` could not be read.
    fn lacks_files_in(&self, folder: &str) -> bool {
        self.unread.iter().any(|unread| {
            let (beside, name) = unread.path.rsplit_once('/').unwrap_or(("", &unread.path));
            beside == folder && (name.ends_with(".tf") || name.ends_with(".tf.json"))
        })
    }

    /// Whether something of a folder could not be read; templates are no part of a module.
    fn is_unread_in(&self, folder: &str, templates: &BTreeSet<FileId>) -> bool {
        let folder_of = |path: &str| path.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
        self.unread.iter().any(|unread| {
            let file = self.sources.find(&unread.path);
            unread.path.starts_with(folder)
                && folder_of(&unread.path) == folder.len()
                && !file.is_some_and(|file| templates.contains(&file))
        })
    }

    /// Takes in the policies of which one stands there; which of them is not known, so that none has a role in a spec.
    fn add_possible(
        &mut self,
        policy: &AttachedPolicy,
        unknown: &Unknown,
        kind: Option<PolicyKind>,
    ) {
        for part in &unknown.parts {
            if part.standing == PartStanding::Open || part.node.get("Statement").is_none() {
                continue;
            }
            let when = part.when.as_deref().unwrap_or("in some cases");
            let address = format!("{} ({when})", policy.address);
            let model = PolicyDocument::read(part.node.clone(), kind, Some(address));
            self.add_policy(model, None);
        }
    }

    fn add_policies(&mut self, declared: &Declarations, spec: Option<&Spec>, options: Options) {
        let own = spec.is_some_and(|spec| declared.is_of(spec));
        for policy in &declared.policies {
            let kind = options.policy_kind.or(policy.kind);
            if options.subject == Some(Subject::Trust) && kind != Some(PolicyKind::Trust) {
                continue;
            }
            match &policy.text {
                PolicyText::Tree(root) => {
                    let address = Some(policy.address.clone());
                    let mut model = PolicyDocument::read(root.clone(), kind, address);
                    leave_defaults_open(&mut model, declared);
                    let role = spec.filter(|_| own);
                    let role = role.map(|spec| roles::of_policy(&model, spec, declared));
                    self.add_policy(model, role);
                }
                PolicyText::Unknown(_) if declared.tells_refusal(policy) => {}
                PolicyText::Unknown(unknown) => {
                    self.add_possible(policy, unknown, kind);
                    self.unresolved.push(Undecided {
                        what: format!("the policy `{}`", policy.address),
                        why: unknown.why.clone(),
                        at: policy.at,
                        missing: unknown.missing.clone(),
                    });
                }
                // A rule of its own says so.
                PolicyText::Broken(_) => {}
            }
        }
        if own {
            roles::leave_one_of_each(&mut self.workspace.policies, declared);
        }
        if options.subject != Some(Subject::Trust) {
            self.add_permissions(declared);
        }
    }

    /// Takes in what resources add to the policies of others. A condition whose value is not known limits all the same,
    /// so that nothing is undecided by it.
    fn add_permissions(&mut self, declared: &Declarations) {
        for permission in &declared.permissions {
            if let PolicyText::Tree(root) = &permission.text {
                let address = Some(permission.address.clone());
                let mut model = PolicyDocument::read(root.clone(), permission.kind, address);
                let decides = |part: &UnknownPart| !part.pointer.contains("/Condition/");
                model.unknown.retain(decides);
                self.add_policy(model, None);
            }
        }
    }
}

/// A module that needs values is applied with values: what its defaults alone make wrong may never stand there.
fn leave_defaults_open(policy: &mut PolicyDocument, declared: &Declarations) {
    if declared.unset.is_empty() {
        return;
    }
    let of_default = |malformed: &mut Malformed| {
        let mut defaults = declared.defaults.iter();
        defaults.any(|default| default.contains(malformed.at))
    };
    let open = policy.malformed.extract_if(.., of_default);
    policy.unknown.extend(open.map(|malformed| UnknownPart {
        pointer: malformed.pointer,
        at: malformed.at,
        unknown: Unknown {
            why: format!(
                "with the default of this variable {}, but the module is applied with values of its own",
                malformed.message
            ),
            missing: declared.unset.clone(),
            ..Unknown::default()
        },
    }));
}

/// Takes out of the first `count` of a list what is asked for.
fn drop_first<T>(list: &mut Vec<T>, count: usize, asked: impl Fn(&T) -> bool) {
    let mut at = 0;
    list.retain(|one| {
        at += 1;
        at > count || !asked(one)
    });
}

/// Whether `folder` is `other` or lies below it.
fn is_above(other: &str, folder: &str) -> bool {
    let rest = folder.strip_prefix(other);
    other.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
