//! Attributes that hold policies, and the trees of those policies.

use std::collections::BTreeSet;

use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::syntax::Unknown;
use crate::syntax::hcl::{Attribute, Expression, Form, Quote, StepKind};
use crate::text::Span;

use super::refused::{self, Refused};
use crate::terraform::evaluate::Evaluator;
use crate::terraform::policy_text::{PolicyText, tree};
use crate::terraform::{Mode, Module, Resource, Value, ValueKind, block_address};

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
    /// The value of the expression, where it has one: the parts of strings that are known stand there, too.
    pub value: Option<Value>,
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

/// All attributes of all instances of all resources that hold policies, and those of blocks that are never made.
pub(super) fn all<'m>(
    module: &'m Module,
    evaluator: &mut Evaluator<'m>,
    found: &mut Vec<AttachedPolicy>,
    unmade: &mut Vec<AttachedPolicy>,
) {
    let boundaries = boundaries(module, evaluator);
    let resources = module.resources();
    for resource in resources.filter(|resource| resource.mode == Mode::Managed) {
        if attributes(resource.kind).is_empty() {
            continue;
        }
        let address = evaluator.rooted(&resource.address());
        let Some(instances) = evaluator.each_instance(resource.block) else {
            evaluator.supposing(|evaluator| {
                of_instance(&address, resource, &boundaries, evaluator, unmade);
            });
            continue;
        };
        for (index, scope) in instances {
            evaluator.in_instance(scope);
            let address = format!("{address}{index}");
            of_instance(&address, resource, &boundaries, evaluator, found);
        }
        evaluator.in_instance(Vec::new());
    }
}

/// What a resource needs and has not: its policy is absent, null, or no text.
pub(super) fn absent<'m>(
    module: &'m Module,
    evaluator: &mut Evaluator<'m>,
    found: &mut Vec<Refused>,
) {
    let resources = module.resources();
    for resource in resources.filter(|resource| resource.mode == Mode::Managed) {
        for (name, _) in attributes(resource.kind) {
            if !refused::needs_policy(resource.kind, name) {
                continue;
            }
            let address = evaluator.rooted(&format!("{}.{name}", resource.address()));
            let instances = evaluator.each_instance(resource.block).unwrap_or_default();
            let Some(attribute) = resource.block.body.attribute(name) else {
                if !instances.is_empty() {
                    found.push(refused::no_policy(resource.head(), address, "not set"));
                }
                continue;
            };
            let mut wrong = instances.into_iter().filter_map(|(_, scope)| {
                evaluator.in_instance(scope);
                let value = evaluator.value(&attribute.value).ok()?;
                no_text(&value)
            });
            let what = wrong.next();
            drop(wrong);
            evaluator.in_instance(Vec::new());
            found.extend(what.map(|what| refused::no_policy(attribute.value.span, address, what)));
        }
    }
}

/// What stands there in place of a policy.
fn no_text(value: &Value) -> Option<&'static str> {
    match &value.kind {
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..) => Some(value.kind_name()),
        ValueKind::Text(_)
        | ValueKind::Partial(_)
        | ValueKind::Encoded(..)
        | ValueKind::Unknown(_) => None,
    }
}

/// The attributes of one instance that hold policies.
fn of_instance<'m>(
    resource_address: &str,
    resource: Resource<'m>,
    boundaries: &BTreeSet<String>,
    evaluator: &mut Evaluator<'m>,
    found: &mut Vec<AttachedPolicy>,
) {
    for (name, kind) in attributes(resource.kind) {
        let Some(attribute) = resource.block.body.attribute(name) else {
            continue;
        };
        let mut kind = *kind;
        if resource.kind == "aws_organizations_policy" {
            kind = of_organization(resource, evaluator);
            if kind.is_none() {
                continue;
            }
        }
        let address = format!("{resource_address}.{name}");
        let value = known(evaluator, attribute, &address);
        // That is refused, and told as such.
        let refused = refused::needs_policy(resource.kind, name)
            && value.as_ref().is_ok_and(|value| no_text(value).is_some());
        if refused {
            continue;
        }
        if boundaries.contains(&block_address(&address)) {
            kind = Some(PolicyKind::Boundary);
        }
        found.extend(read(address, attribute, kind, value));
    }
    if resource.kind == "aws_iam_role" {
        inline_policies(resource_address, resource, evaluator, found);
    }
}

const IDENTITY: &[(&str, Option<PolicyKind>)] = &[("policy", Some(PolicyKind::Identity))];
const RESOURCE: &[(&str, Option<PolicyKind>)] = &[("policy", Some(PolicyKind::Resource))];

