//! An `import` block that takes another record than the resource declares.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::{Declarations, Record, block_address};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "import-of-other-record",
    aliases: &[],
    summary: "an import whose id is that of another record than the resource declares",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("import_of_other_record.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for import in &module.imports {
        let same = |record: &&Record| block_address(&record.address) == import.address;
        let mut records = module.records.iter().filter(same).peekable();
        if records.peek().is_none() {
            continue;
        }
        let Some(id) = import.id.as_ref() else {
            continue;
        };
        if let Some(unknown) = id.as_unknown() {
            let what = format!(
                "whether the record that is imported is that of `{}`",
                import.address
            );
            sink.undecided(import.at, what, &unknown.why, unknown.missing.clone());
            continue;
        }
        let Some((zone, name, kind)) = id.as_str().and_then(parts) else {
            continue;
        };
        if records.any(|record| may_be(record, zone, name, kind)) {
            continue;
        }
        let message = format!(
            "`{}` takes the record `{name}` of type `{kind}`, which is not the one that it declares: that record is deleted, and the other made anew",
            import.address
        );
        sink.report(import.at, message)
            .help("import `ZONE_name_TYPE` of the record itself");
    }
}

/// Zone, name and type of an id: `ZONE_name_TYPE`, with the set's identifier behind it where there is one. A name may have
/// underscores.
fn parts(id: &str) -> Option<(&str, &str, &str)> {
    const TYPES: [&str; 13] = [
        "A", "AAAA", "CAA", "CNAME", "DS", "HTTPS", "MX", "NAPTR", "NS", "PTR", "SOA", "SRV", "TXT",
    ];
    let (zone, rest) = id.split_once('_')?;
    let mut before = 0_usize;
    for part in rest.split('_') {
        if before > 0 && TYPES.contains(&part) {
            let name = rest.get(..before.checked_sub(1)?)?;
            return Some((zone, name, part));
        }
        before += part.len() + 1;
    }
    None
}

fn may_be(record: &Record, zone: &str, name: &str, kind: &str) -> bool {
    let same = |node: Option<&Node>, wanted: &str| match node.and_then(Node::as_str) {
        Some(written) => written.eq_ignore_ascii_case(wanted),
        None => true,
    };
    let plain = |name: &str| {
        name.trim_end_matches('.')
            .replace("\\052", "*")
            .to_ascii_lowercase()
    };
    let written = record.name.as_ref().and_then(Node::as_str).map(plain);
    let imported = plain(name);
    // The zone's name may stand behind what is written.
    let named = written.is_none_or(|written| {
        let rest = imported.strip_prefix(&written);
        rest.is_some_and(|rest| written.is_empty() || rest.is_empty() || rest.starts_with('.'))
    });
    named
        && same(record.record_type.as_ref(), kind)
        && record.zone().is_none_or(|known| known == zone)
}
