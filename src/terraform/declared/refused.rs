//! What Terraform or the provider refuses for certain, whatever the values are that are not known here.

use std::collections::BTreeMap;

use crate::syntax::hcl::{Block, Form, StepKind};
use crate::syntax::{Kind, Node};
use crate::text::{Span, nearest};

use super::AttachedPolicy;
use crate::terraform::evaluate::Evaluator;
use crate::terraform::policy_text::PolicyText;
use crate::terraform::{Mode, Module, document};

/// Something that is refused.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Where.
    pub at: Span,
    /// What it is about: a resource and its attribute, or a variable.
    pub address: String,
    /// What is wrong with it.
    pub reason: String,
    /// What to do.
    pub help: &'static str,
}

impl Refused {
    /// Whether a policy comes to no value because of this.
    #[must_use]
    pub fn stops(&self, policy: &AttachedPolicy) -> bool {
        let PolicyText::Unknown(unknown) = &policy.text else {
            return false;
        };
        unknown.why == self.reason && unknown.missing.contains(&self.address)
    }
}

/// Arguments of a `module` block that are not for the module.
const META: [&str; 7] = [
    "source",
    "version",
    "count",
    "for_each",
    "providers",
    "depends_on",
    "lifecycle",
];

/// What is refused in the module itself.
pub(super) fn of<'m>(module: &'m Module, evaluator: &mut Evaluator<'m>, found: &mut Vec<Refused>) {
    for file in &module.variables {
        found.extend(file.body.blocks.iter().map(|block| Refused {
            at: block.head,
            address: block.kind.as_str().to_owned(),
            reason: format!(
                "`{}` is a block, but a file of values has `name = value` alone",
                block.kind.as_str()
            ),
            help: "write `name = value`; the value may be an object in braces",
        }));
    }
    for data in module.data(document::KIND) {
        let address = evaluator.rooted(&data.address());
        match evaluator.refused_document(data.block) {
            Some(failure) => found.push(Refused {
                at: failure.at,
                address,
                reason: failure.reason,
                help: "mend the document; the provider reads it before anything is applied",
            }),
            None => repeated_sids(&address, data.block, found),
        }
    }
    for resource in module
        .resources()
        .filter(|resource| resource.mode == Mode::Managed)
    {
        if let Some(count) = resource.block.body.attribute("count") {
            let address = evaluator.rooted(&format!("{}.count", resource.address()));
            let node = evaluator.node(&count.value, &address);
            found.extend(wrong_count(&node, address, count.value.span));
        }
    }
    for variable in module.named("variable") {
        let address = evaluator.rooted(&format!("var.{}", variable.name));
        if let Some(fault) = evaluator.wrong_type(variable.name) {
            found.push(Refused {
                at: fault.at,
                reason: format!(
                    "`{address}` does not get a value of its type: {}",
                    fault.reason
                ),
                address,
                help: "give the variable a value of its `type`",
            });
        }
    }
    moved_from_here(module, found);
    found.extend(module.unmet_overrides.iter().map(|(address, at)| Refused {
        at: *at,
        address: address.clone(),
        reason: format!("`{address}` is declared in no other file, so that nothing is overridden"),
        help: "declare it in a file that is no override file, or take it out",
    }));
}

/// A document joins statements of one Sid by name, so that two of one document are refused (AWS provider,
/// `policy_document_data_source.go`).
fn repeated_sids(address: &str, block: &Block, found: &mut Vec<Refused>) {
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    for statement in block.body.blocks_of("statement") {
        let sid = statement.body.attribute("sid");
        let Some((sid, at)) =
            sid.and_then(|sid| Some((sid.value.literal()?.as_str().to_owned(), sid.value.span)))
        else {
            continue;
        };
        if sid.is_empty() || seen.insert(sid.clone(), at).is_none() {
            continue;
        }
        found.push(Refused {
            at,
            address: address.to_owned(),
            reason: format!("the Sid `{sid}` stands twice in `{address}`"),
            help: "give each statement of a document its own `sid`, or none",
        });
    }
}

