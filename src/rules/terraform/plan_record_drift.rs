//! A record that has changed outside of Terraform, and that nobody else owns.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Kind, Node};
use crate::terraform::{Claim, Ownership, PlanChange, Record, Standing, block_address};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "plan-record-drift",
    aliases: &[],
    summary: "a plan that tells of a record changed outside of Terraform, which nobody is said to write",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("plan_record_drift.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for drift in workspace.plans.iter().flat_map(|plan| &plan.drift) {
        let Some(record) = drift.record() else {
            continue;
        };
        let owned = is_owned(workspace, &record);
        if let Some(what) = to_no_site(workspace, drift, &record) {
            sink.report(drift.at, what).help(
                "find out who it was, and switch to a site: `pointsman failover plan` shows what the records hold",
            );
            continue;
        }
        let Some(what) = told(drift, owned) else {
            continue;
        };
        let help = if owned {
            "find out who it was: the value alone is left to others"
        } else {
            "find out who it was; if it is meant, add `ignore_changes = [records]`, else apply"
        };
        let message = format!(
            "`{}` {what}: somebody writes a record that Terraform owns",
            drift.address
        );
        sink.report(drift.at, message).help(help);
    }
}

/// A record that the switch moves has the address of one site, whoever wrote it; `None` where it has.
fn to_no_site(workspace: &Workspace, drift: &PlanChange, record: &Record) -> Option<String> {
    let spec = workspace.spec.as_ref()?;
    let Standing::Switched(_, record_type) = record.standing(spec, false) else {
        return None;
    };
    let (before, after) = drift.targets();
    let after = after.filter(|after| before.as_ref() != Some(after))?;
    let site = |value: &String| {
        let mut sites = spec.sites.iter();
        sites.any(|site| {
            let address = site.address(record_type);
            address.is_some() && value.parse().ok() == address
        })
    };
    if let [only] = after.as_slice()
        && site(only)
    {
        return None;
    }
    let sites = spec.sites.iter().filter_map(|site| {
        let address = site.address(record_type)?;
        Some(format!("`{address}` ({})", site.name))
    });
    let sites: Vec<String> = sites.collect();
    Some(format!(
        "`{}` holds `{}`, which is not the address of one site: the switch writes {}",
        drift.address,
        after.join("`, `"),
        sites.join(" or ")
    ))
}

/// What has happened to the record; `None` where that is as it should be.
fn told(drift: &PlanChange, owned: bool) -> Option<String> {
    if drift.after.is_none() {
        return Some("is no longer there".to_owned());
    }
    let (before, after) = drift.targets();
    let shown = |values: Option<Vec<String>>| {
        values.map_or_else(
            || "nothing".to_owned(),
            |values| format!("`{}`", values.join("`, `")),
        )
    };
    if before != after && !owned {
        return Some(format!("was {} and is {}", shown(before), shown(after)));
    }
    let differing = drift.differing();
    let is_value = |name: &&&str| {
        matches!(
            **name,
            "records" | "alias" | "fqdn" | "id" | "allow_overwrite"
        )
    };
    let mut others = differing.iter().filter(|name| !is_value(name));
    let name = others.next()?;
    let of = |node: &Option<Node>| {
        let value = node.as_ref().and_then(|node| node.get(name));
        value.map_or_else(|| "nothing".to_owned(), written)
    };
    Some(format!(
        "had {} as its `{name}` and has {}",
        of(&drift.before),
        of(&drift.after)
    ))
}

fn written(node: &Node) -> String {
    match &node.kind {
        Kind::Number(digits) => format!("`{digits}`"),
        Kind::Text(text) => format!("`{}`", text.as_str()),
        Kind::Bool(value) => format!("`{value}`"),
        Kind::Null => "nothing".to_owned(),
        Kind::List(_) | Kind::Map(_) | Kind::Unknown(_) => "another value".to_owned(),
    }
}

fn is_owned(workspace: &Workspace, record: &Record) -> bool {
    let switched = workspace
        .spec
        .as_ref()
        .is_some_and(|spec| matches!(record.standing(spec, false), Standing::Switched(..)));
    let claimed = |ownership: &Ownership| matches!(ownership.claim(record), Claim::Owned(_));
    let mut declared = workspace.modules.iter().flat_map(|module| &module.records);
    let ignored = |declared: &Record| {
        block_address(&declared.address) == block_address(&record.address)
            && declared.ignore_changes.ignores("records")
    };
    switched || workspace.owned.iter().any(claimed) || declared.any(ignored)
}
