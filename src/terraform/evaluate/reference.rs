//! References: locals, variables, and what only a plan or the account knows.

use crate::syntax::Fault;
use crate::syntax::hcl::{Block, Expression, Form, Step, StepKind};
use crate::text::{Span, Text};

use super::loops::text_at;
use super::{Evaluator, MAX_NESTING};
use crate::terraform::declared::{alike, declared_addresses};
use crate::terraform::failure::{Failure, fault, limit, refusal};
use crate::terraform::library::relative;
use crate::terraform::types::{Type, constraint, convert};
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
        if self.sealed {
            let reason = format!("`{}` is none of the template's variables", root.as_str());
            return Err(fault(span, reason));
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
            (_, None) => Err(refusal(
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
                    None => match attribute_name(name) {
                        Some(name) => {
                            let address = format!("data.{}.{name}", document::KIND);
                            self.undeclared(&address, "a `data` block", span)
                        }
                        None => self.resource(root, steps, span),
                    },
                }
            }
            _ => self.resource(root, steps, span),
        }
    }

    fn local(&mut self, name: &str, span: Span) -> Eval<Value> {
        let address = format!("local.{name}");
        let Some(attribute) = self.frame().locals.get(name).copied() else {
            return self.undeclared(&address, "a `locals` block", span);
        };
        self.once(address, span, |evaluator| {
            let value = evaluator.eval(&attribute.value)?;
            if value.nesting() > MAX_NESTING {
                let reason = format!("this value nests deeper than {MAX_NESTING} levels");
                return Err(limit(attribute.value.span, reason));
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
        if let Some(done) = self.frame().done.get(&address) {
            let done = done.clone();
            if done.is_err() {
                let shown = self.rooted(&address);
                self.faulty.push(shown);
            }
            let value = done?;
            self.charge_for(&value)?;
            return Ok(value);
        }
        let shown = self.rooted(&address);
        if let Some(first) = self.open.iter().position(|open| *open == shown) {
            let circle = self.open.get(first..).unwrap_or(&[]);
            let circle = circle.join(" -> ");
            let reason = format!("this value depends on itself: {circle} -> {shown}");
            return Err(refusal(span, reason));
        }
        self.open.push(shown.clone());
        let outer = std::mem::take(&mut self.scope);
        let value = make(self);
        self.scope = outer;
        self.open.pop();
        if value.is_err() && self.faulty.is_empty() {
            self.faulty.push(shown);
        }
        self.frame_mut().done.insert(address, value.clone());
        value
    }

    /// A name that is declared nowhere: an error, unless a file of the module could not be read.
    pub(super) fn undeclared(&mut self, address: &str, place: &str, span: Span) -> Eval<Value> {
        if self.frame().whole {
            let shown = self.rooted(address);
            self.faulty.push(shown);
            // What is meant is looked for where a person asks; in a module the rule says it.
            let near = self.at_console.then(|| declared_addresses(self.module()));
            let near = near.and_then(|declared| alike(address, &declared));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let reason = format!("`{address}` is not declared in {place}{near}");
            return Err(refusal(span, reason));
        }
        let why = format!("`{address}` may be declared in a file that could not be read");
        Ok(Value::unknown(why, vec![self.rooted(address)], span))
    }

    fn variable(&mut self, name: &str, span: Span) -> Eval<Value> {
        let address = format!("var.{name}");
        let Some(block) = self.frame().variables.get(name).copied() else {
            return self.undeclared(&address, "a `variable` block", span);
        };
        self.once(address.clone(), span, |evaluator| {
            let Some(value) = evaluator.given(name, block)? else {
                let address = evaluator.rooted(&address);
                let why = format!("`{address}` has no default and is not set");
                return Ok(Value::unknown(why, vec![address], span));
            };
            if let Some(refused) = null_in_vain(&value, block) {
                return Err(refused);
            }
            let Some(declared) = block.body.attribute("type") else {
                return Ok(value);
            };
            match evaluator.constraint(&declared.value) {
                Some(wanted) => convert(&value, &wanted),
                None => {
                    let address = evaluator.rooted(&address);
                    let why = format!("the type of `{address}` is not understood");
                    Ok(Value::unknown(why, vec![address], span))
                }
            }
        })
    }

    /// Why what the variable is set to does not have its type; `None` where it has, or where it is not known what it is set
    /// to.
    pub(in super::super) fn wrong_type(&mut self, name: &str) -> Option<Fault> {
        self.begin();
        let block = self.frame().variables.get(name).copied()?;
        let value = self.given(name, block).ok()??;
        if let Some(refused) = null_in_vain(&value, block) {
            return Some(Fault::from(*refused));
        }
        let declared = block.body.attribute("type")?;
        let wanted = self.constraint(&declared.value)?;
        let failure = convert(&value, &wanted).err()?;
        failure.is_caught().then(|| Fault::from(*failure))
    }

    /// The variables of the module that have no value yet: no default, and nothing sets them.
    pub(in super::super) fn unset(&mut self) -> Vec<String> {
        self.begin();
        let variables: Vec<_> = self.module().named("variable").collect();
        let unset = variables
            .into_iter()
            .filter(|variable| matches!(self.given(variable.name, variable.block), Ok(None)));
        let unset = unset.map(|variable| format!("var.{}", variable.name));
        unset.collect()
    }

    /// What a variable is set to: by who calls the module, by a file of values, or by its default.
    fn given(&mut self, name: &str, block: &'m Block) -> Eval<Option<Value>> {
        let default = block.body.attribute("default");
        let nullable = is_nullable(block);
        let stands = |value: &Value| !value.is_null() || nullable || default.is_none();
        let argument = self.frame().caller.clone().and_then(|caller| {
            let argument = caller.block.body.attribute(name)?;
            Some((caller, argument))
        });
        if let Some((caller, argument)) = argument {
            let value = self.in_frame(caller.frame, |evaluator| {
                evaluator.scope = caller.scope;
                evaluator.eval(&argument.value)
            })?;
            return match default.filter(|_| !stands(&value)) {
                Some(default) => self.eval(&default.value).map(Some),
                None => Ok(Some(value)),
            };
        }
        let set = self.frame().set.get(name).copied();
        if let Some(set) = set {
            let value = self.eval(&set.value)?;
            if stands(&value) {
                return Ok(Some(value));
            }
        }
        default.map(|default| self.eval(&default.value)).transpose()
    }

    /// The type that a type expression names, with the defaults that `optional` gives.
    fn constraint(&mut self, expression: &Expression) -> Option<Type> {
        constraint(expression, &mut |default| self.eval(default).ok())
    }

    /// What is not written in the module but known after apply, or by the one who calls it.
    fn resource(&mut self, root: &Text, steps: &[Step], span: Span) -> Eval<Value> {
        let address = self.rooted(&address(root, steps));
        let own = ["module", "path", "each", "count", "self", "terraform"];
        if !own.contains(&root.as_str())
            && let Some(refused) = self.refused(root.as_str(), steps, span)
        {
            return Err(refused);
        }
        let why = match root.as_str() {
            "data" => {
                if let Some(value) = self.data(steps, span) {
                    return Ok(value);
                }
                format!("`{address}` is looked up when Terraform runs")
            }
            "module" => return self.module_output(steps, span),
            "path" => {
                if let Some(value) = self.folder(steps, span) {
                    return Ok(value);
                }
                only(root, steps, &["module", "root", "cwd"], span)?;
                format!("`{address}` depends on where Terraform runs")
            }
            "each" | "count" | "self" if self.at_console && self.at == 0 => {
                let reason = format!(
                    "`{}` stands inside of a block that is repeated alone",
                    root.as_str()
                );
                return Err(refusal(span, reason));
            }
            "each" | "count" | "self" => format!("`{address}` differs from instance to instance"),
            "terraform" => {
                only(root, steps, &["workspace", "applying"], span)?;
                format!("`{address}` depends on where Terraform runs")
            }
            "terraform_data" if self.lacks(steps) => {
                let reason = format!("`{address}` is no attribute of `terraform_data`");
                return Err(refusal(span, reason));
            }
            _ => {
                if let Some(value) = self.configured(root.as_str(), steps, span) {
                    return Ok(value?.used_at(span));
                }
                format!("`{address}` is known after apply")
            }
        };
        Ok(Value::unknown(why, vec![address], span))
    }

    /// Whether the steps name a resource of Terraform's own kind, and an attribute that it has not.
    fn lacks(&self, steps: &[Step]) -> bool {
        let [name, attribute, ..] = steps else {
            return false;
        };
        let known = ["id", "input", "output", "triggers_replace"];
        let name = attribute_name(name);
        let declared =
            name.is_some_and(|name| self.find((Mode::Managed, "terraform_data", name)).is_some());
        declared && attribute_name(attribute).is_some_and(|attribute| !known.contains(&attribute))
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
            let address = self.rooted(&format!("data.{kind}.{}.arn", key.2));
            let why = "the ARN of the provider needs the account's id, which the spec gives";
            return Some(Value::unknown(why, vec![address], span));
        };
        let partition = self.known.partition.as_deref().unwrap_or("aws");
        let host = host.trim_end_matches('/');
        let arn = format!("arn:{partition}:iam::{account}:oidc-provider/{host}");
        Some(Value::text(text_at(&arn, url.span())).used_at(span))
    }

    /// `path.module` and `path.root`, as Terraform writes them when it runs in the folder of the module that is applied.
    fn folder(&self, steps: &[Step], span: Span) -> Option<Value> {
        let [step] = steps else {
            return None;
        };
        let root = self.root_folder();
        let shown = match attribute_name(step)? {
            "module" => relative(root, &self.frame().module.folder),
            "root" => ".".to_owned(),
            _ => return None,
        };
        Some(Value::text(text_at(&shown, span)))
    }

    pub(super) fn find(&self, (mode, kind, name): (Mode, &str, &str)) -> Option<&'m Block> {
        self.frame().resources.get(&(mode, kind, name)).copied()
    }
}

