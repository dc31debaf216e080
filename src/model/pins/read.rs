//! Text to lock: TOML of our own (`pins.lock`), and the JSON that lies beside cases (`upstream-refs.json`).

use std::collections::BTreeSet;

use crate::syntax::{Entry, Fault, Node, json, toml};
use crate::text::{Span, Text};

use super::{PinsLock, Tag, Upstream, is_object_id};

impl PinsLock {
    /// Reads `pins.lock`. What is not understood is in the second part, with its place; the rest is read all the same.
    #[must_use]
    pub fn read_toml(path: &str, text: &Text) -> (Self, Vec<Fault>) {
        let parsed = toml::read(text);
        let mut reader = Reader::new(path, parsed.faults);
        if let Some(root) = parsed.documents.first() {
            reader.toml(root);
        }
        (reader.lock, reader.faults)
    }

    /// Reads `upstream-refs.json`. The tags of a repository that is listed are all there are; keys that say something
    /// else than refs are passed over.
    #[must_use]
    pub fn read_json(path: &str, text: &Text) -> (Self, Vec<Fault>) {
        let parsed = json::read(text);
        let mut reader = Reader::new(path, parsed.faults);
        if let Some(root) = parsed.documents.first() {
            reader.json(root);
        }
        (reader.lock, reader.faults)
    }
}

struct Reader {
    lock: PinsLock,
    faults: Vec<Fault>,
}

impl Reader {
    fn new(path: &str, faults: Vec<Fault>) -> Self {
        let lock = PinsLock {
            path: path.to_owned(),
            ..PinsLock::default()
        };
        Self { lock, faults }
    }

    fn wrong(&mut self, at: Span, reason: impl Into<String>) {
        self.faults.push(Fault {
            at,
            reason: reason.into(),
        });
    }

    fn upstream(&mut self, name: &str, at: Span) -> &mut Upstream {
        let key = name.to_ascii_lowercase();
        let new = || Upstream::named(name, at);
        self.lock.repositories.entry(key).or_insert_with(new)
    }

    fn toml(&mut self, root: &Node) {
        for Entry { key, value } in root.as_map().unwrap_or_default() {
            match key.as_str() {
                "version" if value.as_integer() == Some(1) => {}
                "version" => self.wrong(value.span(), "the lock's version must be 1"),
                "repository" => {
                    for item in self.tables(value, "repository") {
                        self.repository(item);
                    }
                }
                "ref" => {
                    for item in self.tables(value, "ref") {
                        self.reference(item);
                    }
                }
                other => {
                    let reason = format!(
                        "`{other}` is no key of a lock; known are `version`, `repository` and `ref`"
                    );
                    self.wrong(key.span(), reason);
                }
            }
        }
    }

