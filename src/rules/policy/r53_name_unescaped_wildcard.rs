//! A `*` as it is in a record name, where Route 53 sends `\052`.

use crate::diag::Severity;
use crate::model::dns::{NameFaultKind, RecordName};
use crate::model::policy::PolicyDocument;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys::{self, Mend, Misspelt, Said};

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
    let spec = sink.spec();
    let kind = NameFaultKind::UnescapedWildcard;
    record_keys::report_names(policy, sink, kind, |name| say(name, spec));
}

fn say(name: &Misspelt<'_>, spec: Option<&Spec>) -> Said {
    let (help, mend) = if !stands_for_a_label(name) {
        let help = "for a pattern use `StringLike`; for a star in the record itself write `\\052`, in JSON `\\\\052`";
        (help.to_owned(), Mend::No)
    } else if is_wildcard_record(name, spec) {
        (record_keys::instead(name), Mend::Certain)
    } else {
        (either(name), Mend::Likely)
    };
    Said {
        message: format!(
            "{} matches no record: Route 53 sends the character `*` as `\\052`",
            quoted(name.value)
        ),
        help,
        mend,
    }
}

/// Whether the star is the whole first label, as it is in the name of a wildcard record.
fn stands_for_a_label(name: &Misspelt<'_>) -> bool {
    name.value.starts_with("*.") || name.value.starts_with("${*}.")
}

/// Whether the wildcard record is meant for certain, and not every name below: the spec has that record, the star is
/// written as one, or the same list escapes another.
fn is_wildcard_record(name: &Misspelt<'_>, spec: Option<&Spec>) -> bool {
    let meant = name
        .repaired
        .and_then(|right| RecordName::parse(right).ok());
    let of_spec =
        spec.is_some_and(|spec| meant.is_some_and(|meant| spec.record_names().contains(&meant)));
    let escapes_another = name
        .condition
        .values
        .iter()
        .any(|value| value.text.as_str().starts_with("\\052."));
    of_spec || escapes_another || name.value.starts_with("${*}.")
}

/// Both things that a star may be written for.
fn either(name: &Misspelt<'_>) -> String {
    // As Route 53 sends it, in lower case and without the final dot.
    let rest = match name.repaired.and_then(|right| right.strip_prefix("\\052")) {
        Some(rest) => rest,
        None => name.value.trim_start_matches('*'),
    };
    let operator = name.condition.operator_text.as_str();
    let like = operator
        .replace("EqualsIgnoreCase", "Like")
        .replace("Equals", "Like");
    format!(
        "for the wildcard record alone write {} (in JSON and in a quoted HCL string {}); for every name below, as external-dns needs it, write {} under {}",
        quoted(&format!("\\052{rest}")),
        quoted(&format!("\\\\052{rest}")),
        quoted(&format!("*{rest}")),
        quoted(&like)
    )
}
