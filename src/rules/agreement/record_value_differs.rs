//! A record that is made with another address than its site's.

use crate::diag::{Label, Severity};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Record, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-value-differs",
    aliases: &[],
    summary: "the value of a record is not the address of its site",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_value_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let (site, pointer, record_type) = match record.standing(spec, true) {
            Standing::Switched(_, record_type) => (spec.home(), "/sites/0", record_type),
            Standing::Origin(record_type) => {
                (spec.site(&spec.origin.site), "/origin/site", record_type)
            }
            Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => continue,
        };
        let Some((site, address)) = site.and_then(|site| Some((site, site.address(record_type)?)))
        else {
            continue;
        };
        let wanted = Wanted {
            site: &site.name,
            address: address.to_string(),
            label: spec.label(pointer),
        };
        compare(record, &wanted, sink);
    }
}

/// What the record must hold, and who says so.
struct Wanted<'a> {
    site: &'a str,
    address: String,
    label: Label,
}

fn compare(record: &Record, wanted: &Wanted<'_>, sink: &mut Sink<'_>) {
    let Wanted {
        site,
        address,
        label,
    } = wanted;
    let help = format!("the value is the address of `{site}` alone: `records = [\"{address}\"]`");
    if let Some(alias) = &record.alias {
        let message = format!(
            "`{}` is an alias; the value is to be `{address}`, the address of `{site}`",
            record.address
        );
        sink.report(alias.head, message)
            .related(label.at, label.text.clone())
            .help(help);
        return;
    }
    let Some(records) = &record.records else {
        let message = format!(
            "`{}` has no value, the spec says `{address}`",
            record.address
        );
        sink.report(record.head, message)
            .related(label.at, label.text.clone())
            .help(help);
        return;
    };
    let items = records.as_list().unwrap_or(std::slice::from_ref(records));
    for item in items {
        if let Some(unknown) = item.as_unknown() {
            let what = format!("whether the value of `{}` is `{address}`", record.address);
            sink.undecided(item.span(), what, &unknown.why, unknown.missing.clone());
        } else if item.as_str() != Some(address) {
            let message = format!(
                "`{}` holds `{}`, but the address of `{site}` is `{address}`",
                record.address,
                item.as_str().unwrap_or(item.kind_name())
            );
            sink.report(item.span(), message)
                .related(label.at, label.text.clone())
                .help(help.clone());
        }
    }
    if items.is_empty() {
        let message = format!(
            "`{}` has no value, the spec says `{address}`",
            record.address
        );
        sink.report(records.span(), message)
            .related(label.at, label.text.clone())
            .help(help);
    }
}
