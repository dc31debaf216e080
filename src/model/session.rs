//! Sessions of a role as STS gives them out: what they may be called, and how long they last (STS API reference,
//! `AssumeRoleWithWebIdentity`, `RoleSessionName` and `DurationSeconds`).

use std::ops::RangeInclusive;

/// How many characters the name of a session has.
pub const NAME_LENGTHS: RangeInclusive<usize> = 2..=64;

/// The pattern of such a name, as STS writes it.
pub const NAME_PATTERN: &str = "[\\w+=,.@-]*";

/// How many seconds a session may last.
pub const SECONDS: RangeInclusive<u64> = 900..=43_200;

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
