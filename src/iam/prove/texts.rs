//! Actions and resources of every kind: strings that have a shape and that patterns tell apart.

use super::words::{
    Budget, Shape, Step, Word, Words, examples, glob, instance, is_shaped, literal,
};

/// Strings that were found.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) found: Vec<String>,
    /// Whether some are missing.
    pub(super) tangled: bool,
}

impl Texts {
    /// Adds those of one shape. When they are too tangled, at least some that are quick to name.
    pub(super) fn add(&mut self, words: &Words, shape: Shape<'_>, budget: &Budget) {
        let only = match shape.required {
            [_, [own]] => literal(own),
            _ => None,
        };
        if let Some(only) = only {
            self.found
                .extend(Some(only).filter(|text| is_shaped(text, shape)));
            return;
        }
        if let Ok(found) = examples(words, shape, budget) {
            self.found.extend(found);
            return;
        }
        self.tangled = true;
        let required = shape.required.iter().flat_map(|list| list.iter());
        let instances = words.iter().chain(required).map(instance);
        self.found
            .extend(instances.filter(|text| is_shaped(text, shape)));
    }
}

/// A service and a name.
pub(super) fn pair() -> Word {
    vec![
        Step::One { colon: false },
        Step::Run { colon: false },
        Step::Char(':'),
        Step::One { colon: false },
        Step::Run { colon: false },
    ]
}

/// The form of an ARN in each partition; as it is where there is none.
pub(super) fn in_partitions(shape: &str, partitions: &[&str]) -> Vec<String> {
    match shape.strip_prefix("arn:*:") {
        Some(rest) if !partitions.is_empty() => {
            let whole = |partition: &&str| format!("arn:{partition}:{rest}");
            partitions.iter().map(whole).collect()
        }
        Some(_) | None => vec![shape.to_owned()],
    }
}

/// An ARN whose first five segments hold no colon.
pub(super) fn arn_shape(text: &str) -> Word {
    let head: String = text
        .splitn(6, ':')
        .take(5)
        .flat_map(|part| [part, ":"])
        .collect();
    let tail = text.splitn(6, ':').nth(5).unwrap_or_default();
    let one = |step: Step| {
        if step == Step::Char('?') {
            Step::One { colon: false }
        } else {
            step
        }
    };
    let mut shape: Word = glob(&head, false).into_iter().map(one).collect();
    shape.extend(glob(tail, true));
    // A resource has a name.
    if tail.ends_with('*') {
        shape.insert(shape.len() - 1, Step::One { colon: true });
    }
    shape
}