    fn tables<'n>(&mut self, value: &'n Node, what: &str) -> &'n [Node] {
        let items = value.as_list();
        if items.is_none() {
            self.wrong(value.span(), format!("write `[[{what}]]`"));
        }
        items.unwrap_or_default()
    }

    fn repository(&mut self, item: &Node) {
        let Some(name) = self.name(item, "name") else {
            return;
        };
        let (at, name) = (item.span(), name.to_owned());
        for Entry { key, value } in item.as_map().unwrap_or_default() {
            match key.as_str() {
                "name" => {}
                "tags" => {
                    let all = self.all(value);
                    self.upstream(&name, at).all_tags = all;
                }
                "objects" => {
                    let all = self.all(value);
                    self.upstream(&name, at).all_objects = all;
                }
                "seen" => {
                    let seen = self.text(value).map(str::to_owned);
                    self.upstream(&name, at).seen = seen;
                }
                "moved_to" => {
                    let moved = self.text(value).map(str::to_owned);
                    self.upstream(&name, at).moved_to = moved;
                }
                "branch_commits" => {
                    let ids = self.ids(value);
                    self.upstream(&name, at).branch_commits = Some(ids);
                }
                "former_commits" => {
                    let ids = self.ids(value);
                    self.upstream(&name, at).former_commits = ids;
                }
                other => {
                    let reason = format!(
                        "`{other}` is no key of a repository; known are `name`, `seen`, `tags`, `objects`, `branch_commits`, `former_commits` and `moved_to`"
                    );
                    self.wrong(key.span(), reason);
                }
            }
        }
        self.upstream(&name, at);
    }

    fn reference(&mut self, item: &Node) {
        let keys = ["repository", "ref", "commit", "tag_object", "date"];
        for entry in item.as_map().unwrap_or_default() {
            let key = entry.key.as_str();
            if !keys.contains(&key) {
                let reason = format!(
                    "`{key}` is no key of a ref; known are `{}`",
                    keys.join("`, `")
                );
                self.wrong(entry.key.span(), reason);
            }
        }
        let (Some(repository), Some(name)) =
            (self.name(item, "repository"), self.name(item, "ref"))
        else {
            return;
        };
        let Some(commit) = item.get("commit") else {
            self.wrong(
                item.span(),
                format!("`{name}` of `{repository}` has no `commit`"),
            );
            return;
        };
        let Some(commit) = self.id(commit) else {
            return;
        };
        let tag_object = item.get("tag_object").and_then(|value| self.id(value));
        let date = item.get("date").and_then(|value| self.text(value));
        let tag = Tag {
            commit,
            tag_object,
            date: date.map(str::to_owned),
            at: item.span(),
        };
        let upstream = self.upstream(repository, item.span());
        upstream.put(name, tag);
    }

    fn json(&mut self, root: &Node) {
        let Some(repositories) = root.get("repos").and_then(Node::as_map) else {
            self.wrong(
                root.span(),
                "`repos`, a map of `owner/name` to what was seen there, is expected",
            );
            return;
        };
        for Entry { key, value } in repositories {
            let (name, at) = (key.as_str().to_owned(), key.span());
            self.upstream(&name, at).all_tags = value.get("tags").is_some();
            for part in value.as_map().unwrap_or_default() {
                self.json_part(&name, at, part);
            }
        }
        let complete = root.get("objects_complete").and_then(Node::as_list);
        for name in complete
            .unwrap_or_default()
            .iter()
            .filter_map(Node::as_text)
        {
            self.upstream(name.as_str(), name.span()).all_objects = true;
        }
    }

    fn json_part(&mut self, name: &str, at: Span, Entry { key, value }: &Entry) {
        match key.as_str() {
            "tags" | "branches" => {
                let prefix = if key.as_str() == "branches" {
                    "refs/heads/"
                } else {
                    ""
                };
                for Entry { key, value } in value.as_map().unwrap_or_default() {
                    let commit = value.get("commit").unwrap_or(value);
                    let Some(commit) = self.id(commit) else {
                        continue;
                    };
                    let tag_object = value.get("tag_object").and_then(|value| self.id(value));
                    let date = value.get("date").and_then(Node::as_str);
                    let tag = Tag {
                        commit,
                        tag_object,
                        date: date.map(str::to_owned),
                        at: key.span(),
                    };
                    let reference = format!("{prefix}{}", key.as_str());
                    self.upstream(name, at).put(&reference, tag);
                }
            }
            "branches_contain" => {
                let ids = self.ids(value);
                self.upstream(name, at).branch_commits = Some(ids);
            }
            "known_former_targets" => {
                let ids = self.ids(value);
                self.upstream(name, at).former_commits = ids;
            }
            "moved_to" | "renamed_to" | "redirects_to" => {
                let moved = self.text(value).map(str::to_owned);
                self.upstream(name, at).moved_to = moved;
            }
            "objects_complete" => {
                self.upstream(name, at).all_objects = value.as_bool() == Some(true);
            }
            _ => {}
        }
    }

    fn name<'n>(&mut self, item: &'n Node, key: &str) -> Option<&'n str> {
        let found = item.get(key).and_then(Node::as_str);
        if found.is_none() {
            self.wrong(item.span(), format!("`{key}` is missing, or no string"));
        }
        found
    }

    fn text<'n>(&mut self, value: &'n Node) -> Option<&'n str> {
        let found = value.as_str();
        if found.is_none() {
            self.wrong(
                value.span(),
                format!("a string is expected, not {}", value.kind_name()),
            );
        }
        found
    }

    /// `"all"` or `"some"`.
    fn all(&mut self, value: &Node) -> bool {
        let word = value.as_str().unwrap_or_default();
        if !matches!(word, "all" | "some") {
            self.wrong(value.span(), "`\"all\"` or `\"some\"` is expected");
        }
        word == "all"
    }

    fn id(&mut self, value: &Node) -> Option<String> {
        let id = value.as_str().unwrap_or_default();
        if is_object_id(id) {
            return Some(id.to_ascii_lowercase());
        }
        self.wrong(value.span(), "an object id has 40 hexadecimal digits");
        None
    }

    fn ids(&mut self, value: &Node) -> BTreeSet<String> {
        let items = value.as_list();
        if items.is_none() {
            self.wrong(value.span(), "a list of object ids is expected");
        }
        let items = items.unwrap_or_default().iter();
        items.filter_map(|item| self.id(item)).collect()
    }
}

