//! Labels of the record resources: `apex`, `wildcard`, `www`, made from the names and never twice the same.

use std::collections::BTreeSet;

use crate::model::dns::RecordName;
use crate::model::spec::RecordType;

/// A label for each record, in order.
pub(super) fn resource_names(
    zone: &RecordName,
    records: &[(&RecordName, Option<RecordType>)],
) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut labels = Vec::new();
    for (name, kind) in records {
        let base = label(zone, name, *kind);
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let free = std::iter::once(base.clone())
            .chain(numbered)
            .find(|label| !taken.contains(label));
        let label = free.unwrap_or(base);
        taken.insert(label.clone());
        labels.push(label);
    }
    labels
}

fn label(zone: &RecordName, name: &RecordName, kind: Option<RecordType>) -> String {
    let written = name.dns();
    let below = written
        .strip_suffix(&zone.dns())
        .map_or(written.as_str(), |below| below.trim_end_matches('.'));
    let mut label: String = below
        .replace('*', "wildcard")
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .collect();
    if label.is_empty() {
        "apex".clone_into(&mut label);
    }
    if !label.starts_with(|first: char| first.is_ascii_alphabetic()) {
        label.insert_str(0, "record_");
    }
    if let Some(kind) = kind {
        label.push('_');
        label.push_str(&kind.word().to_ascii_lowercase());
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_identifiers_and_differ() {
        let names: Vec<RecordName> = [
            "example.com",
            "*.example.com",
            "a.b.example.com",
            "a_b.example.com",
            "a-b.example.com",
            "1.example.com",
        ]
        .iter()
        .filter_map(|name| RecordName::parse(name).ok())
        .collect();
        let wanted: Vec<_> = names.iter().map(|name| (name, None)).collect();
        let labels = resource_names(names.first().unwrap(), &wanted);
        assert_eq!(
            labels,
            ["apex", "wildcard", "a_b", "a_b_2", "a_b_3", "record_1"]
        );
        let labels = resource_names(
            names.first().unwrap(),
            &[(names.first().unwrap(), Some(RecordType::Aaaa))],
        );
        assert_eq!(labels, ["apex_aaaa"]);
    }
}
