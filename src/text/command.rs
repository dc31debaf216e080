//! Workflow commands of GitHub Actions (GitHub docs, "Workflow commands for GitHub Actions"; the runner's `ActionCommand.cs`),
//! and texts that must not become one.

use super::cut;

/// The most bytes of a text from outside within a line of ours.
const LONGEST: usize = 2000;

/// Text of a command: `%`, carriage return and line feed are escaped.
pub(crate) fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a command: also `:` and `,` are escaped.
pub(crate) fn property(name: &str, value: &str) -> String {
    format!(
        "{name}={}",
        message(value).replace(':', "%3A").replace(',', "%2C")
    )
}

/// A text from outside within a line of our own. It stays in its line, and it is no command: the runner takes `##[` for one
/// wherever it stands, and `::` at the beginning of a line, where a text from outside never stands.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') {
            line.extend(letter.escape_debug());
        } else {
            line.push(letter);
        }
    }
    line.replace("##[", "# #[")
}

/// As [`one_line`], of a bearable length: a service, a record or a pin may say a megabyte, and GitHub drops a summary that is
/// longer than one.
pub(crate) fn short_line(text: &str) -> String {
    cut(&one_line(text), LONGEST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_read_as_their_own_is_escaped() {
        assert_eq!(message("50%\r\n: a, b"), "50%25%0D%0A: a, b");
        assert_eq!(property("file", "a,b:c%.json"), "file=a%2Cb%3Ac%25.json");
        assert_eq!(
            one_line("a\r\n::error::b\u{1b}[1m ##[error]c"),
            "a\\r\\n::error::b\\u{1b}[1m # #[error]c"
        );
        assert_eq!(one_line("###[x"), "## #[x");
    }
}
