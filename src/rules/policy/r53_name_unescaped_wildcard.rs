//! A `*` as it is in a record name, where Route 53 sends `\052`.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-unescaped-wildcard",
    aliases: &[],
    summary: "a record name with `*` where Route 53 sends `\\052`",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_unescaped_wildcard.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::UnescapedWildcard, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} matches no record: Route 53 sends the character `*` as `\\052`",
            quoted(name.value)
        ),
        help: help(name),
        mend: is_wildcard_record(name),
    }
}

/// Only a star that is the whole first label is plainly the wildcard record.
fn is_wildcard_record(name: &Misspelt<'_>) -> bool {
    name.value.starts_with("*.") || name.value.starts_with("${*}.")
}

fn help(name: &Misspelt<'_>) -> String {
    if is_wildcard_record(name) {
        record_keys::instead(name)
    } else {
        "for a pattern use `StringLike`; for a star in the record itself write `\\052`, in JSON `\\\\052`".to_owned()
    }
}
