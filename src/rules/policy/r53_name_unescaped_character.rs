//! A character in a record name that Route 53 sends only as an escape.

use crate::diag::Severity;
use crate::model::dns::NameFaultKind;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-unescaped-character",
    aliases: &[],
    summary: "a record name with a character that Route 53 sends as an escape",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_unescaped_character.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    record_keys::report_names(policy, sink, NameFaultKind::UnescapedCharacter, say);
}

fn say(name: &Misspelt<'_>) -> Said {
    Said {
        message: format!(
            "{} matches no record: Route 53 sends {} as an escape",
            quoted(name.value),
            quoted(name.faulty)
        ),
        help: record_keys::instead(name),
        mend: if is_of_a_reverse_zone(name) {
            Mend::Certain
        } else {
            Mend::Likely
        },
    }
}

/// Whether the character is one that real names have: the `/` of reverse zones of small networks (RFC 2317, section 4).
fn is_of_a_reverse_zone(name: &Misspelt<'_>) -> bool {
    let below = name.value.trim_end_matches('.').to_ascii_lowercase();
    let all = name.value.bytes();
    let others = all.filter(|byte| !byte.is_ascii_alphanumeric() && !b"-_.\\".contains(byte));
    below.ends_with(".in-addr.arpa") && others.into_iter().all(|byte| byte == b'/')
}
