//! JSON pointers (RFC 6901).

use std::fmt::{self, Write};
use std::sync::Arc;

use super::Node;

/// Takes a step as it stands in a pointer.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if !part.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
            self.0.push_str(part);
            return Ok(());
        }
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
    let mut joined = String::with_capacity(pointer.len() + 16);
    joined.push_str(pointer);
    joined.push('/');
    let _always = write!(Escaped(&mut joined), "{step}");
    joined
}

/// The pointer of a value, or of one of the values of a list: they share the list's, and none is written out before
/// somebody asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    to: Arc<str>,
    index: Option<u32>,
}

impl Pointer {
    /// The pointer of the value at `to`.
    #[must_use]
    pub fn to(to: impl Into<Arc<str>>) -> Self {
        Self {
            to: to.into(),
            index: None,
        }
    }

    /// The pointer of the element `index` of the list that this one leads to.
    #[must_use]
    pub fn element(&self, index: usize) -> Self {
        Self {
            to: Arc::clone(&self.to),
            index: u32::try_from(index).ok(),
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to)?;
        match self.index {
            Some(index) => write!(f, "/{index}"),
            None => Ok(()),
        }
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.to_string()
    }
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
