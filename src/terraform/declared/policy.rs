//! Attributes that hold policies, and the trees of those policies.

use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::syntax::hcl::{Attribute, Block, Expression, Form, Quote, StepKind};
use crate::syntax::{Fault, Kind, Node, Unknown, json};
use crate::text::{Origin, Span, Text, TextBuilder};

use crate::terraform::evaluate::Evaluator;
use crate::terraform::value::{Chunk, Value, ValueKind, merged};
use crate::terraform::{Mode, Module, Resource};

/// Stands for what is not known while the rest of a policy's text is read; no text holds it, for it is no character.
const HOLE: char = '\u{10FFFE}';

/// An attribute that holds a policy.
#[derive(Debug, Clone)]
pub struct AttachedPolicy {
    /// The resource and the attribute: `aws_iam_role_policy.change.policy`.
    pub address: String,
    /// The attribute's name.
    pub attribute: String,
    /// The expression.
    pub at: Span,
    /// What kind of policy stands there, where the resource decides it.
    pub kind: Option<PolicyKind>,
    /// How it is written.
    pub form: PolicyForm,
    /// What it comes to.
    pub text: PolicyText,
}

/// How a policy is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyForm {
    /// `data.aws_iam_policy_document.x.json`.
    Document,
    /// `jsonencode(…)`.
    Encoded,
    /// A heredoc.
    Heredoc,
    /// `file(…)` or `templatefile(…)`.
    File,
    /// Anything else, such as a local.
    Other,
}

impl PolicyForm {
    /// The word of `inspect`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Encoded => "jsonencode",
            Self::Heredoc => "heredoc",
            Self::File => "file",
            Self::Other => "other",
        }
    }

    fn of(expression: &Expression) -> Self {
        let inner = expression.unwrapped();
        if let Some(call) = inner.call() {
            return match call.name.as_str() {
                "jsonencode" => Self::Encoded,
                "file" | "templatefile" => Self::File,
                _ => Self::Other,
            };
        }
        if let Form::Template(template) = &inner.form
            && template.quote == Quote::Heredoc
        {
            return Self::Heredoc;
        }
        if let Form::Traversal(base, steps) = &inner.form
            && let (Form::Variable(root), Some(first)) = (&base.form, steps.first())
            && root.as_str() == "data"
            && matches!(&first.kind, StepKind::Attribute(kind) if kind.as_str() == "aws_iam_policy_document")
        {
            return Self::Document;
        }
        Self::Other
    }
}

/// What the expression of a policy comes to.
#[derive(Debug, Clone)]
pub enum PolicyText {
    /// The policy as a tree, in which single values may be unknown.
    Tree(Node),
    /// The text is not JSON.
    Broken(Fault),
    /// The policy as a whole cannot be known.
    Unknown(Unknown),
}

/// All attributes of all resources that hold policies.
pub(super) fn all(module: &Module, evaluator: &mut Evaluator<'_>) -> Vec<AttachedPolicy> {
    let mut found = Vec::new();
    for resource in module
        .resources()
        .filter(|resource| resource.mode == Mode::Managed)
    {
        for (name, kind) in attributes(resource.kind) {
            if let Some(attribute) = resource.block.body.attribute(name) {
                let address = format!("{}.{name}", resource.address());
                found.extend(read(address, attribute, *kind, evaluator));
            }
        }
        if resource.kind == "aws_iam_role" {
            inline_policies(resource, evaluator, &mut found);
        }
    }
    found
}

const IDENTITY: &[(&str, Option<PolicyKind>)] = &[("policy", Some(PolicyKind::Identity))];

/// Which attributes of a resource type hold policies, and of which kind.
fn attributes(kind: &str) -> &'static [(&'static str, Option<PolicyKind>)] {
    match kind {
        "aws_iam_role" => &[("assume_role_policy", Some(PolicyKind::Trust))],
        "aws_iam_role_policy" | "aws_iam_user_policy" | "aws_iam_group_policy" => IDENTITY,
        "aws_iam_policy" => &[("policy", Some(PolicyKind::ManagedIdentity))],
        "aws_vpc_endpoint" | "aws_vpc_endpoint_policy" => &[("policy", Some(PolicyKind::Endpoint))],
        "aws_organizations_policy" => &[("content", Some(PolicyKind::Scp))],
        _ if kind.starts_with("aws_") => &[("policy", None), ("assume_role_policy", None)],
        _ => &[],
    }
}

