//! JSON pointers (RFC 6901).

use std::fmt::{self, Write};

use super::Node;

/// Takes a step as it stands in a pointer.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        for character in part.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                other => self.0.push(other),
            }
        }
        Ok(())
    }
}

/// `pointer` with one more step; `~` and `/` in `step` are escaped (RFC 6901, section 3).
#[must_use]
pub fn join(pointer: &str, step: impl fmt::Display) -> String {
    let mut joined = String::with_capacity(pointer.len() + 4);
    joined.push_str(pointer);
    joined.push('/');
    let _always = write!(Escaped(&mut joined), "{step}");
    joined
}

/// The steps of a pointer, unescaped.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
}

/// The node that `pointer` leads to; of repeated keys the last.
#[must_use]
pub fn find<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    steps(pointer).try_fold(root, |node, step| match node.as_list() {
        Some(items) => items.get(step.parse::<usize>().ok()?),
        None => node.get(&step),
    })
}

/// The node that the longest readable beginning of `pointer` leads to.
#[must_use]
pub fn nearest<'a>(root: &'a Node, pointer: &str) -> &'a Node {
    let mut node = root;
    for step in steps(pointer) {
        let next = match node.as_list() {
            Some(items) => step.parse::<usize>().ok().and_then(|at| items.get(at)),
            None => node.get(&step),
        };
        let Some(next) = next else { break };
        node = next;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_and_tildes_in_keys_survive_the_way_there_and_back() {
        let pointer = join(&join("", "a/b~c"), 3);
        assert_eq!(pointer, "/a~1b~0c/3");
        assert_eq!(steps(&pointer).collect::<Vec<_>>(), ["a/b~c", "3"]);
    }
}
