//! Resources that are one statement of a resource's policy each: `aws_lambda_permission` and those like it. The service
//! writes the statement (AWS provider documentation of the resources; Lambda API Reference, `AddPermission`).

use crate::model::policy::PolicyKind;
use crate::syntax::{Entry, Kind, Node, Unknown};
use crate::terraform::evaluate::Evaluator;
use crate::terraform::policy_text::PolicyText;
use crate::terraform::{Mode, Module, Resource, block_address};
use crate::text::{Origin, Span, Text};

use super::{AttachedPolicy, PolicyForm};

/// What limits a statement: the argument, the operator and the key of the condition that it becomes.
type Limit = (&'static str, &'static str, &'static str);

const OF_FUNCTION: &[Limit] = &[
    ("source_arn", "ArnLike", "aws:SourceArn"),
    ("source_account", "StringEquals", "aws:SourceAccount"),
    ("principal_org_id", "StringEquals", "aws:PrincipalOrgID"),
    (
        "function_url_auth_type",
        "StringEquals",
        "lambda:FunctionUrlAuthType",
    ),
    (
        "event_source_token",
        "StringEquals",
        "lambda:EventSourceToken",
    ),
    (
        "invoked_via_function_url",
        "Bool",
        "lambda:InvokedViaFunctionUrl",
    ),
];
const OF_LAYER: &[Limit] = &[("organization_id", "StringEquals", "aws:PrincipalOrgID")];

/// The limits of a resource type, and the action of those that name none.
fn limits(kind: &str) -> Option<(&'static [Limit], Option<&'static str>)> {
    match kind {
        "aws_lambda_permission" => Some((OF_FUNCTION, None)),
        "aws_lambda_layer_version_permission" => Some((OF_LAYER, None)),
        "aws_cloudwatch_event_permission" => Some((&[], Some("events:PutEvents"))),
        _ => None,
    }
}

/// The statements that resources of the module add to policies of others.
pub(super) fn all<'m>(
    module: &'m Module,
    evaluator: &mut Evaluator<'m>,
    found: &mut Vec<AttachedPolicy>,
) {
    let resources = module.resources();
    for resource in resources.filter(|resource| resource.mode == Mode::Managed) {
        if limits(resource.kind).is_none() {
            continue;
        }
        let address = evaluator.rooted(&resource.address());
        let instances = evaluator.each_instance(resource.block);
        for (index, scope) in instances.unwrap_or_default() {
            evaluator.in_instance(scope);
            let address = format!("{address}{index}");
            found.extend(of_instance(address, resource, evaluator));
        }
        evaluator.in_instance(Vec::new());
    }
}

fn of_instance<'m>(
    address: String,
    resource: Resource<'m>,
    evaluator: &mut Evaluator<'m>,
) -> Option<AttachedPolicy> {
    let head = resource.head();
    let written = |name: &str, evaluator: &mut Evaluator<'m>| {
        let attribute = resource.block.body.attribute(name)?;
        let own = block_address(&format!("{address}.{name}"));
        Some(evaluator.node(&attribute.value, &own))
    };
    let mut blocks = Vec::new();
    for block in evaluator.nested(&resource.block.body, "condition") {
        let name = |name: &str| Some(block.node(name)?.as_str()?.to_owned());
        blocks.push((name("type"), name("key"), block.node("value")));
    }
    let (root, at) = policy(resource.kind, head, |name| written(name, evaluator), blocks)?;
    Some(AttachedPolicy {
        address,
        attribute: "principal".to_owned(),
        at,
        kind: Some(PolicyKind::Resource),
        form: PolicyForm::Other,
        text: PolicyText::Tree(root),
        value: None,
    })
}

/// A condition of a `condition` block: its type, its key and its value, where they are known.
pub(in super::super) type Block = (Option<String>, Option<String>, Option<Node>);

/// The policy that holds the one statement, and where its principal stands; `None` of what is no such resource, or has
/// no principal, which the provider refuses.
pub(in super::super) fn policy(
    kind: &str,
    head: Span,
    mut written: impl FnMut(&str) -> Option<Node>,
    blocks: Vec<Block>,
) -> Option<(Node, Span)> {
    let (limits, usual_action) = limits(kind)?;
    let mut set = |name: &str| written(name).filter(|node| !matches!(node.kind, Kind::Null));
    let principal = set("principal")?;
    let at = principal.span();
    let action = set("action").or_else(|| usual_action.map(|action| text(action, head)))?;
    let mut statement = vec![
        ("Effect", text("Allow", head)),
        ("Principal", who(principal, head)),
        ("Action", action),
    ];
    let function = set("function_name").filter(|name| {
        let name = name.as_str();
        name.is_some_and(|name| name.starts_with("arn:"))
    });
    statement.extend(function.map(|arn| ("Resource", arn)));
    let mut conditions: Vec<(String, String, Node)> = Vec::new();
    for (argument, operator, key) in limits {
        if let Some(value) = set(argument).filter(|value| value.as_bool() != Some(false)) {
            conditions.push(((*operator).to_owned(), (*key).to_owned(), value));
        }
    }
    for (operator, key, value) in blocks {
        // A condition of which nothing is known limits all the same.
        let key = key.unwrap_or_else(|| "aws:PrincipalOrgID".to_owned());
        let operator = operator.unwrap_or_else(|| "StringEquals".to_owned());
        let unknown = Node::new(Kind::unknown(Unknown::default()), head);
        conditions.push((operator, key, value.unwrap_or(unknown)));
    }
    if !conditions.is_empty() {
        let each = conditions.into_iter().map(|(operator, key, value)| {
            let inner = map(vec![(key.as_str(), value)], head);
            (operator, inner)
        });
        let each: Vec<(String, Node)> = each.collect();
        statement.push(("Condition", joined(each, head)));
    }
    let statement = map(statement, head);
    let version = ("Version", text("2012-10-17", head));
    let statements = Node::new(Kind::List(vec![statement]), head);
    Some((map(vec![version, ("Statement", statements)], head), at))
}

/// The principal as the service writes it: anyone, a service, or an account, user or role.
fn who(principal: Node, head: Span) -> Node {
    let Some(name) = principal.as_str() else {
        return principal;
    };
    if name == "*" {
        return principal;
    }
    let is_account_or_arn = name.starts_with("arn:") || name.bytes().all(|b| b.is_ascii_digit());
    let kind = if is_account_or_arn || !name.contains('.') {
        "AWS"
    } else {
        "Service"
    };
    map(vec![(kind, principal)], head)
}

/// The blocks of a condition, one for each operator.
fn joined(each: Vec<(String, Node)>, head: Span) -> Node {
    let mut operators: Vec<(String, Vec<Entry>)> = Vec::new();
    for (operator, block) in each {
        let Kind::Map(entries) = block.kind else {
            continue;
        };
        match operators.iter_mut().find(|(known, _)| *known == operator) {
            Some((_, known)) => known.extend(entries),
            None => operators.push((operator, entries)),
        }
    }
    let entries = operators.into_iter().map(|(operator, entries)| Entry {
        key: Text::whole(operator, Origin::Source(head)),
        value: Node::new(Kind::Map(entries), head),
    });
    Node::new(Kind::Map(entries.collect()), head)
}

fn text(value: &str, at: Span) -> Node {
    Node::text(Text::whole(value, Origin::Source(at)))
}

fn map(entries: Vec<(&str, Node)>, at: Span) -> Node {
    let entries = entries.into_iter().map(|(key, value)| Entry {
        key: Text::whole(key, Origin::Source(at)),
        value,
    });
    Node::new(Kind::Map(entries.collect()), at)
}
