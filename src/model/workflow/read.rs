//! Tree to workflow. Nothing is dropped without a word: what has not the right shape becomes [`Malformed`].

use crate::syntax::{Comment, Entry, Kind, Node, yaml};
use crate::text::Text;

use super::cron;
use super::permissions::SCOPES;
use super::{
    Access, Concurrency, Grant, Image, ImagePlace, Job, Malformed, Permissions, Scope, Step,
    Trigger, Uses, Variable, Workflow,
};

impl Workflow {
    /// Reads a workflow. `source` is the whole text of the file, by which a comment is told to stand on the line of
    /// its value.
    #[must_use]
    pub fn read(path: &str, source: &str, root: Node, comments: &[Comment]) -> Self {
        let mut reader = Reader::new(source, comments);
        let mut workflow = Self {
            path: path.to_owned(),
            name: None,
            on: None,
            triggers: Vec::new(),
            permissions: None,
            concurrency: None,
            env: Vec::new(),
            shell: None,
            jobs: Vec::new(),
            malformed: Vec::new(),
            root: Node::new(Kind::Null, root.span()),
        };
        reader.workflow(&root, &mut workflow);
        workflow.root = root;
        workflow.malformed = reader.malformed;
        workflow
    }
}

pub(super) struct Reader<'a> {
    source: &'a str,
    comments: &'a [Comment],
    pub(super) malformed: Vec<Malformed>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, comments: &'a [Comment]) -> Self {
        Self {
            source,
            comments,
            malformed: Vec::new(),
        }
    }
}

