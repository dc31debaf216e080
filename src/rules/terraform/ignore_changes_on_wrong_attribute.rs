//! A list that does not protect what it should.

use crate::diag::{Edit, Severity};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Claim, Declarations, IgnoreChanges, Ignored, Ownership, Record, Standing};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignore-changes-on-wrong-attribute",
    aliases: &[],
    summary: "ignore_changes that does not cover the value of the record",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("ignore_changes_on_wrong_attribute.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for record in &module.records {
        let IgnoreChanges::List { at, paths, faults } = &record.ignore_changes else {
            continue;
        };
        for path in paths {
            unknown_attribute(path, record, sink);
        }
        let known = |path: &Ignored| Record::SCHEMA.contains(&path.attribute.as_str());
        if !faults.is_empty() || !paths.iter().all(known) {
            continue;
        }
        if record.alias.is_some()
            && record.ignore_changes.ignores("records")
            && !record.ignore_changes.ignores("alias")
        {
            let message = format!(
                "`{}` has no `records` to ignore: its value stands in the `alias` block",
                record.address
            );
            sink.report(*at, message)
                .help("write `ignore_changes = [alias]`, or remove it");
            continue;
        }
        unprotected(module, record, *at, paths, sink);
        // One fault, one finding: what others write is told at the list.
        let claims = |one: &Ownership| matches!(one.claim(record), Claim::Owned(_));
        if !module.owned.iter().any(claims) {
            below_a_set(module, record, paths, sink);
        }
        for ownership in &module.owned {
            left_to_others(record, ownership, *at, sink);
        }
    }
}

/// `records[0]`: a set has no elements by number, so that nothing is ignored. With the spec, [`unprotected`] says so.
fn below_a_set(module: &Declarations, record: &Record, paths: &[Ignored], sink: &mut Sink<'_>) {
    let told = sink.spec().is_some_and(|spec| {
        matches!(
            record.standing(spec, module.is_of(spec)),
            Standing::Switched(..)
        )
    });
    let whole = record.ignore_changes.ignores("records");
    let below = |path: &&Ignored| path.deeper && path.attribute == "records";
    for path in paths.iter().filter(below).filter(|_| !told && !whole) {
        let message = format!(
            "`records` of `{}` is a set, which has no elements by number: this ignores nothing",
            record.address
        );
        sink.report(path.at, message)
            .help("name the whole attribute: `ignore_changes = [records]`");
    }
}

/// An attribute that a file says somebody else writes.
fn left_to_others(record: &Record, ownership: &Ownership, at: Span, sink: &mut Sink<'_>) {
    let Claim::Owned(owned) = ownership.claim(record) else {
        return;
    };
    let spoken_of = sink.spec().is_some() && ownership.changes.iter().any(|name| name == "records");
    for name in ownership
        .left_open(record)
        .into_iter()
        .filter(|_| !spoken_of)
    {
        let writer = ownership.writer.as_deref().unwrap_or("somebody else");
        let message = format!(
            "this does not ignore `{name}` of `{}`, which {writer} writes: the next apply writes it back",
            record.address
        );
        sink.report(at, message)
            .related(owned.at, "somebody other than Terraform writes this record")
            .help(format!("name the attribute: `ignore_changes = [{name}]`"));
    }
}

fn unknown_attribute(path: &Ignored, record: &Record, sink: &mut Sink<'_>) {
    let name = path.attribute.as_str();
    let reference = [
        "count",
        "data",
        "each",
        "local",
        "module",
        "path",
        "terraform",
        "var",
    ];
    if Record::SCHEMA.contains(&name) || reference.contains(&name) {
        return;
    }
    let message = format!("`{name}` is no attribute of `{}`", record.address);
    sink.report(path.at, message)
        .help("the value of a record is `records`: write `ignore_changes = [records]`");
}

fn unprotected(
    module: &Declarations,
    record: &Record,
    at: Span,
    paths: &[Ignored],
    sink: &mut Sink<'_>,
) {
    let Some(spec) = sink.spec() else {
        return;
    };
    let switched = matches!(
        record.standing(spec, module.is_of(spec)),
        Standing::Switched(..)
    );
    if !switched || record.ignore_changes.ignores("records") || record.alias.is_some() {
        return;
    }
    let below = paths.iter().any(|path| path.attribute == "records");
    let message = if below {
        format!(
            "`records` is a set, so this ignores nothing of `{}`: the next apply writes the value back",
            record.address
        )
    } else {
        format!(
            "this does not ignore `records`, the value of `{}`: the next apply writes it back",
            record.address
        )
    };
    sink.report(at, message)
        .help("name the whole attribute: `ignore_changes = [records]`")
        .fix(
            "ignore `records`",
            false,
            vec![Edit {
                at,
                with: "[records]".to_owned(),
            }],
        );
}
