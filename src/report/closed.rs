//! What a statement grants, in closed form: a small table for people, and JSON.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::iam::prove::{Calls, Demand, Grant, Listed};
use crate::model::policy::Quantifier;

use super::proof::shown;

/// What the three limits of a change of records are called, in their order.
const LIMITS: [&str; 3] = ["names", "types", "changes"];

pub(super) fn human(grants: &[Grant], out: &mut dyn Write) -> io::Result<()> {
    let verb = |grant: &Grant| if grant.denies { "denies" } else { "allows" };
    let which = |grant: &Grant| {
        let sid = grant.sid.as_ref();
        let sid = sid.map_or_else(String::new, |sid| format!(" `{}`", shown(sid)));
        format!("{}, statement {}{sid}", grant.policy, grant.statement)
    };
    for grant in grants {
        if !grant.open.is_empty() {
            let open = grant.open.join("; ");
            writeln!(out, "  undecided ({}): {open}", which(grant))?;
        }
        for calls in grant.calls.iter().filter(|calls| calls.never.is_none()) {
            writeln!(out, "  {} ({})", verb(grant), which(grant))?;
            lines(grant, calls, out)?;
        }
    }
    let mut told = false;
    for grant in grants {
        for calls in &grant.calls {
            let Some(why) = &calls.never else {
                continue;
            };
            if !told {
                writeln!(out, "\nwritten, but no real request matches:")?;
                told = true;
            }
            writeln!(out, "  {} nothing ({}): {why}", verb(grant), which(grant))?;
            lines(grant, calls, out)?;
        }
    }
    Ok(())
}

fn lines(grant: &Grant, calls: &Calls, out: &mut dyn Write) -> io::Result<()> {
    for (label, text) in rows(grant, calls) {
        writeln!(out, "    {label:8}  {text}")?;
    }
    Ok(())
}

fn rows(grant: &Grant, calls: &Calls) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if let Some(who) = &grant.principals {
        rows.push(("who", listed(who, &[])));
    }
    rows.push(("calls", listed(&calls.actions, &[])));
    match &calls.records {
        // A role's own policy names no resource: it is the role.
        None if grant.principals.is_some() && calls.resources.is_all() => {}
        None => rows.push(("on", listed(&calls.resources, &[]))),
        Some(records) => {
            rows.push(("zones", listed(&calls.resources, &ZONES)));
            for (label, demands) in LIMITS.into_iter().zip(records) {
                let is_name = label == "names";
                let texts: Vec<String> = demands.iter().map(|one| demand(one, is_name)).collect();
                let text = if texts.is_empty() {
                    "any".to_owned()
                } else {
                    texts.join("; and ")
                };
                rows.push((label, text));
            }
        }
    }
    for (condition, values) in &calls.conditions {
        rows.push(("only if", format!("{condition} {}", joined(values))));
    }
    for issuer in &grant.any_subject {
        let text = format!("any of {issuer}: no condition on {issuer}:sub");
        rows.push(("subjects", text));
    }
    rows
}

/// What stands before a zone's id; every partition has its own.
const ZONES: [&str; 3] = [
    "arn:aws:route53:::hostedzone/",
    "arn:aws-cn:route53:::hostedzone/",
    "arn:aws-us-gov:route53:::hostedzone/",
];

fn listed(list: &Listed, before: &[&str]) -> String {
    let short = |value: &String| {
        let rest = before.iter().find_map(|start| value.strip_prefix(start));
        let text = rest.unwrap_or(value);
        if text == "*" {
            "any".to_owned()
        } else {
            shown(text)
        }
    };
    let values: Vec<String> = list.values.iter().map(short).collect();
    let text = values.join(", ");
    if list.all_but {
        format!("all but {text}")
    } else {
        text
    }
}

fn joined(values: &[String]) -> String {
    let shown: Vec<String> = values
        .iter()
        .map(|value| shown(value).replace("\\\\", "\\"))
        .collect();
    shown.join(", ")
}

fn demand(demand: &Demand, is_name: bool) -> String {
    let show = |value: &String| {
        let text = joined(std::slice::from_ref(value));
        match value.strip_prefix("\\052.") {
            Some(rest) if is_name => format!("{text} (the record *.{rest})"),
            _ => text,
        }
    };
    let values: Vec<String> = demand.values.iter().map(show).collect();
    let list = if values.is_empty() {
        "nothing".to_owned()
    } else {
        values.join(", ")
    };
    let like = if demand.patterns && demand.values.iter().any(|value| value.contains(['*', '?'])) {
        "like "
    } else {
        ""
    };
    let list = if demand.any_case {
        format!("{list} in any case of letters")
    } else {
        list
    };
    match (demand.of, demand.others) {
        (Quantifier::ForAllValues, true) if demand.values.is_empty() => "any".to_owned(),
        (Quantifier::ForAnyValue, true) if demand.values.is_empty() => "at least one".to_owned(),
        (Quantifier::ForAllValues, false) => format!("{like}{list}"),
        (Quantifier::ForAllValues, true) => format!("any but {like}{list}"),
        (Quantifier::ForAnyValue, false) => {
            format!("at least one {like}{list}; any other beside it")
        }
        (Quantifier::ForAnyValue, true) => {
            format!("at least one other than {like}{list}; any beside it")
        }
    }
}

pub(super) fn json(grant: &Grant) -> Value {
    let calls: Vec<Value> = grant.calls.iter().map(calls_json).collect();
    json!({
        "policy": grant.policy,
        "statement": grant.statement,
        "sid": grant.sid,
        "principals": grant.principals.as_ref().map(list_json),
        "any_subject_of": grant.any_subject,
        "effect": if grant.denies { "Deny" } else { "Allow" },
        "calls": calls,
        "undecided": grant.open,
    })
}

fn list_json(list: &Listed) -> Value {
    json!({ "values": list.values, "all_but": list.all_but })
}

fn calls_json(calls: &Calls) -> Value {
    let conditions: Map<String, Value> = calls
        .conditions
        .iter()
        .map(|(condition, values)| (condition.clone(), json!(values)))
        .collect();
    let mut value = json!({
        "actions": list_json(&calls.actions),
        "resources": list_json(&calls.resources),
        "conditions": conditions,
        "never": calls.never,
    });
    if let (Some(records), Some(map)) = (&calls.records, value.as_object_mut()) {
        for (label, demands) in LIMITS.into_iter().zip(records) {
            let demands: Vec<Value> = demands.iter().map(demand_json).collect();
            map.insert(label.to_owned(), json!(demands));
        }
    }
    value
}

fn demand_json(demand: &Demand) -> Value {
    json!({
        "of": match demand.of {
            Quantifier::ForAllValues => "each",
            Quantifier::ForAnyValue => "some",
        },
        "all_but": demand.others,
        "patterns": demand.patterns,
        "any_case": demand.any_case,
        "values": demand.values,
    })
}
