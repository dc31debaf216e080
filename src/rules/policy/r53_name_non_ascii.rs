//! A character outside ASCII in a record name.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-non-ascii",
    aliases: &[],
    summary: "a record name with a character outside ASCII",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_non_ascii.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::NonAscii, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} matches no record: {} is not ASCII, and Route 53 stores names in ASCII alone",
            quoted(name.value),
            quoted(name.faulty)
        ),
        help: "write an internationalised name in its `xn--` form".to_owned(),
        mend: Mend::No,
    }
}
