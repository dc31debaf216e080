//! A label over 63 or a record name over 255 bytes.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-too-long",
    aliases: &[],
    summary: "a record name that is too long for DNS",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_too_long.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::TooLong, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "no record has the name {}: a label has at most 63 bytes, a name 255",
            quoted(name.value)
        ),
        help: "shorten the name; an escape counts as one byte".to_owned(),
        mend: Mend::No,
    }
}
