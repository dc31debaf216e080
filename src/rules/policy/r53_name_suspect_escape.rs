//! An escape in a record name that was probably meant in decimal, as zone files write it.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-suspect-escape",
    aliases: &[],
    summary: "a record name with an escape that makes sense in decimal alone",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("r53_name_suspect_escape.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::SuspectEscape, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} in {} is octal and stands for {}, which hardly a record has",
            quoted(name.faulty),
            quoted(name.value),
            character(name.faulty, 8)
        ),
        help: help(name),
        mend: Mend::No,
    }
}

fn help(name: &Misspelt<'_>) -> String {
    let decimal = character(name.faulty, 10);
    format!(
        "zone files write escapes in decimal, where it would be {decimal}; Route 53 writes octal: `*` is `\\052`, `.` in a label `\\056`"
    )
}

/// The character that the first escape of `faulty` stands for, were its digits of this base.
fn character(faulty: &str, base: u32) -> String {
    let digits = faulty.get(1..4).unwrap_or_default();
    u32::from_str_radix(digits, base)
        .ok()
        .and_then(char::from_u32)
        .map_or_else(
            || "nothing".to_owned(),
            |character| quoted(&character.to_string()),
        )
}
