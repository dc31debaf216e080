//! HCL as `terraform fmt` leaves it and as a person would break it over lines.
//!
//! hcl-rs writes a call's argument on one line however long it is and aligns nothing. What `fmt` asks for was measured
//! with Terraform 1.11: two spaces a level, and `=` aligned over neighbouring lines whose values end on their own line.

use hcl::expr::{Object, ObjectKey};
use hcl::structure::{BlockLabel, Structure};
use hcl::{Block, Body, Expression};

/// A list of plain values stands on one line up to this many characters.
const LIST_WIDTH: usize = 60;

/// Writes HCL.
#[derive(Debug, Default)]
pub(super) struct Formatter {
    out: String,
    depth: usize,
}

type Written<T> = Result<T, String>;

/// `key = value`, still apart.
struct Line {
    key: String,
    value: String,
}

impl Formatter {
    /// A body as text.
    ///
    /// # Errors
    /// What the library says of a value that HCL cannot hold.
    pub(super) fn text(body: &Body) -> Written<String> {
        let mut formatter = Self::default();
        formatter.body(body)?;
        Ok(formatter.out)
    }

    fn body(&mut self, body: &Body) -> Written<()> {
        let mut lines = Vec::new();
        for attribute in body.attributes() {
            lines.push(Line {
                key: attribute.key().to_owned(),
                value: self.expression(attribute.expr(), self.depth)?,
            });
        }
        self.lines(&lines);
        let mut first = lines.is_empty();
        for structure in body.iter() {
            if let Structure::Block(block) = structure {
                if !first {
                    self.out.push('\n');
                }
                first = false;
                self.block(block)?;
            }
        }
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Written<()> {
        self.indent(self.depth);
        self.out.push_str(block.identifier());
        for label in block.labels() {
            let label = match label {
                BlockLabel::Identifier(name) => name.as_str().to_owned(),
                BlockLabel::String(text) => quoted(text),
            };
            self.out.push(' ');
            self.out.push_str(&label);
        }
        self.out.push_str(" {\n");
        self.depth += 1;
        self.body(block.body())?;
        self.depth -= 1;
        self.indent(self.depth);
        self.out.push_str("}\n");
        Ok(())
    }

    fn indent(&mut self, depth: usize) {
        self.out.push_str(&"  ".repeat(depth));
    }

    fn lines(&mut self, lines: &[Line]) {
        let text = aligned(lines, self.depth);
        self.out.push_str(&text);
    }

    /// An expression whose first line stands behind what is there already, and whose others are indented by `depth`.
    fn expression(&self, value: &Expression, depth: usize) -> Written<String> {
        match value {
            Expression::String(text) => Ok(quoted(text)),
            Expression::Array(items) => self.list(items, depth),
            Expression::Object(object) => self.object(object, depth),
            Expression::FuncCall(call) => {
                let mut arguments = Vec::new();
                for argument in &call.args {
                    arguments.push(self.expression(argument, depth)?);
                }
                Ok(format!("{}({})", call.name, arguments.join(", ")))
            }
            Expression::Null
            | Expression::Bool(_)
            | Expression::Number(_)
            | Expression::Variable(_)
            | Expression::Traversal(_) => {
                hcl::format::to_string(value).map_err(|error| error.to_string())
            }
            Expression::TemplateExpr(_)
            | Expression::Parenthesis(_)
            | Expression::Conditional(_)
            | Expression::Operation(_)
            | Expression::ForExpr(_)
            | _ => Err(format!(
                "`{value}` is no expression that this module writes"
            )),
        }
    }

    fn list(&self, items: &[Expression], depth: usize) -> Written<String> {
        let nested =
            |item: &Expression| matches!(item, Expression::Array(_) | Expression::Object(_));
        let mut texts = Vec::new();
        for item in items {
            texts.push(self.expression(item, depth + 1)?);
        }
        let line = format!("[{}]", texts.join(", "));
        if !items.iter().any(nested) && (line.len() <= LIST_WIDTH || items.len() == 1) {
            return Ok(line);
        }
        let pad = "  ".repeat(depth + 1);
        let mut text = "[\n".to_owned();
        for item in texts {
            text.push_str(&format!("{pad}{item},\n"));
        }
        text.push_str(&"  ".repeat(depth));
        text.push(']');
        Ok(text)
    }

    fn object(&self, object: &Object<ObjectKey, Expression>, depth: usize) -> Written<String> {
        if object.is_empty() {
            return Ok("{}".to_owned());
        }
        let mut lines = Vec::new();
        for (key, value) in object {
            let key = match key {
                ObjectKey::Identifier(name) => name.as_str().to_owned(),
                ObjectKey::Expression(Expression::String(text)) => quoted(text),
                ObjectKey::Expression(_) | _ => {
                    return Err(format!("`{key}` is no key that this module writes"));
                }
            };
            let value = self.expression(value, depth + 1)?;
            lines.push(Line { key, value });
        }
        let inner = aligned(&lines, depth + 1);
        Ok(format!("{{\n{inner}{}}}", "  ".repeat(depth)))
    }
}

/// Lines with their `=` under each other, as far as values end on their own line.
fn aligned(lines: &[Line], depth: usize) -> String {
    let mut text = String::new();
    let mut rest = lines;
    while let Some(first) = rest.first() {
        let run = rest
            .iter()
            .take_while(|line| !line.value.contains('\n'))
            .count();
        let (group, after) = rest.split_at_checked(run.max(1)).unwrap_or((rest, &[]));
        let is_run = !first.value.contains('\n');
        let width = group
            .iter()
            .map(|line| line.key.chars().count())
            .max()
            .unwrap_or(0);
        for line in group {
            let pad = if is_run {
                width - line.key.chars().count()
            } else {
                0
            };
            let (indent, pad) = ("  ".repeat(depth), " ".repeat(pad));
            text.push_str(&format!("{indent}{}{pad} = {}\n", line.key, line.value));
        }
        rest = after;
    }
    text
}

/// A quoted string with everything escaped that HCL would read as more than itself (HCL native syntax specification,
/// "Template expressions").
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '$' | '%' if letters.peek() == Some(&'{') => {
                out.push(letter);
                out.push(letter);
            }
            letter if letter.is_control() => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_quoted_text_is_read_back_as_itself(text in "[\\PC\n\r\t\u{1}$%{}\"\\\\]{0,24}") {
            let read: hcl_edit::expr::Expression = quoted(&text).parse().unwrap();
            prop_assert_eq!(read.as_str(), Some(text.as_str()), "{}", quoted(&text));
        }
    }
}