fn inline_policies(
    resource: Resource<'_>,
    evaluator: &mut Evaluator<'_>,
    found: &mut Vec<AttachedPolicy>,
) {
    let body = &resource.block.body;
    let inline = |block: &&Block| block.kind.as_str() == "inline_policy";
    let several = body.blocks.iter().filter(inline).count() > 1;
    for (at, block) in body.blocks.iter().filter(inline).enumerate() {
        if let Some(attribute) = block.body.attribute("policy") {
            let index = if several {
                format!("[{at}]")
            } else {
                String::new()
            };
            let address = format!("{}.inline_policy{index}.policy", resource.address());
            found.extend(read(
                address,
                attribute,
                Some(PolicyKind::Identity),
                evaluator,
            ));
        }
    }
    for block in body.blocks_of("dynamic") {
        if block.label(0) == Some("inline_policy") {
            let address = format!("{}.inline_policy", resource.address());
            found.push(AttachedPolicy {
                text: PolicyText::Unknown(Unknown {
                    why: "blocks that `dynamic` makes are not evaluated".to_owned(),
                    missing: vec![address.clone()],
                }),
                address,
                attribute: "inline_policy".to_owned(),
                at: block.head,
                kind: Some(PolicyKind::Identity),
                form: PolicyForm::Other,
            });
        }
    }
}

/// `None` when the attribute is called like a policy but holds none.
fn read(
    address: String,
    attribute: &Attribute,
    kind: Option<PolicyKind>,
    evaluator: &mut Evaluator<'_>,
) -> Option<AttachedPolicy> {
    let at = attribute.value.span;
    let text = match evaluator.value(&attribute.value) {
        Ok(value) if value.is_null() => return None,
        Ok(value) => tree(&value),
        Err(fault) => PolicyText::Unknown(Unknown {
            why: fault.reason,
            missing: Vec::new(),
        }),
    };
    let is_policy = match &text {
        PolicyText::Tree(node) => kind.is_some() || PolicyDocument::recognises(node),
        PolicyText::Broken(_) => kind.is_some(),
        PolicyText::Unknown(_) => true,
    };
    is_policy.then(|| AttachedPolicy {
        address,
        attribute: attribute.name.as_str().to_owned(),
        at,
        kind,
        form: PolicyForm::of(&attribute.value),
        text,
    })
}

/// The tree of the policy that `value` is the text of.
fn tree(value: &Value) -> PolicyText {
    match &value.kind {
        ValueKind::Encoded(inner) => match inner.hole() {
            Some(unknown) => PolicyText::Unknown(unknown),
            None => PolicyText::Tree(inner.to_node()),
        },
        ValueKind::Text(text) => {
            let mut parsed = json::read(text);
            match (parsed.documents.pop(), parsed.faults.pop()) {
                (Some(node), None) => PolicyText::Tree(node),
                (_, Some(fault)) => PolicyText::Broken(fault),
                (None, None) => PolicyText::Tree(Node::text(text.clone())),
            }
        }
        ValueKind::Partial(chunks) => with_holes(chunks, value),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..)
        | ValueKind::Unknown(_) => PolicyText::Unknown(value.hole().unwrap_or_else(|| Unknown {
            why: format!(
                "{} stands here, but the text of a policy is expected",
                value.kind_name()
            ),
            missing: Vec::new(),
        })),
    }
}

/// Reads a text known in part: a string with a hole is unknown, the rest is read as it stands.
fn with_holes(chunks: &[Chunk], value: &Value) -> PolicyText {
    let mut builder = TextBuilder::default();
    let mut holes: Vec<(Unknown, Span)> = Vec::new();
    for chunk in chunks {
        match chunk {
            Chunk::Known(text) => builder.push_whole(text),
            Chunk::Hole(unknown, at) => {
                builder.push_escape(HOLE.encode_utf8(&mut [0; 4]), *at);
                holes.push((unknown.clone(), *at));
            }
        }
    }
    let all = || {
        let whole = merged(holes.iter().map(|(unknown, _)| unknown.clone()));
        PolicyText::Unknown(whole.unwrap_or_else(|| Unknown {
            why: "the text is known in part alone".to_owned(),
            missing: Vec::new(),
        }))
    };
    if builder.as_str().matches(HOLE).count() != holes.len() {
        return all();
    }
    let text = builder.finish(Origin::Source(value.span()));
    let mut parsed = json::read(&text);
    match (parsed.documents.pop(), parsed.faults.pop()) {
        (_, Some(fault)) if holes.iter().any(|(_, at)| at.touches(fault.at)) => all(),
        (_, Some(fault)) => PolicyText::Broken(fault),
        (Some(node), None) => PolicyText::Tree(marked(node, &holes)),
        (None, None) => all(),
    }
}

