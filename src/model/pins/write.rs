//! Lock to text: sorted, one key a line, so that a change of one ref is a change of few lines.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{PinsLock, Upstream};

const HEADER: &str = "# Which commit each ref of an action's repository was seen at: pins and their comments are checked with it, without a\n# network. `pointsman pins` writes it; commit it with the workflows.\nversion = 1\n";

impl PinsLock {
    /// The lock as the text of `pins.lock`.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = HEADER.to_owned();
        for upstream in self.repositories.values() {
            upstream.write(&mut text);
        }
        text
    }
}

impl Upstream {
    fn write(&self, text: &mut String) {
        let name = quoted(&self.name);
        let _ = writeln!(text, "\n[[repository]]\nname = {name}");
        if let Some(seen) = &self.seen {
            let _ = writeln!(text, "seen = {}", quoted(seen));
        }
        if let Some(moved) = &self.moved_to {
            let _ = writeln!(text, "moved_to = {}", quoted(moved));
        }
        let _ = writeln!(
            text,
            "tags = \"{}\"",
            if self.all_tags { "all" } else { "some" }
        );
        if self.all_objects {
            let _ = writeln!(text, "objects = \"all\"");
        }
        if let Some(commits) = &self.branch_commits {
            list(text, "branch_commits", commits);
        }
        if !self.former_commits.is_empty() {
            list(text, "former_commits", &self.former_commits);
        }
        for (branch, commit) in &self.branches {
            let reference = quoted(&format!("refs/heads/{branch}"));
            let _ = writeln!(
                text,
                "\n[[ref]]\nrepository = {name}\nref = {reference}\ncommit = \"{commit}\""
            );
        }
        for (tag, found) in &self.tags {
            let reference = quoted(tag);
            let commit = &found.commit;
            let _ = writeln!(
                text,
                "\n[[ref]]\nrepository = {name}\nref = {reference}\ncommit = \"{commit}\""
            );
            if let Some(object) = &found.tag_object {
                let _ = writeln!(text, "tag_object = \"{object}\"");
            }
            if let Some(date) = &found.date {
                let _ = writeln!(text, "date = {}", quoted(date));
            }
        }
    }
}

/// A TOML basic string (toml.io, "String").
fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            _ if character.is_control() => {
                let _ = write!(text, "\\u{:04X}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text.push('"');
    text
}

fn list(text: &mut String, key: &str, ids: &BTreeSet<String>) {
    let _ = writeln!(text, "{key} = [");
    for id in ids {
        let _ = writeln!(text, "  \"{id}\",");
    }
    text.push_str("]\n");
}
