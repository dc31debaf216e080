//! The name of a record that is none, as Route 53 reads names.

use crate::diag::Severity;
use crate::model::batch::ChangeBatch;
use crate::model::dns::{NameError, RecordName};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Text, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-name-invalid",
    aliases: &[],
    summary: "a record whose name is none",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("record_name_invalid.md"),
    check: Check::Batch(check),
};

fn check(batch: &ChangeBatch, sink: &mut Sink<'_>) {
    let names = batch
        .changes
        .iter()
        .filter_map(|change| change.set.get("Name")?.as_text());
    for name in names {
        judge(name, true, sink);
    }
    for name in &batch.meant {
        judge(name, false, sink);
    }
}

/// In a list of somebody's own an empty name is the zone's, and letters of other scripts may be encoded later.
fn judge(name: &Text, for_route53: bool, sink: &mut Sink<'_>) {
    let written = name.as_str();
    let Err(error) = RecordName::parse(written) else {
        return;
    };
    let left_open = matches!(error, NameError::Empty | NameError::NonAscii(_));
    if left_open && !for_route53 {
        return;
    }
    let message = format!("{} is no name of a record: {error}", quoted(written));
    sink.report(name.span(), message)
        .help(help(written, &error));
}

fn help(written: &str, error: &NameError) -> String {
    let plain = written.replace("\\*", "*");
    let name = RecordName::parse(&plain).ok();
    match name.filter(|_| plain != written) {
        Some(name) => format!(
            "write `{}` where the record is made; `{}` is how IAM's condition keys and Route 53's answers spell it",
            name.dns(),
            name.iam()
        ),
        None if matches!(error, NameError::BadEscape(_)) => {
            "write the character itself, or a backslash and its three octal digits".to_owned()
        }
        None => {
            "write labels of 1 to 63 bytes with one dot between them, at most 255 in all".to_owned()
        }
    }
}
