//! `aws_route53_record`.

use crate::syntax::hcl::{Body, Form};
use crate::syntax::{Kind, Node, Unknown};
use crate::text::Span;

use super::{IgnoreChanges, Repetition, attribute};
use crate::terraform::evaluate::Evaluator;
use crate::terraform::{Resource, block_address};

/// An `aws_route53_record`. A value that is absent is not set; one that cannot be known is an unknown node.
#[derive(Debug, Clone)]
pub struct Record {
    /// How expressions call it.
    pub address: String,
    /// `resource "aws_route53_record" "…"`.
    pub head: Span,
    /// `name`, as it is written: with or without the zone's name behind it.
    pub name: Option<Node>,
    /// `type`.
    pub record_type: Option<Node>,
    /// `ttl`, a number or its digits as a string.
    pub ttl: Option<Node>,
    /// `records`.
    pub records: Option<Node>,
    /// `zone_id`.
    pub zone_id: Option<Node>,
    /// The `alias` block.
    pub alias: Option<Alias>,
    /// `set_identifier`.
    pub set_identifier: Option<Node>,
    /// The head of a `…_routing_policy` block, or `multivalue_answer_routing_policy`.
    pub routing: Option<Span>,
    /// `lifecycle { replace_triggered_by = … }`, where it names something.
    pub replace_triggered_by: Option<Span>,
    /// `allow_overwrite`.
    pub allow_overwrite: Option<Node>,
    /// `lifecycle { ignore_changes = … }`.
    pub ignore_changes: IgnoreChanges,
    /// The name of the zone, without a dot at its end, where `zone_id` refers to a zone with a name that is known.
    pub zone_name: Option<String>,
    /// Whether the records of a block are told apart by their number, by `count` or by keys of `for_each`.
    pub numbered: bool,
    /// `count` or `for_each`. Where it is known how many records the block stands for, each of them is here; one stands
    /// for any number.
    pub repeated: Option<Repetition>,
}

/// The `alias` block of a record: it has the value of another record.
#[derive(Debug, Clone)]
pub struct Alias {
    /// Where it is written.
    pub head: Span,
    /// The name that it points at.
    pub name: Option<Node>,
    /// Why it is not known whether there is one, where `dynamic` makes it.
    pub unknown: Option<Unknown>,
}

/// The head of a block that chooses among several record sets of one name, one that `dynamic` makes among them.
fn routing(body: &Body) -> Option<Span> {
    let is_policy = |name: &str| name.ends_with("_routing_policy");
    let mut blocks = body.blocks.iter();
    let found = blocks.find(|block| {
        let kind = block.kind.as_str();
        is_policy(kind) || kind == "dynamic" && block.label(0).is_some_and(is_policy)
    });
    found.map(|block| block.head)
}

/// Whether a part of the record's identity is made from `count.index`.
fn is_numbered(body: &Body) -> bool {
    let identity = ["name", "zone_id", "set_identifier"];
    let parts = identity.iter().filter_map(|name| body.attribute(name));
    let mut by_count = parts.filter(|attribute| attribute.value.mentions("count"));
    body.attribute("count").is_some() && by_count.next().is_some()
}

/// The name of the zone that `zone_id` refers to.
fn zone_name(resource: Resource<'_>, evaluator: &mut Evaluator<'_>) -> Option<String> {
    let node = attribute(resource, "zone_id", evaluator)?;
    let missing = node.as_unknown()?.missing.first()?;
    let zone = [".zone_id", ".id"]
        .iter()
        .find_map(|end| missing.strip_suffix(end))?;
    let zone = block_address(zone);
    let module = evaluator.module();
    let mut zones = module
        .resources()
        .filter(|found| found.kind == "aws_route53_zone");
    let found = zones.find(|found| evaluator.rooted(&found.address()) == zone)?;
    let name = attribute(found, "name", evaluator)?;
    let name = name.as_str()?.trim_end_matches('.').to_ascii_lowercase();
    (!name.is_empty()).then_some(name)
}

