//! JUnit XML, the form that CI servers show as tests: suites of cases, each passed, failed, skipped or in error. There is
//! no standard; this is the part that Ant's, Jenkins' and GitLab's readers agree on.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::diag::{Finding, Outcome, Severity};
use crate::text::{SourceMap, Span};

/// A test suite.
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) cases: Vec<Case>,
}

/// A test case.
pub(super) struct Case {
    pub(super) name: String,
    /// What readers group by.
    pub(super) class: String,
    /// File and line, as GitLab and others link them.
    pub(super) place: Option<(String, usize)>,
    pub(super) came: Came,
}

/// What came of a case.
pub(super) enum Came {
    /// It passed; perhaps with something to say.
    Passed(String),
    /// An expectation failed: of which kind, in a line, and at length.
    Failed(String, String, String),
    /// It could not be tried.
    Broken(String, String),
    /// It was not tried.
    Skipped(String),
}

/// Writes suites as one document.
pub(super) fn write(suites: &[Suite], out: &mut dyn Write) -> io::Result<()> {
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"pointsman\" {}>", counts(all()))?;
    for suite in suites {
        let counts = counts(suite.cases.iter());
        writeln!(out, "  <testsuite name=\"{}\" {counts}>", text(&suite.name))?;
        for case in &suite.cases {
            write_case(case, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
    for case in cases {
        tests += 1;
        match case.came {
            Came::Passed(_) => {}
            Came::Failed(..) => failures += 1,
            Came::Broken(..) => errors += 1,
            Came::Skipped(_) => skipped += 1,
        }
    }
    format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"0\""
    )
}

fn write_case(case: &Case, out: &mut dyn Write) -> io::Result<()> {
    let mut open = format!(
        "    <testcase name=\"{}\" classname=\"{}\"",
        text(&case.name),
        text(&case.class)
    );
    if let Some((file, line)) = &case.place {
        open.push_str(&format!(" file=\"{}\" line=\"{line}\"", text(file)));
    }
    let inside = match &case.came {
        Came::Passed(said) if said.is_empty() => {
            return writeln!(out, "{open} time=\"0\"/>");
        }
        Came::Passed(said) => format!("<system-out>{}</system-out>", text(said)),
        Came::Failed(kind, message, long) => format!(
            "<failure type=\"{}\" message=\"{}\">{}</failure>",
            text(kind),
            text(message),
            text(long)
        ),
        Came::Broken(kind, message) => {
            format!(
                "<error type=\"{}\" message=\"{}\"/>",
                text(kind),
                text(message)
            )
        }
        Came::Skipped(why) => format!("<skipped message=\"{}\"/>", text(why)),
    };
    writeln!(out, "{open} time=\"0\">\n      {inside}\n    </testcase>")
}

/// Text in XML 1.0 (section 2.2): no control characters but white space; line breaks in attributes as references.
fn text(written: &str) -> String {
    let mut escaped = String::with_capacity(written.len());
    for character in written.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' => escaped.push_str("&#9;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            plain => escaped.push(plain),
        }
    }
    escaped
}

/// An outcome: a suite for each file that something is said about. A finding below `fail_on` passes and says what it is.
pub(super) fn render(
    outcome: &Outcome,
    sources: &SourceMap,
    fail_on: Severity,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut suites: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for unread in &outcome.unread {
        let case = Case {
            name: "unread".to_owned(),
            class: unread.path.clone(),
            place: unread.at.and_then(|at| place(at, sources)),
            came: Came::Broken("unread".to_owned(), unread.reason.clone()),
        };
        suites.entry(unread.path.as_str()).or_default().push(case);
    }
    for finding in &outcome.findings {
        let path = sources.path(finding.primary.at.file);
        let case = case_of(finding, sources, fail_on);
        suites.entry(path).or_default().push(case);
    }
    for undecided in &outcome.undecided {
        let path = sources.path(undecided.at.file);
        let case = Case {
            name: undecided.what.clone(),
            class: path.to_owned(),
            place: place(undecided.at, sources),
            came: Came::Skipped(format!("undecided: {}", undecided.why)),
        };
        suites.entry(path).or_default().push(case);
    }
    let mut suites: Vec<Suite> = suites.into_iter().map(suite).collect();
    let faulty = suites.len();
    // Readers take an empty document for a run that was lost.
    suites.push(Suite {
        name: "pointsman".to_owned(),
        cases: vec![Case {
            name: format!(
                "{} {} checked, {faulty} with something to say",
                outcome.files,
                if outcome.files == 1 { "file" } else { "files" }
            ),
            class: "pointsman".to_owned(),
            place: None,
            came: Came::Passed(String::new()),
        }],
    });
    write(&suites, out)
}

fn suite((name, cases): (&str, Vec<Case>)) -> Suite {
    Suite {
        name: name.to_owned(),
        cases,
    }
}

fn case_of(finding: &Finding, sources: &SourceMap, fail_on: Severity) -> Case {
    let at = finding.primary.at;
    let path = sources.path(at.file);
    let word = finding.severity.word();
    let (line, column) = sources
        .positions(at)
        .map_or((1, 1), |(start, _)| (start.line, start.column));
    let mut long = format!("{path}:{line}:{column}: {word}: {}", finding.message);
    for label in &finding.related {
        if let Some((start, _)) = sources.positions(label.at) {
            let path = sources.path(label.at.file);
            let place = format!("\n{path}:{}:{}: {}", start.line, start.column, label.text);
            long.push_str(&place);
        }
    }
    if let Some(help) = &finding.help {
        long.push_str(&format!("\nhelp: {help}"));
    }
    Case {
        name: format!("{} at {line}:{column}", finding.rule),
        class: path.to_owned(),
        place: place(at, sources),
        came: if finding.severity >= fail_on {
            Came::Failed(word.to_owned(), finding.message.clone(), long)
        } else {
            Came::Passed(long)
        },
    }
}

/// File and line of a span.
pub(super) fn place(at: Span, sources: &SourceMap) -> Option<(String, usize)> {
    let (start, _) = sources.positions(at)?;
    Some((sources.path(at.file).to_owned(), start.line))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn what_xml_reads_as_its_own_is_escaped() {
        assert_eq!(text("a<b>&\"\n\u{1}"), "a&lt;b&gt;&amp;&quot;&#10;\u{fffd}");
    }
}
