//! The adapters of one run, put together.

#[cfg(feature = "aws")]
use crate::adapters::aws::UsualPlaces;
use crate::adapters::aws::{Aws, AwsIdentity, AwsZone, Keys, Means, Secret, WebIdentity, ZoneId};
use crate::adapters::{
    DnsServers, GitHubToken, HttpsProber, Runtime, ServerNames, Trust, TrustFault, World,
};
use crate::execution::Outside;
use crate::failover::{Fault, FaultKind, Record, ServerAnswer};
use crate::model::spec::Spec;
use crate::ports::{AuthoritativeServers, Stop};

use super::inputs::Inputs;

/// What a run is built from, beside its spec.
pub(super) struct Job<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) world: &'a World,
    /// What the run is called.
    pub(super) name: &'a str,
    /// Whether credentials may also come from where the AWS CLI looks.
    #[cfg(feature = "aws")]
    pub(super) usual_credentials: bool,
}

/// The outside of one run.
pub(super) struct Adapters {
    runtime: Runtime,
    identity: AwsIdentity,
    zone: AwsZone,
    prober: HttpsProber,
    servers: ZoneServers,
}

impl Adapters {
    /// The adapters of this job's world.
    ///
    /// # Errors
    /// When nobody is to be trusted there.
    pub(super) fn of(job: &Job<'_>, spec: &Spec, runtime: &Runtime) -> Result<Self, Fault> {
        let world = job.world;
        let untrusting = |fault: TrustFault| unavailable("NoTrust", fault.to_string());
        let trust = Trust::of(world).map_err(untrusting)?;
        let aws =
            Aws::new(runtime, world, trust.config().clone()).in_partition(&spec.aws.partition);
        let zone = aws.zone(ZoneId {
            id: spec.zone.id.clone(),
            name: spec.zone.name.clone(),
        });
        let names = ServerNames::default();
        Ok(Self {
            runtime: runtime.clone(),
            identity: aws.identity(means(job, spec, runtime)),
            prober: HttpsProber::new(runtime.clone(), world.clone()).map_err(untrusting)?,
            servers: ZoneServers {
                zone: zone.clone(),
                names: names.clone(),
                servers: DnsServers::new(runtime.clone(), world.clone(), names),
            },
            zone,
        })
    }

    pub(super) fn outside(&mut self) -> Outside<'_> {
        Outside {
            clock: &mut self.runtime,
            identity: &mut self.identity,
            zone: &mut self.zone,
            prober: &mut self.prober,
            servers: &mut self.servers,
        }
    }
}

/// What the role is borrowed with: what the job borrowed already, then GitHub's token.
fn means(job: &Job<'_>, spec: &Spec, runtime: &Runtime) -> Means {
    let Job { inputs, world, .. } = job;
    let keys = inputs.get("AWS_ACCESS_KEY_ID").and_then(|id| {
        Some(Keys {
            id,
            secret: Secret::new(inputs.get("AWS_SECRET_ACCESS_KEY")?),
            token: inputs.get("AWS_SESSION_TOKEN").map(Secret::new),
        })
    });
    let half_key = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
    let there = half_key.map(|name| inputs.get(name).is_some());
    let half_key = match there {
        [true, false] => Some("AWS_SECRET_ACCESS_KEY"),
        [false, true] => Some("AWS_ACCESS_KEY_ID"),
        _ => None,
    };
    let url = inputs.get("ACTIONS_ID_TOKEN_REQUEST_URL");
    let bearer = inputs.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN");
    let web = url.zip(bearer).map(|(url, bearer)| {
        let (source, runtime, world) = (
            GitHubToken { url, bearer },
            runtime.clone(),
            (*world).clone(),
        );
        let fetch = move || {
            let token = source.fetch(&runtime, &world)?;
            Ok::<_, Stop>(Secret::new(token.reveal()))
        };
        WebIdentity {
            role: spec.role_arn(),
            region: spec.aws.sts_region.clone(),
            session_name: format!("pointsman-{}", job.name),
            seconds: spec.aws.session_seconds,
            tokens: Box::new(fetch),
        }
    });
    Means {
        keys,
        half_key,
        web,
        #[cfg(feature = "aws")]
        usual: job.usual_credentials.then(UsualPlaces::default),
    }
}

/// The name servers that the zone itself names.
struct ZoneServers {
    zone: AwsZone,
    names: ServerNames,
    servers: DnsServers,
}

impl AuthoritativeServers for ZoneServers {
    fn ask(&mut self, records: &[Record]) -> Result<Vec<ServerAnswer>, Stop> {
        self.names.set(self.zone.name_servers()?);
        self.servers.ask(records)
    }
}

pub(super) fn unavailable(code: &str, message: String) -> Fault {
    Fault {
        kind: FaultKind::Unavailable,
        code: code.to_owned(),
        message,
    }
}
