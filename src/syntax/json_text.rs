//! A tree as JSON again (RFC 8259), without white space: keys in their order, repeated ones included, numbers as they are
//! written.

use super::{Kind, Node};

impl Node {
    /// The tree as one line of JSON; `None` when a value in it is not known.
    #[must_use]
    pub fn json(&self) -> Option<String> {
        let mut out = String::new();
        write(self, &mut out)?;
        Some(out)
    }
}

fn write(node: &Node, out: &mut String) -> Option<()> {
    match &node.kind {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Kind::Number(digits) => out.push_str(digits),
        Kind::Text(text) => string(text.as_str(), out),
        Kind::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out)?;
            }
            out.push(']');
        }
        Kind::Map(entries) => {
            out.push('{');
            for (index, entry) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(entry.key.as_str(), out);
                out.push(':');
                write(&entry.value, out)?;
            }
            out.push('}');
        }
        Kind::Unknown(_) => return None,
    }
    Some(())
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use crate::syntax::json;
    use crate::text::SourceMap;

    fn again(text: &str) -> Option<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.json", text);
        let root = json::read(&sources.text(file)?).documents.pop()?;
        root.json()
    }

    #[test]
    fn what_is_written_reads_as_what_was_read() {
        let text = r#" { "a" : [1e2, -0.50, true, null, "x\\052.\u0007\"\n"], "a": {} } "#;
        let line = r#"{"a":[1e2,-0.50,true,null,"x\\052.\u0007\"\n"],"a":{}}"#;
        assert_eq!(again(text).as_deref(), Some(line));
        assert_eq!(again(line).as_deref(), Some(line));
    }
}
