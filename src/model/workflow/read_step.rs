//! Tree to steps, and to what they use.

use crate::syntax::{Entry, Node};
use crate::text::Text;

use super::reader::Reader;
use super::{Step, Uses};

impl Reader<'_> {
    pub(super) fn steps(&mut self, value: &Node) -> Vec<Step> {
        let Some(items) = value.as_list() else {
            self.wrong(value, "`steps` is a list");
            return Vec::new();
        };
        let steps: Vec<Step> = items.iter().map(|item| self.step(item)).collect();
        self.ids(steps.iter().filter_map(|step| step.id.as_ref()), "step");
        steps
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
                "if" => step.condition = self.condition(value),
                "uses" => step.uses = self.uses(value),
                "with" => step.with = self.variables(value, "`with`"),
                "run" => step.run = self.string(value, "`run`"),
                "shell" => step.shell = self.string(value, "`shell`"),
                "env" => step.env = self.variables(value, "`env`"),
                "continue-on-error" => {
                    step.continue_on_error = self.string(value, "`continue-on-error`");
                }
                "timeout-minutes" => step.timeout = self.minutes(value),
                _ => self.near_miss(key, &STEP_KEYS),
            }
        }
        step
    }

    pub(super) fn uses(&mut self, value: &Node) -> Option<Uses> {
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
}

const STEP_KEYS: [&str; 11] = [
    "working-directory",
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
pub(super) fn default_shell(defaults: &Node) -> Option<Text> {
    let shell = defaults.get("run")?.get("shell")?;
    shell.as_text().cloned()
}

/// Whether a text stands between a value in braces and the end of its line, with no other `uses` in it.
fn is_rest_of_flow_map(text: &str) -> bool {
    let rest = text.trim_start_matches(['\'', '"', ' ', '\t']);
    rest.starts_with(['}', ',']) && !text.contains(['\n', '\r']) && !text.contains("uses")
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
