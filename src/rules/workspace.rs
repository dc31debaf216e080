//! The models of all artefacts, side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::iam::Simulation;
use crate::iam::trust::{TrustVerdict, Verdicts};
use crate::model::batch::ChangeBatch;
use crate::model::calendar::Day;
use crate::model::cluster::Manifest;
use crate::model::decider::Deciders;
use crate::model::facts::{PlannedSchedule, RepositoryFacts, Runs, SubjectTemplate};
use crate::model::monitor::Monitor;
use crate::model::observed::Observed;
use crate::model::pins::{LOCK_FILE, PinsLock};
use crate::model::policy::PolicyDocument;
use crate::model::rehearsal::Rehearsal;
use crate::model::script::Script;
use crate::model::spec::Spec;
use crate::model::trust::Repository;
use crate::model::workflow::{ActionFile, StepFile, Workflow};
use crate::terraform::{Declarations, Ownership, Plan, block_address};
use crate::text::Span;

use super::executor::Executor;

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Workspace {
    /// What is found of trust policies for the job that is asked about.
    pub verdicts: Verdicts,
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
    /// Of these the ones that nobody asked for and that lie beside a file that was named: they are told nowhere else.
    pub unread_beside: BTreeSet<String>,
    /// Folders of the spec's artefacts that are there, be they empty.
    pub folders: Vec<String>,
    /// Folders that could not be listed: what is below them is not known to be missing.
    pub unlisted: Vec<String>,
    /// Policies, from files of their own and out of Terraform.
    pub policies: Vec<Artefact<PolicyDocument>>,
    /// Terraform modules, one for each folder.
    pub modules: Vec<Declarations>,
    /// What stands in the account once a plan is applied, one for each of `plans`.
    pub planned: Vec<Declarations>,
    /// Plans of scheduled runs.
    pub schedules: Vec<PlannedSchedule>,
    /// What others than Terraform write, as files say.
    pub owned: Vec<Ownership>,
    /// Workflows.
    pub workflows: Vec<Artefact<Workflow>>,
    /// Actions of the repository itself.
    pub actions: Vec<Artefact<ActionFile>>,
    /// What is known of repositories, from files beside what is checked.
    pub facts: Vec<RepositoryFacts>,
    /// How the repository makes its subjects, from a file beside what is checked.
    pub subject_template: Option<SubjectTemplate>,
    /// Plans of Terraform.
    pub plans: Vec<Plan>,
    /// Times of scheduled runs.
    pub runs: Vec<Runs>,
    /// Locks of upstream refs.
    pub locks: Vec<PinsLock>,
    /// The program that the workflow runs.
    pub executor: Executor,
    /// Monitors and notifications.
    pub monitors: Vec<Artefact<Monitor>>,
    /// What the sites' clusters serve.
    pub manifests: Vec<Manifest>,
    /// Changes of records as Route 53 takes them, and its health checks.
    pub batches: Vec<ChangeBatch>,
    /// Requests to policies, and answers of AWS's simulator.
    pub simulations: Vec<Simulation>,
    /// Who decides about a switch, and from where.
    pub deciders: Vec<Deciders>,
    /// What somebody saw of the sites.
    pub observed: Vec<Observed>,
    /// Scripts with commands that are known here.
    pub scripts: Vec<Script>,
    /// The ledger.
    pub rehearsals: Vec<Rehearsal>,
    /// SHA-256 of the spec and of each of its artefacts, by the path from the spec's folder.
    pub sums: BTreeMap<String, String>,
    /// The day of the run; `None` where it is not known.
    pub today: Option<Day>,
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
    /// Manifests of the sites' clusters.
    Kubernetes,
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
            Self::Kubernetes => "Kubernetes manifests",
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

impl Artefact<PolicyDocument> {
    /// Whether the block at this address, which has no keys of instances, makes the policy.
    #[must_use]
    pub fn is_of_block(&self, block: &str) -> bool {
        let address = self.model.address.as_deref();
        address.is_some_and(|address| block_address(address) == block)
    }
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
    /// What a site's cluster serves.
    Cluster,
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

    /// What is known of the repository that holds the file at `path`: of those at or above it the nearest.
    #[must_use]
    pub fn facts_of(&self, path: &str) -> Option<&RepositoryFacts> {
        let folder = |facts: &RepositoryFacts| {
            let folder = facts.path.rsplit_once('/');
            folder.map_or(String::new(), |(folder, _)| format!("{folder}/"))
        };
        let above = self
            .facts
            .iter()
            .filter(|facts| path.starts_with(&folder(facts)));
        above.max_by_key(|facts| folder(facts).len())
    }

    /// The lock that speaks of the file at `path`: of those at or above it the nearest.
    #[must_use]
    pub fn lock_of(&self, path: &str) -> Option<&PinsLock> {
        let is_above = |lock: &&PinsLock| {
            let rest = path.strip_prefix(lock.folder());
            rest.is_some_and(|rest| lock.folder().is_empty() || rest.starts_with('/'))
        };
        let nearness = |lock: &&PinsLock| (lock.folder().len(), lock.path.ends_with(LOCK_FILE));
        self.locks.iter().filter(is_above).max_by_key(nearness)
    }

    /// Workflows and actions alike.
    pub fn step_files(&self) -> impl Iterator<Item = StepFile<'_>> {
        let workflows = self.workflows.iter();
        let workflows = workflows.map(|artefact| StepFile::Workflow(&artefact.model));
        let actions = self.actions.iter();
        workflows.chain(actions.map(|artefact| StepFile::Action(&artefact.model)))
    }

    /// The Terraform module in the spec's folder.
    #[must_use]
    pub fn own_module(&self) -> Option<&Declarations> {
        let spec = self.spec.as_ref()?;
        self.modules.iter().find(|module| module.is_of(spec))
    }

    /// What the spec's module declares, and what plans would make of it: the role and its rights are the same in each.
    pub fn own_declared(&self) -> impl Iterator<Item = &Declarations> {
        let planned = self.planned.iter().filter(|_| self.spec.is_some());
        self.own_module().into_iter().chain(planned)
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

    /// The verdict on a trust policy for the job that is asked about.
    #[must_use]
    pub fn verdict(&self, policy: &PolicyDocument) -> Option<Arc<TrustVerdict>> {
        let job = self.repository.as_ref().filter(|job| job.asked)?;
        self.verdicts.of(policy, job)
    }

    /// The policies that the block at `address` makes, with or without the keys of its instances.
    pub fn policies_at<'a>(
        &'a self,
        address: &str,
    ) -> impl Iterator<Item = &'a Artefact<PolicyDocument>> {
        let block = block_address(address);
        let policies = self.policies.iter();
        policies.filter(move |artefact| artefact.is_of_block(&block))
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
