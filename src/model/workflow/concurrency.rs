//! `concurrency`: which runs wait for each other.
//!
//! Source: GitHub Docs, "Control the concurrency of workflows and jobs".

use crate::syntax::{Entry, Node};
use crate::text::Text;

use super::reader::Reader;

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

impl Reader<'_> {
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
}
