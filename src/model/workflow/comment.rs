//! The comment behind a pin, which says to people and to update bots which version the commit is.
//!
//! The dialects are those that tools write: Dependabot, Renovate and pinact `# v4.1.0` (pinact also `# tag=v4.1.0`), ratchet
//! `# ratchet:owner/repo@v4`, people `# owner/repo@v4.1.0`, `# owner/repo v4.1.0`, `# version: v4.1.0`, `# v4.1.0; why` and
//! `# v4.1.0 2026-06-19`.

use crate::syntax::Comment;
use crate::text::Span;

/// A comment that can name a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionComment {
    /// The ref: `v4.1.0`.
    pub reference: String,
    /// Whether it looks like a version.
    pub is_version: bool,
    /// Whether the name of a repository stands before it, in another form than ratchet's.
    pub names_repository: bool,
    /// Whether words such as `version:` stand before it.
    pub is_labelled: bool,
    /// The bytes of the ref.
    pub reference_at: Span,
    /// The bytes of the whole word that holds it, with the name or the words before it.
    pub word_at: Span,
    /// The bytes of a date behind it.
    pub date_at: Option<Span>,
    /// A word that begins as a date and goes on otherwise, with its bytes.
    pub mangled_date: Option<(String, Span)>,
}

impl VersionComment {
    /// Takes a comment apart. `None` where it holds nothing, or something for a tool alone (`zizmor: ignore[…]`), or
    /// begins with a date.
    #[must_use]
    pub fn read(comment: &Comment) -> Option<Self> {
        let words = words(comment);
        let words = behind_directives(&words);
        let (named, words) = behind_labels(words);
        let (first, first_at) = words.first().copied()?;
        let mangled_date = words
            .iter()
            .find(|(word, _)| is_mangled_date(word))
            .map(|(word, at)| ((*word).to_owned(), *at));
        let (ratchet, word) = match first.strip_prefix("ratchet:") {
            Some(word) => (true, word),
            None => (false, first),
        };
        let is_directive = first.ends_with(':') || word == "exclude" && ratchet;
        if mangled_date.is_none() && (is_directive || is_date(word)) {
            return None;
        }
        let word = ["tag=", "tag:", "pin@"]
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix))
            .unwrap_or(word);
        let word = bare(word);
        let reference = word.rsplit('@').next().unwrap_or(word);
        let reference = reference.strip_prefix("refs/tags/").unwrap_or(reference);
        let is_named = word
            .rsplit_once('@')
            .is_some_and(|(name, _)| name.contains('/'));
        let names_repository = !ratchet && (is_named || named.iter().any(is_repository));
        let word_at = match named.first() {
            Some((_, label_at)) => label_at.cover(first_at),
            None => first_at,
        };
        let last = reference.rsplit('/').next().unwrap_or(reference);
        let date_at = words.get(1).filter(|(word, _)| is_date(word));
        let from = first.rfind(reference).unwrap_or(0);
        Some(Self {
            reference_at: first_at.slice(from, from + reference.len()),
            reference: reference.to_owned(),
            is_version: is_version(last),
            names_repository,
            is_labelled: !named.is_empty() && !names_repository && !is_for_bots(named),
            word_at,
            date_at: date_at.map(|(_, at)| *at),
            mangled_date,
        })
    }
}

/// The words behind what a comment says first to a tool, `zizmor: ignore[RULE, RULE]`; a directive without brackets takes
/// all that follows.
fn behind_directives<'a, 'b>(mut words: &'b [(&'a str, Span)]) -> &'b [(&'a str, Span)] {
    while let [(tool, _), (first, _), ..] = words
        && tool.ends_with(':')
        && first.contains('[')
    {
        let Some(end) = words.iter().position(|(word, _)| word.ends_with(']')) else {
            return words;
        };
        let rest = words.get(end + 1..).unwrap_or_default();
        words = match rest {
            [("#", _), behind @ ..] => behind,
            rest => rest,
        };
    }
    words
}

/// A word with its bytes.
type Word<'a> = (&'a str, Span);

/// Words by which people announce a version.
const LABELS: [&str; 15] = [
    "at",
    "corresponds",
    "is",
    "pin",
    "pinned",
    "ref",
    "release",
    "released",
    "rev",
    "tag",
    "tagged",
    "to",
    "ver",
    "version",
    "=",
];

/// The words that announce a version, a repository's name or [`LABELS`], and those from the version on; none are taken off
/// where no version follows them.
fn behind_labels<'a, 'b>(words: &'b [Word<'a>]) -> (&'b [Word<'a>], &'b [Word<'a>]) {
    let is_label = |word: &Word<'_>| {
        let bare = word.0.trim_end_matches([':', '=']);
        let known = LABELS.iter();
        let mut known = known.chain(&["renovate"]);
        known.any(|label| label.eq_ignore_ascii_case(bare))
            || bare.is_empty()
            || is_repository(word)
    };
    let count = words.iter().take_while(|word| is_label(word)).count();
    let (labels, rest) = words.split_at_checked(count).unwrap_or((&[], words));
    let names_version = rest.first().is_some_and(|(word, _)| {
        let word = bare(word);
        is_version(word) && word.contains(['.', 'v', 'V']) && !begins_with_date(word)
    });
    if names_version {
        (labels, rest)
    } else {
        (&[], words)
    }
}

/// `owner/name`, or a path in it.
fn is_repository(word: &Word<'_>) -> bool {
    let name = word.0.trim_end_matches([':', '@']);
    let is_name = |part: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && part.bytes().all(letter)
    };
    let last = name.rsplit('/').next().unwrap_or(name);
    name.contains('/') && name.split('/').all(is_name) && !is_version(last)
}

