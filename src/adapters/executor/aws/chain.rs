//! Credentials where the AWS CLI looks for them, for a run that a person starts by hand: environment, profile, a role of
//! the profile. What would be asked over plain HTTP (the metadata of a machine) is not.

use aws_config::BehaviorVersion;
use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials as _;
use aws_credential_types::provider::error::CredentialsError;

use crate::failover::{Fault, FaultKind};
use crate::ports::Stop;

use super::client::Aws;
use super::fault::innermost;

/// The places where the AWS CLI looks for credentials.
#[derive(Debug, Clone, Default)]
pub struct UsualPlaces {
    /// The profile; without one, what `AWS_PROFILE` says.
    pub profile: Option<String>,
}

impl UsualPlaces {
    /// What is found there now.
    ///
    /// # Errors
    /// When nothing is found, or the end of the job.
    pub(super) fn look(&self, aws: &Aws) -> Result<Credentials, Stop> {
        let found = aws.runtime.run(async {
            let mut places =
                aws_config::defaults(BehaviorVersion::latest()).http_client(aws.wire.clone());
            if let Some(profile) = &self.profile {
                places = places.profile_name(profile);
            }
            let config = places.load().await;
            match config.credentials_provider() {
                Some(provider) => provider
                    .provide_credentials()
                    .await
                    .map_err(|error| plain(&error)),
                None => Err("no place is known".to_owned()),
            }
        })?;
        let none = |why: String| Fault {
            kind: FaultKind::Denied,
            code: "NoCredentials".to_owned(),
            message: format!(
                "{why}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, log in as for the AWS CLI (`aws sso login`), or give the job `id-token: write`"
            ),
        };
        found.map_err(|why| Stop::Failed(none(why)))
    }
}

/// Why nothing was found, for whoever knows no SDK.
fn plain(error: &CredentialsError) -> String {
    match error {
        CredentialsError::CredentialsNotLoaded(_) => {
            "there are no credentials for AWS, neither in the environment nor in a profile"
                .to_owned()
        }
        CredentialsError::ProviderTimedOut(_) => {
            "the place where the credentials for AWS come from did not answer in time".to_owned()
        }
        CredentialsError::InvalidConfiguration(_)
        | CredentialsError::ProviderError(_)
        | CredentialsError::Unhandled(_)
        | _ => format!(
            "the credentials for AWS cannot be used: {}",
            innermost(error)
        ),
    }
}
