//! Terraform's JSON syntax (`*.tf.json`): the same tree as that of the native syntax.
//!
//! The rules are those of "JSON Configuration Syntax" in Terraform's documentation: the words of the outermost level say
//! how many labels their blocks have, a string is a template, a key `//` is a comment. Which members of a resource are
//! blocks is known from its schema alone; here the blocks are named that the rest of the program reads.

use crate::syntax::{Entry, Fault, Kind, Node, json};
use crate::text::{Span, Text};

use super::tree::{Attribute, Block, Body, Expression, Form, HclFile, Item, Key, Quote, Template};
use super::{Part, read_expression, read_template};

/// Words of the outermost level with the number of labels of their blocks; others have none.
const LABELS: [(&str, usize); 9] = [
    ("check", 1),
    ("data", 2),
    ("ephemeral", 2),
    ("module", 1),
    ("output", 1),
    ("provider", 1),
    ("resource", 2),
    ("run", 1),
    ("variable", 1),
];

/// Members that are blocks, where their value is an object or a list of objects.
const BLOCKS: [&str; 17] = [
    "alias",
    "cidr_routing_policy",
    "condition",
    "connection",
    "content",
    "failover_routing_policy",
    "geolocation_routing_policy",
    "geoproximity_routing_policy",
    "inline_policy",
    "latency_routing_policy",
    "lifecycle",
    "not_principals",
    "principals",
    "provisioner",
    "statement",
    "timeouts",
    "weighted_routing_policy",
];

/// Reads one file in JSON syntax. Never fails: what could not be read is a fault.
#[must_use]
pub fn read_json(text: &Text) -> HclFile {
    let mut parsed = json::read(text);
    let mut reader = JsonReader {
        faults: std::mem::take(&mut parsed.faults),
    };
    let mut body = empty(text.span());
    if let Some(root) = parsed.documents.pop() {
        reader.file(root, &mut body);
    }
    HclFile {
        body,
        comments: Vec::new(),
        faults: reader.faults,
        mistakes: Vec::new(),
    }
}

/// Reads one file of values in JSON syntax (`*.tfvars.json`): nothing is inserted into its strings.
#[must_use]
pub fn read_json_values(text: &Text) -> HclFile {
    let mut parsed = json::read(text);
    let mut reader = JsonReader {
        faults: std::mem::take(&mut parsed.faults),
    };
    let mut body = empty(text.span());
    let root = parsed.documents.pop();
    let entries = root.map(|root| reader.entries(root, "a file of values is an object"));
    for entry in entries.into_iter().flatten() {
        let span = entry.key.span().cover(entry.value.span());
        body.attributes.push(Attribute {
            name: entry.key,
            value: literal(entry.value),
            span,
        });
    }
    HclFile {
        body,
        comments: Vec::new(),
        faults: reader.faults,
        mistakes: Vec::new(),
    }
}

/// A value into which nothing is inserted.
fn literal(node: Node) -> Expression {
    let span = node.span();
    let form = match node.kind {
        Kind::Null | Kind::Unknown(_) => Form::Null,
        Kind::Bool(flag) => Form::Bool(flag),
        Kind::Number(written) => Form::Number(written),
        Kind::Text(text) => Form::Template(Template {
            quote: Quote::Double,
            parts: vec![Part::Literal(text)],
        }),
        Kind::List(items) => Form::List(items.into_iter().map(literal).collect()),
        Kind::Map(entries) => {
            let items = entries.into_iter().map(|entry| Item {
                key: Key::Name(entry.key),
                value: literal(entry.value),
            });
            Form::Object(items.collect())
        }
    };
    Expression { span, form }
}

fn empty(span: Span) -> Body {
    Body {
        attributes: Vec::new(),
        blocks: Vec::new(),
        span,
    }
}

struct JsonReader {
    faults: Vec<Fault>,
}

impl JsonReader {
    fn file(&mut self, root: Node, body: &mut Body) {
        for entry in self.entries(root, "a file in JSON syntax is an object") {
            let word = entry.key.as_str();
            let labels = LABELS.iter().find(|(name, _)| *name == word);
            let labels = labels.map_or(0, |(_, labels)| *labels);
            let is_locals = word == "locals";
            self.blocks(&entry.key, Vec::new(), labels, entry.value, is_locals, body);
        }
    }

