//! The models of all artefacts, side by side.

use std::collections::BTreeSet;

use crate::model::monitor::Monitor;
use crate::model::policy::PolicyDocument;
use crate::model::spec::Spec;
use crate::model::trust::Repository;
use crate::model::workflow::Workflow;
use crate::terraform::{Declarations, Ownership, Plan};
use crate::text::Span;

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The spec.
    pub spec: Option<Spec>,
    /// Whose job borrows the role, from the spec or from flags.
    pub repository: Option<Repository>,
    /// Whether this is the whole deployment, so that what is not here is missing.
    pub whole: bool,
    /// The one subject of which this is the whole deployment, when the run was narrowed to it.
    pub wholly: Option<Subject>,
    /// Paths of all files that were looked at, also of those that could not be read.
    pub paths: BTreeSet<String>,
    /// Paths of those that could not be read.
    pub unread: BTreeSet<String>,
    /// Folders that could not be listed: what is below them is not known to be missing.
    pub unlisted: Vec<String>,
    /// Policies, from files of their own and out of Terraform.
    pub policies: Vec<Artefact<PolicyDocument>>,
    /// Terraform modules, one for each folder.
    pub modules: Vec<Declarations>,
    /// Plans of Terraform.
    pub plans: Vec<Plan>,
    /// What others than Terraform write, as files say.
    pub owned: Vec<Ownership>,
    /// Workflows.
    pub workflows: Vec<Artefact<Workflow>>,
    /// Monitors and notifications.
    pub monitors: Vec<Artefact<Monitor>>,
}

/// What `validate` can be narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// IAM policies of any kind.
    Policy,
    /// Trust policies.
    Trust,
    /// Terraform modules.
    Terraform,
    /// GitHub workflows.
    Workflow,
    /// Uptime Kuma monitors.
    Monitors,
}

impl Subject {
    /// What it is called in a sentence, in the plural.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Policy => "policies",
            Self::Trust => "trust policies",
            Self::Terraform => "Terraform",
            Self::Workflow => "workflows",
            Self::Monitors => "monitors",
        }
    }
}

/// A model and what it is to the spec.
#[derive(Debug)]
pub struct Artefact<T> {
    /// The model.
    pub model: T,
    /// What it is to the spec; `None` for a file that the spec does not know.
    pub role: Option<Role>,
}

/// What an artefact is to the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The policy that may change the records.
    ChangeRecords,
    /// The policy that may read the zone and changes.
    ReadZone,
    /// The role's trust policy.
    Trust,
    /// Terraform.
    Terraform,
    /// The workflow that makes the switch.
    Workflow,
    /// The monitors.
    Monitors,
    /// Another file in one of the spec's folders.
    Other,
}

impl Workspace {
    /// The policies with this role, from wherever they come.
    pub fn policies_as(&self, role: Role) -> impl Iterator<Item = &PolicyDocument> {
        self.policies
            .iter()
            .filter(move |artefact| artefact.role == Some(role))
            .map(|artefact| &artefact.model)
    }

    /// The Terraform module in the spec's folder.
    #[must_use]
    pub fn own_module(&self) -> Option<&Declarations> {
        let spec = self.spec.as_ref()?;
        self.modules.iter().find(|module| module.is_of(spec))
    }

    /// Whether a file below `folder` could not be read, so that what is not seen there is not missing.
    #[must_use]
    pub fn is_unread_below(&self, folder: &str) -> bool {
        let below = |path: &String| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        self.unread.iter().any(below)
    }

    /// The policy that holds the bytes `at`.
    #[must_use]
    pub fn policy_at(&self, at: Span) -> Option<&PolicyDocument> {
        self.policies
            .iter()
            .map(|artefact| &artefact.model)
            .find(|policy| policy.span().contains(at))
    }
}
