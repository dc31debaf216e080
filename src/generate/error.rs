//! Why a right spec cannot be generated from.

/// Why a right spec cannot be generated from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// IAM counts the characters of a policy without white space (IAM User Guide, "IAM and STS quotas").
    #[error("{what} would have {characters} characters, but IAM takes at most {limit}; {remedy}")]
    TooLong {
        /// Which policy.
        what: String,
        /// Its length as IAM counts.
        characters: usize,
        /// What IAM allows.
        limit: usize,
        /// What to change in the spec.
        remedy: &'static str,
    },
    /// A part of the spec that the artefact needs is not there.
    #[error("the spec has no {0}")]
    Missing(String),
    /// A text that the library for the language does not take.
    #[error("`{path}` cannot be written: {reason}")]
    Unwritable {
        /// The artefact.
        path: String,
        /// Why.
        reason: String,
    },
}
