//! `ArnEquals`, `ArnLike` and their inversions: six segments compared one by one, so that a wildcard stays in its own;
//! the last segment is everything behind the fifth colon.

use super::super::Request;
use super::super::pattern::{Glyph, Pattern, Syntax, Token, tokens};

/// The values of an ARN condition.
#[derive(Debug, Clone)]
pub(in crate::iam) struct Arns {
    values: Box<[Arn]>,
}

#[derive(Debug, Clone)]
enum Arn {
    /// `*`.
    Any,
    Segments(Box<[Pattern; 6]>),
}

impl Arns {
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a str>, variables: bool) -> Self {
        Self {
            values: values
                .filter_map(|value| Arn::parse(value, variables))
                .collect(),
        }
    }

    pub(super) fn match_one(&self, value: &str, request: &Request) -> bool {
        let segments: [&str; 6] = {
            let mut parts = value.splitn(6, ':');
            std::array::from_fn(|_| parts.next().unwrap_or(NO_SEGMENT))
        };
        if segments.first() != Some(&"arn") || segments.last() == Some(&NO_SEGMENT) {
            return false;
        }
        self.values.iter().any(|wanted| match wanted {
            Arn::Any => true,
            Arn::Segments(wanted) => wanted
                .iter()
                .zip(segments)
                .all(|(pattern, segment)| pattern.matches(segment, request)),
        })
    }

    /// The segments of each; `None` for any ARN.
    pub(super) fn all(&self) -> std::vec::IntoIter<Option<&[Pattern; 6]>> {
        let all: Vec<Option<&[Pattern; 6]>> = self
            .values
            .iter()
            .map(|value| match value {
                Arn::Any => None,
                Arn::Segments(segments) => Some(&**segments),
            })
            .collect();
        all.into_iter()
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.values.iter().flat_map(|value| match value {
            Arn::Any => [].iter(),
            Arn::Segments(segments) => segments.iter(),
        })
    }
}

/// No segment can hold a colon, so this stands for one that is not there.
const NO_SEGMENT: &str = "::";

impl Arn {
    fn parse(text: &str, variables: bool) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        let syntax = Syntax {
            wildcards: true,
            variables,
        };
        let mut segments: Vec<Vec<Token>> = vec![Vec::new()];
        for token in tokens(text, syntax) {
            if token == Token::Glyph(Glyph::Char(':')) && segments.len() < 6 {
                segments.push(Vec::new());
            } else {
                segments.last_mut()?.push(token);
            }
        }
        let segments: Vec<Pattern> = segments.into_iter().map(Pattern::from_tokens).collect();
        Some(Self::Segments(Box::new(segments.try_into().ok()?)))
    }
}

/// Whether `text` can match an ARN: `*`, or six segments of which the first can be `arn`.
pub(super) fn is_pattern(text: &str) -> bool {
    let mut parts = text.splitn(6, ':');
    let prefix = parts.next().unwrap_or_default();
    let open = prefix.contains(['*', '?']) || prefix.contains("${");
    text == "*" || (prefix == "arn" || open) && parts.count() == 5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(pattern: &str, value: &str) -> bool {
        Arns::new([pattern].into_iter(), true).match_one(value, &Request::new("a:B", "*"))
    }

    #[test]
    fn a_star_stays_in_its_segment_and_the_last_takes_the_rest() {
        assert!(holds("arn:*:sns:*:1:*", "arn:aws:sns:r:1:a:b:c"));
        assert!(!holds("arn:aws:*:1:x", "arn:aws:sns:r:1:x"));
        assert!(!holds("arn:aws:s3:::*", "bucket") && !holds("arn:aws:s3:::*", "arn:aws:s3"));
        assert!(
            holds("*", "arn:aws:s3:::b")
                && !holds("*", "bucket")
                && !holds("arn:*", "arn:aws:s3:::b")
        );
    }
}
