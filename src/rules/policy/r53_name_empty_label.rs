//! A record name with two dots in a row, or one at the start.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-empty-label",
    aliases: &[],
    summary: "a record name with an empty label",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_empty_label.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::EmptyLabel, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} has an empty label, so no record has this name",
            quoted(name.value)
        ),
        help:
            "one dot stands between two labels, none at the start; a dot inside a label is `\\056`"
                .to_owned(),
        mend: Mend::No,
    }
}
