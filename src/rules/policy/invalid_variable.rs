//! A policy variable that is not written as one, or stands where AWS fills none in.

use crate::diag::Severity;
use std::ops::Range;

use crate::iam::catalog;
use crate::model::policy::{Family, PolicyDocument, PolicyVersion, Principals, Statement, Value};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Text, nearest_few, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-variable",
    aliases: &[],
    summary: "a policy variable with a fault, or in a place without variables",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_variable.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    // In the older version `${` is plain text; a rule of its own says so.
    if policy.grammar() != PolicyVersion::V2012 {
        return;
    }
    for value in policy.values_with_variables() {
        unknown_keys(value, sink);
        for (at, why, help) in faults(value.text.as_str()) {
            report(&value.text, at, why, help, &value.pointer.to_string(), sink);
        }
    }
    for statement in &policy.statements {
        in_wrong_element(statement, sink);
        under_wrong_operator(statement, sink);
    }
}

fn report(
    text: &Text,
    at: Range<usize>,
    why: &str,
    help: &str,
    pointer: &str,
    sink: &mut Sink<'_>,
) {
    let part = text.as_str().get(at.clone()).unwrap_or_default();
    sink.report(text.span_of(at), format!("{} {why}", quoted(part)))
        .pointer(pointer)
        .help(help);
}

/// Where the variables of a text are; one that is not closed reaches to the end.
fn variables(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text.get(from..)?.find("${")?;
        let rest = text.get(start..)?;
        let end = start + rest.find('}').map_or(rest.len(), |end| end + 1);
        from = end;
        Some(start..end)
    })
}

/// Variables of AWS's own keys that are none of them: nothing is ever filled in for such a name.
fn unknown_keys(value: &Value, sink: &mut Sink<'_>) {
    let text = value.text.as_str();
    for at in variables(text) {
        let written = text.get(at.clone()).unwrap_or_default();
        let inside = written
            .strip_prefix("${")
            .and_then(|rest| rest.strip_suffix('}'));
        let key = inside.and_then(|inside| inside.split(',').next());
        let Some(key) = key.filter(|key| is_of_aws(key) && catalog::key(key).is_none()) else {
            continue;
        };
        let near = nearest_few(key, catalog::global_keys().map(|key| key.name));
        let help = match near.as_slice() {
            [] => "the IAM User Guide lists AWS's global condition keys".to_owned(),
            near => format!("did you mean `{}`?", near.join("`, `")),
        };
        let why = "is no key of AWS, so nothing is filled in and the value matches nothing";
        report(
            &value.text,
            at,
            why,
            &help,
            &value.pointer.to_string(),
            sink,
        );
    }
}

/// Whether a key is one of the global ones by its prefix, and written without a fault that is told elsewhere.
fn is_of_aws(key: &str) -> bool {
    let global = key
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("aws:"));
    global && !key.contains(' ')
}

/// The faults of the variables in `text`, each with what is wrong and what to write.
fn faults(text: &str) -> Vec<(Range<usize>, &'static str, &'static str)> {
    let judge = |at: Range<usize>| {
        let written = text.get(at.clone()).unwrap_or_default();
        let inside = written.strip_prefix("${")?;
        let Some(inside) = inside.strip_suffix('}') else {
            return Some((
                at,
                "begins a variable that is not closed",
                "write the `}` after the name of the key",
            ));
        };
        if inside.trim().is_empty() {
            return Some((
                at,
                "is a variable without a name",
                "write the key between the braces, such as `${aws:username}`",
            ));
        }
        let (name, default) = inside
            .split_once(',')
            .map_or((inside, None), |(name, rest)| (name, Some(rest)));
        // A name without a colon is a template that was not filled in, or one of `${*}`, `${?}` and `${$}`.
        if name.contains(' ') && name.contains(':') {
            return Some((
                at,
                "has a space in the name of its key",
                "take the space out",
            ));
        }
        let default = default?;
        let quotes = default.matches('\'').count();
        if quotes != 2 || !default.trim_end().ends_with('\'') {
            return Some((
                at,
                "has a default without its quotes",
                "write the default in single quotes: `${aws:PrincipalTag/team, 'none'}`",
            ));
        }
        let right = default.starts_with(" '") && default.ends_with('\'');
        (!right).then_some((at, "has its default in another form than AWS reads", "write a comma, one space and the default in single quotes: `${aws:PrincipalTag/team, 'none'}`"))
    };
    variables(text).filter_map(judge).collect()
}

/// Variables stand in resources and condition values alone.
fn in_wrong_element(statement: &Statement, sink: &mut Sink<'_>) {
    let actions = statement.actions.iter().flat_map(|actions| &actions.values);
    let principals = statement
        .principals
        .iter()
        .flat_map(|principals: &Principals| &principals.entries)
        .map(|entry| &entry.value);
    let named = |value: &&Value| value.text.as_str().contains(':');
    for value in actions.chain(principals).filter(named) {
        let text = value.text.as_str();
        for at in
            variables(text).filter(|at| text.get(at.clone()).is_some_and(|part| part.contains(':')))
        {
            let why =
                "is plain text here: variables stand in `Resource` and in condition values alone";
            report(
                &value.text,
                at,
                why,
                "write out what is meant",
                &value.pointer.to_string(),
                sink,
            );
        }
    }
}

/// Numbers, dates, addresses and their like are compared as they are written.
fn under_wrong_operator(statement: &Statement, sink: &mut Sink<'_>) {
    for condition in &statement.conditions {
        let Some(operator) = condition.operator.map(|operator| operator.base) else {
            continue;
        };
        if matches!(
            operator.family(),
            Family::String | Family::Arn | Family::Bool
        ) {
            continue;
        }
        for value in &condition.values {
            for at in variables(value.text.as_str()) {
                let why = "is not filled in under this operator, so the value matches nothing";
                let help = "use a variable under an operator for strings or ARNs alone";
                report(&value.text, at, why, help, &value.pointer.to_string(), sink);
            }
        }
    }
}
