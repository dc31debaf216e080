//! Keys that stand twice in one object of a file of scenarios: JSON leaves open which of them counts (RFC 8259, section 4), so
//! neither may count without a word.

use crate::syntax::{Entry, Kind, Node, json};
use crate::text::{FileId, Span, Text};

/// The keys of a file that mean something; all others are prose.
const KNOWN: [&str; 4] = ["sites", "zone", "records", "scenarios"];

/// Where keys stand twice.
#[derive(Debug)]
pub(super) struct Twice {
    /// By row, with their places in it.
    rows: Vec<Vec<String>>,
}

impl Twice {
    /// Those of a whole file.
    ///
    /// # Errors
    /// When a key of the file itself, or of what its rows have in common, stands twice.
    pub(super) fn of(bytes: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let parsed = json::read(&Text::verbatim(text, Span::at(FileId(0), 0)));
        let mut rows = Vec::new();
        let Some(Kind::Map(entries)) = parsed.documents.first().map(|root| &root.kind) else {
            return Ok(Self { rows });
        };
        let mut keys: Vec<&str> = Vec::new();
        let known = |entry: &&Entry| KNOWN.contains(&entry.key.as_str());
        for entry in entries.iter().filter(known) {
            let key = entry.key.as_str();
            if keys.contains(&key) {
                return Err(format!("its key `{}` stands twice", key.escape_debug()));
            }
            keys.push(key);
            if key == "scenarios"
                && let Kind::List(items) = &entry.value.kind
            {
                rows = items.iter().map(|item| in_node("", item)).collect();
                continue;
            }
            let found = in_node(key, &entry.value);
            if let Some(first) = found.first() {
                return Err(format!("{first} in it"));
            }
        }
        Ok(Self { rows })
    }

    /// Those of the row of this index.
    pub(super) fn in_row(&self, index: usize) -> impl Iterator<Item = String> {
        self.rows.get(index).into_iter().flatten().cloned()
    }
}

/// Those of a value and of all that it holds.
fn in_node(at: &str, node: &Node) -> Vec<String> {
    let mut found = Vec::new();
    gather(at, node, &mut found);
    found
}

fn gather(at: &str, node: &Node, found: &mut Vec<String>) {
    let place = |key: &str| match at {
        "" => key.to_owned(),
        at => format!("{at}.{key}"),
    };
    match &node.kind {
        Kind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                gather(&place(&index.to_string()), item, found);
            }
        }
        Kind::Map(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                let key = entry.key.as_str();
                let mut before = entries.iter().take(index);
                if before.any(|other| other.key.as_str() == key) {
                    found.push(format!("{} twice", place(key)));
                }
                gather(&place(key), &entry.value, found);
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_stands_twice_is_told_by_its_place() {
        let twice =
            Twice::of(br#"{"scenarios":[{"id":"a"},{"given":{"x":[{"y":1,"y":2}]},"given":5}]}"#);
        let twice = twice.unwrap();
        assert_eq!(twice.in_row(0).count(), 0);
        let told: Vec<String> = twice.in_row(1).collect();
        assert_eq!(told, ["given.x.0.y twice", "given twice"]);
        let sites = Twice::of(br#"{"sites":{"edge":1,"edge":2}}"#).unwrap_err();
        assert_eq!(sites, "sites.edge twice in it");
        assert!(Twice::of(br#"{"sites":1,"sites":2}"#).is_err());
        assert!(Twice::of(br#"{"about":{"x":1,"x":2}}"#).is_ok());
    }
}
