//! What starts a workflow.

use crate::syntax::{Entry, Node};
use crate::text::Text;

/// One event of `on`.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The event's name: `workflow_dispatch`, `schedule`, `push` and so on.
    pub name: Text,
    /// Its settings; `None` where only the name is written.
    pub settings: Option<Node>,
}

impl Trigger {
    /// The inputs that `workflow_dispatch` or `workflow_call` takes.
    #[must_use]
    pub fn inputs(&self) -> &[Entry] {
        self.settings
            .as_ref()
            .and_then(|settings| settings.get("inputs"))
            .and_then(Node::as_map)
            .unwrap_or_default()
    }

    /// The cron lines of `schedule`, each with its key.
    #[must_use]
    pub fn crons(&self) -> Vec<(&Text, &Text)> {
        let items = self.settings.as_ref().and_then(Node::as_list);
        let entries = items.unwrap_or_default().iter();
        let entries = entries.filter_map(|item| item.entry("cron"));
        entries
            .filter_map(|entry| Some((&entry.key, entry.value.as_text()?)))
            .collect()
    }
}
