//! A journal in the log of a job, from which it can be read again. A log is there whatever becomes of the job, and to write it
//! takes no further action, right or request; what GitHub gives out of it is plain text.
//!
//! Source: GitHub Docs, "Workflow commands for GitHub Actions" (groups), and the runner's `ActionCommand.cs`, which takes `##[`
//! for a command wherever it stands; REST API, "Download job logs for a workflow run": each line begins with its time.

/// What every line of a journal begins with in a log.
const MARK: &str = "journal: ";

/// How many bytes of a journal go into a log at most; a run that asks for an hour has about a tenth of that.
const MOST: usize = 4 << 20;

/// What starts a command in the middle of a line, and the same in JSON.
const COMMAND: (&str, &str) = ("##[", "##\\u005b");

/// A journal as lines of a log, folded there.
#[must_use]
pub fn in_log(lines: &[String]) -> String {
    let mut text = "::group::Journal\n".to_owned();
    let mut left = lines.len();
    for line in lines {
        if text.len() + line.len() > MOST {
            break;
        }
        left -= 1;
        text.push_str(MARK);
        text.push_str(&line.replace(COMMAND.0, COMMAND.1));
        text.push('\n');
    }
    if left > 0 {
        text.push_str(&format!("{left} more lines are in the file alone\n"));
    }
    text.push_str("::endgroup::\n");
    text
}

/// The journal in a log; `None` where there is none. Only what stands at the beginning of a line, behind its time, is one.
#[must_use]
pub fn from_log(log: &str) -> Option<String> {
    let log = log.trim_start_matches('\u{feff}');
    let own = log.lines().filter_map(|line| {
        let line = line.trim_end_matches('\r');
        let behind = line.split_once(' ').filter(|(time, _)| is_time(time));
        let text = behind.map_or(line, |(_, text)| text);
        text.strip_prefix(MARK)
    });
    let text: String = own
        .map(|line| line.replace(COMMAND.1, COMMAND.0) + "\n")
        .collect();
    (!text.is_empty()).then_some(text)
}

/// Whether a word is a moment as GitHub writes it: `2026-12-01T04:05:06.1234567Z`.
fn is_time(word: &str) -> bool {
    let begins = word.chars().take(4).all(|letter| letter.is_ascii_digit());
    begins && word.len() > 20 && word.ends_with('Z') && word.contains('T')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_log_is_read_again_byte_for_byte() {
        let lines = [
            r#"{"journal":1,"text":"a: journal: b"}"#.to_owned(),
            r###"{"event":"x","text":"##[error]no ##[add-mask]"}"###.to_owned(),
            r###"{"text":"##\\u005b stays"}"###.to_owned(),
        ];
        let told = in_log(&lines);
        assert!(!told.contains("##["), "{told}");
        let of_github: String = told
            .lines()
            .map(|line| format!("2026-12-01T04:05:06.1234567Z {line}\r\n"))
            .collect();
        for log in [told.clone(), of_github, format!("\u{feff}{told}")] {
            assert_eq!(from_log(&log), Some(lines.join("\n") + "\n"), "{log}");
        }
    }

    #[test]
    fn a_text_in_the_middle_of_a_line_is_no_journal() {
        let log = "2026-12-01T04:05:06.1234567Z refused: journal: {\"journal\":1}\nplain\n";
        assert_eq!(from_log(log), None);
        assert_eq!(from_log(""), None);
    }

    #[test]
    fn what_is_too_long_for_a_log_is_told() {
        let long = vec!["x".repeat(1 << 20); 6];
        let told = in_log(&long);
        assert!(told.len() < MOST + 100);
        assert!(
            told.contains("3 more lines are in the file alone"),
            "{}",
            told.len()
        );
    }
}
