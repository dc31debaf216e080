//! What can be typed, exactly as it is typed.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::model::policy::PolicyKind;
use crate::rules::Subject;

use super::prove::ProveArgs;
use super::simulate::SimulateArgs;

/// Policy and infrastructure-as-code validation for DNS failover.
#[derive(Debug, Parser)]
#[command(name = "pointsman", version, about, propagate_version = false)]
pub(super) struct Args {
    /// The spec [default: pointsman.toml in the working directory, if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) spec: Option<String>,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a commented pointsman.toml
    Init(InitArgs),
    /// Write the policies, Terraform, the workflow and the monitors that follow from the spec
    Generate(GenerateArgs),
    /// Check policies, trust, Terraform, workflows and monitors, alone and against the spec
    Validate(ValidateArgs),
    /// The lock of upstream refs, and the pins that it speaks of
    #[command(subcommand)]
    Pins(super::pins::PinsCommand),
    /// Try tables of requests against policies, or explain one decision
    Simulate(SimulateArgs),
    /// What policies allow, over all requests: proved, or refuted by a request
    Prove(ProveArgs),
    /// A local endpoint that answers as IAM's policy simulator does, for any AWS SDK or the AWS CLI
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// The executor that makes the switch: plan a run, run it, rehearse its decisions, replay a journal
    #[command(subcommand)]
    Failover(FailoverCommand),
    /// Each link from the heartbeat to the visitors, and what every single failure does
    Chain(super::chain::ChainArgs),
    /// Rehearse the whole chain on this machine: kill home, switch, return, attacks; with --live a real switch, which you make
    #[cfg(feature = "drill")]
    Drill(super::drill::DrillArgs),
    /// How long an outage lasts for visitors, and what would shorten it
    Forecast(super::forecast::ForecastArgs),
    /// Follow a record's new value at its authoritative servers and at resolvers, and measure it
    #[cfg(feature = "switch")]
    Watch(super::watch::WatchArgs),
    /// Show what stands in a file, in words
    #[command(subcommand)]
    Inspect(InspectCommand),
    /// Show a rule's page, or the list of all rules
    Explain(ExplainArgs),
    /// Figures of this machine
    #[command(subcommand, hide = true)]
    Bench(BenchCommand),
    /// Write the completions of a shell to standard output
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write the manual page to standard output
    Man,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 clean, 1 findings at or above --fail-on, 2 wrong usage or spec, 3 the work could not be done, \
4 something was unread, or undecided in the spec's own artefacts (anything undecided with --strict)")]
pub(super) struct ValidateArgs {
    /// What to look for (policy, trust, terraform, workflow, monitors, kubernetes), then files and folders; `-` is standard
    /// input, with policies in JSON. Without paths: the
    /// spec's artefacts; without a spec: everything below the working directory that git does not ignore
    #[arg(value_name = "[KIND] [PATH]")]
    words: Vec<String>,
    /// What kind of policies they are [default: recognised by what stands in them]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) policy_type: Option<PolicyType>,
    #[command(flatten)]
    pub(super) trusted: TrustedArgs,
    /// From which severity on findings make the run fail
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub(super) fail_on: FailOn,
    /// Fail when anything is undecided
    #[arg(long)]
    pub(super) strict: bool,
    /// Make the edits that are certain, then report what is left
    #[arg(long)]
    pub(super) fix: bool,
    /// Show the edits that are certain as a unified difference, and change nothing
    #[arg(long, conflicts_with = "fix")]
    pub(super) diff: bool,
    /// The form of the output [default: human; github in a job of GitHub Actions]
    #[arg(long, value_enum)]
    pub(super) format: Option<FormatArg>,
}

/// Whose job may borrow the role.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Whose job borrows the role [default: the spec's]")]
pub(super) struct TrustedArgs {
    /// The repository
    #[arg(long, value_name = "OWNER/NAME")]
    pub(super) repo: Option<String>,
    /// The owner's numeric id
    #[arg(long, value_name = "N", requires = "repo", value_parser = owner_id)]
    pub(super) owner_id: Option<u64>,
    /// The repository's numeric id
    #[arg(long, value_name = "N", requires = "repo", value_parser = repo_id)]
    pub(super) repo_id: Option<u64>,
    /// The branch that the job runs on, with or without `refs/heads/`
    #[arg(long, value_name = "NAME", default_value = "main", requires = "repo")]
    pub(super) branch: String,
    /// How GitHub writes this repository's subject
    #[arg(long, value_enum, default_value_t = SubjectFormatArg::Immutable, requires = "repo")]
    pub(super) subject_format: SubjectFormatArg,
    /// The job's environment, if it has one
    #[arg(long, value_name = "NAME", requires = "repo")]
    pub(super) environment: Option<String>,
    /// The claims of the repository's own subject template, as `include_claim_keys` lists them
    #[arg(long, value_name = "CLAIM,…", requires = "repo", value_delimiter = ',')]
    pub(super) subject_claims: Vec<String>,
    /// Who issues the tokens, as they have it in `iss`: of GitHub Enterprise Server `https://HOST/_services/token`
    #[arg(
        long,
        value_name = "URL",
        requires = "repo",
        default_value = "https://token.actions.githubusercontent.com"
    )]
    pub(super) oidc_issuer: String,
}

