//! Locals, resources and data sources that need themselves: Terraform refuses the module, whether or not anything uses them.

use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::hcl::{Body, Expression, Form, Step, StepKind};
use crate::terraform::Module;
use crate::text::Span;

/// How many circles of a module are told.
const MOST: usize = 20;

/// Values that need each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circle {
    /// Where the first of them is written.
    pub at: Span,
    /// Their addresses, each needing the next, and the last one the first.
    pub way: Vec<String>,
}

/// What is declared, where, and what it needs.
struct Declared {
    at: Span,
    needs: BTreeSet<String>,
}

/// The circles among what `module` declares.
pub(super) fn of(module: &Module) -> Vec<Circle> {
    let mut graph = Graph::of(declared(module));
    graph.remove_ends(graph.ends());
    let mut found = Vec::new();
    while found.len() < MOST
        && let Some(circle) = graph.first_circle()
    {
        graph.remove_ends(circle.way.clone());
        found.push(circle);
    }
    found
}

/// What is left to look at: all of it leads into a circle, once those that need nothing of it are taken out.
struct Graph {
    left: BTreeMap<String, Declared>,
    users: BTreeMap<String, Vec<String>>,
    /// How many of those that are left each one needs.
    needed: BTreeMap<String, usize>,
}

impl Graph {
    fn of(mut left: BTreeMap<String, Declared>) -> Self {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (address, one) in &mut left {
            one.needs.retain(|need| names.contains(need));
            for need in &one.needs {
                users.entry(need.clone()).or_default().push(address.clone());
            }
        }
        let count = |(address, one): (&String, &Declared)| (address.clone(), one.needs.len());
        let needed = left.iter().map(count).collect();
        Self {
            left,
            users,
            needed,
        }
    }

    fn ends(&self) -> Vec<String> {
        let ends = self.needed.iter().filter(|(_, count)| **count == 0);
        ends.map(|(address, _)| address.clone()).collect()
    }

    /// Takes these out, and all that need nothing that is left after that.
    fn remove_ends(&mut self, mut ends: Vec<String>) {
        while let Some(end) = ends.pop() {
            if self.left.remove(&end).is_none() {
                continue;
            }
            for user in self.users.get(&end).into_iter().flatten() {
                if let Some(count) = self.needed.get_mut(user) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        ends.push(user.clone());
                    }
                }
            }
        }
    }

    /// The circle that the first of what is left leads into.
    fn first_circle(&self) -> Option<Circle> {
        let mut way: Vec<&String> = Vec::new();
        let mut seen = BTreeMap::new();
        let mut at = self.left.keys().next()?;
        loop {
            if let Some(start) = seen.insert(at, way.len()) {
                let way: Vec<String> = way.into_iter().skip(start).cloned().collect();
                let first = self.left.get(way.first()?)?;
                return Some(Circle { at: first.at, way });
            }
            way.push(at);
            let mut needs = self.left.get(at)?.needs.iter();
            at = needs.find_map(|need| self.left.get_key_value(need))?.0;
        }
    }
}

fn declared(module: &Module) -> BTreeMap<String, Declared> {
    let mut declared = BTreeMap::new();
    for local in module.locals() {
        let mut needs = BTreeSet::new();
        references(vec![&local.value], &mut needs);
        let at = local.name.span();
        let address = format!("local.{}", local.name.as_str());
        declared.insert(address, Declared { at, needs });
    }
    for resource in module.resources() {
        let mut open = Vec::new();
        values(&resource.block.body, &mut open);
        let mut needs = BTreeSet::new();
        references(open, &mut needs);
        let at = resource.head();
        declared.insert(resource.address(), Declared { at, needs });
    }
    declared
}

/// All values in a block; what `ignore_changes` names are attributes, and `self` is known where it may stand.
fn values<'m>(body: &'m Body, open: &mut Vec<&'m Expression>) {
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        let named = body.attributes.iter();
        let named = named.filter(|one| one.name.as_str() != "ignore_changes");
        open.extend(named.map(|attribute| &attribute.value));
        bodies.extend(body.blocks.iter().map(|block| &block.body));
    }
}

/// The addresses of locals, resources and data sources that stand in these expressions.
fn references(mut open: Vec<&Expression>, found: &mut BTreeSet<String>) {
    while let Some(expression) = open.pop() {
        if let Form::Traversal(base, steps) = &expression.form
            && let Form::Variable(root) = &base.form
        {
            found.extend(address(root.as_str(), steps));
        }
        expression.parts(&mut open);
    }
}

fn address(root: &str, steps: &[Step]) -> Option<String> {
    let mut names = steps.iter().map_while(|step| match &step.kind {
        StepKind::Attribute(name) => Some(name.as_str()),
        StepKind::Index(_) | StepKind::OldIndex(_) | StepKind::AttributeSplat | StepKind::Splat => {
            None
        }
    });
    let first = names.next()?;
    match root {
        "data" => Some(format!("data.{first}.{}", names.next()?)),
        _ => Some(format!("{root}.{first}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::hcl;
    use crate::text::SourceMap;

    fn circles(input: &str) -> Option<Vec<Vec<String>>> {
        let mut sources = SourceMap::default();
        let file = sources.add("main.tf", input);
        let module = Module {
            files: vec![hcl::read(&sources.text(file)?)],
            ..Module::default()
        };
        Some(of(&module).into_iter().map(|circle| circle.way).collect())
    }

    #[test]
    fn each_circle_is_told_once_and_what_leads_into_one_is_none() {
        let found = circles(
            "locals {\n  a = local.b\n  b = [for x in [1] : local.a]\n  c = local.a\n  d = \"${local.d}\"\n  e = local.gone\n}\n",
        );
        let expected = [vec!["local.a", "local.b"], vec!["local.d"]];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn long_ways_and_many_circles_are_gone_through_in_one_pass() {
        let mut input = "locals {\n".to_owned();
        for at in 0..5_000 {
            input += &format!("  w{at} = local.w{}\n", at + 1);
            input += &format!("  x{at} = local.y{at}\n  y{at} = local.x{at}\n");
        }
        input += "}\n";
        assert_eq!(circles(&input).unwrap().len(), MOST);
    }
}