/// Makes strings that hold a hole unknown; a map with a hole in a key as a whole.
fn marked(node: Node, holes: &[(Unknown, Span)]) -> Node {
    let hole_in = |text: &Text| {
        let places = text.as_str().match_indices(HOLE);
        let found = places.filter_map(|(at, hole)| {
            let span = text.span_of(at..at + hole.len());
            holes.iter().find(|(_, place)| *place == span)
        });
        merged(found.map(|(unknown, _)| unknown.clone()))
    };
    let kind = match node.kind {
        Kind::Text(text) => match hole_in(&text) {
            Some(unknown) => Kind::Unknown(unknown),
            None => Kind::Text(text),
        },
        Kind::List(items) => {
            Kind::List(items.into_iter().map(|item| marked(item, holes)).collect())
        }
        Kind::Map(entries) => {
            match merged(entries.iter().filter_map(|entry| hole_in(&entry.key))) {
                Some(unknown) => Kind::Unknown(unknown),
                None => {
                    let entries = entries.into_iter().map(|mut entry| {
                        entry.value = marked(entry.value, holes);
                        entry
                    });
                    Kind::Map(entries.collect())
                }
            }
        }
        other @ (Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_)) => other,
    };
    Node {
        origin: node.origin,
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{hcl, pointer};
    use crate::terraform::{Declarations, Known};
    use crate::text::SourceMap;

    fn declared(input: &str) -> Option<(SourceMap, Declarations)> {
        let mut sources = SourceMap::default();
        let file = sources.add("main.tf", input);
        let module = Module {
            folder: String::new(),
            files: vec![hcl::read(&sources.text(file)?)],
            ..Module::default()
        };
        let known = Known::default();
        let declared = Declarations::read(&module, &known);
        Some((sources, declared))
    }

    fn first_tree(declared: &Declarations) -> Option<&Node> {
        match &declared.policies.first()?.text {
            PolicyText::Tree(node) => Some(node),
            PolicyText::Broken(_) | PolicyText::Unknown(_) => None,
        }
    }

    #[test]
    fn a_heredoc_with_an_unknown_part_is_read_in_its_known_parts() {
        let (sources, declared) = declared(
            "resource \"aws_iam_policy\" \"p\" {\n  policy = <<-EOT\n    {\"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"s3:Get*\", \"Resource\": \"${aws_s3_bucket.b.arn}/*\"}]}\n  EOT\n}\n",
        )
        .unwrap();
        let tree = first_tree(&declared).unwrap_or_else(|| panic!("{:?}", declared.policies));
        let action = pointer::find(tree, "/Statement/0/Action").unwrap();
        assert_eq!(sources.slice(action.span()), "\"s3:Get*\"");
        let resource = pointer::find(tree, "/Statement/0/Resource").unwrap();
        assert_eq!(
            resource.as_unknown().unwrap().missing,
            ["aws_s3_bucket.b.arn"]
        );
        assert!(
            sources
                .slice(resource.span())
                .contains("aws_s3_bucket.b.arn")
        );
    }

    #[test]
    fn a_single_backslash_in_heredoc_json_is_told_at_its_place() {
        let (sources, declared) = declared(
            "resource \"aws_iam_role_policy\" \"p\" {\n  policy = <<EOT\n{\"a\": \"\\052.example.com\"}\nEOT\n}\n",
        )
        .unwrap();
        let PolicyText::Broken(fault) = &declared.policies.first().unwrap().text else {
            panic!("not broken");
        };
        assert_eq!(sources.slice(fault.at), "\\");
        assert!(fault.reason.contains("\\\\052"), "{}", fault.reason);
    }

    #[test]
    fn an_insertion_outside_of_a_string_makes_the_policy_unknown() {
        let (_, declared) = declared(
            "resource \"aws_iam_policy\" \"p\" {\n  policy = \"{\\\"Statement\\\": ${jsonencode(var.s)}}\"\n}\nvariable \"s\" {}\n",
        )
        .unwrap();
        let PolicyText::Unknown(unknown) = &declared.policies.first().unwrap().text else {
            panic!("known");
        };
        assert_eq!(unknown.missing, ["var.s"]);
    }

    #[test]
    fn policies_of_all_kinds_of_resources_are_found() {
        let (_, declared) = declared(
            "resource \"aws_iam_role\" \"r\" {\n  assume_role_policy = data.aws_iam_policy_document.t.json\n  inline_policy {\n    policy = jsonencode({})\n  }\n}\nresource \"aws_s3_bucket_policy\" \"b\" {\n  policy = jsonencode({ Statement = [{ Effect = \"Deny\" }] })\n}\nresource \"aws_autoscaling_policy\" \"a\" {\n  policy = \"none\"\n}\n",
        )
        .unwrap();
        let found: Vec<_> = declared
            .policies
            .iter()
            .map(|policy| (policy.address.as_str(), policy.form.word()))
            .collect();
        assert_eq!(
            found,
            [
                ("aws_iam_role.r.assume_role_policy", "document"),
                ("aws_iam_role.r.inline_policy.policy", "jsonencode"),
                ("aws_s3_bucket_policy.b.policy", "jsonencode"),
            ]
        );
    }
}