fn wrong_count(count: &Node, address: String, at: Span) -> Option<Refused> {
    let digits = match &count.kind {
        Kind::Number(digits) => digits,
        Kind::Text(digits) => digits.as_str(),
        Kind::Null | Kind::Bool(_) | Kind::List(_) | Kind::Map(_) | Kind::Unknown(_) => {
            return None;
        }
    };
    let number: f64 = digits.parse().ok()?;
    let right = number >= 0.0 && number.fract() == 0.0;
    (!right).then(|| Refused {
        at,
        reason: format!("`{address}` is `{digits}`, but a count is a whole number from 0"),
        address,
        help: "give `count` a whole number",
    })
}

/// `moved` from something that is declared still.
fn moved_from_here(module: &Module, found: &mut Vec<Refused>) {
    for block in module
        .blocks()
        .filter(|block| block.kind.as_str() == "moved")
    {
        let Some(from) = block.body.attribute("from") else {
            continue;
        };
        let Form::Traversal(base, steps) = &from.value.form else {
            continue;
        };
        let (Form::Variable(root), [step]) = (&base.form, steps.as_slice()) else {
            continue;
        };
        let StepKind::Attribute(name) = &step.kind else {
            continue;
        };
        let mut declared = module.managed(root.as_str());
        if declared.any(|resource| resource.name == name.as_str()) {
            let address = format!("{}.{}", root.as_str(), name.as_str());
            found.push(Refused {
                at: from.value.span,
                reason: format!(
                    "`{address}` is declared still, so that nothing can be moved from it"
                ),
                address,
                help: "take the `moved` block out, or rename the resource",
            });
        }
    }
}

/// Arguments of a call that the module has no variable for, and those that it needs.
pub(super) fn arguments(address: &str, call: &Block, called: &Module, found: &mut Vec<Refused>) {
    if !called.is_whole() {
        return;
    }
    let names: Vec<&str> = called
        .named("variable")
        .map(|variable| variable.name)
        .collect();
    for argument in &call.body.attributes {
        let name = argument.name.as_str();
        if META.contains(&name) || names.contains(&name) {
            continue;
        }
        let near = nearest(name, names.iter().copied());
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        found.push(Refused {
            at: argument.name.span(),
            address: format!("{address}.{name}"),
            reason: format!("the module of `{address}` has no variable `{name}`{near}"),
            help: "name a variable of the module, or take the argument out",
        });
    }
    let needed = called
        .named("variable")
        .filter(|variable| variable.block.body.attribute("default").is_none())
        .map(|variable| variable.name)
        .filter(|name| call.body.attribute(name).is_none());
    found.extend(needed.map(|name| Refused {
        at: call.head,
        address: format!("{address}.var.{name}"),
        reason: format!("`{address}` does not give its module `{name}`, which has no default"),
        help: "give the argument, or the variable a default",
    }));
}

/// A policy that a resource cannot do without.
pub(super) fn no_policy(at: Span, address: String, what: &str) -> Refused {
    Refused {
        at,
        reason: format!("`{address}` is {what}, but the resource needs a policy"),
        address,
        help: "give it the policy as JSON, with `jsonencode(…)` or an `aws_iam_policy_document`",
    }
}

/// Whether resources of this type are refused without this attribute (AWS provider, their schemas).
pub(super) fn needs_policy(kind: &str, attribute: &str) -> bool {
    matches!(
        (kind, attribute),
        ("aws_iam_role", "assume_role_policy")
            | ("aws_organizations_policy", "content")
            | ("aws_ssoadmin_permission_set_inline_policy", "inline_policy")
            | (
                "aws_iam_role_policy"
                    | "aws_iam_user_policy"
                    | "aws_iam_group_policy"
                    | "aws_iam_policy"
                    | "aws_s3_bucket_policy"
                    | "aws_sns_topic_policy"
                    | "aws_sqs_queue_policy"
                    | "aws_kms_key_policy"
                    | "aws_ecr_repository_policy"
                    | "aws_ecr_registry_policy"
                    | "aws_secretsmanager_secret_policy"
                    | "aws_efs_file_system_policy",
                "policy"
            )
    )
}
