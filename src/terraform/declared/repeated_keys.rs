//! Keys that stand twice in one object: Terraform keeps the last and says nothing.

use std::collections::BTreeMap;

use crate::syntax::hcl::{Body, Form, Item, Key};
use crate::text::Span;

/// A key that stands twice in one object expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedKey {
    /// The key.
    pub name: String,
    /// The later one, which counts.
    pub again: Span,
    /// The earlier one, which is lost.
    pub first: Span,
}

/// All repeated keys below `body`.
pub(super) fn below(body: &Body) -> Vec<RepeatedKey> {
    let mut found = Vec::new();
    let mut bodies = vec![body];
    let mut open = Vec::new();
    while let Some(body) = bodies.pop() {
        bodies.extend(body.blocks.iter().map(|block| &block.body));
        open.extend(body.attributes.iter().map(|attribute| &attribute.value));
    }
    while let Some(expression) = open.pop() {
        if let Form::Object(items) = &expression.form {
            repeated(items, &mut found);
        }
        expression.parts(&mut open);
    }
    found
}

/// Keys whose text is known as it is written.
fn literal(key: &Key) -> Option<(&str, Span)> {
    match key {
        Key::Name(name) => Some((name.as_str(), name.span())),
        Key::Expression(written) => Some((written.literal()?.as_str(), written.span)),
    }
}

fn repeated(items: &[Item], found: &mut Vec<RepeatedKey>) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for (name, again) in items.iter().filter_map(|item| literal(&item.key)) {
        if let Some(first) = seen.insert(name, again) {
            let name = name.to_owned();
            found.push(RepeatedKey { name, again, first });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::hcl;
    use crate::text::SourceMap;

    #[test]
    fn keys_are_the_same_in_quotes_and_bare_and_at_any_depth() {
        let mut sources = SourceMap::default();
        let input = "a \"b\" {\n  c = f([{ x = 1, y = 2, \"x\" = 3 }])\n}\nd = { x = { x = 1 } }\n";
        let file = sources.add("main.tf", input);
        let read = hcl::read(&sources.text(file).unwrap());
        let found = below(&read.body);
        let [only] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(sources.slice(only.again), "\"x\"");
        assert_eq!(sources.slice(only.first), "x");
    }
}
