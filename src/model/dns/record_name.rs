//! The name law: one type that knows every spelling of a record's name.
//!
//! Route 53 stores a name in lower case and writes every character but `a`–`z`, `0`–`9`, `-`, `_` and the dots between
//! labels as a backslash and three **octal** digits (Route 53 Developer Guide, "DNS domain name format"); IAM's key
//! `route53:ChangeResourceRecordSetsNormalizedRecordNames` carries that form without the final dot ("Specifying
//! conditions"). RFC 1035 master files use three **decimal** digits, which is why a DNS library misreads `\052`.

use std::fmt;

/// A record's name, normalised: labels of bytes, letters in lower case. Two spellings of one name are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordName {
    labels: Vec<Vec<u8>>,
}

/// Why a text is no record name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No text at all.
    #[error("a record name is empty")]
    Empty,
    /// Two dots in a row, or one at the start.
    #[error("`{0}` has an empty label; exactly one dot stands between two labels")]
    EmptyLabel(String),
    /// More than 63 bytes in a label (RFC 1035, section 2.3.4).
    #[error("label `{0}` has {1} bytes; at most 63 are allowed")]
    LabelTooLong(String, usize),
    /// More than 255 bytes in all (RFC 1035, section 2.3.4), counted as on the wire.
    #[error("the name has {0} bytes on the wire; at most 255 are allowed")]
    TooLong(usize),
    /// A character outside ASCII.
    #[error("`{0}` is not ASCII; write an internationalised name in its `xn--` form")]
    NonAscii(char),
    /// A backslash without three octal digits up to 377.
    #[error(
        "`{0}` is no escape; Route 53 writes a character as a backslash and three octal digits, `*` as `\\052`"
    )]
    BadEscape(String),
}

/// Whether Route 53 writes this byte as it is.
pub(super) fn is_plain(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_')
}

impl RecordName {
    /// Reads a name as people, Terraform and the Route 53 API write it: any case, `*` or an octal escape, with or
    /// without the final dot.
    ///
    /// # Errors
    /// When it is no name that Route 53 could store.
    pub fn parse(written: &str) -> Result<Self, NameError> {
        if written.is_empty() || written == "." {
            return Err(NameError::Empty);
        }
        let mut labels = vec![Vec::new()];
        let mut rest = written.strip_suffix('.').unwrap_or(written).chars();
        while let Some(character) = rest.next() {
            let byte = match character {
                '.' => {
                    labels.push(Vec::new());
                    continue;
                }
                '\\' => {
                    let digits: String = rest.by_ref().take(3).collect();
                    octal(&digits).ok_or_else(|| NameError::BadEscape(format!("\\{digits}")))?
                }
                other => u8::try_from(other)
                    .ok()
                    .filter(u8::is_ascii)
                    .ok_or(NameError::NonAscii(other))?,
            };
            if let Some(label) = labels.last_mut() {
                label.push(byte.to_ascii_lowercase());
            }
        }
        Self { labels }.checked(written)
    }

    fn checked(self, written: &str) -> Result<Self, NameError> {
        if self.labels.iter().any(Vec::is_empty) {
            return Err(NameError::EmptyLabel(written.to_owned()));
        }
        if let Some(label) = self.labels.iter().find(|label| label.len() > 63) {
            return Err(NameError::LabelTooLong(octal_text(label), label.len()));
        }
        let wire = self
            .labels
            .iter()
            .map(|label| label.len() + 1)
            .sum::<usize>()
            + 1;
        if wire > 255 {
            Err(NameError::TooLong(wire))
        } else {
            Ok(self)
        }
    }

