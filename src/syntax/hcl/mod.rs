//! A reader of HCL 2 native syntax (the specification is `hclsyntax/spec.md` of hashicorp/hcl) that keeps what a linter
//! needs: the bytes of every node, of every escape in a string and of every heredoc line, comments, and repeated keys.
//!
//! It follows Terraform where the specification is silent: a byte order mark is accepted, of repeated object keys all
//! are kept (the last one counts), and indentation and strip marks work on single heredoc lines. One broken block does
//! not hide the others: reading goes on at the next block that begins in the first column.

mod expression;
mod json;
mod reader;
mod string;
mod template;
mod tree;

pub use tree::{
    Attribute, Block, Body, Call, Conditional, Expression, For, ForPart, Form, HclFile, IfPart,
    Item, Key, Mistake, MistakeKind, Operator, Part, Quote, Sign, Step, StepKind, Template,
};

pub use json::{read_json, read_json_values};

use crate::syntax::Fault;
use crate::text::{Span, Text};
use reader::Reader;

/// How deep blocks and expressions may nest.
pub const MAX_DEPTH: usize = 64;

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Reads one file. Never fails: what could not be read is a fault, and what stands around it is kept.
#[must_use]
pub fn read(text: &Text) -> HclFile {
    if text.as_str().len() > MAX_BYTES {
        let size = text.as_str().len();
        return HclFile {
            body: Body {
                attributes: Vec::new(),
                blocks: Vec::new(),
                span: text.span(),
            },
            comments: Vec::new(),
            mistakes: Vec::new(),
            faults: vec![Fault {
                at: text.span().slice(0, 0),
                reason: format!(
                    "the file has {size} bytes; at most {MAX_BYTES} bytes (8 MiB) are read"
                ),
            }],
        };
    }
    Reader::new(text).file()
}

/// Reads one expression that fills the whole text, such as the argument of `inspect terraform --expr`.
///
/// # Errors
/// The place and the reason where the text is no expression.
pub fn read_expression(text: &Text) -> Result<Expression, Fault> {
    let whole: Span = text.span();
    if text.as_str().len() > MAX_BYTES {
        return Err(Fault {
            at: whole.slice(0, 0),
            reason: format!("the expression has more than {MAX_BYTES} bytes"),
        });
    }
    Reader::new(text).only_expression().map_err(|fault| *fault)
}

/// Reads a text that is a template as a whole: a file that `templatefile` reads, or a string of Terraform's JSON syntax.
///
/// # Errors
/// The place and the reason where something is inserted wrongly.
pub fn read_template(text: &Text) -> Result<Template, Fault> {
    if text.as_str().len() > MAX_BYTES {
        return Err(Fault {
            at: text.span().slice(0, 0),
            reason: format!("the template has more than {MAX_BYTES} bytes"),
        });
    }
    Reader::new(text).whole_template().map_err(|fault| *fault)
}

#[cfg(test)]
mod tests;
