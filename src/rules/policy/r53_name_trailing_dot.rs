//! The final dot in a record name, which Route 53 leaves out.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-trailing-dot",
    aliases: &[],
    summary: "a record name with the final dot",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_trailing_dot.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::TrailingDot, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} matches no record: Route 53 sends names without the final dot",
            quoted(name.value)
        ),
        help: record_keys::instead(name),
        mend: Mend::Certain,
    }
}
