//! A record of the spec that may take the place of one that is there.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::terraform::{Record, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-overwritten",
    aliases: &[],
    summary: "allow_overwrite on a record of the spec",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_overwritten.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let own = workspace.own_module().map(|module| module.folder.as_str());
    let others = workspace
        .modules
        .iter()
        .filter(|module| Some(module.folder.as_str()) != own);
    for record in others.flat_map(|module| &module.records) {
        left_to_others(record, sink);
    }
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let pointer = match record.standing(spec, true) {
            Standing::Switched(at, _) => format!("/records/names/{at}"),
            Standing::Origin(_) => "/origin/name".to_owned(),
            Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => continue,
        };
        let Some(overwrites) = &record.allow_overwrite else {
            continue;
        };
        if let Some(unknown) = overwrites.as_unknown() {
            let what = format!(
                "whether `{}` overwrites a record that is there",
                record.address
            );
            sink.undecided(
                overwrites.span(),
                what,
                &unknown.why,
                unknown.missing.clone(),
            );
        } else if is_true(overwrites) {
            let message = format!(
                "`{}` overwrites the record that is there, wherever it points after a switch",
                record.address
            );
            let label = spec.label(&pointer);
            sink.report(overwrites.span(), message)
                .related(label.at, label.text)
                .help("remove `allow_overwrite`, and import a record that is there already: `terraform import`");
        }
    }
}

fn is_true(flag: &Node) -> bool {
    flag.as_bool() == Some(true) || flag.as_str() == Some("true")
}

/// A record that leaves its value to somebody, though no spec says to whom.
fn left_to_others(record: &Record, sink: &mut Sink<'_>) {
    let overwrites = record.allow_overwrite.as_ref().filter(|flag| is_true(flag));
    let Some(overwrites) = overwrites.filter(|_| record.ignore_changes.ignores("records")) else {
        return;
    };
    let message = format!(
        "`{}` leaves its value to somebody else, but its first apply overwrites what stands there",
        record.address
    );
    sink.report(overwrites.span(), message)
        .severity(Severity::Warning)
        .help("remove `allow_overwrite`, and import a record that is there already: `terraform import`");
}
