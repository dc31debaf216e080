//! GitHub Actions workflows, read from a tree whose every node knows its bytes.
//!
//! Source of the grammar: GitHub Docs, "Workflow syntax for GitHub Actions"
//! (<https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax>).

mod action_file;
mod comment;
mod concurrency;
pub mod cron;
mod expression;
mod guard;
mod image;
mod job;
mod pasted;
mod permissions;
mod read;
mod read_job;
mod read_step;
mod reader;
mod refused;
mod step_file;
mod texts;
mod trigger;
mod truth;
mod uses;

use crate::syntax::Node;
use crate::text::{Span, Text};

pub use action_file::ActionFile;
pub use comment::{VersionComment, dated_words};
pub use concurrency::Concurrency;
pub use expression::{Embedded, Expression, Literal, Operation, embedded, references};
pub use guard::{Guard, ref_guard};
pub use image::{Image, ImagePlace, ImageReference, image_reference};
pub use job::{Job, Step, Variable, variable};
pub use pasted::Pasted;
pub use permissions::{Access, Grant, Permissions, Scope};
pub use step_file::{StepFile, second_document};
pub use trigger::{DispatchInput, Trigger};
pub use truth::condition_truth;
pub use uses::{RefClass, Target, Uses};

/// A workflow file.
#[derive(Debug, Clone)]
pub struct Workflow {
    /// The path of the file, as it is shown.
    pub path: String,
    /// The whole tree.
    pub root: Node,
    /// `name`.
    pub name: Option<Text>,
    /// The key `on`, if there is one.
    pub on: Option<Text>,
    /// What starts it, in every spelling of `on`.
    pub triggers: Vec<Trigger>,
    /// `permissions` of the top level.
    pub permissions: Option<Permissions>,
    /// `concurrency` of the top level.
    pub concurrency: Option<Concurrency>,
    /// `env` of the top level.
    pub env: Vec<Variable>,
    /// `defaults.run.shell`.
    pub shell: Option<Text>,
    /// The jobs, in written order.
    pub jobs: Vec<Job>,
    /// What has not the shape that GitHub asks for.
    pub malformed: Vec<Malformed>,
}

/// A part of a workflow that has not the shape GitHub asks for: GitHub refuses to run the file, or reads it otherwise
/// than it looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Where.
    pub at: Span,
    /// What is wrong and what is allowed.
    pub reason: String,
}

impl Workflow {
    /// Whether a file is a workflow: it lies in `.github/workflows`, or it has the two keys every workflow has.
    #[must_use]
    pub fn recognises(path: &str, root: &Node) -> bool {
        Self::recognises_path(path)
            || root.get("on").is_some()
                && root.get("jobs").is_some_and(|jobs| jobs.as_map().is_some())
    }

    /// Whether a file of these documents is meant as one: by its place, by the keys of its first document, by `jobs` that
    /// say what they run on, or by `on` and `jobs` that stand in two documents.
    #[must_use]
    pub fn recognises_stream(path: &str, documents: &[Node]) -> bool {
        let says_runner = |root: &Node| {
            let jobs = root.get("jobs").and_then(Node::as_map).unwrap_or_default();
            jobs.iter().any(|job| job.value.get("runs-on").is_some())
        };
        let has = |key: &str| documents.iter().any(|root| root.get(key).is_some());
        Self::recognises_path(path)
            || documents
                .first()
                .is_some_and(|root| Self::recognises(path, root) || says_runner(root))
            || documents.len() > 1 && has("on") && has("jobs")
    }

    /// Whether a document has a map `jobs`: enough where workflows were asked for.
    #[must_use]
    pub fn has_jobs(documents: &[Node]) -> bool {
        let mut jobs = documents.iter().filter_map(|root| root.get("jobs"));
        jobs.any(|jobs| jobs.as_map().is_some())
    }

    /// Whether the lines of a text that is no YAML look like those of a workflow or an action.
    #[must_use]
    pub fn looks_alike(text: &str) -> bool {
        text.lines().any(|line| {
            let begins = |key: &&str| line.starts_with(*key);
            let words = line.trim_start();
            let words = words.strip_prefix("- ").map_or(words, str::trim_start);
            ["jobs:", "runs:"].iter().any(begins) || words.starts_with("uses:")
        })
    }

    /// Whether GitHub takes a file for a workflow because of its place.
    #[must_use]
    pub fn recognises_path(path: &str) -> bool {
        let path = path.replace('\\', "/");
        let Some((folder, name)) = path.rsplit_once('/') else {
            return false;
        };
        let is_folder = folder == ".github/workflows" || folder.ends_with("/.github/workflows");
        is_folder && (name.ends_with(".yml") || name.ends_with(".yaml"))
    }

    /// The trigger of this name.
    #[must_use]
    pub fn trigger(&self, name: &str) -> Option<&Trigger> {
        self.triggers
            .iter()
            .find(|trigger| trigger.name.as_str() == name)
    }

    /// The permissions that `job` runs with: its own replace those of the top level whole. `None` when neither says
    /// any, and the repository's setting decides.
    #[must_use]
    pub fn permissions_of<'a>(&'a self, job: &'a Job) -> Option<&'a Permissions> {
        job.permissions.as_ref().or(self.permissions.as_ref())
    }

    /// All `uses:` with the job they stand in, reusable workflows and steps alike, in written order.
    pub fn uses(&self) -> impl Iterator<Item = (&Job, &Uses)> {
        self.jobs.iter().flat_map(|job| {
            let steps = job.steps.iter().filter_map(|step| step.uses.as_ref());
            job.uses.iter().chain(steps).map(move |uses| (job, uses))
        })
    }

    /// Whether one of its steps changes records of Route 53, or runs pointsman's executor for real.
    #[must_use]
    pub fn switches_dns(&self) -> bool {
        let steps = self.jobs.iter().flat_map(|job| &job.steps);
        let mut scripts = steps.filter_map(|step| step.run.as_ref());
        scripts.any(|script| switches(script.as_str()))
    }

    /// Whether it looks like the one that switches DNS, by its file name, its name or its concurrency group: what can
    /// be asked when no spec says which one it is.
    #[must_use]
    pub fn looks_like_failover(&self) -> bool {
        let file = self.path.rsplit('/').next().unwrap_or_default();
        let group = self.concurrency.as_ref().and_then(|it| it.group.as_ref());
        let names = [self.name.as_ref(), group];
        names
            .into_iter()
            .flatten()
            .map(Text::as_str)
            .chain([file])
            .any(says_failover)
    }
}

/// Whether a script changes records of Route 53, or runs pointsman's executor for real.
fn switches(script: &str) -> bool {
    // Every rule asks this of every script, and most speak of neither.
    if !script.contains("pointsman") && !script.contains("route53") {
        return false;
    }
    let lines = script.replace("\\\n", " ");
    let mut commands = lines.split(['\n', ';', '|', '&']).map(str::trim);
    commands.any(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        let has = |word: &str| words.contains(&word);
        let first = words.first().and_then(|word| word.rsplit('/').next());
        let executor = first == Some("pointsman-switch")
            || first == Some("pointsman") && words.get(1..3) == Some(&["failover", "run"]);
        let route53 = has("route53") && has("change-resource-record-sets");
        !command.starts_with('#') && (executor && !has("--dry-run") || route53)
    })
}

fn says_failover(name: &str) -> bool {
    let letters: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    letters.contains("failover")
}