impl Reader<'_> {
    fn workflow(&mut self, root: &Node, workflow: &mut Workflow) {
        let entries = self.map(root, "a workflow");
        for Entry { key, value } in entries {
            match key.as_str() {
                "name" => workflow.name = self.string(value, "`name`"),
                "on" => {
                    workflow.on = Some(key.clone());
                    workflow.triggers = self.triggers(value);
                }
                "permissions" => workflow.permissions = Some(self.permissions(key, value)),
                "concurrency" => workflow.concurrency = Some(self.concurrency(key, value)),
                "env" => workflow.env = self.variables(value, "`env`"),
                "defaults" => workflow.shell = default_shell(value),
                "jobs" => workflow.jobs = self.jobs(value),
                _ => self.near_miss(key, &WORKFLOW_KEYS),
            }
        }
        if root.as_map().is_some() {
            for (key, absent) in [
                ("on", workflow.on.is_none()),
                ("jobs", root.get("jobs").is_none()),
            ] {
                if absent {
                    self.wrong(root, format!("a workflow needs `{key}`, which is not here"));
                }
            }
        }
    }

    fn triggers(&mut self, value: &Node) -> Vec<Trigger> {
        let Some(entries) = value.as_map() else {
            let names = self.strings(value, "`on`").into_iter();
            return names
                .map(|name| Trigger {
                    name,
                    settings: None,
                })
                .collect();
        };
        let settings = |node: &Node| (!is_null(node)).then(|| node.clone());
        let triggers: Vec<Trigger> = entries
            .iter()
            .map(|entry| Trigger {
                name: entry.key.clone(),
                settings: settings(&entry.value),
            })
            .collect();
        let schedules = triggers
            .iter()
            .filter(|trigger| trigger.name.as_str() == "schedule");
        for (_, line) in schedules.flat_map(Trigger::crons) {
            let fault = cron::fault(line.as_str());
            self.malformed.extend(fault.map(|reason| Malformed {
                at: line.span(),
                reason,
            }));
        }
        triggers
    }

    fn permissions(&mut self, key: &Text, value: &Node) -> Permissions {
        let grant = if let Some(entries) = value.as_map() {
            let scopes = entries.iter().filter_map(|entry| self.scope(entry));
            Grant::Scopes(scopes.collect())
        } else {
            match value.as_text() {
                Some(word) if word.as_str() == "read-all" => Grant::ReadAll(word.clone()),
                Some(word) if word.as_str() == "write-all" => Grant::WriteAll(word.clone()),
                _ if value.as_unknown().is_some() => Grant::Unknown,
                _ => {
                    self.wrong(
                        value,
                        "`permissions` is a map of scopes, `read-all` or `write-all`",
                    );
                    Grant::Unknown
                }
            }
        };
        Permissions {
            key: key.clone(),
            span: value.span(),
            grant,
        }
    }

    fn scope(&mut self, entry: &Entry) -> Option<Scope> {
        let name = entry.key.as_str();
        if name != "<<" && !SCOPES.contains(&name) {
            self.malformed.push(Malformed {
                at: entry.key.span(),
                reason: format!(
                    "`{name}` is no scope that GitHub knows; it knows {}",
                    SCOPES.map(|scope| format!("`{scope}`")).join(", ")
                ),
            });
        }
        let written = self.string(&entry.value, "the access of a scope")?;
        let access = Access::from_word(written.as_str());
        if access.is_none() {
            let reason = format!(
                "`{}` is no access of `{}`; allowed are `read`, `write` and `none`",
                written.as_str(),
                entry.key.as_str()
            );
            self.wrong(&entry.value, reason);
        }
        Some(Scope {
            name: entry.key.clone(),
            written,
            access: access?,
        })
    }

    fn concurrency(&mut self, key: &Text, value: &Node) -> Concurrency {
        let mut concurrency = Concurrency {
            key: key.clone(),
            group: None,
            cancel: None,
            queue: None,
        };
        let Some(entries) = value.as_map() else {
            concurrency.group = self.string(value, "`concurrency`");
            return concurrency;
        };
        for Entry { key, value } in entries {
            match key.as_str() {
                "group" => concurrency.group = self.string(value, "`group`"),
                "cancel-in-progress" => {
                    concurrency.cancel = self.string(value, "`cancel-in-progress`");
                }
                "queue" => concurrency.queue = self.string(value, "`queue`"),
                _ => self.near_miss(key, &["group", "cancel-in-progress", "queue"]),
            }
        }
        if value.get("group").is_none() {
            self.wrong(value, "`concurrency` needs a `group`, which is not here");
        }
        concurrency
    }

    fn jobs(&mut self, value: &Node) -> Vec<Job> {
        let entries = self.map(value, "`jobs`");
        let jobs: Vec<Job> = entries.iter().map(|entry| self.job(entry)).collect();
        for (job, needed) in jobs
            .iter()
            .flat_map(|job| job.needs.iter().map(move |needed| (job, needed)))
        {
            let name = needed.as_str();
            let is_it = |other: &Job| other.id.as_str().eq_ignore_ascii_case(name);
            if !jobs.iter().any(is_it) && !name.contains("${{") {
                let reason = format!(
                    "`{}` needs `{name}`, but there is no such job",
                    job.id.as_str()
                );
                let at = needed.span();
                self.malformed.push(Malformed { at, reason });
            }
        }
        jobs
    }

    fn job(&mut self, entry: &Entry) -> Job {
        let mut job = Job::empty(entry);
        let has = |key: &str| entry.value.get(key).is_some();
        let reason = match (has("runs-on"), has("uses")) {
            (false, false) if entry.value.as_map().is_some() && !has("<<") => {
                Some("a job has `runs-on` or `uses`, but this one has neither")
            }
            (true, true) => Some("a job has `runs-on` or `uses`, but this one has both"),
            (false, true) if has("steps") => {
                Some("a job has `uses` or `steps`, but this one has both")
            }
            _ => None,
        };
        self.malformed.extend(reason.map(|reason| Malformed {
            at: entry.key.span(),
            reason: reason.to_owned(),
        }));
        for Entry { key, value } in self.map(&entry.value, "a job") {
            match key.as_str() {
                "name" => job.name = self.string(value, "`name`"),
                "if" => job.condition = self.string(value, "`if`"),
                "runs-on" => job.runs_on = self.labels(value),
                "timeout-minutes" => job.timeout = self.string(value, "`timeout-minutes`"),
                "environment" => job.environment = self.environment(value),
                "uses" => job.uses = self.uses(value),
                "with" => job.with = self.variables(value, "`with`"),
                "needs" => job.needs = self.strings(value, "`needs`"),
                "outputs" => job.outputs = self.variables(value, "`outputs`"),
                "permissions" => job.permissions = Some(self.permissions(key, value)),
                "concurrency" => job.concurrency = Some(self.concurrency(key, value)),
                "env" => job.env = self.variables(value, "`env`"),
                "continue-on-error" => {
                    job.continue_on_error = self.string(value, "`continue-on-error`");
                }
                "steps" => job.steps = self.steps(value),
                "defaults" => job.shell = default_shell(value),
                "container" => job.images.extend(self.image(value, ImagePlace::Container)),
                "services" => job.images.extend(self.services(value)),
                "secrets" => job.inherits_secrets = value.as_str() == Some("inherit"),
                _ => self.near_miss(key, &JOB_KEYS),
            }
        }
        job
    }

    /// The image of a container or service, written as a string or under `image`; an empty one is none.
    fn image(&mut self, value: &Node, place: ImagePlace) -> Option<Image> {
        let written = match value.as_map() {
            Some(_) => value.get("image")?,
            None => value,
        };
        let text = self.string(written, "an image")?;
        (!text.as_str().trim().is_empty()).then_some(Image { text, place })
    }

    fn services(&mut self, value: &Node) -> Vec<Image> {
        if value.as_text().is_some() {
            // An expression may stand for the whole map.
            return Vec::new();
        }
        let mut found = Vec::new();
        for Entry { key, value } in self.map(value, "`services`") {
            let place = ImagePlace::Service(key.as_str().to_owned());
            found.extend(self.image(value, place));
        }
        found
    }

    pub(super) fn steps(&mut self, value: &Node) -> Vec<Step> {
        let Some(items) = value.as_list() else {
            self.wrong(value, "`steps` is a list");
            return Vec::new();
        };
        items.iter().map(|item| self.step(item)).collect()
    }

    fn step(&mut self, node: &Node) -> Step {
        let mut step = Step::empty(node);
        let has = |key: &str| node.get(key).is_some();
        match (has("uses"), has("run")) {
            (false, false) if node.as_map().is_some() && !has("<<") => {
                self.wrong(node, "a step has `uses` or `run`, but this one has neither");
            }
            (true, true) => self.wrong(node, "a step has `uses` or `run`, but this one has both"),
            _ => {}
        }
        for Entry { key, value } in self.map(node, "a step") {
            match key.as_str() {
                "name" => step.name = self.string(value, "`name`"),
                "id" => step.id = self.string(value, "`id`"),
                "if" => step.condition = self.string(value, "`if`"),
                "uses" => step.uses = self.uses(value),
                "with" => step.with = self.variables(value, "`with`"),
                "run" => step.run = self.string(value, "`run`"),
                "shell" => step.shell = self.string(value, "`shell`"),
                "env" => step.env = self.variables(value, "`env`"),
                "continue-on-error" => {
                    step.continue_on_error = self.string(value, "`continue-on-error`");
                }
                "timeout-minutes" => step.timeout = self.string(value, "`timeout-minutes`"),
                _ => self.near_miss(key, &STEP_KEYS),
            }
        }
        step
    }

    fn uses(&mut self, value: &Node) -> Option<Uses> {
        let text = self.string(value, "`uses`")?;
        let end = text.span().end as usize;
        let behind = self
            .comments
            .partition_point(|comment| (comment.span.start as usize) < end);
        let comment = self.comments.get(behind).filter(|comment| {
            let between = self.source.get(end..comment.span.start as usize);
            between.is_some_and(|between| between.trim_matches([' ', '\t']).is_empty())
        });
        let mut uses = Uses::read(text, comment.cloned());
        if uses.comment.is_none() {
            let behind = self.comments.get(behind).filter(|comment| {
                let between = self.source.get(end..comment.span.start as usize);
                between.is_some_and(is_rest_of_flow_map)
            });
            uses.behind_map = behind.cloned();
        }
        Some(uses)
    }

    fn labels(&mut self, value: &Node) -> Vec<Text> {
        let Some(entries) = value.as_map() else {
            return self.strings(value, "`runs-on`");
        };
        let named = |entry: &&Entry| matches!(entry.key.as_str(), "group" | "labels");
        entries
            .iter()
            .filter(named)
            .flat_map(|entry| self.strings(&entry.value, "`runs-on`"))
            .collect()
    }

    fn environment(&mut self, value: &Node) -> Option<Text> {
        if value.as_map().is_none() {
            return self.string(value, "`environment`");
        }
        let Some(name) = value.get("name") else {
            self.wrong(value, "`environment` needs a `name`, which is not here");
            return None;
        };
        self.string(name, "the `name` of an environment")
    }

    fn variables(&mut self, value: &Node, what: &str) -> Vec<Variable> {
        // An expression may stand for the whole map.
        if value.as_str().is_some_and(|text| text.contains("${{")) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for entry in self.map(value, what) {
            if entry.key.as_str() == "<<" {
                self.near_miss(&entry.key, &[]);
                continue;
            }
            let value = if is_null(&entry.value) {
                None
            } else {
                self.string(&entry.value, &format!("`{}`", entry.key.as_str()))
            };
            found.push(Variable {
                name: entry.key.clone(),
                value,
            });
        }
        found
    }

    fn strings(&mut self, value: &Node, what: &str) -> Vec<Text> {
        match value.as_list() {
            Some(items) => items
                .iter()
                .filter_map(|item| self.string(item, what))
                .collect(),
            None => self.string(value, what).into_iter().collect(),
        }
    }

    /// A string, or a number or boolean as it is written.
    pub(super) fn string(&mut self, value: &Node, what: &str) -> Option<Text> {
        let text = yaml::as_written(value);
        if text.is_none() && value.as_unknown().is_none() {
            let found = if is_null(value) {
                "empty"
            } else {
                value.kind_name()
            };
            self.wrong(value, format!("{what} is {found}, but must be a string"));
        }
        text
    }

    pub(super) fn map<'n>(&mut self, value: &'n Node, what: &str) -> &'n [Entry] {
        if let Some(entries) = value.as_map() {
            return entries;
        }
        if value.as_unknown().is_none() {
            let found = if is_null(value) {
                "empty"
            } else {
                value.kind_name()
            };
            self.wrong(value, format!("{what} is {found}, but must be a map"));
        }
        &[]
    }

    /// A key that differs from a known one by its case alone: GitHub refuses it, and a reader takes it for the other.
    pub(super) fn near_miss(&mut self, key: &Text, known: &[&str]) {
        let written = key.as_str();
        if written == "<<" {
            self.malformed.push(Malformed {
                at: key.span(),
                reason: "`<<` merges nothing here: GitHub knows aliases, but no merge keys"
                    .to_owned(),
            });
        }
        if let Some(known) = known
            .iter()
            .find(|known| known.eq_ignore_ascii_case(written))
        {
            self.malformed.push(Malformed {
                at: key.span(),
                reason: format!("`{written}` is no key that GitHub knows; it is written `{known}`"),
            });
        }
    }

    pub(super) fn wrong(&mut self, value: &Node, reason: impl Into<String>) {
        self.malformed.push(Malformed {
            at: value.span(),
            reason: reason.into(),
        });
    }
}

