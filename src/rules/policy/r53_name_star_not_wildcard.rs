//! An escaped star in a record name that is not the whole first label: no DNS wildcard.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-star-not-wildcard",
    aliases: &[],
    summary: "an escaped star that is no DNS wildcard",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("r53_name_star_not_wildcard.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::StarNotWildcard, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!("the star in {} is no wildcard in DNS: only a `*` that is the whole first label is one", quoted(name.value)),
        help: "for the wildcard record write `\\052.` and the name below which it stands; for a pattern over names use `StringLike` and `*`".to_owned(),
        mend: Mend::No,
    }
}