    /// From labels as they are on the wire.
    ///
    /// # Errors
    /// When they make no name that Route 53 could store.
    pub fn of_labels<'a>(labels: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, NameError> {
        let labels: Vec<Vec<u8>> = labels.into_iter().map(<[u8]>::to_ascii_lowercase).collect();
        if labels.is_empty() {
            return Err(NameError::Empty);
        }
        let name = Self { labels };
        let written = name.iam();
        name.checked(&written)
    }

    /// The labels as they are on the wire, leftmost first.
    pub fn labels(&self) -> impl Iterator<Item = &[u8]> {
        self.labels.iter().map(Vec::as_slice)
    }

    /// Whether the leftmost label is `*` and nothing else: only then is the star a DNS wildcard (RFC 4592, section 2.1.1).
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        self.labels.len() > 1 && self.labels.first().is_some_and(|label| label == b"*")
    }

    /// Whether a label holds a star that is no wildcard: `*x.example.com`, `a.*.example.com`. DNS stores it, and answers
    /// with it nobody but whoever asks for that very name.
    #[must_use]
    pub fn has_stray_star(&self) -> bool {
        let skipped = usize::from(self.is_wildcard());
        self.labels
            .iter()
            .skip(skipped)
            .any(|label| label.contains(&b'*'))
    }

    /// Whether this name is `zone` itself or lies below it.
    #[must_use]
    pub fn is_within(&self, zone: &Self) -> bool {
        self.labels.ends_with(&zone.labels)
    }

    /// Whether a query for this name would be answered by the wildcard record `wildcard`, were there no record of its
    /// own (RFC 4592, section 3.3.1, without looking at other records).
    #[must_use]
    pub fn is_covered_by(&self, wildcard: &Self) -> bool {
        let Some(parent) = wildcard.labels.get(1..) else {
            return false;
        };
        wildcard.is_wildcard()
            && self.labels.len() > parent.len()
            && self.labels.ends_with(parent)
            && self != wildcard
    }

    /// As people and Terraform write it: `*` for a leading wildcard, other special characters in octal, no final dot.
    #[must_use]
    pub fn dns(&self) -> String {
        if self.is_wildcard() {
            let below: Vec<String> = self
                .labels
                .iter()
                .skip(1)
                .map(|label| octal_text(label))
                .collect();
            format!("*.{}", below.join("."))
        } else {
            self.iam()
        }
    }

    /// As IAM's condition key carries it: octal escapes, no final dot.
    #[must_use]
    pub fn iam(&self) -> String {
        self.labels
            .iter()
            .map(|label| octal_text(label))
            .collect::<Vec<_>>()
            .join(".")
    }

    /// As `ListResourceRecordSets` answers it: octal escapes and the final dot.
    #[must_use]
    pub fn route53(&self) -> String {
        self.iam() + "."
    }

    /// What `ListResourceRecordSets` sorts by: the labels from the right, each with the dot that ends it ("ASCII order of
    /// the name with its labels reversed; note the trailing dot").
    #[must_use]
    pub fn listing_order(&self) -> Vec<u8> {
        let labels = self.labels.iter().rev();
        labels
            .flat_map(|label| [label.as_slice(), b"."].concat())
            .collect()
    }

    /// The IAM spelling inside a JSON string: backslashes doubled. A Terraform heredoc that holds JSON needs the same
    /// text, since heredocs do not process backslashes.
    #[must_use]
    pub fn json(&self) -> String {
        self.iam().replace('\\', "\\\\")
    }

    /// The IAM spelling inside a quoted HCL string: backslashes doubled.
    #[must_use]
    pub fn hcl_quoted(&self) -> String {
        self.json()
    }

    /// The labels above the leftmost one; `None` for a name of one label.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let labels = self.labels.get(1..).filter(|labels| !labels.is_empty())?;
        Some(Self {
            labels: labels.to_vec(),
        })
    }

    /// The name `label.self`.
    ///
    /// # Errors
    /// When the result is no name.
    pub fn child(&self, label: &str) -> Result<Self, NameError> {
        Self::parse(&format!("{label}.{}", self.iam()))
    }
}

impl fmt::Display for RecordName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.dns())
    }
}

/// The byte that three octal digits mean.
pub(super) fn octal(digits: &str) -> Option<u8> {
    let octal = digits.len() == 3 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
    if octal {
        u8::from_str_radix(digits, 8).ok()
    } else {
        None
    }
}

