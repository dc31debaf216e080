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
        help: record_keys::instead(name),
        mend: Mend::Certain,
    }
}
