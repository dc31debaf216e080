//! A condition operator that does not exist.

use crate::diag::Severity;
use crate::model::policy::{BaseOperator, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest, quoted};

use super::blocks;
use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-condition-operator",
    aliases: &[],
    summary: "a condition operator that does not exist",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_condition_operator.md"),
    check: Check::Policy(check),
};

const SET_OPERATORS: [&str; 2] = ["ForAllValues", "ForAnyValue"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for block in blocks::faulty_blocks(policy, |_, condition| condition.operator.is_none()) {
        let written = block.operator();
        let meant = meant(written);
        let same = meant
            .as_deref()
            .filter(|meant| meant.eq_ignore_ascii_case(written));
        let edit = same.and_then(|right| block.renamed(sink, right));
        let help = meant.as_deref().map_or_else(
            || "operators are `StringEquals`, `StringLike`, `ArnLike`, `Bool`, `Null` and so on, with `ForAllValues:` or \
                `ForAnyValue:` before them and `IfExists` behind them"
                .to_owned(),
            |meant| format!("write `{meant}`"),
        );
        let draft = block
            .report(
                sink,
                format!("{} is no condition operator", quoted(written)),
            )
            .help(help);
        mend::offer(
            draft,
            policy,
            "write the operator as AWS does",
            edit.into_iter().map(Some).collect(),
        );
    }
}

/// The operator that was probably meant.
fn meant(written: &str) -> Option<String> {
    let (set, rest) = match written.split_once(':') {
        Some((set, rest)) => (Some(nearest(set, SET_OPERATORS)?), rest),
        None => (None, written),
    };
    let names: Vec<String> = BaseOperator::ALL
        .iter()
        .filter(|base| set.is_none() || **base != BaseOperator::Null)
        .flat_map(|base| [base.name().to_owned(), format!("{}IfExists", base.name())])
        .filter(|name| name != "NullIfExists")
        .collect();
    let rest = rest.trim_start_matches(':');
    let name = nearest(rest, names.iter().map(String::as_str))?;
    Some(set.map_or_else(|| name.to_owned(), |set| format!("{set}:{name}")))
}
