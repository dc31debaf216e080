//! Sessions of a role as STS gives them out: what they may be called, how long they last, and what narrows them (STS API
//! reference, `AssumeRoleWithWebIdentity`, `RoleSessionName`, `DurationSeconds` and `Policy`).

use std::ops::RangeInclusive;

use crate::syntax::json;
use crate::text::Text;

use super::policy::{PolicyDocument, PolicyKind};

/// How many characters the name of a session has.
pub const NAME_LENGTHS: RangeInclusive<usize> = 2..=64;

/// The pattern of such a name, as STS writes it.
pub const NAME_PATTERN: &str = "[\\w+=,.@-]*";

/// How many seconds a session may last.
pub const SECONDS: RangeInclusive<u64> = 900..=43_200;

/// How many characters the text of the policy that narrows a session has at most.
pub const POLICY_LENGTH: usize = 2_048;

/// The policy that narrows a session.
///
/// # Errors
/// Why STS refuses the text: it is too long, no JSON, or no policy.
pub fn narrowing(text: &Text) -> Result<PolicyDocument, String> {
    let length = text.as_str().chars().count();
    if length > POLICY_LENGTH {
        return Err(format!(
            "it has {length} characters, and {POLICY_LENGTH} are allowed"
        ));
    }
    let mut parsed = json::read(text);
    if let Some(fault) = parsed.faults.first() {
        return Err(format!("it is no JSON: {}", fault.reason));
    }
    let Some(root) = parsed.documents.pop() else {
        return Err("it is empty".to_owned());
    };
    let document = PolicyDocument::read(root, Some(PolicyKind::Session), None);
    match document.malformed.first() {
        Some(fault) => Err(fault.message.clone()),
        None => Ok(document),
    }
}

/// Whether the name of a session may hold this character.
#[must_use]
pub fn may_hold(glyph: char) -> bool {
    glyph.is_ascii_alphanumeric() || "_+=,.@-".contains(glyph)
}

/// What the name of a session must be and this one is not, in STS's own words: `have length less than or equal to 64`.
#[must_use]
pub fn name_fault(name: &str) -> Option<String> {
    let length = name.chars().count();
    if length < *NAME_LENGTHS.start() {
        let least = NAME_LENGTHS.start();
        return Some(format!("have length greater than or equal to {least}"));
    }
    if length > *NAME_LENGTHS.end() {
        let most = NAME_LENGTHS.end();
        return Some(format!("have length less than or equal to {most}"));
    }
    let fits = name.chars().all(may_hold);
    (!fits).then(|| format!("satisfy regular expression pattern: {NAME_PATTERN}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{FileId, Span};

    #[test]
    fn what_narrows_a_session_is_a_policy_of_two_thousand_characters_at_most() {
        let read =
            |text: &str| narrowing(&Text::verbatim(text, Span::new(FileId(0), 0, text.len())));
        let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"route53:*","Resource":"*"}]}"#;
        assert_eq!(read(policy).map(|it| it.statements.len()), Ok(1));
        let long = format!("{policy}{}", " ".repeat(POLICY_LENGTH));
        for (wrong, told) in [
            ("", "empty"),
            ("{", "no JSON"),
            (r#"{"Version":"2012-10-17","Statement":[]}"#, "tatement"),
            (&long, "2048 are allowed"),
        ] {
            let found = read(wrong).map(|it| it.statements.len());
            assert!(
                found.as_ref().is_err_and(|reason| reason.contains(told)),
                "{wrong}: {found:?}"
            );
        }
    }

    #[test]
    fn a_name_has_letters_digits_and_a_few_marks() {
        let longest = "x".repeat(64);
        for right in ["GitHubActions", "a_b+c=d,e.f@g-h", "12", &longest] {
            assert_eq!(name_fault(right), None, "{right}");
        }
        for (wrong, told) in [
            ("x", "greater than or equal to 2"),
            ("dns failover", "pattern"),
            ("acme/dns-failover", "pattern"),
            ("전환", "pattern"),
            (&"x".repeat(65), "less than or equal to 64"),
        ] {
            let found = name_fault(wrong).unwrap_or_default();
            assert!(found.contains(told), "{wrong}: {found}");
        }
    }
}
