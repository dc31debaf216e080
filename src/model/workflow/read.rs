//! Tree to workflow. Nothing is dropped without a word: what has not the right shape becomes [`Malformed`].

use crate::syntax::{Comment, Entry, Kind, Node};

use super::cron;
use super::read_step::default_shell;
use super::reader::{Reader, is_null};
use super::{Job, Malformed, Trigger, Workflow};

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

impl Reader<'_> {
    fn workflow(&mut self, root: &Node, workflow: &mut Workflow) {
        let entries = self.map(root, "a workflow");
        self.expressions_of_workflow(entries);
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
                .map(|name| {
                    self.event(&name);
                    Trigger {
                        name,
                        settings: None,
                    }
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
        for entry in entries {
            self.event(&entry.key);
        }
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

    fn jobs(&mut self, value: &Node) -> Vec<Job> {
        let entries = self.map(value, "`jobs`");
        if value.as_map().is_some_and(<[_]>::is_empty) {
            self.wrong(value, "`jobs` is empty, but a workflow needs one at least");
        }
        let jobs: Vec<Job> = entries.iter().map(|entry| self.job(entry)).collect();
        self.ids(jobs.iter().map(|job| &job.id), "job");
        self.cycles(&jobs);
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
}

const WORKFLOW_KEYS: [&str; 8] = [
    "name",
    "run-name",
    "on",
    "permissions",
    "concurrency",
    "env",
    "defaults",
    "jobs",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::workflow::Access;
    use crate::syntax::yaml;
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
