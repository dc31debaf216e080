//! The switched records, whose values the workflow owns, and the origin record, whose value Terraform owns.

use hcl::{Block, Expression};

use crate::generate::GenerateError;
use crate::model::dns::RecordName;
use crate::model::spec::{RecordType, Site, Spec};

use super::Commented;
use super::names::resource_names;
use super::values::{attribute, reference};

const SWITCHED: &str =
    "Terraform owns that this record exists and its TTL; the workflow owns where it points.";

const ORIGIN: &str = "\
The monitor watches this host, and no switch moves it. It must exist: else the wildcard would answer for it, and after
a switch the monitor would take the standby for a home that has recovered.";

/// One record resource.
struct Wanted<'a> {
    name: &'a RecordName,
    kind: RecordType,
    ttl: u32,
    site: Option<&'a Site>,
    /// Whether the workflow owns its value.
    switched: bool,
}

/// The record resources: every name in every switched type, then the origin.
pub(super) fn blocks(spec: &Spec) -> Result<Vec<Commented>, GenerateError> {
    let mut wanted = Vec::new();
    for kind in &spec.records.types {
        wanted.extend(spec.record_names().iter().map(|name| Wanted {
            name,
            kind: *kind,
            ttl: spec.records.ttl,
            site: spec.home(),
            switched: true,
        }));
    }
    wanted.extend(spec.records.types.iter().map(|kind| Wanted {
        name: &spec.origin.name,
        kind: *kind,
        ttl: spec.origin.ttl,
        site: spec.site(&spec.origin.site),
        switched: false,
    }));
    let several = spec.records.types.len() > 1;
    let named: Vec<_> = wanted
        .iter()
        .map(|record| (record.name, several.then_some(record.kind)))
        .collect();
    let labels = resource_names(&spec.zone.name, &named);
    let made = labels.iter().zip(&wanted);
    made.map(|(label, record)| block(spec, label, record))
        .collect()
}

fn block(spec: &Spec, label: &str, wanted: &Wanted<'_>) -> Result<Commented, GenerateError> {
    let word = wanted.kind.word();
    let address = wanted
        .site
        .and_then(|site| site.address(wanted.kind))
        .ok_or_else(|| {
            GenerateError::Missing(format!("address for the {word} record `{}`", wanted.name))
        })?;
    let records = vec![Expression::from(address.to_string())];
    let mut block = Block::builder("resource")
        .add_label("aws_route53_record")
        .add_label(label)
        .add_attribute(attribute("zone_id", spec.zone.id.as_str()))
        .add_attribute(attribute("name", wanted.name.dns()))
        .add_attribute(attribute("type", word))
        .add_attribute(attribute("ttl", wanted.ttl))
        .add_attribute(attribute("records", records));
    if wanted.switched {
        let ignored = vec![reference("records")];
        block = block.add_block(
            Block::builder("lifecycle")
                .add_attribute(attribute("ignore_changes", ignored))
                .build(),
        );
    }
    let comment = if wanted.switched { SWITCHED } else { ORIGIN };
    Ok(Commented {
        comment: comment.to_owned(),
        block: block.build(),
    })
}
