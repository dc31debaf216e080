//! References to variables, locals, resources and data sources that the module does not declare: Terraform refuses them.

use std::collections::BTreeSet;

use crate::syntax::Fault;
use crate::syntax::hcl::{Body, Expression, Form, Part, Step, StepKind};
use crate::terraform::Module;
use crate::text::{Span, nearest};

/// A reference to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undeclared {
    /// The reference, up to the name.
    pub at: Span,
    /// What it refers to, such as `var.ttl`.
    pub address: String,
    /// The declared address of the same kind that is nearest to it.
    pub near: Option<String>,
}

/// Blocks whose references are to what is, or was, somewhere else; `terraform` has names of providers alone.
const ELSEWHERE: [&str; 4] = ["import", "moved", "removed", "terraform"];

/// Attributes that name attributes or configurations of providers.
const NOT_VALUES: [&str; 4] = [
    "configuration_aliases",
    "ignore_changes",
    "provider",
    "providers",
];

/// For how many references what is meant is looked for: that takes a look at every name.
const MOST: usize = 100;

/// Roots that are no resources.
const OWN: [&str; 10] = [
    "action",
    "count",
    "each",
    "ephemeral",
    "module",
    "path",
    "run",
    "self",
    "terraform",
    "provider",
];

/// What is referred to in `module` and declared nowhere in it; nothing when a file of it could not be read.
pub(super) fn of(module: &Module) -> Vec<Undeclared> {
    if !module.is_whole() {
        return Vec::new();
    }
    let declared = declared(module);
    let mut found = Vec::new();
    for file in &module.files {
        let mut open = Vec::new();
        let mut bound = BTreeSet::new();
        values(&file.body, &mut open, &mut bound);
        below(open, &mut bound, &declared, &mut found);
        // A name is bound for the whole file, whichever part of it was gone through first.
        found.retain(|one| !bound.contains(one.root()));
    }
    found.sort_by_key(|one| one.at);
    found
}

/// The first reference of an expression to nothing that `module` declares.
pub(in super::super) fn in_expression(
    expression: &Expression,
    module: &Module,
) -> Option<Undeclared> {
    let (mut found, mut bound) = (Vec::new(), BTreeSet::new());
    below(vec![expression], &mut bound, &declared(module), &mut found);
    found.retain(|one| !bound.contains(one.root()));
    found.into_iter().min_by_key(|one| one.at)
}

/// The references below these expressions to nothing that is declared.
fn below(
    mut open: Vec<&Expression>,
    bound: &mut BTreeSet<String>,
    declared: &BTreeSet<String>,
    found: &mut Vec<Undeclared>,
) {
    while let Some(expression) = open.pop() {
        if let Form::Traversal(base, steps) = &expression.form
            && let Form::Variable(root) = &base.form
            && !bound.contains(root.as_str())
            && let Some((address, end)) = address(root.as_str(), steps)
            && !declared.contains(&address)
        {
            let at = Span {
                end: end.end,
                ..base.span
            };
            let near = if found.len() < MOST {
                alike(&address, declared)
            } else {
                None
            };
            found.push(Undeclared { at, address, near });
        }
        bind(expression, bound);
        expression.parts(&mut open);
    }
}

impl Undeclared {
    /// The first word of the address.
    fn root(&self) -> &str {
        self.address.split('.').next().unwrap_or_default()
    }

    /// The kind of block that would declare it.
    #[must_use]
    pub fn block(&self) -> &'static str {
        match self.root() {
            "var" => "a `variable` block",
            "local" => "a `locals` block",
            "data" => "a `data` block",
            _ => "a `resource` block",
        }
    }

    /// The error that Terraform's console makes of it.
    pub(in super::super) fn at_console(&self) -> Fault {
        let near = self.near.as_ref();
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Fault {
            at: self.at,
            reason: format!(
                "`{}` is not declared in {}{near}",
                self.address,
                self.block()
            ),
        }
    }
}

/// Every address that the module declares, those in `check` blocks among them.
pub(in super::super) fn declared(module: &Module) -> BTreeSet<String> {
    let mut declared: BTreeSet<String> = module
        .locals()
        .map(|local| format!("local.{}", local.name.as_str()))
        .collect();
    let variables = module.named("variable");
    declared.extend(variables.map(|variable| format!("var.{}", variable.name)));
    declared.extend(module.resources().map(|resource| resource.address()));
    for check in module.named("check") {
        for data in check.block.body.blocks_of("data") {
            if let (Some(kind), Some(name)) = (data.label(0), data.label(1)) {
                declared.insert(format!("data.{kind}.{name}"));
            }
        }
    }
    declared
}

/// The nearest of those of the same kind.
pub(in super::super) fn alike(address: &str, declared: &BTreeSet<String>) -> Option<String> {
    let (wanted, name) = address.rsplit_once('.')?;
    let of_kind = |other: &'_ String| -> bool {
        other
            .rsplit_once('.')
            .is_some_and(|(kind, _)| kind == wanted)
    };
    let same = declared.iter().filter(|other| of_kind(other));
    let names = same.filter_map(|other| other.rsplit_once('.').map(|(_, name)| name));
    let near = nearest(name, names)?;
    Some(format!("{wanted}.{near}"))
}

