//! Attributes of resources that are what their blocks say: the provider keeps them as they are configured.

use crate::syntax::hcl::{Block, Step, StepKind};
use crate::text::{Span, Text, nearest};

use super::Evaluator;
use super::instances::{Instances, Scope};
use super::loops::text_at;
use super::reference::attribute_name;
use crate::terraform::declared::{IgnoreChanges, Record, alike, declared_addresses};
use crate::terraform::failure::{Failure, refusal};
use crate::terraform::types::{Type, convert, to_number, to_text};
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind};
use crate::terraform::{Eval, Mode, Number};

const RECORD: &str = "aws_route53_record";

/// The attribute of the block that `kind.x.attribute` is (AWS provider, schemas of version 6).
fn source<'a>(kind: &str, attribute: &'a str) -> Option<&'a str> {
    let kept: &[&str] = match kind {
        "aws_iam_role" if attribute == "id" => return Some("name"),
        RECORD => &[
            "name",
            "zone_id",
            "type",
            "ttl",
            "records",
            "set_identifier",
        ],
        "aws_iam_role" => &["name", "path", "assume_role_policy"],
        "aws_iam_policy" => &["name", "path", "policy"],
        "aws_iam_role_policy" => &["name", "role", "policy"],
        "aws_iam_user" | "aws_iam_group" => &["name", "path"],
        _ => &[],
    };
    kept.contains(&attribute).then_some(attribute)
}

/// The attributes of resources of this kind (AWS provider, schemas of version 6), where they are known here.
fn schema(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        RECORD => &Record::SCHEMA,
        "aws_iam_role" => &[
            "arn",
            "assume_role_policy",
            "create_date",
            "description",
            "force_detach_policies",
            "id",
            "inline_policy",
            "managed_policy_arns",
            "max_session_duration",
            "name",
            "name_prefix",
            "path",
            "permissions_boundary",
            "tags",
            "tags_all",
            "unique_id",
        ],
        "aws_iam_role_policy" => &["id", "name", "name_prefix", "policy", "role"],
        _ => return None,
    })
}

impl<'m> Evaluator<'m> {
    /// Why a reference at the console is an error: to what the module does not declare, or to an attribute that it has not.
    pub(super) fn refused(&self, root: &str, steps: &[Step], span: Span) -> Option<Box<Failure>> {
        if !self.at_console || !self.frame().whole {
            return None;
        }
        let (mode, kind, steps) = match (root, steps.split_first()) {
            ("data", Some((kind, rest))) => (Mode::Data, attribute_name(kind)?, rest),
            _ => (Mode::Managed, root, steps),
        };
        let (name, rest) = steps.split_first()?;
        let name = attribute_name(name)?;
        let lookup = if mode == Mode::Data { "data." } else { "" };
        if self.find((mode, kind, name)).is_none() {
            let address = format!("{lookup}{kind}.{name}");
            let place = if mode == Mode::Data {
                "data"
            } else {
                "resource"
            };
            let meant = meant(alike(&address, &declared_addresses(self.module())));
            let reason = format!("`{address}` is not declared in a `{place}` block{meant}");
            return Some(refusal(span, reason));
        }
        let known = schema(kind).filter(|_| mode == Mode::Managed)?;
        let attribute = attribute_name(rest.first()?)?;
        (!known.contains(&attribute)).then(|| {
            let meant = meant(nearest(attribute, known.iter().copied()).map(str::to_owned));
            let reason = format!("`{attribute}` is no attribute of `{kind}`{meant}");
            refusal(span, reason)
        })
    }

    /// What a reference to a resource comes to, where its block says so.
    pub(super) fn configured(
        &mut self,
        kind: &str,
        steps: &[Step],
        span: Span,
    ) -> Option<Eval<Value>> {
        let (first, rest) = steps.split_first()?;
        let name = attribute_name(first)?;
        let block = self.find((Mode::Managed, kind, name))?;
        let address = format!("{kind}.{name}");
        let Ok(instances) = self.instances(block) else {
            return None;
        };
        let (index, scope, rest) = match (instances, rest.split_first()) {
            (Instances::Single, _) => (String::new(), Vec::new(), rest),
            (Instances::Unknown(_), Some((step, rest))) => {
                // Which one it is is not known: what all of them have in common is.
                let StepKind::Index(_) = step.kind else {
                    return None;
                };
                (String::new(), Vec::new(), rest)
            }
            (Instances::Unknown(_), None) => return None,
            (instances, Some((step, behind))) if matches!(step.kind, StepKind::Index(_)) => {
                let StepKind::Index(index) = &step.kind else {
                    return None;
                };
                let index = match self.argument(index) {
                    Ok(index) => index,
                    Err(fault) => return Some(Err(fault)),
                };
                let (index, scope) = chosen(instances, &index)?;
                (index, scope, behind)
            }
            (instances, _) if kind == RECORD => {
                let all = self.all_records(&address, block, instances, span);
                return Some(all.and_then(|all| self.walk(all, rest)));
            }
            _ => return None,
        };
        let (step, behind) = rest.split_first()?;
        let attribute = attribute_name(step)?;
        let value = self.kept(&format!("{address}{index}"), block, &scope, attribute, span)?;
        Some(value.and_then(|value| self.walk(value, behind)))
    }