impl Upstream {
    /// Takes a ref in: `refs/heads/…` is a branch, all else a tag.
    fn put(&mut self, name: &str, tag: Tag) {
        if let Some(branch) = name.strip_prefix("refs/heads/") {
            self.branches.insert(branch.to_owned(), tag.commit);
        } else {
            let name = name.strip_prefix("refs/tags/").unwrap_or(name);
            self.tags.insert(name.to_owned(), tag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;
    use proptest::prelude::*;

    type Read = fn(&str, &Text) -> (PinsLock, Vec<Fault>);

    fn read(how: Read, text: &str) -> Option<(PinsLock, Vec<String>)> {
        let mut sources = SourceMap::default();
        let file = sources.add("x", text);
        let (lock, faults) = how("x", &sources.text(file)?);
        let told = faults.into_iter().map(|fault| fault.reason);
        Some((lock, told.collect()))
    }

    #[test]
    fn what_a_lock_says_that_is_not_known_is_told() {
        let text = "version = 2\nextra = 1\n[[ref]]\nrepository = \"a/b\"\nref = \"v1\"\ncommit = \"12\"\n";
        let (_, told) = read(PinsLock::read_toml, text).unwrap();
        assert_eq!(told.len(), 3, "{told:?}");
    }

    #[test]
    fn the_json_form_is_read_with_tags_as_strings_or_objects() {
        let a = "A".repeat(40);
        let text = format!(
            r#"{{"note": "x", "repos": {{"O/R": {{"tags": {{"v1": "{a}", "v2": {{"commit": "{a}"}}}}, "other": 1}}}}}}"#
        );
        let (lock, told) = read(PinsLock::read_json, &text).unwrap();
        assert_eq!(told, [""; 0]);
        let upstream = lock.upstream("o/r").unwrap();
        assert_eq!(upstream.tags_at(&a.to_lowercase()), ["v1", "v2"]);
        assert!(upstream.all_tags);
    }

    #[test]
    fn a_lock_that_is_written_reads_back_the_same() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let text = format!(
            "version = 1\n[[repository]]\nname = \"o/r\"\ntags = \"all\"\nseen = \"2026-08-18\"\nbranch_commits = [\"{a}\"]\nmoved_to = \"n/r\"\n[[ref]]\nrepository = \"o/r\"\nref = \"v1\"\ncommit = \"{a}\"\ntag_object = \"{b}\"\ndate = \"2026-01-01\"\n[[ref]]\nrepository = \"o/r\"\nref = \"refs/heads/main\"\ncommit = \"{b}\"\n"
        );
        let (lock, told) = read(PinsLock::read_toml, &text).unwrap();
        assert_eq!(told, [""; 0]);
        let written = lock.to_toml();
        let (again, told) = read(PinsLock::read_toml, &written).unwrap();
        assert_eq!(told, [""; 0]);
        assert_eq!(again.to_toml(), written);
        assert_eq!(again.upstream("o/r").unwrap().branches["main"], b);
        assert!(written.contains("moved_to = \"n/r\""));
    }

    proptest! {
        #[test]
        fn any_text_is_a_lock_or_faults(text in "[\\[\\]a-z0-9=\"{}:,\n ]{0,80}") {
            let _toml = read(PinsLock::read_toml, &text);
            let _json = read(PinsLock::read_json, &text);
        }
    }
}