/// Whether a bot reads the version behind these words: `pin v4`, `renovate: tag = v4` (Renovate's documentation, manager
/// `github-actions`, "Additional Information").
fn is_for_bots(labels: &[Word<'_>]) -> bool {
    let said: String = labels.iter().map(|(word, _)| *word).collect();
    let said = said.strip_prefix("renovate:").unwrap_or(&said);
    matches!(said, "" | "pin" | "tag=")
}

/// A word without the marks that end a phrase, or stand around it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(['(', '['])
        .trim_end_matches([',', ';', ':', '.', ')', ']'])
}

/// The words of a comment that name a version or a date, wherever they stand in it, each with whether it is a date.
#[must_use]
pub fn dated_words(comment: &Comment) -> Vec<(&str, Span, bool)> {
    let is_exact = |word: &str| is_version(word) && word.contains(['.', 'v', 'V']);
    let words = words(comment).into_iter();
    let told = words.filter(|(word, _)| is_date(word) || is_exact(word));
    told.map(|(word, at)| (word, at, is_date(word))).collect()
}

/// The words of a comment with their bytes.
fn words(comment: &Comment) -> Vec<(&str, Span)> {
    let text = comment.text.as_str();
    let mark = comment.span.len().saturating_sub(text.len());
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split([' ', '\t']) {
        if !word.is_empty() {
            found.push((word, comment.span.slice(mark + at, mark + at + word.len())));
        }
        at += word.len() + 1;
    }
    found
}

/// `v4`, `4.1`, `v1.2.3-rc.1`, `release-1.2`-like names excluded: a `v` at most, then a digit.
pub(super) fn is_version(reference: &str) -> bool {
    let digits = reference.strip_prefix(['v', 'V']).unwrap_or(reference);
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits
            .chars()
            .all(|found| found.is_ascii_alphanumeric() || ".-_+".contains(found))
}

/// `2026-06-19`, alone.
fn is_date(word: &str) -> bool {
    word.len() == 10 && begins_with_date(word)
}

/// `2026-06-19.0.0`: what an update bot makes of a date that it takes for a version.
fn is_mangled_date(word: &str) -> bool {
    begins_with_date(word) && word.get(10..).is_some_and(|rest| rest.starts_with('.'))
}

fn begins_with_date(word: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    word.len() >= 10 && word.bytes().take(10).enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::FileId;

    fn read(text: &str) -> Option<VersionComment> {
        VersionComment::read(&Comment {
            span: Span::new(FileId(0), 10, 11 + text.len()),
            text: text.to_owned(),
        })
    }

    #[test]
    fn a_comment_names_its_version_in_many_dialects() {
        for (comment, version) in [
            (" v4.1.0", "v4.1.0"),
            (" tag=v3", "v3"),
            (" ratchet:actions/checkout@v4", "v4"),
            (" actions/checkout@v4.2.2", "v4.2.2"),
            ("v6 2026-06-19", "v6"),
            (" refs/tags/v1.0.0", "v1.0.0"),
            ("  v4.1.0 # zizmor: ignore[unpinned-uses]", "v4.1.0"),
            (" zizmor: ignore[unpinned-uses] v4.1.0", "v4.1.0"),
            (" zizmor: ignore[a, b] # v4.1.0", "v4.1.0"),
            (" actions/checkout v7.0.0", "v7.0.0"),
            (" version: v7", "v7"),
            (" Version 7.0.0", "7.0.0"),
            (" release v7", "v7"),
            (" release: v7.0.1, see the notes", "v7.0.1"),
            (" v7; x", "v7"),
            (" (v7.0.1)", "v7.0.1"),
            (" v7.0.1.", "v7.0.1"),
            (" pinned to v7.0.1", "v7.0.1"),
            (" tag = v7.0.1", "v7.0.1"),
            (" renovate: pin v7.0.1", "v7.0.1"),
            (
                " create-github-app-token/v0.2.2",
                "create-github-app-token/v0.2.2",
            ),
        ] {
            let read = read(comment).unwrap();
            assert_eq!(read.reference, version, "{comment}");
            assert!(read.is_version, "{comment}");
        }
        assert!(!read(" main").unwrap().is_version);
        // No version follows what may announce one.
        for words in [
            " release 2 of the plan",
            " version of the day",
            " is fast",
            " tag",
        ] {
            assert!(!read(words).unwrap().is_version, "{words}");
        }
        for none in [
            "",
            " zizmor: ignore[unpinned-uses]",
            " ratchet:exclude",
            " 2026-06-19",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn the_bytes_of_word_and_date_are_known() {
        let read = read("  a/b@v1 2026-06-19").unwrap();
        assert!(read.names_repository);
        assert_eq!(read.word_at, Span::new(FileId(0), 13, 19));
        assert_eq!(read.reference_at, Span::new(FileId(0), 17, 19));
        assert_eq!(read.date_at, Some(Span::new(FileId(0), 20, 30)));
        let labelled = self::read(" version: v7; why").unwrap();
        assert!(labelled.is_labelled && !labelled.names_repository);
        assert_eq!(labelled.word_at, Span::new(FileId(0), 12, 24));
        assert_eq!(labelled.reference_at, Span::new(FileId(0), 21, 23));
        for followed in [" pin v7", " renovate: pin v7", " tag = v7", " v7"] {
            assert!(!self::read(followed).unwrap().is_labelled, "{followed}");
        }
        assert!(self::read(" tag v7").unwrap().is_labelled);
        assert!(self::read(" a/b v7").unwrap().names_repository);
        let mangled = VersionComment::read(&Comment {
            span: Span::new(FileId(0), 0, 16),
            text: " 2026-06-19.0.0".to_owned(),
        });
        let mangled = mangled.unwrap().mangled_date.unwrap();
        assert_eq!(mangled.0, "2026-06-19.0.0");
    }
}
