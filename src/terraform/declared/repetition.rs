//! `count` and `for_each` of a resource.

use crate::syntax::Unknown;
use crate::text::Span;

use crate::terraform::Resource;
use crate::terraform::evaluate::{Evaluator, Instances};

/// `count` or `for_each`: the block stands for any number of resources.
#[derive(Debug, Clone)]
pub struct Repetition {
    /// The attribute.
    pub at: Span,
    /// How many they are, where that is known.
    pub count: Result<usize, Unknown>,
}

impl Repetition {
    pub(super) fn read(resource: Resource<'_>, evaluator: &mut Evaluator<'_>) -> Option<Self> {
        let at = resource.repetition()?.span;
        let count = match evaluator.instances(resource.block) {
            Ok(Instances::Unknown(unknown)) => Err(unknown),
            Ok(instances) => instances.len().ok_or_else(nothing),
            Err(fault) => Err(Unknown {
                why: fault.reason,
                ..Unknown::default()
            }),
        };
        Some(Self { at, count })
    }

    /// Whether it is known that there are none: the block is never made.
    #[must_use]
    pub(super) fn makes_none(repeated: Option<&Self>) -> bool {
        repeated.is_some_and(|repeated| repeated.count == Ok(0))
    }
}

fn nothing() -> Unknown {
    Unknown {
        why: "the number of instances is not known".to_owned(),
        ..Unknown::default()
    }
}