fn owner_id(text: &str) -> Result<u64, String> {
    number(text, "gh api users/OWNER --jq .id")
}

fn repo_id(text: &str) -> Result<u64, String> {
    number(text, "gh api repos/OWNER/NAME --jq .id")
}

fn number(text: &str, how: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .ok_or_else(|| format!("a number is expected; `{how}` prints it"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SubjectFormatArg {
    /// `repo:OWNER@OWNER_ID/NAME@REPO_ID:…`, for repositories created, renamed or transferred after 2026-07-15
    Immutable,
    /// `repo:OWNER/NAME:…`, for older ones
    Classic,
}

const SUBJECTS: [(&str, Subject); 6] = [
    ("policy", Subject::Policy),
    ("trust", Subject::Trust),
    ("terraform", Subject::Terraform),
    ("workflow", Subject::Workflow),
    ("monitors", Subject::Monitors),
    ("kubernetes", Subject::Kubernetes),
];

impl ValidateArgs {
    /// The subject, if the first word is one, and the paths. A file that is called as a subject is written `./policy`.
    pub(super) fn subject(&self) -> (Option<Subject>, Vec<String>) {
        let first = self.words.first().map(String::as_str);
        let subject = SUBJECTS
            .iter()
            .find(|(word, _)| Some(*word) == first)
            .map(|(_, subject)| *subject);
        let skip = usize::from(subject.is_some());
        (subject, self.words.iter().skip(skip).cloned().collect())
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum InspectCommand {
    /// IAM policies: the normalised document, and what each statement grants
    Policy(InspectPolicyArgs),
    /// A workflow, or the `action.yml` of an action: triggers, permissions, actions, images
    Workflow(InspectWorkflowArgs),
    /// The records, policies and trust of a Terraform module, evaluated
    Terraform(InspectTerraformArgs),
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 shown, 2 wrong usage, 3 a file that is not there, 4 a file that could not be read")]
pub(super) struct InspectWorkflowArgs {
    /// The file
    pub(super) file: String,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 shown, 2 wrong usage or spec, 3 a file that is not there, 4 no policy, or something that could not be read")]
pub(super) struct InspectPolicyArgs {
    /// Files and folders; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// What kind of policies they are [default: recognised by what stands in them]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) policy_type: Option<PolicyType>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

/// Takes these of the forms.
pub(super) fn words(known: &'static [&'static str]) -> impl TypedValueParser<Value = FormatArg> {
    PossibleValuesParser::new(known).try_map(|word| FormatArg::from_str(&word, false))
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 shown, 1 an expression that is an error, 2 a folder without Terraform, 3 a folder that is not there, \
4 a file that could not be read, or an expression that cannot be known here")]
pub(super) struct InspectTerraformArgs {
    /// The module's folder [default: the spec's, if there is a spec, else the working directory]
    #[arg(value_name = "DIR")]
    pub(super) folder: Option<String>,
    /// Evaluate this expression in the module instead
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(super) expr: Option<String>,
    /// The form of the output
    #[arg(long, value_enum, default_value_t = ListFormat::Human)]
    pub(super) format: ListFormat,
}

#[derive(Debug, Subcommand)]
pub(super) enum FailoverCommand {
    /// Say what a run would do now: records, answers of the sites, the decision, the change; nothing is written
    #[cfg(feature = "switch")]
    Plan(PlanArgs),
    /// Point the records at the site that serves, if they do not
    #[cfg(feature = "switch")]
    Run(RunArgs),
    /// Run decision scenarios through on a virtual clock; nothing is contacted
    Scenarios(ScenariosArgs),
    /// Play a journal again, and say where this version would do something else
    Replay(ReplayArgs),
}

/// What `failover run` ends with.
#[cfg(feature = "switch")]
const RUN_STATUS: &str = "\
PIN_SITE (or the variable that the spec names) pins a site by its name; nothing can name an address.

Exit status: 0 nothing to do, or changed and confirmed, or planned in a dry run; 5 refused, or a change was needed and no site answers; \
6 written but not confirmed; 3 Route 53, STS or the token endpoint could not be read or written, or cancelled; 2 wrong usage. \
A spec that is missing or wrong makes a run refuse";

/// What `failover plan` ends with.
#[cfg(feature = "switch")]
const PLAN_STATUS: &str = "\
PIN_SITE (or the variable that the spec names) pins a site by its name. Where the records cannot be read, the sites are asked \
all the same.

Exit status: 0 planned, or nothing to do; 1 a run would refuse, or a change is needed and no site answers; 2 wrong usage, or a \
spec that is missing or wrong; 3 Route 53, STS or the token endpoint could not be read, a named spec that is not there, or \
cancelled";

#[cfg(feature = "switch")]
#[derive(Debug, ClapArgs)]
#[command(after_help = PLAN_STATUS)]
pub(super) struct PlanArgs {
    /// The form of the output [default: human]
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[cfg(feature = "switch")]
#[derive(Debug, ClapArgs)]
#[command(after_help = RUN_STATUS)]
pub(super) struct RunArgs {
    /// Do everything but the write
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Where the journal goes; an existing file is never written over [default: `failover-RUN-ATTEMPT.jsonl` in `RUNNER_TEMP` or
    /// here]
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<std::path::PathBuf>,
    /// The form of the output [default: human; github in a job of GitHub Actions]
    #[arg(long, value_parser = words(&["human", "json", "github"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 the same effects, byte for byte; 1 an event after which this version does something else; 2 no journal; \
3 a file that is not there; 4 a journal without the end of its run, or with a line that is cut off")]
pub(super) struct ReplayArgs {
    /// The journal of a run
    pub(super) journal: String,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json", "github"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 every row ran, as expected where it says what to expect; 1 a row came out otherwise; 2 no file of \
scenarios; 3 a file that is not there; 4 a row, or a key of a row, that was not read")]
pub(super) struct ScenariosArgs {
    /// The file of scenarios, in JSON
    pub(super) file: String,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json", "github", "junit"]))]
    pub(super) format: Option<FormatArg>,
}

#[cfg(feature = "serve")]
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Answers SimulateCustomPolicy and GetContextKeysForCustomPolicy with the local evaluator. Exit status: 0 ended by a signal, \
3 the port cannot be listened on")]
pub(super) struct ServeArgs {
    /// The port of 127.0.0.1; 0 takes a free one, which the first line on standard error names
    #[arg(long, value_name = "N", default_value_t = 8023)]
    pub(super) port: u16,
    /// How long a client may take for its headers, and again for its body, in milliseconds
    #[arg(long, hide = true, value_name = "N", default_value_t = 10_000)]
    pub(super) patience: u64,
}

#[derive(Debug, ClapArgs)]
pub(super) struct InitArgs {
    /// Overwrite a spec that is there already
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Exit status: 0 written, or equal; 1 different (--check); 2 a wrong spec, or a file that pointsman did not write; \
3 a file that cannot be read or written")]
pub(super) struct GenerateArgs {
    /// Write nothing; fail when a file differs, and show the difference
    #[arg(long)]
    pub(super) check: bool,
    /// Overwrite files that pointsman did not write
    #[arg(long, conflicts_with = "check")]
    pub(super) force: bool,
    /// Write no file; print the monitors as JSON of Uptime Kuma itself, for who runs it without AutoKuma. Notification 1
    /// starts the workflow, 2 reaches people; put the token in place of `${DISPATCH_TOKEN}`
    #[arg(long, conflicts_with_all = ["check", "force"])]
    pub(super) kuma: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum BenchCommand {
    /// Evaluations of the reference policies, one thread
    Evaluate {
        /// The form of the figures
        #[arg(long, value_enum, default_value_t = ListFormat::Human)]
        format: ListFormat,
    },
    /// How long `prove equivalent` takes for each policy and the same without one statement
    Prove {
        /// Policies, as JSON documents one behind another, each a policy or an object with a policy under `document`
        file: String,
        /// How many statements of a policy are left out in turn, at most
        #[arg(long, default_value_t = 5)]
        most: usize,
        /// The form of the figures
        #[arg(long, value_enum, default_value_t = ListFormat::Human)]
        format: ListFormat,
    },
}

#[derive(Debug, ClapArgs)]
pub(super) struct ExplainArgs {
    /// The rule's id
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub(super) rule: Option<String>,
    /// Show the whole page: why it matters, more cases, sources
    #[arg(long, conflicts_with = "list")]
    pub(super) full: bool,
    /// List all rules
    #[arg(long)]
    pub(super) list: bool,
    /// The form of the list
    #[arg(long, value_enum, default_value_t = ListFormat::Human, requires = "list")]
    pub(super) format: ListFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    Human,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArg {
    Human,
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// JUnit XML
    Junit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Error,
    Warning,
    Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PolicyType {
    Auto,
    Identity,
    ManagedIdentity,
    Resource,
    Trust,
    Scp,
    Rcp,
    Boundary,
    Session,
    Endpoint,
}

impl PolicyType {
    /// The kind; `None` for `auto`.
    pub(super) fn kind(self) -> Option<PolicyKind> {
        match self {
            Self::Auto => None,
            Self::Identity => Some(PolicyKind::Identity),
            Self::ManagedIdentity => Some(PolicyKind::ManagedIdentity),
            Self::Resource => Some(PolicyKind::Resource),
            Self::Trust => Some(PolicyKind::Trust),
            Self::Scp => Some(PolicyKind::Scp),
            Self::Rcp => Some(PolicyKind::Rcp),
            Self::Boundary => Some(PolicyKind::Boundary),
            Self::Session => Some(PolicyKind::Session),
            Self::Endpoint => Some(PolicyKind::Endpoint),
        }
    }
}
