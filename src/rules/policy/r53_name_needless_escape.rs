//! An escape in a record name for a character that Route 53 sends as it is.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-needless-escape",
    aliases: &[],
    summary: "a record name that escapes a character which Route 53 sends as it is",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_needless_escape.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::NeedlessEscape, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} matches no record: Route 53 sends the character behind {} as it is",
            quoted(name.value),
            quoted(name.faulty)
        ),
        help: record_keys::instead(name),
        mend: Mend::Certain,
    }
}