/// All values in a body, and the names that dynamic blocks bind.
fn values<'m>(body: &'m Body, open: &mut Vec<&'m Expression>, bound: &mut BTreeSet<String>) {
    let mut bodies = vec![(body, true)];
    while let Some((body, outermost)) = bodies.pop() {
        let named = body.attributes.iter();
        let named = named.filter(|one| !NOT_VALUES.contains(&one.name.as_str()));
        open.extend(named.map(|attribute| &attribute.value));
        for block in &body.blocks {
            if outermost && ELSEWHERE.contains(&block.kind.as_str()) {
                continue;
            }
            if block.kind.as_str() == "dynamic" {
                bound.extend(block.label(0).map(str::to_owned));
                if let Some(iterator) = block.body.attribute("iterator")
                    && let Form::Variable(name) = &iterator.value.form
                {
                    bound.insert(name.as_str().to_owned());
                }
            }
            bodies.push((&block.body, false));
        }
    }
}

/// The names that a `for` binds, in an expression or in a template.
fn bind(expression: &Expression, bound: &mut BTreeSet<String>) {
    let mut open: Vec<&Part> = Vec::new();
    if let Form::For(it) = &expression.form {
        let names = it.key_name.iter().chain([&it.value_name]);
        bound.extend(names.map(|name| name.as_str().to_owned()));
    } else if let Form::Template(template) = &expression.form {
        open.extend(&template.parts);
    }
    while let Some(part) = open.pop() {
        match part {
            Part::For(it) => {
                let names = it.key_name.iter().chain([&it.value_name]);
                bound.extend(names.map(|name| name.as_str().to_owned()));
                open.extend(&it.body);
            }
            Part::If(it) => open.extend(it.yes.iter().chain(&it.no)),
            Part::Literal(_) | Part::Interpolation(_) => {}
        }
    }
}

/// What is referred to, and its last step; `None` for what is not declared in a module.
fn address<'s>(root: &str, steps: &'s [Step]) -> Option<(String, Span)> {
    let mut names = steps.iter().map_while(|step| match &step.kind {
        StepKind::Attribute(name) => Some((name.as_str(), step.span)),
        StepKind::Index(_) | StepKind::OldIndex(_) | StepKind::AttributeSplat | StepKind::Splat => {
            None
        }
    });
    let (first, end): (&'s str, Span) = names.next()?;
    match root {
        "data" => {
            let (name, end) = names.next()?;
            Some((format!("data.{first}.{name}"), end))
        }
        "var" | "local" => Some((format!("{root}.{first}"), end)),
        _ if OWN.contains(&root) => None,
        _ => Some((format!("{root}.{first}"), end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::hcl;
    use crate::text::SourceMap;

    fn undeclared(input: &str) -> Option<Vec<(String, Option<String>)>> {
        let mut sources = SourceMap::default();
        let file = sources.add("main.tf", input);
        let module = Module {
            files: vec![hcl::read(&sources.text(file)?)],
            ..Module::default()
        };
        let found = of(&module).into_iter();
        Some(found.map(|one| (one.address, one.near)).collect())
    }

    #[test]
    fn what_is_declared_nowhere_is_told_with_what_may_be_meant() {
        let found = undeclared(
            "variable \"record_ttl\" {}\nlocals {\n  a = var.record_tll\n  b = \"${local.other_name}\"\n}\n\
             resource \"aws_iam_role\" \"failover\" {\n  name = aws_iam_role.failovr.name\n  tags = data.aws_x.y.tags\n}\n",
        );
        let expected = [
            ("var.record_tll", Some("var.record_ttl")),
            ("local.other_name", None),
            ("aws_iam_role.failovr", Some("aws_iam_role.failover")),
            ("data.aws_x.y", None),
        ];
        let owned =
            |(address, near): (&str, Option<&str>)| (address.to_owned(), near.map(str::to_owned));
        assert_eq!(found.unwrap(), expected.map(owned));
    }

    #[test]
    fn names_that_a_loop_binds_and_what_stands_elsewhere_are_no_references() {
        let found = undeclared(
            "locals {\n  a = [for my_x in [1] : my_x.y]\n  t = \"%{ for the_y in [1] }${the_y.z}%{ endfor }\"\n}\n\
             moved {\n  from = aws_x.a\n  to = aws_x.b\n}\n\
             terraform {\n  required_providers {\n    aws = {\n      configuration_aliases = [the_aws.x, the_aws.y]\n    }\n  }\n}\n\
             resource \"aws_a\" \"b\" {\n  provider = the_aws.x\n  dynamic \"the_block\" {\n    for_each = [1]\n    content {\n      v = the_block.value\n    }\n  }\n\
             lifecycle {\n    ignore_changes = [tags_all.x]\n  }\n}\n",
        );
        assert_eq!(found.unwrap(), []);
    }
}
