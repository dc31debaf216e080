//! Blocks inside a resource, each with its attributes evaluated.

use std::collections::BTreeMap;

use crate::syntax::hcl::{Attribute, Body};
use crate::syntax::{Fault, Node, Unknown};
use crate::terraform::failure::settled;
use crate::text::Span;

use super::Evaluator;
use super::blocks::Turn;
use crate::terraform::value::Value;

/// A block inside a resource, one that `dynamic` makes among them.
#[derive(Debug)]
pub(in super::super) struct Nested<'m> {
    /// Where it is written.
    pub(in super::super) head: Span,
    /// Its attributes, and what they come to.
    pub(in super::super) attributes: BTreeMap<&'m str, (&'m Attribute, Result<Value, Fault>)>,
    /// Why it is not known which blocks stand here, where that is so.
    pub(in super::super) unknown: Option<Unknown>,
}

impl Nested<'_> {
    /// The value of an attribute as a tree; an error in it is an unknown value.
    pub(in super::super) fn node(&self, name: &str) -> Option<Node> {
        let (_, value) = self.attributes.get(name)?;
        Some(match value {
            Ok(value) => value.to_node(),
            Err(fault) => Value::unknown(fault.reason.clone(), Vec::new(), fault.at).to_node(),
        })
    }
}

impl<'m> Evaluator<'m> {
    /// The blocks of this kind in `body`, in the instance that is looked at.
    pub(in super::super) fn nested(&mut self, body: &'m Body, kind: &str) -> Vec<Nested<'m>> {
        let mut found = Vec::new();
        self.begin();
        self.scope.clone_from(&self.base);
        let done = self.each_block(body, kind, &mut |evaluator, turn| {
            found.push(match turn {
                Turn::Block(block) => Nested {
                    head: block.head,
                    attributes: block
                        .body
                        .attributes
                        .iter()
                        .map(|attribute| {
                            let value = evaluator.eval(&attribute.value);
                            let value = settled(value);
                            (attribute.name.as_str(), (attribute, value))
                        })
                        .collect(),
                    unknown: None,
                },
                Turn::Unknown(unknown, head, _) => Nested {
                    head,
                    attributes: BTreeMap::new(),
                    unknown: Some(unknown),
                },
            });
            Ok(())
        });
        if let Err(fault) = done {
            found.push(Nested {
                head: fault.at,
                attributes: BTreeMap::new(),
                unknown: Some(Unknown {
                    why: fault.reason,
                    ..Unknown::default()
                }),
            });
        }
        found
    }
}
