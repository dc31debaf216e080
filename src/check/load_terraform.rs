//! Terraform files to models: the files of a folder are one module.

use crate::diag::Undecided;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::Spec;
use crate::rules::Subject;
use crate::syntax::hcl;
use crate::terraform::{Declarations, Known, Module, PolicyText};
use crate::text::FileId;

use super::load::{Loaded, Options};
use super::roles;
use super::suppress::Suppression;

impl Loaded {
    /// Whether it is looked at; what it means is known when its whole folder is there.
    pub(super) fn take_terraform(&mut self, file: FileId, path: &str, options: Options) -> bool {
        let wanted = match options.subject {
            None | Some(Subject::Terraform | Subject::Policy | Subject::Trust) => true,
            Some(Subject::Workflow | Subject::Monitors) => false,
        };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let variables = name.ends_with(".tfvars");
        let loaded_by_itself = name == "terraform.tfvars" || name.ends_with(".auto.tfvars");
        if !wanted || variables && !loaded_by_itself {
            return false;
        }
        if let Some(reason) = beyond(name) {
            self.unread(file, None, reason.to_owned());
            return true;
        }
        let Some(text) = self.sources.text(file) else {
            return false;
        };
        let read = hcl::read(&text);
        for fault in &read.faults {
            self.unread(file, Some(fault.at), fault.reason.clone());
        }
        let comments = Suppression::from_comments(&read.comments, &self.sources);
        self.suppressions.extend(comments);
        let files = self.folders.entry(folder.to_owned()).or_default();
        files.push((name.to_owned(), read));
        true
    }

    /// Makes a module of each folder.
    pub(super) fn add_modules(&mut self, spec: Option<&Spec>, options: Options) {
        let known = spec.map_or_else(Known::default, |spec| Known {
            account: Some(spec.aws.account.clone()),
            partition: Some(spec.aws.partition.clone()),
        });
        for (folder, mut files) in std::mem::take(&mut self.folders) {
            files.sort_by_key(|(name, _)| (name.ends_with(".auto.tfvars"), name.clone()));
            let mut module = Module {
                folder,
                ..Module::default()
            };
            for (name, file) in files {
                if name.ends_with(".tfvars") {
                    module.variables.push(file);
                } else {
                    module.files.push(file);
                }
            }
            let mut declared = Declarations::read(&module, &known);
            declared.whole &= !self.is_unread_in(&declared.folder);
            self.add_policies(&declared, spec, options);
            if matches!(options.subject, None | Some(Subject::Terraform)) {
                self.workspace.modules.push(declared);
            }
        }
    }

    fn is_unread_in(&self, folder: &str) -> bool {
        let folder_of = |path: &str| path.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
        self.unread.iter().any(|unread| {
            unread.path.starts_with(folder) && folder_of(&unread.path) == folder.len()
        })
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
                    let model = PolicyDocument::read(root.clone(), kind, address);
                    let role = spec.filter(|_| own);
                    let role = role.map(|spec| roles::of_policy(&model, spec, declared));
                    self.add_policy(model, role);
                }
                PolicyText::Unknown(unknown) => self.undecided.push(Undecided {
                    what: format!("the policy `{}`", policy.address),
                    why: unknown.why.clone(),
                    at: policy.at,
                    missing: unknown.missing.clone(),
                }),
                // A rule of its own says so.
                PolicyText::Broken(_) => {}
            }
        }
        if own {
            roles::leave_one_of_each(&mut self.workspace.policies, declared);
        }
    }
}

/// Why a file that Terraform would load is not read.
fn beyond(name: &str) -> Option<&'static str> {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    if name.ends_with(".tf.json") {
        Some("Terraform's JSON syntax is not read; write the file in HCL")
    } else if stem == "override.tf" || stem.ends_with("_override.tf") {
        Some("override files are not merged; write what they change into the files they change")
    } else {
        None
    }
}