    /// The attribute of one instance; `None` where the provider may make something else of it, or the state may differ.
    fn kept(
        &mut self,
        address: &str,
        block: &'m Block,
        scope: &Scope,
        attribute: &str,
        span: Span,
    ) -> Option<Eval<Value>> {
        let kind = block.label(0)?;
        let attribute = source(kind, attribute)?;
        if IgnoreChanges::read(block).ignores(attribute) {
            return None;
        }
        let written = block.body.attribute(attribute)?;
        let value = self.once(format!("{address}.{attribute}"), span, |evaluator| {
            evaluator.scope.clone_from(scope);
            let value = evaluator.eval(&written.value)?;
            match attribute {
                "records" => convert(&value, &Type::Set(Box::new(Type::Text))),
                "ttl" => convert(&value, &Type::Number),
                _ => convert(&value, &Type::Text),
            }
        });
        let changed = |text: Text| {
            let text = text.as_str();
            attribute == "name"
                && kind == RECORD
                && (text.ends_with('.') || text.to_ascii_lowercase() != text)
                || attribute == "zone_id" && text.starts_with('/')
        };
        match &value {
            Ok(value) if value.is_null() || value.as_text().is_some_and(changed) => None,
            Ok(_) | Err(_) => Some(value),
        }
    }

    /// All instances of a record with `count` or `for_each`.
    fn all_records(
        &mut self,
        address: &str,
        block: &'m Block,
        instances: Instances,
        span: Span,
    ) -> Eval<Value> {
        let kind = match instances {
            Instances::Counted(all) => {
                let mut values = Vec::new();
                for (at, count) in all.into_iter().enumerate() {
                    let scope = vec![("count".to_owned(), count)];
                    values.push(self.record(&format!("{address}[{at}]"), block, &scope, span)?);
                }
                ValueKind::Sequence(Sequence::Tuple, values)
            }
            Instances::Keyed(all) => {
                let mut values = Vec::new();
                for (key, each) in all {
                    let scope = vec![("each".to_owned(), each)];
                    let address = format!("{address}[{:?}]", key.as_str());
                    values.push((key, self.record(&address, block, &scope, span)?));
                }
                ValueKind::Mapping(Mapping::Object, values)
            }
            Instances::Single | Instances::Unknown(_) => {
                return self.record(address, block, &Vec::new(), span);
            }
        };
        Ok(Value::new(kind, span))
    }

    /// One record as an object: what is not kept as it is configured is known after apply.
    fn record(
        &mut self,
        address: &str,
        block: &'m Block,
        scope: &Scope,
        span: Span,
    ) -> Eval<Value> {
        let mut entries = Vec::new();
        for attribute in Record::SCHEMA {
            self.charge(1, span)?;
            let value = match self.kept(address, block, scope, attribute, span) {
                Some(value) => value?,
                None => {
                    let address = self.rooted(&format!("{address}.{attribute}"));
                    let why = format!("`{address}` is known after apply");
                    Value::unknown(why, vec![address], span)
                }
            };
            entries.push((text_at(attribute, span), value));
        }
        Ok(Value::new(
            ValueKind::Mapping(Mapping::Object, entries),
            span,
        ))
    }
}

/// What stands behind a reason where something else is probably meant.
fn meant(near: Option<String>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// The instance with this index, as it stands behind the address, and what is in scope there.
fn chosen(instances: Instances, index: &Value) -> Option<(String, Scope)> {
    if index.hole().is_some() {
        return None;
    }
    match instances {
        Instances::Counted(all) => {
            let at = to_number(index).ok()?.and_then(Number::as_index)?;
            let count = all.into_iter().nth(at)?;
            Some((format!("[{at}]"), vec![("count".to_owned(), count)]))
        }
        Instances::Keyed(all) => {
            let wanted = to_text(index).ok()?.as_text()?;
            let mut all = all.into_iter();
            let (key, each) = all.find(|(key, _)| key.as_str() == wanted.as_str())?;
            let index = format!("[{:?}]", key.as_str());
            Some((index, vec![("each".to_owned(), each)]))
        }
        Instances::Single | Instances::Unknown(_) => None,
    }
}
