//! JSON pointers (RFC 6901).

use super::Node;

/// `pointer` with one more step; `~` and `/` in `step` are escaped (RFC 6901, section 3).
#[must_use]
pub fn join(pointer: &str, step: impl std::fmt::Display) -> String {
    let step = step.to_string();
    if step.contains(['~', '/']) {
        format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"))
    } else {
        format!("{pointer}/{step}")
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
