//! `module` blocks, and other blocks that bring records into a zone or keep them out.

use crate::syntax::Node;
use crate::text::{Span, Text};

use super::attribute;
use crate::terraform::Module;
use crate::terraform::evaluate::Evaluator;

/// A `module` block: what it declares is not read with the module that calls it.
#[derive(Debug, Clone)]
pub struct ModuleCall {
    /// Its name.
    pub name: String,
    /// `module "…"`.
    pub head: Span,
    /// `source`, where it is written out.
    pub source: Option<Text>,
}

/// An `aws_route53_records_exclusive`: it deletes every record of the zone that it does not list.
#[derive(Debug, Clone)]
pub struct ExclusiveRecords {
    /// How expressions call it.
    pub address: String,
    /// `resource "aws_route53_records_exclusive" "…"`.
    pub head: Span,
    /// `zone_id`.
    pub zone_id: Option<Node>,
}

pub(super) fn calls(module: &Module) -> Vec<ModuleCall> {
    let calls = module.named("module").map(|call| {
        let source = call.block.body.attribute("source");
        ModuleCall {
            name: call.name.to_owned(),
            head: call.block.head,
            source: source.and_then(|source| source.value.literal()).cloned(),
        }
    });
    calls.collect()
}

pub(super) fn exclusive(module: &Module, evaluator: &mut Evaluator<'_>) -> Vec<ExclusiveRecords> {
    let resources = module.managed("aws_route53_records_exclusive");
    let read = resources.map(|resource| ExclusiveRecords {
        address: resource.address(),
        head: resource.head(),
        zone_id: attribute(resource, "zone_id", evaluator),
    });
    read.collect()
}
