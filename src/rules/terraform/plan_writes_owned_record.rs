//! A plan that writes over a value that Terraform does not own.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::terraform::{Claim, PlanChange, Record, Standing, block_address};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "plan-writes-owned-record",
    aliases: &[],
    summary: "a saved plan that changes, replaces or deletes a record whose value somebody else writes",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("plan_writes_owned_record.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for change in workspace.plans.iter().flat_map(|plan| &plan.changes) {
        if change.is_nothing() {
            continue;
        }
        zone(workspace, change, sink);
        let Some((message, severity, place)) = written(workspace, change) else {
            continue;
        };
        let draft = sink
            .report(change.at, message)
            .severity(severity)
            .help("do not apply it; plan again with what stands in Route 53 now, and leave `name` and `zone_id` as they are");
        if let Some(place) = place {
            draft.related(place, "somebody other than Terraform owns this value");
        }
    }
}

/// What the change does to a value that somebody else writes, and where that is said.
fn written(workspace: &Workspace, change: &PlanChange) -> Option<(String, Severity, Option<Span>)> {
    let [before, after] = change.records();
    if let Some((owner, place)) = before.and_then(|record| owner(workspace, &record, change)) {
        let (message, severity) = told(change, &owner)?;
        return Some((message, severity, place));
    }
    let after = after?;
    // Route 53 refuses to create a record that is there.
    if change.before.is_none() && !change.overwrites() {
        return None;
    }
    let (owner, place) = owner(workspace, &after, change)?;
    Some((taken_over(change, &after, &owner), Severity::Error, place))
}

/// What a change does that makes a record, or gives it the name and type of another one, which `owner` writes.
fn taken_over(change: &PlanChange, record: &Record, owner: &str) -> String {
    let of = |node: &Option<Node>| {
        let word = node.as_ref().and_then(Node::as_str);
        word.unwrap_or("?").to_owned()
    };
    let (name, kind) = (of(&record.name), of(&record.record_type));
    let address = &change.address;
    let (_, values) = change.targets();
    let values = shown(values.as_ref());
    if change.before.is_none() {
        format!(
            "the plan makes `{address}` with `allow_overwrite`: {values} is written over `{name}` of type `{kind}`, whose value {owner} writes"
        )
    } else {
        format!(
            "the plan makes `{address}` the record `{name}` of type `{kind}`, whose value {owner} writes: {values} is written there"
        )
    }
}

fn shown(values: Option<&Vec<String>>) -> String {
    match values {
        Some(values) => format!("`{}`", values.join("`, `")),
        None => "what is not known".to_owned(),
    }
}

/// What the change does to a value that `owner` writes.
fn told(change: &PlanChange, owner: &str) -> Option<(String, Severity)> {
    let (before, after) = change.targets();
    let address = &change.address;
    if change.is_replacement() {
        let why = match change.forced_by.first() {
            Some(name) => format!(", because of `{name}`"),
            None => String::new(),
        };
        let what = if before == after && before.is_some() {
            format!(
                "it holds {} as long as nobody switches before the plan is applied",
                shown(after.as_ref())
            )
        } else {
            format!(
                "{} is written over {}",
                shown(after.as_ref()),
                shown(before.as_ref())
            )
        };
        let message = format!("the plan makes `{address}` anew{why}: {what}, whatever is ignored");
        return Some((message, Severity::Error));
    }
    if change.is("delete") {
        let message = format!("the plan deletes `{address}`, whose value {owner} writes");
        return Some((message, Severity::Error));
    }
    if before != after || before.is_none() {
        let message = format!(
            "the plan writes {} over {} in `{address}`, whose value {owner} writes",
            shown(after.as_ref()),
            shown(before.as_ref())
        );
        return Some((message, Severity::Error));
    }
    // An UPSERT sends the whole record, with the value that the plan read.
    let other = change.differing();
    let other = other.first()?;
    let message = format!(
        "the plan changes `{other}` of `{address}`, and sends {} along as it was when the plan was made: a switch since then is undone",
        shown(after.as_ref())
    );
    Some((message, Severity::Warning))
}

