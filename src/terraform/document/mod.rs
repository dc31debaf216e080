//! `aws_iam_policy_document`: the policy that the provider makes of the blocks (hashicorp/terraform-provider-aws,
//! `internal/service/iam/policy_document_data_source.go` and `policy_model.go`).
//!
//! Every value of the policy lies at the bytes of the block that gave it.

mod merge;
mod statement;

use crate::syntax::hcl::{Block, Expression, Form, Step, StepKind};
use crate::syntax::{Kind, Part, Standing, Unknown};
use crate::text::{Span, Text};

use self::merge::Merged;
use super::Eval;
use super::evaluate::{Evaluator, Instances, Turn, text_at};
use super::failure::{Failure, FailureKind};
use super::policy_text::{PolicyText, parts, tree};
use super::types::to_text;
use super::value::{Layout, Mapping, Sequence, Value, ValueKind};

/// The type of the data source.
pub(super) const KIND: &str = "aws_iam_policy_document";

/// The version that a document has unless it says otherwise.
const VERSION: &str = "2012-10-17";

impl<'m> Evaluator<'m> {
    /// What `steps` lead to from the data source `block`.
    pub(super) fn policy_document(
        &mut self,
        block: &'m Block,
        steps: &[Step],
        span: Span,
    ) -> Eval<Value> {
        let address = format!("data.{KIND}.{}", block.label(1).unwrap_or_default());
        let instances = self.instances(block)?;
        if matches!(instances, Instances::Single) {
            let value = self.instance(address, block, None, span)?;
            return self.walk(value, steps);
        }
        let index = match steps.first().map(|step| &step.kind) {
            Some(StepKind::Index(index)) => Some(self.argument(index)?),
            _ => None,
        };
        let some_instance = match (&index, steps.first().map(|step| &step.kind)) {
            (Some(index), _) if index.hole().is_some() => true,
            (Some(_), _) | (None, Some(StepKind::OldIndex(_))) => instances.len().is_none(),
            (None, _) => false,
        };
        if some_instance && let Some((_, rest)) = steps.split_first() {
            // Which instance it is is not known: what all of them have in common is.
            let value = self.instance(address, block, None, span)?;
            return self.walk(value, rest);
        }
        let all = self.all(&address, block, instances, span)?;
        self.walk(all, steps)
    }

    /// Why the provider refuses the document `block`, if it does for certain.
    pub(super) fn refused_document(&mut self, block: &'m Block) -> Option<Failure> {
        let failure = self.policy_document(block, &[], block.head).err()?;
        (failure.kind == FailureKind::Provider).then_some(*failure)
    }

    /// All instances of a document with `count` or `for_each`.
    fn all(
        &mut self,
        address: &str,
        block: &'m Block,
        instances: Instances,
        span: Span,
    ) -> Eval<Value> {
        let kind = match instances {
            Instances::Single => return self.instance(address.to_owned(), block, None, span),
            Instances::Unknown(unknown) => ValueKind::Unknown(unknown),
            Instances::Counted(scopes) => {
                let mut all = Vec::new();
                for (at, scope) in scopes.into_iter().enumerate() {
                    let scope = Some(("count", scope));
                    all.push(self.instance(format!("{address}[{at}]"), block, scope, span)?);
                }
                ValueKind::Sequence(Sequence::Tuple, all)
            }
            Instances::Keyed(scopes) => {
                let mut all = Vec::new();
                for (name, scope) in scopes {
                    let address = format!("{address}[{:?}]", name.as_str());
                    let instance = self.instance(address, block, Some(("each", scope)), span)?;
                    all.push((name, instance));
                }
                ValueKind::Mapping(Mapping::Object, all)
            }
        };
        Ok(Value::new(kind, span))
    }

    /// The attributes of one instance; without `scope`, of any.
    fn instance(
        &mut self,
        address: String,
        block: &'m Block,
        scope: Option<(&str, Value)>,
        span: Span,
    ) -> Eval<Value> {
        let shown = address.clone();
        self.once(address, span, |evaluator| {
            let document = match scope {
                Some((name, value)) => {
                    evaluator.within(name, value, |evaluator| evaluator.document(block))?
                }
                None => evaluator.document(block)?,
            };
            let text = |layout| {
                let kind = ValueKind::Encoded(Box::new(document.clone()), layout);
                Value::new(kind, block.span)
            };
            let mut attributes = vec![
                (text_at("json", block.head), text(Layout::Indented)),
                (text_at("minified_json", block.head), text(Layout::Minified)),
            ];
            attributes.extend(NOT_EVALUATED.iter().map(|name| {
                let missing = format!("{shown}.{name}");
                let why = format!("`{missing}` is looked up when Terraform runs");
                let value = Value::unknown(why, vec![missing], block.head);
                (text_at(name, block.head), value)
            }));
            let kind = ValueKind::Mapping(Mapping::Object, attributes);
            Ok(Value::new(kind, block.span))
        })
    }

    /// The policy: source documents first, then the blocks, then what overrides them.
    fn document(&mut self, block: &'m Block) -> Eval<Value> {
        let mut merged = Merged::default();
        self.others(block, "source_policy_documents", true, &mut merged)?;
        let version = self.attribute_text(block, "version");
        let version = version.unwrap_or_else(|| Value::text(text_at(VERSION, block.head)));
        let own = Merged {
            id: self.attribute_text(block, "policy_id").filter(is_said),
            statements: self.statements(block, &version)?,
            version: Some(version),
        };
        own.without_repeated_sid()?;
        merged.take(own);
        self.others(block, "override_policy_documents", false, &mut merged)?;
        self.old_form(block, &mut merged);
        Ok(merged.finish(block))
    }

