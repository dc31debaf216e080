//! `concurrency`: which runs wait for each other.
//!
//! Source: GitHub Docs, "Control the concurrency of workflows and jobs".

use crate::syntax::{Entry, Node};
use crate::text::Text;

use super::reader::Reader;
use super::{Malformed, condition_truth};

/// `concurrency` of a workflow or a job.
#[derive(Debug, Clone)]
pub struct Concurrency {
    /// The key `concurrency`.
    pub key: Text,
    /// The group; the whole value, where it is written as a string.
    pub group: Option<Text>,
    /// `cancel-in-progress`, as it is written: `true`, `false` or an expression.
    pub cancel: Option<Text>,
    /// `queue`: `single` or `max`.
    pub queue: Option<Text>,
}

impl Concurrency {
    /// Whether the running one is cancelled; `None` where that is known only when a run starts.
    #[must_use]
    pub fn cancels(&self) -> Option<bool> {
        let Some(written) = &self.cancel else {
            return Some(false);
        };
        match written.as_str().trim().to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => condition_truth(written.as_str(), &|_| None),
        }
    }
}

impl Reader<'_> {
    /// A plain value that is none of those that GitHub takes; expressions are known only when a run starts.
    fn is_one_of(&mut self, value: Option<&Text>, key: &str, known: &[&str]) {
        let Some(value) = value else { return };
        let written = value.as_str().trim();
        if known.contains(&written.to_ascii_lowercase().as_str()) && key != "queue"
            || known.contains(&written)
            || written.contains("${{")
        {
            return;
        }
        let allowed = known.join("` or `");
        let reason = if key == "queue" {
            format!("`queue` is `{written}`, but must be `{allowed}`")
        } else {
            format!(
                "`{written}` is a plain text in the YAML that GitHub reads; `{key}` is `{allowed}`, or an expression that gives one of them"
            )
        };
        self.malformed.push(Malformed {
            at: value.span(),
            reason,
        });
    }

    pub(super) fn concurrency(&mut self, key: &Text, value: &Node) -> Concurrency {
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
                    self.is_one_of(
                        concurrency.cancel.as_ref(),
                        "cancel-in-progress",
                        &["true", "false"],
                    );
                }
                "queue" => {
                    concurrency.queue = self.string(value, "`queue`");
                    self.is_one_of(concurrency.queue.as_ref(), "queue", &["single", "max"]);
                }
                _ => self.near_miss(key, &["group", "cancel-in-progress", "queue"]),
            }
        }
        if value.get("group").is_none() {
            self.wrong(value, "`concurrency` needs a `group`, which is not here");
        }
        concurrency
    }
}
