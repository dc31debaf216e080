//! Blocks that change what belongs to which resource: `removed` and `import`.

use crate::syntax::Node;
use crate::syntax::hcl::{Expression, Form, StepKind};
use crate::text::Span;

use crate::terraform::Module;
use crate::terraform::evaluate::Evaluator;

/// A `removed` block that destroys what it takes out.
#[derive(Debug, Clone)]
pub struct Removed {
    /// `from`, without keys.
    pub address: String,
    /// The type of the resource.
    pub kind: String,
    /// `removed`.
    pub head: Span,
}

/// An `import` block.
#[derive(Debug, Clone)]
pub struct Import {
    /// `to`, without keys.
    pub address: String,
    /// `id`.
    pub id: Option<Node>,
    /// Where that stands.
    pub at: Span,
}

/// The resource that is named, without keys: its type and its address.
fn named(expression: &Expression) -> Option<(String, String)> {
    let Form::Traversal(base, steps) = &expression.form else {
        return None;
    };
    let Form::Variable(root) = &base.form else {
        return None;
    };
    let mut names = vec![root.as_str()];
    for step in steps {
        if let StepKind::Attribute(name) = &step.kind {
            names.push(name.as_str());
        }
    }
    let kind = names.len().checked_sub(2).and_then(|at| names.get(at))?;
    Some(((*kind).to_owned(), names.join(".")))
}

pub(super) fn of(
    module: &Module,
    evaluator: &mut Evaluator<'_>,
    removed: &mut Vec<Removed>,
    imports: &mut Vec<Import>,
) {
    for block in module.blocks() {
        let of = |name: &str| {
            block
                .body
                .attribute(name)
                .and_then(|found| named(&found.value))
        };
        match block.kind.as_str() {
            "removed" => {
                let mut lifecycles = block.body.blocks_of("lifecycle");
                let destroy = lifecycles.find_map(|block| block.body.attribute("destroy"));
                let kept = destroy.is_some_and(|flag| matches!(flag.value.form, Form::Bool(false)));
                if let Some((kind, address)) = of("from").filter(|_| !kept) {
                    removed.push(Removed {
                        address: evaluator.rooted(&address),
                        kind,
                        head: block.head,
                    });
                }
            }
            "import" => {
                let (Some((_, address)), Some(id)) = (of("to"), block.body.attribute("id")) else {
                    continue;
                };
                let address = evaluator.rooted(&address);
                imports.push(Import {
                    id: Some(evaluator.node(&id.value, &format!("import.{address}.id"))),
                    at: id.value.span,
                    address,
                });
            }
            _ => {}
        }
    }
}
