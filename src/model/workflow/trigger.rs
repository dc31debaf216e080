//! What starts a workflow.

use crate::syntax::{Entry, Node, yaml};
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

    /// The same, as a dispatch is held against them.
    #[must_use]
    pub fn dispatch_inputs(&self) -> Vec<DispatchInput> {
        self.inputs().iter().map(DispatchInput::read).collect()
    }

    /// Which events of `repository_dispatch` it hears; `None`: all of them.
    #[must_use]
    pub fn types(&self) -> Option<Vec<&Text>> {
        let types = self.settings.as_ref()?.get("types")?;
        match types.as_list() {
            Some(items) => Some(items.iter().filter_map(Node::as_text).collect()),
            None => Some(types.as_text().into_iter().collect()),
        }
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

/// An input that a dispatch may give.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DispatchInput {
    /// Its name.
    pub name: String,
    /// Whether no run begins without it: `required`, and without a default.
    pub required: bool,
    /// What may be chosen, of an input of the type `choice`; empty for every other.
    pub options: Vec<String>,
}

impl DispatchInput {
    fn read(entry: &Entry) -> Self {
        let setting = |name: &str| entry.value.get(name);
        let required = setting("required").and_then(Node::as_bool) == Some(true);
        let is_choice = setting("type").and_then(Node::as_str) == Some("choice");
        let options = setting("options").and_then(Node::as_list);
        let options = options.unwrap_or_default().iter().filter(|_| is_choice);
        let options = options.filter_map(yaml::as_written);
        Self {
            name: entry.key.as_str().to_owned(),
            required: required && setting("default").is_none(),
            options: options.map(|option| option.as_str().to_owned()).collect(),
        }
    }

    /// What GitHub answers, with 422, to a dispatch that gives `given`, and the input that it is about; `None` where it
    /// begins a run. A value that is not known yet is `None`, and fits.
    #[must_use]
    pub fn refusal(declared: &[Self], given: &[(&str, Option<&str>)]) -> Option<(String, String)> {
        let is_declared = |name: &str| declared.iter().any(|input| input.name == name);
        let unknown = given.iter().map(|(name, _)| *name);
        let unknown: Vec<&str> = unknown.filter(|name| !is_declared(name)).collect();
        if let Some(first) = unknown.first() {
            let listed = unknown.join("\",\"");
            let told = format!("Unexpected inputs provided: [\"{listed}\"]");
            return Some((told, (*first).to_owned()));
        }
        declared.iter().find_map(|input| {
            let name = &input.name;
            let Some((_, value)) = given.iter().find(|(given, _)| given == name) else {
                let told = format!("Required input '{name}' not provided");
                return input.required.then(|| (told, name.clone()));
            };
            let value = value.filter(|value| {
                !input.options.is_empty() && !input.options.iter().any(|option| option == value)
            })?;
            let told = format!(
                "Provided value '{value}' for input '{name}' not in the list of allowed values"
            );
            Some((told, name.clone()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dispatch_gives_what_is_declared_required_and_offered() {
        let input = |name: &str, required, options: &[&str]| DispatchInput {
            name: name.to_owned(),
            required,
            options: options.iter().map(ToString::to_string).collect(),
        };
        let declared = [
            input("why", true, &[]),
            input("site", false, &["edge", "hub"]),
        ];
        let told = |given: &[(&str, Option<&str>)]| {
            DispatchInput::refusal(&declared, given).map(|(told, _)| told)
        };
        assert_eq!(told(&[("why", Some("x"))]), None);
        assert_eq!(told(&[("why", None), ("site", None)]), None);
        assert_eq!(told(&[("why", Some("x")), ("site", Some("hub"))]), None);
        for (given, wanted) in [
            (&[][..], "Required input 'why' not provided"),
            (&[("site", Some("hub"))], "Required input 'why'"),
            (
                &[("why", Some("x")), ("site", Some("mars"))],
                "'mars' for input 'site'",
            ),
            (&[("why", Some("x")), ("to", Some("hub"))], "[\"to\"]"),
        ] {
            let found = told(given).unwrap_or_default();
            assert!(found.contains(wanted), "{given:?}: {found}");
        }
    }
}
