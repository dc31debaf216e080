//! A rule's page: Markdown with fixed headings, whose code fences are the rule's test.
//!
//! A fence opens with its language and then words:
//!
//! ````text
//! ```json file=policies/change.json bad spec
//! ````
//!
//! `bad`, `good` and `near-miss` begin a case; a fence with `with` adds a file to the case above it. `spec` puts the
//! reference deployment's `pointsman.toml` beside the case, or fills up the one that the case has with the sections that it
//! lacks; `whole` makes it a whole deployment, `type=scp` gives the policy type. In a bad case `«…»` mark the bytes that
//! the finding must point at; several pairs are several findings.

use std::ops::Range;

/// The headings that every page has, in this order.
pub const HEADINGS: [&str; 6] = [
    "What it finds",
    "Why it matters",
    "Bad",
    "Good",
    "How to mend",
    "Sources",
];

/// A page taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The second-level headings in order.
    pub headings: Vec<String>,
    /// The cases in order.
    pub cases: Vec<Case>,
    /// Rules that may speak beside this one in its bad cases (the line that begins with `Accompanied by:`).
    pub companions: Vec<String>,
}

/// What a case must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The rule, at the marked bytes.
    Bad,
    /// Nothing from any rule.
    Good,
    /// Nothing from any rule, though it looks alike.
    NearMiss,
}

/// A case: files side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What it must give.
    pub verdict: Verdict,
    /// Line of the fence in the page, from 1.
    pub line: usize,
    /// Whether the reference spec lies beside it, or fills up its own.
    pub spec: bool,
    /// Whether the case is a whole deployment, so that what is not there is missing.
    pub whole: bool,
    /// The policy type, if one is given.
    pub policy_type: Option<String>,
    /// The files.
    pub files: Vec<CaseFile>,
}

/// A file of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFile {
    /// Its path.
    pub path: String,
    /// Its text, without marks.
    pub text: String,
    /// The marked bytes.
    pub marks: Vec<Range<usize>>,
}

impl Page {
    /// Takes a page apart.
    ///
    /// # Errors
    /// A sentence with the line when a fence is not closed, a mark not paired, or a word not known.
    pub fn parse(markdown: &str) -> Result<Self, String> {
        let mut page = Self {
            headings: Vec::new(),
            cases: Vec::new(),
            companions: Vec::new(),
        };
        let mut lines = markdown.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            if let Some(heading) = line.strip_prefix("## ") {
                page.headings.push(heading.trim().to_owned());
            } else if let Some(names) = line.strip_prefix("Accompanied by: ") {
                page.companions
                    .extend(names.split('`').skip(1).step_by(2).map(str::to_owned));
            } else if let Some(info) = line.strip_prefix("```") {
                let mut body = String::new();
                let closed = lines.by_ref().map(|(_, line)| line).any(|line| {
                    let end = line == "```";
                    if !end {
                        body.push_str(line);
                        body.push('\n');
                    }
                    end
                });
                if !closed {
                    return Err(format!("line {}: this fence is never closed", index + 1));
                }
                page.fence(info, &body, index + 1)?;
            }
        }
        Ok(page)
    }

    fn fence(&mut self, info: &str, body: &str, line: usize) -> Result<(), String> {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let (mut verdict, mut with, mut spec, mut whole) = (None, false, false, false);
        let (mut path, mut policy_type) = (None, None);
        for word in words {
            match word.split_once('=') {
                Some(("file", value)) => path = Some(value.to_owned()),
                Some(("type", value)) => policy_type = Some(value.to_owned()),
                None if word == "bad" => verdict = Some(Verdict::Bad),
                None if word == "good" => verdict = Some(Verdict::Good),
                None if word == "near-miss" => verdict = Some(Verdict::NearMiss),
                None if word == "with" => with = true,
                None if word == "spec" => spec = true,
                None if word == "whole" => whole = true,
                _ => return Err(format!("line {line}: `{word}` is not known in a fence")),
            }
        }
        if verdict.is_none() && !with {
            return Ok(());
        }
        let (text, marks) =
            unmarked(body).ok_or_else(|| format!("line {line}: a mark is not paired"))?;
        let file = CaseFile {
            path: path.unwrap_or_else(|| default_path(language).to_owned()),
            text,
            marks,
        };
        match (verdict, self.cases.last_mut()) {
            (Some(verdict), _) => self.cases.push(Case {
                verdict,
                line,
                spec,
                whole,
                policy_type,
                files: vec![file],
            }),
            (None, Some(case)) => case.files.push(file),
            (None, None) => return Err(format!("line {line}: `with` has no case above it")),
        }
        Ok(())
    }
}

