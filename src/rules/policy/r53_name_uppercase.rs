//! Upper case letters in a record name, which Route 53 sends in lower case.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-uppercase",
    aliases: &[],
    summary: "a record name with upper case letters",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_uppercase.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::Uppercase, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} matches no record: Route 53 sends names in lower case",
            quoted(name.value)
        ),
        help: record_keys::instead(name),
        mend: Mend::Certain,
    }
}