/// Resources whose `policy` says who may use them.
const RESOURCES: [&str; 26] = [
    "aws_api_gateway_rest_api_policy",
    "aws_backup_vault_policy",
    "aws_cloudwatch_event_bus_policy",
    "aws_dynamodb_resource_policy",
    "aws_ecr_registry_policy",
    "aws_ecr_repository_policy",
    "aws_ecrpublic_repository_policy",
    "aws_efs_file_system_policy",
    "aws_glue_resource_policy",
    "aws_kinesis_resource_policy",
    "aws_kms_external_key",
    "aws_kms_key",
    "aws_kms_key_policy",
    "aws_kms_replica_key",
    "aws_s3_access_point",
    "aws_s3_bucket",
    "aws_s3_bucket_policy",
    "aws_s3control_access_point_policy",
    "aws_secretsmanager_secret",
    "aws_secretsmanager_secret_policy",
    "aws_ses_identity_policy",
    "aws_sesv2_email_identity_policy",
    "aws_sns_topic",
    "aws_sns_topic_policy",
    "aws_sqs_queue",
    "aws_sqs_queue_policy",
];

/// Which attributes of a resource type hold policies, and of which kind (AWS provider documentation, version 6).
pub(in super::super) fn attributes(kind: &str) -> &'static [(&'static str, Option<PolicyKind>)] {
    match kind {
        "aws_iam_role" => &[("assume_role_policy", Some(PolicyKind::Trust))],
        "aws_iam_role_policy" | "aws_iam_user_policy" | "aws_iam_group_policy" => IDENTITY,
        "aws_iam_policy" => &[("policy", Some(PolicyKind::ManagedIdentity))],
        "aws_ssoadmin_permission_set_inline_policy" => {
            &[("inline_policy", Some(PolicyKind::Identity))]
        }
        "aws_vpc_endpoint" | "aws_vpc_endpoint_policy" => &[("policy", Some(PolicyKind::Endpoint))],
        "aws_organizations_policy" => &[("content", Some(PolicyKind::Scp))],
        _ if RESOURCES.contains(&kind) => RESOURCE,
        "aws_cloudwatch_log_resource_policy"
        | "aws_codeartifact_domain_permissions_policy"
        | "aws_codeartifact_repository_permissions_policy"
        | "aws_xray_resource_policy" => &[("policy_document", Some(PolicyKind::Resource))],
        "aws_cloudwatch_log_delivery_destination_policy" => {
            &[("delivery_destination_policy", Some(PolicyKind::Resource))]
        }
        "aws_rolesanywhere_profile" => &[("session_policy", Some(PolicyKind::Session))],
        "aws_elasticsearch_domain"
        | "aws_elasticsearch_domain_policy"
        | "aws_opensearch_domain"
        | "aws_opensearch_domain_policy" => &[("access_policies", Some(PolicyKind::Resource))],
        "aws_cloudsearch_domain_service_access_policy"
        | "aws_cloudwatch_log_destination_policy"
        | "aws_glacier_vault" => &[("access_policy", Some(PolicyKind::Resource))],
        "aws_organizations_resource_policy" => &[("content", Some(PolicyKind::Resource))],
        "aws_ecr_repository_creation_template" => {
            &[("repository_policy", Some(PolicyKind::Resource))]
        }
        "aws_s3tables_table_bucket_policy"
        | "aws_s3tables_table_policy"
        | "aws_sagemaker_model_package_group_policy" => {
            &[("resource_policy", Some(PolicyKind::Resource))]
        }
        _ if kind.starts_with("aws_") => &[("policy", None), ("assume_role_policy", None)],
        _ => &[],
    }
}

/// What kind of policy an `aws_organizations_policy` is, by its `type`; `None` where it is none of IAM's.
fn of_organization(resource: Resource<'_>, evaluator: &mut Evaluator<'_>) -> Option<PolicyKind> {
    let Some(written) = resource.block.body.attribute("type") else {
        return Some(PolicyKind::Scp);
    };
    let own = evaluator.rooted(&format!("{}.type", resource.address()));
    let value = evaluator.node(&written.value, &own);
    match value.as_str() {
        Some("SERVICE_CONTROL_POLICY") => Some(PolicyKind::Scp),
        Some("RESOURCE_CONTROL_POLICY") => Some(PolicyKind::Rcp),
        Some(_) => None,
        None => Some(PolicyKind::Scp),
    }
}

/// The managed policies of the module that are nothing but the boundary of a role or user: they only limit.
fn boundaries(module: &Module, evaluator: &mut Evaluator<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for resource in module.resources() {
        let boundary = resource.block.body.attribute("permissions_boundary");
        let Some(boundary) = boundary.filter(|_| resource.mode == Mode::Managed) else {
            continue;
        };
        let node = evaluator.node(&boundary.value, "");
        let missing = node.as_unknown().map(|unknown| unknown.missing.clone());
        for address in missing.into_iter().flatten() {
            if let Some(policy) = block_address(&address).strip_suffix(".arn")
                && policy.contains("aws_iam_policy.")
            {
                found.insert(format!("{policy}.policy"));
            }
        }
    }
    found
}