const WORKFLOW_KEYS: [&str; 7] = [
    "name",
    "on",
    "permissions",
    "concurrency",
    "env",
    "defaults",
    "jobs",
];

const JOB_KEYS: [&str; 18] = [
    "name",
    "if",
    "runs-on",
    "timeout-minutes",
    "environment",
    "uses",
    "with",
    "needs",
    "outputs",
    "permissions",
    "concurrency",
    "env",
    "continue-on-error",
    "steps",
    "defaults",
    "container",
    "services",
    "secrets",
];

const STEP_KEYS: [&str; 10] = [
    "name",
    "id",
    "if",
    "uses",
    "with",
    "run",
    "shell",
    "env",
    "continue-on-error",
    "timeout-minutes",
];

/// `run.shell` of `defaults`.
fn default_shell(defaults: &Node) -> Option<Text> {
    let shell = defaults.get("run")?.get("shell")?;
    shell.as_text().cloned()
}

/// Whether a text stands between a value in braces and the end of its line, with no other `uses` in it.
fn is_rest_of_flow_map(text: &str) -> bool {
    let rest = text.trim_start_matches(['\'', '"', ' ', '\t']);
    rest.starts_with(['}', ',']) && !text.contains(['\n', '\r']) && !text.contains("uses")
}

fn is_null(node: &Node) -> bool {
    matches!(node.kind, Kind::Null)
}

