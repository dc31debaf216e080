//! `module` blocks, and other blocks that bring records into a zone or keep them out.

use crate::syntax::hcl::Block;
use crate::syntax::{Node, Unknown};
use crate::text::{Span, Text};

use super::{Repetition, attribute};
use crate::terraform::Module;
use crate::terraform::evaluate::Evaluator;

/// A `module` block whose module is not here: it may declare anything.
#[derive(Debug, Clone)]
pub struct ModuleCall {
    /// How expressions call it: `module.x`.
    pub address: String,
    /// `module "…"`.
    pub head: Span,
    /// `source`, where it is written out.
    pub source: Option<Text>,
    /// Why it is not here.
    pub unknown: Unknown,
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

/// A call whose module is not here.
pub(super) fn unread(address: String, block: &Block, unknown: Unknown) -> ModuleCall {
    let source = block.body.attribute("source");
    ModuleCall {
        address,
        head: block.head,
        source: source.and_then(|source| source.value.literal()).cloned(),
        unknown,
    }
}

pub(super) fn exclusive(module: &Module, evaluator: &mut Evaluator<'_>) -> Vec<ExclusiveRecords> {
    let resources = module.managed("aws_route53_records_exclusive");
    let read = resources.filter_map(|resource| {
        let repeated = Repetition::read(resource, evaluator);
        let never = Repetition::makes_none(repeated.as_ref());
        (!never).then(|| ExclusiveRecords {
            address: evaluator.rooted(&resource.address()),
            head: resource.head(),
            zone_id: attribute(resource, "zone_id", evaluator),
        })
    });
    read.collect()
}
