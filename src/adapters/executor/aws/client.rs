//! The SDK's clients, each set up so that it does nothing by itself.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_route53::config::retry::RetryConfig;
use aws_sdk_route53::config::timeout::TimeoutConfig;
use aws_sdk_route53::config::{BehaviorVersion, Region, StalledStreamProtectionConfig};
use rustls::ClientConfig;

use crate::adapters::{Runtime, World};
use crate::failover::{Fault, FaultKind};
use crate::model::dns::RecordName;

use super::identity::{AwsIdentity, Means};
use super::keys::Session;
use super::wire::{ANSWER, CONNECT, Wire};
use super::zone::AwsZone;

/// The region that requests to Route 53 are signed for: its API is one for a whole partition (AWS General Reference,
/// "Route 53 endpoints and quotas").
fn global(partition: &str) -> &'static str {
    match partition {
        "aws-cn" => "cn-northwest-1",
        "aws-us-gov" => "us-gov-west-1",
        _ => "us-east-1",
    }
}

/// Route 53 and STS, as one run uses them.
#[derive(Debug, Clone)]
pub struct Aws {
    pub(super) runtime: Runtime,
    pub(super) wire: Wire,
    pub(super) session: Session,
    route53: Option<String>,
    sts: Option<String>,
    region: &'static str,
    answer: Duration,
}

/// A hosted zone: its id, and the name that its own name servers stand at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneId {
    /// The id, without `/hostedzone/`.
    pub id: String,
    /// The name.
    pub name: RecordName,
}

impl Aws {
    /// AWS in this world. `tls` says whom to trust; without TLS only a world on loopback is connected to.
    #[must_use]
    pub fn new(runtime: &Runtime, world: &World, tls: Arc<ClientConfig>) -> Self {
        let detour = world.detour();
        Self {
            runtime: runtime.clone(),
            wire: Wire::new(tls, detour.is_some()),
            session: Session::default(),
            route53: detour.map(|detour| detour.route53.clone()),
            sts: detour.map(|detour| detour.sts.clone()),
            region: global("aws"),
            answer: ANSWER,
        }
    }

    /// In this partition: `aws`, `aws-cn` or `aws-us-gov`.
    #[must_use]
    pub fn in_partition(self, partition: &str) -> Self {
        Self {
            region: global(partition),
            ..self
        }
    }

    /// With this time for an answer, from the request on.
    #[must_use]
    pub fn answering_within(self, answer: Duration) -> Self {
        Self { answer, ..self }
    }

    /// The wire, for whatever else speaks to AWS.
    #[must_use]
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// The hosted zone; its calls are signed with what the [`identity`](Self::identity) got last.
    #[must_use]
    pub fn zone(&self, zone: ZoneId) -> AwsZone {
        AwsZone::new(self.clone(), zone)
    }

    /// The right to use it.
    #[must_use]
    pub fn identity(&self, means: Means) -> AwsIdentity {
        AwsIdentity::new(self.clone(), means)
    }

    /// A client of Route 53 that signs with the present session and connects within `connect`.
    ///
    /// # Errors
    /// When there is no session yet.
    pub(super) fn route53(&self, connect: Duration) -> Result<aws_sdk_route53::Client, Fault> {
        let credentials = self.session.get().ok_or_else(|| Fault {
            kind: FaultKind::Denied,
            code: "NoCredentials".to_owned(),
            message: "the role has not been borrowed yet".to_owned(),
        })?;
        let mut config = aws_sdk_route53::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static(self.region))
            .http_client(self.wire.clone())
            .credentials_provider(credentials)
            .retry_config(RetryConfig::disabled())
            .timeout_config(self.times(connect))
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
        config.set_endpoint_url(self.route53.clone());
        Ok(aws_sdk_route53::Client::from_conf(config.build()))
    }

    /// A client of STS in `region`. It signs nothing: a web identity is proof enough.
    pub(super) fn sts(&self, region: &str) -> aws_sdk_sts::Client {
        let mut config = aws_sdk_sts::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(region.to_owned()))
            .http_client(self.wire.clone())
            .retry_config(RetryConfig::disabled())
            .timeout_config(self.times(CONNECT))
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
        config.set_endpoint_url(self.sts.clone());
        aws_sdk_sts::Client::from_conf(config.build())
    }

    /// The times of one call: to connect, and from the request to the whole answer. The wire keeps them.
    fn times(&self, connect: Duration) -> TimeoutConfig {
        TimeoutConfig::builder()
            .connect_timeout(connect)
            .read_timeout(self.answer)
            .disable_operation_timeout()
            .disable_operation_attempt_timeout()
            .build()
    }
}
