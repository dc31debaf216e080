//! Floor 4: the rules. A rule is a value: constant facts and one pure function over one typed subject.
//!
//! One rule is two files: `x.rs` with [`Rule`] and its check, `x.md` with the page that is documentation, `explain`
//! text, SARIF help and test at once. It becomes known by two lines in its family's `mod.rs`.
//!
//! Invariants: rules never read files, never print, never wait; what a rule cannot decide it says with
//! [`Sink::undecided`].

pub mod agreement;
pub mod batch;
pub mod decider;
mod executor;
pub mod kubernetes;
pub mod monitor;
mod page;
pub mod pin;
pub mod policy;
pub mod reader;
pub mod script;
pub mod simulation;
mod sink;
pub mod spec;
pub mod terraform;
pub mod trust;
pub mod workflow;
mod workspace;

pub use executor::Executor;
pub use page::{Case, CaseFile, HEADINGS, Page, Verdict, for_a_reader, in_short};
pub use sink::{Draft, Sink};
pub use workspace::{Artefact, Role, Subject, Workspace};

use crate::diag::Severity;
use crate::iam::Simulation;
use crate::model::batch::ChangeBatch;
use crate::model::decider::Deciders;
use crate::model::monitor::Monitor;
use crate::model::policy::PolicyDocument;
use crate::model::script::Script;
use crate::model::workflow::{StepFile, Workflow};
use crate::terraform::Declarations;

/// A rule: what it is called, what it says, and how it looks.
#[derive(Debug)]
pub struct Rule {
    /// Kebab-case name of the bad pattern; never renumbered or reused.
    pub id: &'static str,
    /// Other names under which it is found by `explain`.
    pub aliases: &'static [&'static str],
    /// What it finds, in one line.
    pub summary: &'static str,
    /// How bad it is unless the rule says otherwise for a finding.
    pub severity: Severity,
    /// Which rules it gives way to.
    pub tier: Tier,
    /// The page beside it.
    pub page: &'static str,
    /// What it looks at.
    pub check: Check,
}

/// One fault, one finding: of two rules that speak of the same bytes, the one of the higher tier is silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Knows exactly what is wrong.
    Specific,
    /// Knows that something is wrong.
    General,
    /// Knows that a certain thing is not the same in an artefact and in the spec.
    Agreement,
    /// Knows by a proof that an artefact allows something else than the spec needs.
    Proof,
    /// Knows only that an artefact and the spec differ.
    Remainder,
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// Every policy, trust policies among them.
    Policy(fn(&PolicyDocument, &mut Sink<'_>)),
    /// Trust policies alone.
    Trust(fn(&PolicyDocument, &mut Sink<'_>)),
    /// Terraform modules.
    Terraform(fn(&Declarations, &mut Sink<'_>)),
    /// GitHub workflows.
    Workflow(fn(&Workflow, &mut Sink<'_>)),
    /// GitHub workflows and actions: what has steps.
    Steps(fn(StepFile<'_>, &mut Sink<'_>)),
    /// Uptime Kuma monitors and notifications, beside all others.
    Monitor(fn(&Monitor, &Workspace, &mut Sink<'_>)),
    /// Changes of records and health checks, as Route 53 takes them.
    Batch(fn(&ChangeBatch, &mut Sink<'_>)),
    /// Who decides about a switch, and from where.
    Decider(fn(&Deciders, &mut Sink<'_>)),
    /// Scripts for the shell.
    Script(fn(&Script, &mut Sink<'_>)),
    /// Requests to policies and answers of AWS's simulator, beside the policies.
    Simulation(fn(&Simulation, &Workspace, &mut Sink<'_>)),
    /// All artefacts side by side.
    Whole(fn(&Workspace, &mut Sink<'_>)),
    /// Nothing of its own: reported while files are read, suppressions applied or the spec checked.
    Reader,
}

impl Check {
    /// What it looks at, in a word, as `explain --list` says it.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Policy(_) => "policy",
            Self::Trust(_) => "trust",
            Self::Terraform(_) => "terraform",
            Self::Workflow(_) | Self::Steps(_) => "workflow",
            Self::Monitor(_) => "monitor",
            Self::Batch(_) => "batch",
            Self::Decider(_) => "decider",
            Self::Script(_) => "script",
            Self::Simulation(_) => "simulation",
            Self::Whole(_) => "agreement",
            Self::Reader => "reader",
        }
    }
}

/// All rules by family; each family in alphabetical order.
pub const FAMILIES: &[(&str, &[&Rule])] = &[
    ("agreement", agreement::RULES),
    ("batch", batch::RULES),
    ("decider", decider::RULES),
    ("kubernetes", kubernetes::RULES),
    ("monitor", monitor::RULES),
    ("pin", pin::RULES),
    ("policy", policy::RULES),
    ("reader", reader::RULES),
    ("script", script::RULES),
    ("simulation", simulation::RULES),
    ("spec", spec::RULES),
    ("terraform", terraform::RULES),
    ("trust", trust::RULES),
    ("workflow", workflow::RULES),
];

/// All rules.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter().copied())
}

/// The rule with this id or alias; case and `_` for `-` do not count.
#[must_use]
pub fn find(name: &str) -> Option<&'static Rule> {
    if let Some(rule) = all().find(|rule| rule.id == name) {
        return Some(rule);
    }
    let name = name.to_ascii_lowercase().replace('_', "-");
    all().find(|rule| rule.id == name || rule.aliases.iter().any(|alias| *alias == name))
}