    /// The members of an object, or of each object of a list, without comments.
    fn entries(&mut self, node: Node, reason: &str) -> Vec<Entry> {
        let at = node.span();
        match node.kind {
            Kind::Map(entries) => entries
                .into_iter()
                .filter(|entry| entry.key.as_str() != "//")
                .collect(),
            Kind::List(items) => {
                let all = items.into_iter();
                all.flat_map(|item| self.entries(item, reason)).collect()
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {
                self.faults.push(Fault {
                    at,
                    reason: reason.to_owned(),
                });
                Vec::new()
            }
        }
    }

    /// The blocks of the kind `kind`, of which `labels` labels are still to come.
    fn blocks(
        &mut self,
        kind: &Text,
        before: Vec<Text>,
        labels: usize,
        node: Node,
        plain: bool,
        into: &mut Body,
    ) {
        if labels > 0 {
            let reason = "an object is expected here, whose keys name what is declared";
            for entry in self.entries(node, reason) {
                let mut all = before.clone();
                all.push(entry.key);
                self.blocks(kind, all, labels - 1, entry.value, plain, into);
            }
            return;
        }
        match node.kind {
            Kind::List(items) => {
                for item in items {
                    self.blocks(kind, before.clone(), 0, item, plain, into);
                }
            }
            Kind::Null => {}
            Kind::Map(_) | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {
                let at = node.span();
                // What several blocks of one kind share is no place of one of them.
                let head = before.last().unwrap_or(kind).span();
                let body = self.body(kind.as_str(), node, plain);
                into.blocks.push(Block {
                    kind: kind.clone(),
                    labels: before,
                    body,
                    head,
                    span: head.cover(at),
                });
            }
        }
    }

    fn body(&mut self, kind: &str, node: Node, plain: bool) -> Body {
        let mut body = empty(node.span());
        for entry in self.entries(node, "the inside of a block is an object") {
            let name = entry.key.as_str();
            if !plain && is_block(name, &entry.value) {
                self.blocks(&entry.key, Vec::new(), 0, entry.value, false, &mut body);
            } else if !plain && matches!(name, "dynamic" | "provisioner") {
                self.blocks(&entry.key, Vec::new(), 1, entry.value, false, &mut body);
            } else {
                let span = entry.key.span().cover(entry.value.span());
                let value = if is_static(kind, name) {
                    self.written(entry.value)
                } else {
                    self.expression(entry.value)
                };
                body.attributes.push(Attribute {
                    name: entry.key,
                    value,
                    span,
                });
            }
        }
        body
    }

    fn expression(&mut self, node: Node) -> Expression {
        let span = node.span();
        let form = match node.kind {
            Kind::Null | Kind::Unknown(_) => Form::Null,
            Kind::Bool(flag) => Form::Bool(flag),
            Kind::Number(written) => Form::Number(written),
            Kind::Text(text) => Form::Template(self.template(&text)),
            Kind::List(items) => Form::List(
                items
                    .into_iter()
                    .map(|item| self.expression(item))
                    .collect(),
            ),
            Kind::Map(entries) => {
                let items = entries.into_iter().map(|entry| Item {
                    key: self.key(entry.key),
                    value: self.expression(entry.value),
                });
                Form::Object(items.collect())
            }
        };
        Expression { span, form }
    }

    fn key(&mut self, key: Text) -> Key {
        let inserts = key.as_str().contains("${") || key.as_str().contains("%{");
        if !inserts {
            return Key::Name(key);
        }
        let form = Form::Template(self.template(&key));
        let span = key.span();
        Key::Expression(Expression { span, form })
    }

    fn template(&mut self, text: &Text) -> Template {
        match read_template(text) {
            Ok(template) => Template {
                quote: Quote::Double,
                ..template
            },
            Err(fault) => {
                self.faults.push(fault);
                Template {
                    quote: Quote::Double,
                    parts: vec![Part::Literal(text.clone())],
                }
            }
        }
    }

    /// A string that holds an expression itself: a type, or a path of `ignore_changes`.
    fn written(&mut self, node: Node) -> Expression {
        let span = node.span();
        match node.kind {
            Kind::Text(text) => match read_expression(&text) {
                Ok(expression) => expression,
                Err(_) => self.expression(Node::text(text)),
            },
            Kind::List(items) => Expression {
                span,
                form: Form::List(items.into_iter().map(|item| self.written(item)).collect()),
            },
            kind @ (Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::Map(_)
            | Kind::Unknown(_)) => self.expression(Node {
                origin: node.origin,
                kind,
            }),
        }
    }
}

fn is_block(name: &str, value: &Node) -> bool {
    let object = |node: &Node| matches!(node.kind, Kind::Map(_));
    let objects = match &value.kind {
        Kind::Map(_) => true,
        Kind::List(items) => !items.is_empty() && items.iter().all(object),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => false,
    };
    objects && BLOCKS.contains(&name)
}

/// Whether strings here are expressions without `${…}`.
fn is_static(kind: &str, name: &str) -> bool {
    matches!(
        (kind, name),
        ("lifecycle", "ignore_changes" | "replace_triggered_by")
            | ("variable", "type")
            | (_, "depends_on")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;
    use proptest::prelude::*;

    fn read(input: &str) -> Option<HclFile> {
        let mut sources = SourceMap::default();
        let file = sources.add("main.tf.json", input);
        Some(read_json(&sources.text(file)?))
    }

    #[test]
    fn text_behind_escapes_keeps_its_place() {
        let input = r#"{"locals": {"p": "{\"a\": \"$${x}\", \"Action\": \"s3:Get\"}"}}"#;
        let file = read(input).unwrap();
        let locals = file.body.blocks_of("locals").next().unwrap();
        let Form::Template(template) = &locals.body.attribute("p").unwrap().value.form else {
            panic!("{locals:?}");
        };
        let [Part::Literal(text)] = template.parts.as_slice() else {
            panic!("{template:?}");
        };
        assert_eq!(text.as_str(), r#"{"a": "${x}", "Action": "s3:Get"}"#);
        let at = text.as_str().find("s3:Get").unwrap();
        let place = text.span_of(at..at + 6);
        let written = input.find("s3:Get").unwrap();
        assert_eq!(
            (place.start as usize, place.end as usize),
            (written, written + 6)
        );
    }

    #[test]
    fn a_resource_has_its_labels_and_its_blocks() {
        let file = read(
            r#"{"//": "x", "resource": {"aws_route53_record": {"apex": {"name": "a.${var.z}", "alias": {"name": "b"}, "lifecycle": {"ignore_changes": ["records", "ttl"]}}}}, "locals": {"alias": {"a": 1}}}"#,
        )
        .unwrap();
        assert!(file.faults.is_empty(), "{:?}", file.faults);
        let [record, locals] = file.body.blocks.as_slice() else {
            panic!("{:?}", file.body.blocks);
        };
        assert_eq!(record.label(0), Some("aws_route53_record"));
        assert_eq!(record.label(1), Some("apex"));
        assert_eq!(record.body.blocks.len(), 2);
        let lifecycle = record.body.blocks_of("lifecycle").next().unwrap();
        let ignored = &lifecycle.body.attribute("ignore_changes").unwrap().value;
        assert!(
            matches!(&ignored.form, Form::List(items) if matches!(items.first().unwrap().form, Form::Variable(_)))
        );
        assert!(locals.body.attribute("alias").is_some());
    }

    #[test]
    fn what_is_no_object_is_a_fault_and_hides_nothing_else() {
        let file = read(r#"{"resource": 3, "variable": {"x": {"type": "list(string)"}}}"#).unwrap();
        assert_eq!(file.faults.len(), 1);
        assert_eq!(file.body.blocks.len(), 1);
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(words in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"resource\"", "\"a\"", "\"${\"", "\"%{if x}\"", "\"lifecycle\"", "\"dynamic\"", "1", "null",
        ]), 0..20)) {
            prop_assert!(read(&words.concat()).is_some());
        }
    }
}
