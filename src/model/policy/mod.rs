//! IAM policy documents, read from a tree whose every node knows its bytes: from JSON, YAML or evaluated HCL alike.
//!
//! Source of the grammar: IAM User Guide, "Grammar of the IAM JSON policy language".

mod arn;
mod document;
pub mod enclosed;
mod operator;
mod pattern;
mod read;
pub mod route53;
mod segments;
mod statement;

pub use arn::{ArnFault, ROUTE53_TYPES, route53_types};
pub use document::{Malformed, PolicyDocument, PolicyKind, PolicyVersion, UnknownPart};
pub use operator::{BaseOperator, Family, Operator, Quantifier};
pub use pattern::{glob_matches, glob_matches_ignoring_case, has_wildcard};
pub use segments::{Glyph, LONG, glyphs_match};
pub use statement::{
    Condition, Effect, Elements, Partial, Principal, Principals, Statement, Value,
};
