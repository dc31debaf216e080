//! References: locals, variables, and what only a plan or the account knows.

use crate::syntax::hcl::{Block, Step, StepKind};
use crate::text::{Span, Text};

use super::loops::text_at;
use super::{Evaluator, MAX_NESTING};
use crate::terraform::types::{constraint, convert, fault};
use crate::terraform::value::Value;
use crate::terraform::{Eval, Mode, document};

impl<'m> Evaluator<'m> {
    /// `root` followed by `steps`.
    pub(super) fn reference(&mut self, root: &Text, steps: &[Step], span: Span) -> Eval<Value> {
        let in_scope = self.scope.iter().rev();
        let found = in_scope.clone().find(|(name, _)| name == root.as_str());
        if let Some((_, value)) = found {
            let value = value.clone();
            self.charge_for(&value)?;
            return self.walk(value, steps);
        }
        match (root.as_str(), steps.split_first()) {
            ("local", Some((step, rest))) => {
                let name = attribute_name(step)
                    .ok_or_else(|| fault(span, "`local` is followed by `.` and a name"))?;
                let value = self.local(name, span)?;
                let value = self.walk(value, rest)?;
                Ok(value.used_at(span))
            }
            ("var", Some((step, rest))) => {
                let name = attribute_name(step)
                    .ok_or_else(|| fault(span, "`var` is followed by `.` and a name"))?;
                let value = self.variable(name, span)?;
                let value = self.walk(value, rest)?;
                Ok(value.used_at(span))
            }
            (_, None) => Err(fault(
                span,
                format!(
                    "`{}` is no value; a resource is named by its type and its name",
                    root.as_str()
                ),
            )),
            ("data", Some((kind, [name, rest @ ..])))
                if attribute_name(kind) == Some(document::KIND) =>
            {
                let declared = attribute_name(name)
                    .and_then(|name| self.find((Mode::Data, document::KIND, name)));
                match declared {
                    Some(block) => {
                        let value = self.policy_document(block, rest, span)?;
                        Ok(value.used_at(span))
                    }
                    None => self.resource(root, steps, span),
                }
            }
            _ => self.resource(root, steps, span),
        }
    }

    fn local(&mut self, name: &str, span: Span) -> Eval<Value> {
        let address = format!("local.{name}");
        let Some(attribute) = self.locals.get(name).copied() else {
            return self.undeclared(&address, "a `locals` block", span);
        };
        self.once(address, span, |evaluator| {
            let value = evaluator.eval(&attribute.value)?;
            if value.nesting() > MAX_NESTING {
                let reason = format!("this value nests deeper than {MAX_NESTING} levels");
                return Err(fault(attribute.value.span, reason));
            }
            Ok(value)
        })
    }

    /// What is called `address` is made once, outside of every scope. That it depends on itself is an error.
    pub(in super::super) fn once(
        &mut self,
        address: String,
        span: Span,
        make: impl FnOnce(&mut Self) -> Eval<Value>,
    ) -> Eval<Value> {
        if let Some(done) = self.done.get(&address) {
            let value = done.clone()?;
            self.charge_for(&value)?;
            return Ok(value);
        }
        if let Some(first) = self.open.iter().position(|open| *open == address) {
            let circle = self.open.get(first..).unwrap_or(&[]);
            let circle = circle.join(" -> ");
            let reason = format!("this value depends on itself: {circle} -> {address}");
            return Err(fault(span, reason));
        }
        self.open.push(address.clone());
        let outer = std::mem::take(&mut self.scope);
        let value = make(self);
        self.scope = outer;
        self.open.pop();
        self.done.insert(address, value.clone());
        value
    }

    /// A name that is declared nowhere: an error, unless a file of the module could not be read.
    fn undeclared(&self, address: &str, place: &str, span: Span) -> Eval<Value> {
        if self.whole {
            return Err(fault(
                span,
                format!("`{address}` is not declared in {place}"),
            ));
        }
        let why = format!("`{address}` may be declared in a file that could not be read");
        Ok(Value::unknown(why, vec![address.to_owned()], span))
    }

    fn variable(&mut self, name: &str, span: Span) -> Eval<Value> {
        let address = format!("var.{name}");
        let Some(block) = self.variables.get(name).copied() else {
            return self.undeclared(&address, "a `variable` block", span);
        };
        let set = self.set.get(name).copied();
        let Some(default) = set.or_else(|| block.body.attribute("default")) else {
            let why = format!("`{address}` has no default and is not set");
            return Ok(Value::unknown(why, vec![address], span));
        };
        let outer = std::mem::take(&mut self.scope);
        let value = self.eval(&default.value);
        self.scope = outer;
        let value = value?;
        let Some(declared) = block.body.attribute("type") else {
            return Ok(value);
        };
        match constraint(&declared.value) {
            Some(wanted) => convert(&value, &wanted),
            None => {
                let why = format!("the type of `{address}` is not understood");
                Ok(Value::unknown(why, vec![address], span))
            }
        }
    }