fn inline_policies<'m>(
    role: &str,
    resource: Resource<'m>,
    evaluator: &mut Evaluator<'m>,
    found: &mut Vec<AttachedPolicy>,
) {
    let blocks = evaluator.nested(&resource.block.body, "inline_policy");
    let several = blocks.len() > 1;
    for (at, block) in blocks.into_iter().enumerate() {
        let index = if several {
            format!("[{at}]")
        } else {
            String::new()
        };
        let address = format!("{role}.inline_policy{index}");
        let kind = Some(PolicyKind::Identity);
        if let Some(mut unknown) = block.unknown {
            unknown.missing.push(address.clone());
            found.push(AttachedPolicy {
                text: PolicyText::Unknown(unknown),
                value: None,
                address: address.clone(),
                attribute: "inline_policy".to_owned(),
                at: block.head,
                kind,
                form: PolicyForm::Other,
            });
        }
        let mut attributes = block.attributes;
        if let Some((attribute, value)) = attributes.remove("policy") {
            let address = format!("{address}.policy");
            let value = value.map_err(|fault| Unknown {
                why: fault.reason,
                missing: vec![address.clone()],
                ..Unknown::default()
            });
            found.extend(read(address, attribute, kind, value));
        }
    }
}

/// What the attribute at `address` comes to; an error is told like what is not known.
fn known<'m>(
    evaluator: &mut Evaluator<'m>,
    attribute: &'m Attribute,
    address: &str,
) -> Result<Value, Unknown> {
    evaluator.value(&attribute.value).map_err(|fault| Unknown {
        why: fault.reason,
        missing: evaluator.missing_at(address),
        ..Unknown::default()
    })
}

/// `None` when the attribute is called like a policy but holds none.
fn read(
    address: String,
    attribute: &Attribute,
    kind: Option<PolicyKind>,
    value: Result<Value, Unknown>,
) -> Option<AttachedPolicy> {
    let at = attribute.value.span;
    let text = match &value {
        Ok(value) if value.is_null() => return None,
        Ok(value) => tree(value),
        Err(unknown) => PolicyText::Unknown(unknown.clone()),
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
        value: value.ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Node, hcl, pointer};
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
    fn an_insertion_outside_of_a_string_is_unknown_in_its_place() {
        let (_, declared) = declared(
            "resource \"aws_iam_policy\" \"p\" {\n  policy = \"{\\\"Statement\\\": ${jsonencode(var.s)}}\"\n}\nvariable \"s\" {}\n",
        )
        .unwrap();
        let tree = first_tree(&declared).unwrap_or_else(|| panic!("{:?}", declared.policies));
        let unknown = pointer::find(tree, "/Statement").and_then(Node::as_unknown);
        let unknown = unknown.unwrap();
        assert_eq!(unknown.around, Vec::<String>::new());
        assert_eq!(unknown.missing, ["var.s"]);
    }

    #[test]
    fn what_a_policy_is_follows_from_the_resource_and_from_its_use() {
        let (_, declared) = declared(
            "resource \"aws_organizations_policy\" \"s\" {\n  content = jsonencode({})\n}\nresource \"aws_organizations_policy\" \"r\" {\n  type    = \"RESOURCE_CONTROL_POLICY\"\n  content = jsonencode({})\n}\nresource \"aws_organizations_policy\" \"t\" {\n  type    = \"TAG_POLICY\"\n  content = jsonencode({})\n}\nresource \"aws_iam_policy\" \"b\" {\n  policy = jsonencode({})\n}\nresource \"aws_iam_user\" \"u\" {\n  permissions_boundary = aws_iam_policy.b.arn\n}\nresource \"aws_sqs_queue\" \"q\" {\n  for_each = toset([\"x\", \"y\"])\n  policy   = jsonencode({ Id = each.key })\n}\n",
        )
        .unwrap();
        let found: Vec<_> = declared
            .policies
            .iter()
            .map(|policy| (policy.address.as_str(), policy.kind.unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                ("aws_organizations_policy.s.content", PolicyKind::Scp),
                ("aws_organizations_policy.r.content", PolicyKind::Rcp),
                ("aws_iam_policy.b.policy", PolicyKind::Boundary),
                ("aws_sqs_queue.q[\"x\"].policy", PolicyKind::Resource),
                ("aws_sqs_queue.q[\"y\"].policy", PolicyKind::Resource),
            ]
        );
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
