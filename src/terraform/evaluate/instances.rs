//! `count` and `for_each`: which instances a block stands for.

use crate::syntax::Unknown;
use crate::syntax::hcl::{Attribute, Block};
use crate::text::Text;

use super::blocks::{object, pair};
use super::loops::turns;
use super::{Evaluator, Number};
use crate::terraform::Eval;
use crate::terraform::failure::fault;
use crate::terraform::types::{to_number, to_text};
use crate::terraform::value::{Sequence, Value, ValueKind};

/// The instances that a block stands for; each with the value of `count` or `each` in it.
#[derive(Debug)]
pub(in super::super) enum Instances {
    /// The block has neither `count` nor `for_each`.
    Single,
    /// `count`: one for each number from 0.
    Counted(Vec<Value>),
    /// `for_each`: one for each key.
    Keyed(Vec<(Text, Value)>),
    /// How many there are is not known.
    Unknown(Unknown),
}

/// How many instances of one block are gone through: each is a resource of its own.
const MOST_INSTANCES: usize = 10_000;

impl Instances {
    /// How many there are, where that is known.
    pub(in super::super) fn len(&self) -> Option<usize> {
        match self {
            Self::Single => Some(1),
            Self::Counted(all) => Some(all.len()),
            Self::Keyed(all) => Some(all.len()),
            Self::Unknown(_) => None,
        }
    }
}

impl Evaluator<'_> {
    /// The instances of `block`.
    pub(in super::super) fn instances(&mut self, block: &Block) -> Eval<Instances> {
        let instances = self.as_it_stands(block);
        if self.supposed && instances.as_ref().map_or(true, |all| all.len() == Some(0)) {
            let why = "no instance is made as the variables stand";
            return Ok(Instances::Unknown(Unknown {
                why: why.to_owned(),
                ..Unknown::default()
            }));
        }
        instances
    }

    fn as_it_stands(&mut self, block: &Block) -> Eval<Instances> {
        if let Some(count) = block.body.attribute("count") {
            return bounded(self.outside(|evaluator| evaluator.counted(count)));
        }
        if let Some(each) = block.body.attribute("for_each") {
            return bounded(self.outside(|evaluator| evaluator.keyed(each)));
        }
        Ok(Instances::Single)
    }

    fn counted(&mut self, count: &Attribute) -> Eval<Instances> {
        let at = count.value.span;
        let value = self.eval(&count.value)?;
        if let Some(unknown) = value.hole() {
            return Ok(Instances::Unknown(unknown));
        }
        let Some(count) = to_number(&value)?.and_then(Number::as_index) else {
            return Err(fault(at, "a count is a whole number from 0"));
        };
        if count > MOST_INSTANCES {
            return Ok(Instances::Unknown(Unknown {
                why: format!("it makes {count} instances; up to {MOST_INSTANCES} are looked at"),
                ..Unknown::default()
            }));
        }
        let mut all = Vec::new();
        for index in 0..count {
            self.charge(1, at)?;
            let index = Value::new(ValueKind::Number(Number::from_length(index)), at);
            all.push(object([("index", index)], at));
        }
        Ok(Instances::Counted(all))
    }

    fn keyed(&mut self, each: &Attribute) -> Eval<Instances> {
        let at = each.value.span;
        let collection = self.eval(&each.value)?;
        if let Some(unknown) = collection.hole() {
            return Ok(Instances::Unknown(unknown));
        }
        let takes = matches!(
            collection.kind,
            ValueKind::Mapping(..) | ValueKind::Sequence(Sequence::Set, _)
        );
        let mut all = Vec::new();
        for (key, value) in turns(&collection, at)? {
            if let Some(unknown) = key.hole() {
                return Ok(Instances::Unknown(unknown));
            }
            match to_text(&key)?.as_text() {
                Some(name) if takes => all.push((name, pair(key, value, at))),
                _ => return Err(fault(at, "`for_each` takes a map or a set of strings")),
            }
        }
        Ok(Instances::Keyed(all))
    }

    /// What is in scope in each instance of `block`, with its key as it stands behind the address; one without a key
    /// where there is one alone, or where it is not known how many there are. `None` where it is known that there is none.
    pub(in super::super) fn each_instance(
        &mut self,
        block: &Block,
    ) -> Option<Vec<(String, Scope)>> {
        self.begin();
        self.scope.clear();
        let all: Vec<(String, Scope)> = match self.instances(block) {
            Ok(Instances::Counted(all)) => {
                let indexed = all.into_iter().enumerate();
                let named = |(at, count)| (format!("[{at}]"), vec![("count".to_owned(), count)]);
                indexed.map(named).collect()
            }
            Ok(Instances::Keyed(all)) => {
                let named = |(key, each): (Text, Value)| {
                    let index = format!("[{:?}]", key.as_str());
                    (index, vec![("each".to_owned(), each)])
                };
                all.into_iter().map(named).collect()
            }
            Ok(Instances::Unknown(unknown)) => vec![(String::new(), self.any(block, &unknown))],
            Ok(Instances::Single) | Err(_) => {
                vec![(String::new(), Vec::new())]
            }
        };
        (!all.is_empty()).then_some(all)
    }

    /// What is in scope where it is not known how many instances there are: what that hangs on is missing.
    fn any(&self, block: &Block, unknown: &Unknown) -> Scope {
        let counted = block.body.attribute("count");
        let Some(by) = counted.or_else(|| block.body.attribute("for_each")) else {
            return Vec::new();
        };
        let open = |name: &str| {
            let why = format!("`{}` differs from instance to instance", self.rooted(name));
            Value::unknown(why, unknown.missing.clone(), by.value.span)
        };
        if unknown.missing.is_empty() {
            Vec::new()
        } else if counted.is_some() {
            let index = object([("index", open("count.index"))], by.value.span);
            vec![("count".to_owned(), index)]
        } else {
            let each = pair(open("each.key"), open("each.value"), by.value.span);
            vec![("each".to_owned(), each)]
        }
    }

    /// What is evaluated from now on belongs to the instance with this in scope.
    pub(in super::super) fn in_instance(&mut self, scope: Scope) {
        self.base = scope;
    }
}

/// How many there are is not known where a bound stopped the count.
fn bounded(instances: Eval<Instances>) -> Eval<Instances> {
    instances.or_else(|failure| match failure.limit() {
        Some(unknown) => Ok(Instances::Unknown(unknown)),
        None => Err(failure),
    })
}

/// Names and what they stand for.
pub(in super::super) type Scope = Vec<(String, Value)>;