/// The page without what only its execution needs: the marks, the words behind a fence's language, and the files that
/// stand beside a case.
#[must_use]
pub fn for_a_reader(page: &str) -> String {
    let telling = telling_files(page);
    let told = |info: &str| {
        let mut words = info.split(' ');
        let path = words.find_map(|word| word.strip_prefix("file="))?;
        telling.iter().find(|one| *one == path)
    };
    let mut text = String::with_capacity(page.len());
    let (mut inside, mut hidden) = (false, false);
    for line in page.lines() {
        if let Some(info) = line.strip_prefix("```") {
            inside = !inside;
            if inside && info.split(' ').any(|word| word == "with") {
                match told(info) {
                    Some(path) => text.push_str(&format!("{BESIDE}`{path}`:\n\n")),
                    None => hidden = true,
                }
            }
            if !hidden {
                text.push_str(line.split(' ').next().unwrap_or(line));
                text.push('\n');
            }
            hidden &= inside;
        } else if !hidden && !line.starts_with("Accompanied by: ") {
            text.push_str(&line.replace(['«', '»'], ""));
            text.push('\n');
        }
    }
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

/// How a file is announced that belongs to the case above it.
const BESIDE: &str = "And beside it, ";

/// The further files in which the first bad and the first good case differ, where their first files are the same.
fn telling_files(page: &str) -> Vec<String> {
    let cases = Page::parse(page).map(|page| page.cases).unwrap_or_default();
    let first = |verdict| cases.iter().find(|case| case.verdict == verdict);
    let (Some(bad), Some(good)) = (first(Verdict::Bad), first(Verdict::Good)) else {
        return Vec::new();
    };
    let main = |case: &Case| case.files.first().map(|file| file.text.clone());
    if main(bad) != main(good) {
        return Vec::new();
    }
    let mut paths = Vec::new();
    for (one, other) in [(bad, good), (good, bad)] {
        for file in one.files.iter().skip(1) {
            let same = |it: &CaseFile| it.path == file.path && it.text == file.text;
            if !other.files.iter().any(same) && !paths.contains(&file.path) {
                paths.push(file.path.clone());
            }
        }
    }
    paths
}

/// What most readers come for, out of a page for a reader: what the rule finds, the first bad and the first good case, and
/// how to mend.
#[must_use]
pub fn in_short(page: &str) -> String {
    let mut text = String::new();
    let (mut shown, mut until_fence, mut inside) = (true, false, false);
    for line in page.lines() {
        let heading = line.strip_prefix("## ").filter(|_| !inside);
        if let Some(heading) = heading {
            shown = ["What it finds", "Bad", "Good", "How to mend"].contains(&heading);
            until_fence = ["Bad", "Good"].contains(&heading);
        }
        if until_fence && !inside && line.starts_with(BESIDE) {
            shown = true;
        }
        if shown {
            text.push_str(line);
            text.push('\n');
        }
        if line.starts_with("```") {
            inside = !inside;
            // Another case begins.
            until_fence &= shown;
            if until_fence && !inside {
                text.push('\n');
                shown = false;
            }
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn default_path(language: &str) -> &'static str {
    match language {
        "hcl" | "terraform" => "terraform/main.tf",
        "yaml" => ".github/workflows/dns-failover.yml",
        "toml" => "pointsman.toml",
        _ => "policies/policy.json",
    }
}

/// The text without its marks, and where they stood.
fn unmarked(body: &str) -> Option<(String, Vec<Range<usize>>)> {
    let mut text = String::with_capacity(body.len());
    let mut marks = Vec::new();
    let mut open = Vec::new();
    for character in body.chars() {
        match character {
            '«' => open.push(text.len()),
            '»' => marks.push(open.pop()?..text.len()),
            other => text.push(other),
        }
    }
    marks.sort_by_key(|mark| (mark.start, mark.end));
    open.is_empty().then_some((text, marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_become_cases_and_marks_become_places() {
        let page = Page::parse(
            "# x\n\n## Bad\n\nAccompanied by: `other-rule`\n\n```json bad spec\n{\"a\": «\"b\"»}\n```\n\n```toml file=p.toml with\nx = 1\n```\n\n```text\nfree\n```\n",
        )
        .unwrap();
        assert_eq!(page.companions, ["other-rule"]);
        assert_eq!(page.cases.len(), 1);
        let case = &page.cases[0];
        assert!(case.spec && case.verdict == Verdict::Bad && case.files.len() == 2);
        assert_eq!(case.files[0].marks.first(), Some(&(6..9)));
        assert_eq!(case.files[0].text, "{\"a\": \"b\"}\n");
    }

    #[test]
    fn the_file_in_which_two_cases_differ_is_shown_and_no_other() {
        let case = |verdict: &str, second: &str| {
            format!("```yaml {verdict}\na: 1\n```\n\n```yaml file=b.yml with\nb: {second}\n```\n\n")
        };
        let page = format!(
            "# x\n\n## Bad\n\n{}{}## Good\n\n{}## Sources\n",
            case("bad", "«1»"),
            case("bad", "«3»"),
            case("good", "2")
        );
        let short = in_short(&for_a_reader(&page));
        assert_eq!(
            short,
            "# x\n\n## Bad\n\n```yaml\na: 1\n```\n\nAnd beside it, `b.yml`:\n\n```yaml\nb: 1\n```\n\n## Good\n\n```yaml\na: 1\n```\n\nAnd beside it, `b.yml`:\n\n```yaml\nb: 2\n```\n"
        );
    }

    #[test]
    fn an_unknown_word_or_an_open_mark_is_refused() {
        assert!(
            Page::parse("```json bda\n```\n")
                .unwrap_err()
                .contains("`bda`")
        );
        assert!(
            Page::parse("```json bad\n«\n```\n")
                .unwrap_err()
                .contains("not paired")
        );
        assert!(
            Page::parse("```json bad\n")
                .unwrap_err()
                .contains("never closed")
        );
    }
}