    /// What is not written in the module but known after apply, or by the one who calls it.
    fn resource(&mut self, root: &Text, steps: &[Step], span: Span) -> Eval<Value> {
        let address = address(root, steps);
        let why = match root.as_str() {
            "data" => {
                if let Some(value) = self.data(steps, span) {
                    return Ok(value);
                }
                format!("`{address}` is looked up when Terraform runs")
            }
            "module" => format!("`{address}` is an output of another module"),
            "each" | "count" | "self" => format!("`{address}` differs from instance to instance"),
            "path" | "terraform" => format!("`{address}` depends on where Terraform runs"),
            _ => {
                if let Some(value) = self.attribute_of_role(root, steps, span) {
                    return Ok(value?.used_at(span));
                }
                format!("`{address}` is known after apply")
            }
        };
        Ok(Value::unknown(why, vec![address], span))
    }

    /// The ARN of an OIDC provider that is looked up by a literal URL: it follows from the account (IAM User Guide,
    /// "IAM identifiers").
    fn data(&self, steps: &[Step], span: Span) -> Option<Value> {
        let [kind, name, attribute] = steps else {
            return None;
        };
        let kind = attribute_name(kind)?;
        let key = (Mode::Data, kind, attribute_name(name)?);
        let attribute = attribute_name(attribute)?;
        let block = self.find(key)?;
        if kind != "aws_iam_openid_connect_provider" || attribute != "arn" {
            return None;
        }
        let url = block.body.attribute("url")?.value.literal()?;
        let host = url
            .as_str()
            .strip_prefix("https://")
            .unwrap_or(url.as_str());
        let Some(account) = &self.known.account else {
            let address = format!("data.{kind}.{}.arn", key.2);
            let why = "the ARN of the provider needs the account's id, which the spec gives";
            return Some(Value::unknown(why, vec![address], span));
        };
        let partition = self.known.partition.as_deref().unwrap_or("aws");
        let host = host.trim_end_matches('/');
        let arn = format!("arn:{partition}:iam::{account}:oidc-provider/{host}");
        Some(Value::text(text_at(&arn, url.span())).used_at(span))
    }

    /// `aws_iam_role.x.name` and `.id` are what the block says.
    fn attribute_of_role(
        &mut self,
        root: &Text,
        steps: &[Step],
        span: Span,
    ) -> Option<Eval<Value>> {
        let (name, attribute, indexed) = match steps {
            [name, attribute] => (name, attribute, false),
            [name, index, attribute] if matches!(index.kind, StepKind::Index(_)) => {
                (name, attribute, true)
            }
            _ => return None,
        };
        if root.as_str() != "aws_iam_role" || !matches!(attribute_name(attribute)?, "name" | "id") {
            return None;
        }
        let name = attribute_name(name)?;
        let body = &self.find((Mode::Managed, "aws_iam_role", name))?.body;
        let repeated = body
            .attribute("count")
            .or_else(|| body.attribute("for_each"));
        if repeated.is_some() != indexed {
            return None;
        }
        let written = body.attribute("name")?;
        let address = format!("aws_iam_role.{name}.name");
        Some(self.once(address, span, |evaluator| evaluator.eval(&written.value)))
    }

    fn find(&self, (mode, kind, name): (Mode, &str, &str)) -> Option<&'m Block> {
        self.resources.get(&(mode, kind, name)).copied()
    }
}

fn attribute_name(step: &Step) -> Option<&str> {
    match &step.kind {
        StepKind::Attribute(name) => Some(name.as_str()),
        StepKind::Index(_) | StepKind::OldIndex(_) | StepKind::AttributeSplat | StepKind::Splat => {
            None
        }
    }
}

/// How people call what is referred to: up to the attribute, without indexes.
fn address(root: &Text, steps: &[Step]) -> String {
    let most = match root.as_str() {
        "data" => 3,
        "each" | "count" | "self" | "path" | "terraform" => 1,
        _ => 2,
    };
    let mut address = root.as_str().to_owned();
    let names = steps.iter().filter(|step| {
        !matches!(
            step.kind,
            StepKind::Splat | StepKind::AttributeSplat | StepKind::Index(_)
        )
    });
    for step in names.take(most) {
        if let Some(name) = attribute_name(step) {
            address.push('.');
            address.push_str(name);
        }
    }
    address
}