    /// Takes in the documents that an attribute lists; source documents may not repeat a Sid.
    fn others(
        &mut self,
        block: &'m Block,
        name: &str,
        unique: bool,
        merged: &mut Merged,
    ) -> Eval<()> {
        let Some(attribute) = block.body.attribute(name) else {
            return Ok(());
        };
        for item in self.items(&attribute.value) {
            let text = as_part_text(&item);
            let empty = text.as_text().is_some_and(|text| text.as_str().is_empty());
            if text.is_null() || empty {
                continue;
            }
            match tree(&text) {
                PolicyText::Tree(node) => {
                    let other = Merged::read(&node);
                    if unique {
                        merged.no_sid_of(&other)?;
                    }
                    merged.take(other);
                }
                PolicyText::Broken(fault) => return Err(Box::new(fault.into())),
                PolicyText::Unknown(mut unknown) => {
                    let documents = std::mem::take(&mut unknown.parts);
                    unknown.hold(documents.iter().flat_map(statements_of).collect());
                    let some = Value::new(ValueKind::Unknown(unknown), text.span());
                    merged.statements.push(some);
                }
            }
        }
        Ok(())
    }

    /// `source_json` and `override_json` were merged by versions of the provider that are gone.
    fn old_form(&mut self, block: &'m Block, merged: &mut Merged) {
        for name in ["source_json", "override_json"] {
            if let Some(value) = self.attribute_text(block, name).filter(is_said) {
                let why = format!("`{name}` is merged by old versions of the provider alone");
                let when = format!("where an old version of the provider merges `{name}`");
                let mut unknown = Unknown {
                    why,
                    ..Unknown::default()
                };
                for document in parts(&value) {
                    let document = document.possible(Some(&when));
                    unknown.hold(statements_of(&document));
                }
                let some = Value::new(ValueKind::Unknown(unknown), value.span());
                merged.statements.push(some);
            }
        }
    }

    fn statements(&mut self, block: &'m Block, version: &Value) -> Eval<Vec<Value>> {
        let old = version
            .as_text()
            .is_some_and(|text| text.as_str() < VERSION);
        let mut statements = Vec::new();
        self.each_block(&block.body, "statement", &mut |evaluator, turn| {
            statements.push(match turn {
                Turn::Block(block) => evaluator.statement(block, old)?,
                Turn::Unknown(mut unknown, at, content) => {
                    let some = content.and_then(|block| evaluator.statement(block, old).ok());
                    let part = some.map(|some| Part::certain(some.to_node()).possible(None));
                    unknown.hold(part.into_iter().collect());
                    Value::new(ValueKind::Unknown(unknown), at)
                }
            });
            Ok(())
        })?;
        Ok(statements)
    }

    /// An attribute that holds a string; `None` where it is not set.
    fn attribute_text(&mut self, block: &'m Block, name: &str) -> Option<Value> {
        let attribute = block.body.attribute(name)?;
        let value = as_part_text(&self.part(&attribute.value));
        (!value.is_null()).then_some(value)
    }

    /// The elements of a list, each of them a part; what is no list is one element.
    fn items(&mut self, expression: &Expression) -> Vec<Value> {
        if let Form::List(items) = &expression.unwrapped().form {
            return items.iter().map(|item| self.part(item)).collect();
        }
        let value = self.part(expression);
        if let ValueKind::Sequence(_, items) = value.kind {
            return items;
        }
        vec![value]
    }

    /// What a part of a document comes to. An error in it is no value of that part, and leaves the others what they are.
    fn part(&mut self, expression: &Expression) -> Value {
        self.argument(expression)
            .unwrap_or_else(|failure| failure.unknown(Vec::new()))
    }
}

/// The statements of a document that may stand there.
fn statements_of(document: &Part) -> Vec<Part> {
    let when = document.when.as_deref();
    let certain = document.standing == Standing::Certain;
    let parts = match document.node.get("Statement") {
        Some(node) => match &node.kind {
            Kind::List(items) => items.iter().cloned().map(Part::certain).collect(),
            Kind::Map(_) => vec![Part::certain(node.clone())],
            Kind::Unknown(unknown) => unknown.parts.clone(),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => Vec::new(),
        },
        None => Vec::new(),
    };
    let parts = parts.into_iter();
    let parts = parts.map(|part| if certain { part } else { part.possible(when) });
    parts.collect()
}

/// A part as a string.
fn as_part_text(value: &Value) -> Value {
    to_text(value).unwrap_or_else(|failure| failure.unknown(Vec::new()))
}

/// Attributes of the data source that nobody needs to judge a policy.
const NOT_EVALUATED: [&str; 8] = [
    "id",
    "version",
    "policy_id",
    "statement",
    "source_policy_documents",
    "override_policy_documents",
    "source_json",
    "override_json",
];

/// Whether it is anything but the empty string, which counts as not set.
fn is_said(value: &Value) -> bool {
    let text = value.as_text();
    !text.is_some_and(|text| text.as_str().is_empty())
}

/// A key of the policy, at the bytes that brought it there.
fn key(name: &str, at: Span) -> Text {
    text_at(name, at)
}

#[cfg(test)]
mod tests;
