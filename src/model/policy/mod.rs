//! IAM policy documents.
