//! Tree to job.

use crate::syntax::{Entry, Node};
use crate::text::Text;

use super::read_step::default_shell;
use super::reader::Reader;
use super::{Image, ImagePlace, Job, Malformed};

impl Reader<'_> {
    pub(super) fn job(&mut self, entry: &Entry) -> Job {
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
                "if" => job.condition = self.condition(value),
                "runs-on" => job.runs_on = self.labels(value),
                "timeout-minutes" => job.timeout = self.minutes(value),
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
}

const JOB_KEYS: [&str; 20] = [
    "strategy",
    "snapshot",
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