fn replace_triggered_by(body: &Body) -> Option<Span> {
    let mut lifecycles = body.blocks_of("lifecycle");
    let attribute = lifecycles.find_map(|block| block.body.attribute("replace_triggered_by"))?;
    let empty = matches!(&attribute.value.form, Form::List(items) if items.is_empty());
    (!empty).then_some(attribute.value.span)
}

impl Record {
    /// Attributes and blocks that `ignore_changes` may name (AWS provider, schema of `aws_route53_record`, version 6).
    pub const SCHEMA: [&'static str; 20] = [
        "alias",
        "allow_overwrite",
        "cidr_routing_policy",
        "failover_routing_policy",
        "fqdn",
        "geolocation_routing_policy",
        "geoproximity_routing_policy",
        "health_check_id",
        "id",
        "latency_routing_policy",
        "multivalue_answer_routing_policy",
        "name",
        "records",
        "region",
        "set_identifier",
        "timeouts",
        "ttl",
        "type",
        "weighted_routing_policy",
        "zone_id",
    ];

    /// The records that the block stands for; where it stands for none, the one that is `unmade`.
    pub(super) fn all<'m>(
        resource: Resource<'m>,
        evaluator: &mut Evaluator<'m>,
        found: &mut Vec<Self>,
        unmade: &mut Vec<Self>,
    ) {
        let Some(instances) = evaluator.each_instance(resource.block) else {
            let repeated = Repetition::read(resource, evaluator);
            let mut record = evaluator.supposing(|evaluator| Self::read(resource, evaluator));
            record.repeated = repeated;
            unmade.push(record);
            return;
        };
        let by_number = resource.block.body.attribute("for_each").is_some()
            && instances.len() > 1
            && (0..instances.len()).all(|at| {
                instances
                    .iter()
                    .any(|(key, _)| *key == format!("[\"{at}\"]"))
            });
        for (index, scope) in instances {
            evaluator.in_instance(scope);
            let mut record = Self::read(resource, evaluator);
            record.numbered |= by_number;
            record.address.push_str(&index);
            found.push(record);
        }
        evaluator.in_instance(Vec::new());
    }

    fn read<'m>(resource: Resource<'m>, evaluator: &mut Evaluator<'m>) -> Self {
        let body = &resource.block.body;
        let aliases = evaluator.nested(body, "alias");
        let alias = aliases.into_iter().next().map(|alias| Alias {
            name: alias.node("name"),
            head: alias.head,
            unknown: alias.unknown,
        });
        let mut of = |name: &str| attribute(resource, name, evaluator);
        let multivalue = of("multivalue_answer_routing_policy")
            .filter(|node| node.as_bool() != Some(false) && !matches!(node.kind, Kind::Null));
        Self {
            routing: routing(body).or(multivalue.map(|node| node.span())),
            replace_triggered_by: replace_triggered_by(body),
            name: of("name"),
            record_type: of("type"),
            ttl: of("ttl"),
            records: of("records"),
            zone_id: of("zone_id"),
            set_identifier: of("set_identifier"),
            allow_overwrite: of("allow_overwrite"),
            address: evaluator.rooted(&resource.address()),
            head: resource.head(),
            alias,
            ignore_changes: IgnoreChanges::read(resource.block),
            zone_name: zone_name(resource, evaluator),
            numbered: is_numbered(body),
            repeated: Repetition::read(resource, evaluator),
        }
    }

    /// The name as far as the module itself tells it: in full where the zone's name stands in it too.
    #[must_use]
    pub fn told_name(&self) -> Option<String> {
        match &self.zone_name {
            Some(zone) => self.full_name(zone),
            None => self.name.as_ref()?.as_str().map(str::to_owned),
        }
    }

    /// The name in full, where it is known: the provider puts the zone's name behind a name that does not end with it,
    /// drops a dot at the end and lowers the case (AWS provider, `internal/service/route53/record.go`).
    #[must_use]
    pub fn full_name(&self, zone: &str) -> Option<String> {
        let written = self.name.as_ref()?.as_str()?;
        let name = written
            .strip_suffix('.')
            .unwrap_or(written)
            .to_ascii_lowercase();
        Some(if name.is_empty() {
            zone.to_owned()
        } else if name.ends_with(zone) {
            name
        } else {
            format!("{name}.{zone}")
        })
    }
}