/// Whether the variable may be `null`.
fn is_nullable(block: &Block) -> bool {
    let nullable = block.body.attribute("nullable");
    !nullable.is_some_and(|flag| matches!(flag.value.form, Form::Bool(false)))
}

/// Why a variable that may not be `null` cannot be this value: it has no default to stand in for it.
fn null_in_vain(value: &Value, block: &Block) -> Option<Box<Failure>> {
    let refused = value.is_null() && !is_nullable(block);
    let reason = "null stands here, but the variable is required and has `nullable = false`";
    refused.then(|| refusal(value.span(), reason))
}

/// Refuses what Terraform does not know behind a word of its own.
fn only(root: &Text, steps: &[Step], known: &[&str], span: Span) -> Eval<()> {
    match steps.first().and_then(attribute_name) {
        Some(name) if !known.contains(&name) => {
            let known = known.join("`, `");
            let reason = format!("`{}` has `{known}` alone, and no `{name}`", root.as_str());
            Err(refusal(span, reason))
        }
        _ => Ok(()),
    }
}

pub(super) fn attribute_name(step: &Step) -> Option<&str> {
    match &step.kind {
        StepKind::Attribute(name) => Some(name.as_str()),
        StepKind::Index(_) | StepKind::OldIndex(_) | StepKind::AttributeSplat | StepKind::Splat => {
            None
        }
    }
}

/// How people call what is referred to: up to the attribute, with indexes that are written out.
fn address(root: &Text, steps: &[Step]) -> String {
    let first = steps.first().and_then(attribute_name);
    let most = match root.as_str() {
        "data" if first == Some("terraform_remote_state") => 4,
        "data" => 3,
        "each" | "count" | "self" | "path" | "terraform" => 1,
        _ => 2,
    };
    let mut address = root.as_str().to_owned();
    let mut names = 0;
    for step in steps {
        match &step.kind {
            StepKind::Attribute(_) if names == most => break,
            StepKind::Attribute(name) => {
                address.push('.');
                address.push_str(name.as_str());
                names += 1;
            }
            // Behind the attribute an index is a part of its value.
            StepKind::Index(index) if names < most => match (&index.form, index.literal()) {
                (Form::Number(digits), _) => address.push_str(&format!("[{digits}]")),
                (_, Some(key)) => address.push_str(&format!("[{:?}]", key.as_str())),
                (_, None) => {}
            },
            StepKind::Index(_)
            | StepKind::OldIndex(_)
            | StepKind::AttributeSplat
            | StepKind::Splat => {}
        }
    }
    address
}