/// A label as Route 53 writes it.
fn octal_text(label: &[u8]) -> String {
    let mut text = String::with_capacity(label.len());
    for byte in label {
        if is_plain(*byte) {
            text.push(char::from(*byte));
        } else {
            text.push_str(&format!("\\{byte:03o}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_wildcard_has_one_name_and_six_spellings() {
        let name = RecordName::parse("*.Example.COM.").unwrap();
        assert_eq!(name, RecordName::parse("\\052.example.com").unwrap());
        assert_eq!(name.dns(), "*.example.com");
        assert_eq!(name.route53(), "\\052.example.com.");
        assert_eq!(name.iam(), "\\052.example.com");
        assert_eq!(name.json(), "\\\\052.example.com");
        assert_eq!(name.hcl_quoted(), "\\\\052.example.com");
        assert_eq!(name.to_string(), "*.example.com");
    }

    #[test]
    fn escapes_of_the_developer_guide() {
        let escapes = [
            ("*", "052"),
            ("@", "100"),
            ("/", "057"),
            ("!", "041"),
            ("#", "043"),
            (" ", "040"),
            ("+", "053"),
        ];
        for (character, digits) in escapes {
            let name = RecordName::parse(&format!("a{character}b.example.com")).unwrap();
            assert_eq!(name.iam(), format!("a\\{digits}b.example.com"));
        }
        assert_eq!(
            RecordName::parse("a\\056b.example.com").unwrap().iam(),
            "a\\056b.example.com"
        );
    }

    #[test]
    fn names_are_listed_from_the_right_and_a_hyphen_comes_before_the_dot() {
        let order = |name: &str| RecordName::parse(name).unwrap().listing_order();
        assert_eq!(order("*.example.com"), b"com.example.*.");
        let listed = [
            "example.com",
            "*.example.com",
            "a-b.example.com",
            "a.example.com",
            "b.a.example.com",
        ];
        assert!(listed.is_sorted_by_key(|name| order(name)));
    }

    #[test]
    fn a_star_is_a_wildcard_only_as_the_whole_first_label() {
        assert!(
            !RecordName::parse("*prod.example.com")
                .unwrap()
                .is_wildcard()
        );
        assert!(!RecordName::parse("a.*.example.com").unwrap().is_wildcard());
        assert!(
            RecordName::parse("*.*.example.com")
                .unwrap()
                .has_stray_star()
        );
        assert!(!RecordName::parse("*.example.com").unwrap().has_stray_star());
        assert_eq!(
            RecordName::parse("*prod.example.com").unwrap().dns(),
            "\\052prod.example.com"
        );
    }

    #[test]
    fn the_wildcard_answers_below_its_parent_only() {
        let wildcard = RecordName::parse("*.example.com").unwrap();
        let covered = |name: &str| RecordName::parse(name).unwrap().is_covered_by(&wildcard);
        assert!(covered("www.example.com") && covered("a.b.example.com"));
        assert!(!covered("example.com") && !covered("example.org") && !covered("*.example.com"));
    }

    #[test]
    fn what_is_no_name_says_why() {
        assert_eq!(
            RecordName::parse("a..b"),
            Err(NameError::EmptyLabel("a..b".to_owned()))
        );
        assert_eq!(
            RecordName::parse("\\x2a.b"),
            Err(NameError::BadEscape("\\x2a".to_owned()))
        );
        assert_eq!(
            RecordName::parse("\\400.b"),
            Err(NameError::BadEscape("\\400".to_owned()))
        );
        assert_eq!(RecordName::parse("한.b"), Err(NameError::NonAscii('한')));
        assert_eq!(RecordName::parse("."), Err(NameError::Empty));
        assert!(matches!(
            RecordName::parse(&format!("{}.b", "a".repeat(64))),
            Err(NameError::LabelTooLong(_, 64))
        ));
        assert_eq!(
            RecordName::parse(&"a.".repeat(130)),
            Err(NameError::TooLong(261))
        );
    }

    proptest! {
        #[test]
        fn every_spelling_reads_back_as_the_same_name(written in "[ -~]{1,40}") {
            if let Ok(name) = RecordName::parse(&written) {
                prop_assert_eq!(&RecordName::parse(&name.dns()).unwrap(), &name);
                prop_assert_eq!(&RecordName::parse(&name.route53()).unwrap(), &name);
                prop_assert_eq!(&RecordName::parse(&name.iam()).unwrap(), &name);
                let json: String = serde_json::from_str(&format!("\"{}\"", name.json())).unwrap();
                prop_assert_eq!(json, name.iam());
            }
        }
    }
}
