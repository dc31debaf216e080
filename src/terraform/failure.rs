//! Why an expression comes to no value.

use crate::syntax::{Fault, Unknown};
use crate::text::Span;

use super::Value;
use super::value::ValueKind;

/// Where and why an expression comes to no value, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Where.
    pub at: Span,
    /// Why, and what is allowed there.
    pub reason: String,
    /// Who says so.
    pub kind: FailureKind,
}

/// Who says that an expression comes to no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Terraform, when it evaluates the expression: `try` and `can` take that.
    Evaluation,
    /// Terraform, before it evaluates anything: no function takes that.
    Module,
    /// The provider, when it reads a data source: no function takes that.
    Provider,
    /// A bound of pointsman. Terraform may well come to a value, so that nothing is known.
    Limit,
}

impl Failure {
    /// The value that is not known because of it; `missing` would decide it.
    pub(super) fn unknown(self, missing: Vec<String>) -> Value {
        Value::unknown(self.reason, missing, self.at)
    }

    /// The same as what is not known, where a bound of pointsman is the reason.
    pub(super) fn limit(&self) -> Option<Unknown> {
        (self.kind == FailureKind::Limit).then(|| Unknown {
            why: self.reason.clone(),
            ..Unknown::default()
        })
    }

    /// Whether `try` and `can` take it.
    pub(super) fn is_caught(&self) -> bool {
        self.kind == FailureKind::Evaluation
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let kind = if fault.is_limit() {
            FailureKind::Limit
        } else {
            FailureKind::Evaluation
        };
        Self {
            at: fault.at,
            reason: fault.reason,
            kind,
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self {
            at: failure.at,
            reason: failure.reason,
        }
    }
}

/// What an expression came to: where a bound of pointsman stopped it, that is not known.
pub(super) fn settled(value: Result<Value, Box<Failure>>) -> Result<Value, Fault> {
    value.or_else(|failure| match failure.limit() {
        Some(unknown) => Ok(Value::new(ValueKind::Unknown(unknown), failure.at)),
        None => Err(Fault::from(*failure)),
    })
}

/// An error of an expression.
pub(super) fn fault(at: Span, reason: impl Into<String>) -> Box<Failure> {
    failure(at, reason, FailureKind::Evaluation)
}

/// An error that Terraform finds before it evaluates anything.
pub(super) fn refusal(at: Span, reason: impl Into<String>) -> Box<Failure> {
    failure(at, reason, FailureKind::Module)
}

/// What the provider refuses when it reads a data source.
pub(super) fn provider(at: Span, reason: impl Into<String>) -> Box<Failure> {
    failure(at, reason, FailureKind::Provider)
}

/// A bound of pointsman.
pub(super) fn limit(at: Span, reason: impl Into<String>) -> Box<Failure> {
    failure(at, reason, FailureKind::Limit)
}

fn failure(at: Span, reason: impl Into<String>, kind: FailureKind) -> Box<Failure> {
    Box::new(Failure {
        at,
        reason: reason.into(),
        kind,
    })
}