impl Job {
    fn empty(entry: &Entry) -> Self {
        Self {
            id: entry.key.clone(),
            span: entry.value.span(),
            name: None,
            condition: None,
            runs_on: Vec::new(),
            timeout: None,
            environment: None,
            uses: None,
            with: Vec::new(),
            needs: Vec::new(),
            outputs: Vec::new(),
            permissions: None,
            concurrency: None,
            env: Vec::new(),
            continue_on_error: None,
            shell: None,
            images: Vec::new(),
            inherits_secrets: false,
            steps: Vec::new(),
        }
    }
}

impl Step {
    fn empty(node: &Node) -> Self {
        Self {
            span: node.span(),
            name: None,
            id: None,
            condition: None,
            uses: None,
            with: Vec::new(),
            run: None,
            shell: None,
            env: Vec::new(),
            continue_on_error: None,
            timeout: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;

    fn read(source: &str) -> Option<(SourceMap, Workflow)> {
        let mut sources = SourceMap::default();
        let file = sources.add(".github/workflows/x.yml", source);
        let parsed = yaml::read(&sources.text(file)?);
        let root = parsed.documents.into_iter().next()?;
        let workflow = Workflow::read(".github/workflows/x.yml", source, root, &parsed.comments);
        Some((sources, workflow))
    }

    #[test]
    fn on_is_read_in_each_of_its_spellings() {
        for source in [
            "on: push",
            "on: [push]",
            "on:\n  push:",
            "'on': {push: {branches: [main]}}",
        ] {
            let (_, workflow) = read(source).unwrap();
            let names: Vec<_> = workflow
                .triggers
                .iter()
                .map(|trigger| trigger.name.as_str())
                .collect();
            assert_eq!(names, ["push"], "{source}");
        }
    }

    #[test]
    fn permissions_of_a_job_replace_those_of_the_top() {
        let source = "on: push\npermissions: {id-token: write, contents: read}\njobs:\n  a:\n    permissions: {contents: read}\n  b: {}\n  c:\n    permissions: read-all\n";
        let (_, workflow) = read(source).unwrap();
        let access: Vec<_> = workflow
            .jobs
            .iter()
            .map(|job| workflow.permissions_of(job).unwrap().access("id-token"))
            .collect();
        assert_eq!(
            access,
            [Some(Access::None), Some(Access::Write), Some(Access::None)]
        );
    }

    #[test]
    fn a_comment_belongs_to_uses_only_on_the_same_line() {
        let source = "on: push\njobs:\n  a:\n    steps:\n      - uses: a/b@v1 # v1\n      - uses: \"a/c@v1\"\n        # v2\n      - {uses: a/d@v1, with: {x: 1}} # v3\n";
        let (_, workflow) = read(source).unwrap();
        let comments: Vec<_> = workflow
            .uses()
            .map(|(_, uses)| uses.comment.as_ref().map(|comment| comment.text.as_str()))
            .collect();
        assert_eq!(comments, [Some(" v1"), None, None]);
    }

    #[test]
    fn a_wrong_shape_is_told_with_its_place() {
        let source = "on: {push}\npermissions:\nconcurrency: {cancel-in-progress: true}\njobs:\n  a:\n    steps: {}\n    Timeout-Minutes: 5\n  b: [x]\n";
        let (sources, workflow) = read(source).unwrap();
        let told: Vec<_> = workflow
            .malformed
            .iter()
            .map(|part| (sources.slice(part.at), part.reason.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "",
                    "`permissions` is a map of scopes, `read-all` or `write-all`"
                ),
                (
                    "{cancel-in-progress: true}",
                    "`concurrency` needs a `group`, which is not here"
                ),
                (
                    "a",
                    "a job has `runs-on` or `uses`, but this one has neither"
                ),
                ("{}", "`steps` is a list"),
                (
                    "Timeout-Minutes",
                    "`Timeout-Minutes` is no key that GitHub knows; it is written `timeout-minutes`"
                ),
                ("[x]", "a job is a list, but must be a map"),
            ]
        );
    }

    #[test]
    fn a_workflow_is_known_by_its_place_or_its_keys() {
        let (_, workflow) = read("on: push\njobs: {}\n").unwrap();
        assert!(Workflow::recognises("x.yml", &workflow.root));
        assert!(Workflow::recognises_path("a/.github/workflows/x.yaml"));
        assert!(!Workflow::recognises_path("workflows/x.yaml"));
        assert!(!Workflow::recognises_path(".github/workflows/x.json"));
    }
}
