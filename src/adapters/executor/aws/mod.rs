//! Route 53 and STS through the AWS SDK: the zone as a run reads and writes it, and the right to do so.
//!
//! The SDK signs, writes and reads; everything that could act by itself is switched off. It makes each call once (retries
//! are the executor's, where the model check sees them), asks no environment and no profile, and its requests go out over
//! [`Wire`]: one connection a call, no proxy, no redirect, and for each failure the knowledge whether the request went out.

#[cfg(feature = "aws")]
mod chain;
mod client;
mod connect;
mod fault;
#[cfg(feature = "aws")]
mod iam;
mod identity;
mod keys;
mod page;
mod refused;
mod wire;
mod zone;

#[cfg(feature = "aws")]
pub use chain::UsualPlaces;
pub use client::{Aws, ZoneId};
#[cfg(feature = "aws")]
pub use iam::AwsSimulator;
pub use identity::{AwsIdentity, Means, TokenSource, WebIdentity};
pub use keys::{Keys, Secret};
pub use wire::Wire;
pub use zone::AwsZone;
