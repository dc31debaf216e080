//! AWS through its SDK.

#[cfg(feature = "aws")]
mod iam;

#[cfg(feature = "aws")]
pub use iam::AwsSimulator;
