//! A backslash in a record name that three octal digits do not follow.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-bad-escape",
    aliases: &[],
    summary: "a record name with an escape that is not three octal digits",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_bad_escape.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::BadEscape, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} in {} is no escape of Route 53: those are a backslash and three octal digits",
            quoted(name.faulty),
            quoted(name.value)
        ),
        help: padded(name.faulty).map_or_else(
            || record_keys::instead(name),
            |right| {
                format!(
                    "if {} is meant, write it with three digits; in JSON and in a quoted HCL string that is {}",
                    quoted(&right),
                    quoted(&right.replace('\\', "\\\\"))
                )
            },
        ),
        mend: Mend::Certain,
    }
}

/// The escape with its digits filled up to three, where it has one or two octal ones.
fn padded(faulty: &str) -> Option<String> {
    let rest = faulty.strip_prefix('\\')?;
    let digits: String = rest.chars().take_while(|digit| digit.is_digit(8)).collect();
    matches!(digits.len(), 1 | 2).then(|| format!("\\{digits:0>3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_with_too_few_digits_is_filled_up() {
        assert_eq!(padded("\\52.").as_deref(), Some("\\052"));
        assert_eq!(padded("\\x2a"), None);
        assert_eq!(padded("\\800"), None);
    }
}
