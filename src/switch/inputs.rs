//! What the executor takes from its environment: these variables and no others, whatever else is set. None of them can name
//! an address; a pin is compared with the names of the sites, and nothing else.

#[cfg(feature = "drill")]
use std::collections::BTreeMap;

/// The variables of the executor, beside the pin's, whose name is in the spec. A test holds the sources to this list.
pub const VARIABLES: [&str; 11] = [
    "GITHUB_ACTIONS",
    "GITHUB_OUTPUT",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_RUN_ID",
    "GITHUB_STEP_SUMMARY",
    "RUNNER_TEMP",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
];

/// Gives the text of a variable.
type Read = dyn Fn(&str) -> Option<String>;

/// The environment, as far as the executor looks at it.
pub struct Inputs {
    read: Box<Read>,
}

impl std::fmt::Debug for Inputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inputs").finish_non_exhaustive()
    }
}

impl Inputs {
    /// The environment of the process.
    #[must_use]
    pub fn of_process() -> Self {
        // What is no UTF-8 is there all the same: a pin that cannot be read must not count as none.
        let read = |name: &str| std::env::var_os(name).map(|text| text.to_string_lossy().into());
        Self {
            read: Box::new(read),
        }
    }

    /// What a rehearsal hands to a job.
    #[cfg(feature = "drill")]
    pub(super) fn given(variables: BTreeMap<String, String>) -> Self {
        Self {
            read: Box::new(move |name| variables.get(name).cloned()),
        }
    }

    /// A variable of [`VARIABLES`] that is set and not empty.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let known = VARIABLES.contains(&name);
        (self.read)(name).filter(|text| known && !text.is_empty())
    }

    /// The text of the pin's variable.
    pub(super) fn pin(&self, variable: &str) -> Option<String> {
        (self.read)(variable)
    }

    /// Whether this is a job of GitHub Actions.
    pub(super) fn in_job(&self) -> bool {
        self.get("GITHUB_ACTIONS").as_deref() == Some("true")
    }

    /// The run's number and attempt, of letters, digits and `-` alone; none by hand.
    pub(super) fn run(&self) -> Option<(String, String)> {
        let plain = |text: String| -> String {
            text.chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .take(40)
                .collect()
        };
        let id = plain(self.get("GITHUB_RUN_ID")?);
        let attempt = self
            .get("GITHUB_RUN_ATTEMPT")
            .map_or_else(|| "1".to_owned(), plain);
        Some((id, attempt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::Spec;
    use crate::text::{FileId, Span, Text};

    fn inputs(read: impl Fn(&str) -> Option<String> + 'static) -> Inputs {
        Inputs {
            read: Box::new(read),
        }
    }

    #[test]
    fn a_variable_outside_the_list_is_not_there() {
        let all = inputs(|name| Some(format!("{name} is set")));
        assert!(all.get("AWS_ACCESS_KEY_ID").is_some());
        for name in [
            "HTTPS_PROXY",
            "AWS_ENDPOINT_URL",
            "AWS_PROFILE",
            "EDGE_IP",
            "PIN_SITE",
        ] {
            assert_eq!(all.get(name), None, "{name}");
        }
        assert!(!all.in_job());
    }

    #[test]
    fn no_variable_of_the_executor_can_be_named_as_the_pin() {
        let root = include_str!("../../pointsman.toml");
        for name in VARIABLES.into_iter().chain(["PATH", "GITHUB_TOKEN", "CI"]) {
            let with = format!("branch = \"main\"\nvariable = \"{name}\"");
            let input = root.replacen("branch = \"main\"", &with, 1);
            let text = Text::verbatim(input, Span::at(FileId(0), 0));
            let findings = Spec::read(&text).unwrap_err();
            assert_eq!(findings.len(), 1, "{name}");
            assert_eq!(findings[0].pointer.as_deref(), Some("/github/variable"));
        }
    }

    #[test]
    fn a_run_is_named_by_plain_letters_whatever_stands_in_its_variables() {
        let odd = inputs(|_| Some("../7\n::error::".to_owned()));
        let (id, attempt) = odd.run().unwrap();
        assert_eq!(id, "---7---error--");
        assert_eq!(attempt, id);
        assert_eq!(inputs(|_| None).run(), None);
    }
}