/// What is done to a whole zone that holds a record of somebody else.
fn zone(workspace: &Workspace, change: &PlanChange, sink: &mut Sink<'_>) {
    let exclusive = change.exclusive_records().filter(|_| change.stays());
    let is_zone = change.kind == "aws_route53_zone" && change.is("delete");
    let deletes = change.before.as_ref().filter(|_| is_zone);
    let (zone, does) = match (&exclusive, deletes) {
        (Some(exclusive), _) => (
            exclusive.zone_id.as_ref(),
            "deletes every record of its zone that it does not list, and writes values back",
        ),
        (None, Some(before)) => (
            before.get("zone_id"),
            "deletes the zone with all its records",
        ),
        (None, None) => return,
    };
    let name = deletes.and_then(|before| before.get("name")?.as_str());
    let Some((whose, place)) = owner_in(workspace, zone.and_then(Node::as_str), name) else {
        return;
    };
    let message = format!(
        "the plan does `{}` to `{}`, which {does}: {whose} is among them",
        change.actions.join(", "),
        change.address
    );
    let draft = sink.report(change.at, message).help("do not apply it");
    if let Some(place) = place {
        draft.related(place, "somebody other than Terraform owns this value");
    }
}

/// A record in the zone that somebody else writes; `None` where there is none. Of a zone that nobody knows it may be any.
fn owner_in(
    workspace: &Workspace,
    id: Option<&str>,
    name: Option<&str>,
) -> Option<(String, Option<Span>)> {
    if let Some(spec) = &workspace.spec {
        let is_it = id.is_none_or(|id| id == spec.zone.id);
        let label = spec.label("/zone/id");
        return is_it.then(|| (format!("`{}`", spec.zone.name), Some(label.at)));
    }
    let mut declared = workspace.modules.iter().flat_map(|module| &module.records);
    let ignored = declared.find(|record| {
        let same = record
            .zone()
            .is_none_or(|zone| id.is_none_or(|id| id == zone));
        same && record.ignore_changes.ignores("records")
    });
    if let Some(record) = ignored {
        return Some((
            format!("`{}`", record.address),
            record.ignore_changes.span(),
        ));
    }
    let mut owned = workspace
        .owned
        .iter()
        .flat_map(|ownership| &ownership.records);
    let zone = name.map(|name| name.trim_end_matches('.').to_ascii_lowercase());
    let found = owned.find(|owned| {
        let within =
            |zone: &String| owned.name == *zone || owned.name.ends_with(&format!(".{zone}"));
        zone.as_ref().is_none_or(within)
    });
    found.map(|owned| (format!("`{}`", owned.name), Some(owned.at)))
}

/// Who writes the value of the record, and where that is said; `None` where Terraform does.
fn owner(
    workspace: &Workspace,
    record: &Record,
    change: &PlanChange,
) -> Option<(String, Option<Span>)> {
    if let Some(spec) = &workspace.spec
        && let Standing::Switched(at, _) = record.standing(spec, false)
    {
        let label = spec.label(&format!("/records/names/{at}"));
        return Some(("the workflow".to_owned(), Some(label.at)));
    }
    for ownership in &workspace.owned {
        if let Claim::Owned(owned) = ownership.claim(record)
            && ownership.changes.iter().any(|name| name == "records")
        {
            let writer = ownership.writer.clone();
            return Some((
                writer.unwrap_or_else(|| "somebody else".to_owned()),
                Some(owned.at),
            ));
        }
    }
    let declared = workspace.modules.iter().flat_map(|module| &module.records);
    let ignoring = declared
        .filter(|declared| {
            declared.address == change.address
                || block_address(&declared.address) == block_address(&change.address)
        })
        .find(|declared| declared.ignore_changes.ignores("records"));
    ignoring.map(|declared| ("somebody else".to_owned(), declared.ignore_changes.span()))
}
