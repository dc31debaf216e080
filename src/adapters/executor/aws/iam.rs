//! AWS's policy simulator through aws-sdk-iam: `SimulateCustomPolicy`. Credentials, Region, profile and endpoint
//! (`AWS_ENDPOINT_URL_IAM`, `AWS_ENDPOINT_URL`) are found as aws-config finds them, TLS is rustls with ring. The SDK tries once; a call that AWS
//! throttles is made once more.

use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_iam::Client;
use aws_sdk_iam::config::retry::RetryConfig;
use aws_sdk_iam::config::timeout::TimeoutConfig;
use aws_sdk_iam::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_iam::operation::simulate_custom_policy::{
    SimulateCustomPolicyError, SimulateCustomPolicyOutput,
};
use aws_sdk_iam::types;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_types::service_config::ServiceConfigKey;

use crate::iam::simulator::{
    ActionResult, Answer, ContextEntry, MatchedStatement, Place, Query, Refusal, ResourceResult,
};
use crate::ports::{PolicySimulator, SimulatorFault};

use crate::adapters::Runtime;

/// How long a call may take.
const CALL: Duration = Duration::from_secs(30);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a throttled call waits before it is made once more.
const THROTTLED: Duration = Duration::from_secs(2);
/// IAM is a global service; this Region is where its endpoint signs, where none is configured.
const REGION: &str = "us-east-1";

/// AWS's codes for calls that come too fast.
const TOO_FAST: [&str; 4] = [
    "Throttling",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TooManyRequestsException",
];

/// AWS's codes for what is wrong with a request itself.
const OF_THE_REQUEST: [&str; 4] = [
    "InvalidInput",
    "PolicyEvaluation",
    "ValidationError",
    "MalformedPolicyDocument",
];

/// AWS's policy simulator.
#[derive(Debug)]
pub struct AwsSimulator {
    runtime: Runtime,
    client: Client,
    asked: String,
}

impl AwsSimulator {
    /// Looks for credentials, Region and endpoint; nothing is asked yet.
    ///
    /// # Errors
    /// When the system gives no event queue, or the search is broken off.
    pub fn new() -> Result<Self, SimulatorFault> {
        let runtime = Runtime::new().map_err(|error| unreachable(&error))?;
        let http = Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .build_https();
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(CONNECT)
            .operation_timeout(CALL)
            .build();
        let loader = aws_config::defaults(BehaviorVersion::latest())
            .http_client(http)
            .retry_config(RetryConfig::disabled())
            .timeout_config(timeouts);
        let config = runtime
            .run(loader.load())
            .map_err(|error| unreachable(&error))?;
        let mut settings = aws_sdk_iam::config::Builder::from(&config);
        if config.region().is_none() {
            settings.set_region(Some(Region::new(REGION)));
        }
        let region = config.region().map_or(REGION, |region| region.as_ref());
        let asked = match endpoint(&config) {
            Some(url) => format!("`{url}`, signed for {region}"),
            None => format!("AWS's own endpoint, signed for {region}"),
        };
        Ok(Self {
            asked,
            client: Client::from_conf(settings.build()),
            runtime,
        })
    }

    /// Who is asked: an endpoint that the environment names answers for AWS, and what it says is no more than its word.
    #[must_use]
    pub fn asked(&self) -> &str {
        &self.asked
    }

    async fn once(client: &Client, query: &Query) -> Sent {
        let levels = query.ordered_organization_policy_input_list.iter();
        let levels: Vec<_> = levels.map(|level| organization_level(level)).collect();
        client
            .simulate_custom_policy()
            .set_policy_input_list(Some(query.policy_input_list.clone()))
            .set_permissions_boundary_policy_input_list(given(
                &query.permissions_boundary_policy_input_list,
            ))
            .set_ordered_organization_policy_input_list(given(&levels))
            .set_action_names(Some(query.action_names.clone()))
            .set_resource_arns(given(&query.resource_arns))
            .set_resource_policy(query.resource_policy.clone())
            .set_resource_owner(query.resource_owner.clone())
            .set_caller_arn(query.caller_arn.clone())
            .set_context_entries(given(&context(query)))
            .set_max_items(query.max_items.and_then(|items| i32::try_from(items).ok()))
            .set_marker(query.marker.clone())
            .send()
            .await
            .map_err(Box::new)
    }
}

/// The endpoint that the SDK takes for IAM, where one is configured: that of the service (`AWS_ENDPOINT_URL_IAM`, the
/// `services` section of a profile) before that of all services (AWS SDKs and Tools Reference Guide, "Service-specific
/// endpoints").
fn endpoint(config: &SdkConfig) -> Option<String> {
    let key = ServiceConfigKey::builder()
        .service_id("IAM")
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build()
        .ok()?;
    let of_iam = config
        .service_config()
        .and_then(|read| read.load_config(key));
    of_iam.or_else(|| config.endpoint_url().map(str::to_owned))
}

type Sent = Result<SimulateCustomPolicyOutput, Box<SdkError<SimulateCustomPolicyError>>>;

impl PolicySimulator for AwsSimulator {
    fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault> {
        let sent = self.runtime.run(async {
            let sent = Self::once(&self.client, query).await;
            match sent {
                Err(error) if error.code().is_some_and(|code| TOO_FAST.contains(&code)) => {
                    tokio::time::sleep(THROTTLED).await;
                    Self::once(&self.client, query).await
                }
                sent => sent,
            }
        });
        match sent.map_err(|error| unreachable(&error))? {
            Ok(output) => Ok(answer(&output)),
            Err(error) => Err(fault(&error)),
        }
    }
}

fn unreachable(error: &dyn std::fmt::Display) -> SimulatorFault {
    SimulatorFault::Unreachable(error.to_string())
}

fn fault(error: &SdkError<SimulateCustomPolicyError>) -> SimulatorFault {
    let Some(code) = error.code() else {
        return unreachable(&chain(error));
    };
    let message = error.message().unwrap_or("it gives no reason");
    if OF_THE_REQUEST.contains(&code) {
        return SimulatorFault::Refused(Refusal {
            code: code.to_owned(),
            message: message.to_owned(),
        });
    }
    SimulatorFault::Unreachable(format!("{code}: {message}"))
}

/// What went wrong down to its cause, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut told: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if text.contains("no credentials found in chain") || text.contains("NoCredentials") {
            return "no credentials were found in the environment, a profile, a web identity, a container or an instance".to_owned();
        }
        // The SDK writes the whole request there.
        let text = match text.split_once(" to request `") {
            Some((before, after)) => {
                let cause = after.rsplit_once("`: ").map_or("", |(_, cause)| cause);
                format!("{before}: {cause}")
            }
            None => text,
        };
        if !told.iter().any(|known| known.contains(&text)) {
            told.push(text);
        }
        next = error.source();
    }
    told.join(": ").replace('\n', "; ")
}

fn given<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}

fn organization_level(policies: &[String]) -> types::OrderedOrganizationPolicyType {
    types::OrderedOrganizationPolicyType::builder()
        .set_service_control_policy_input_list(Some(policies.to_vec()))
        .build()
}

fn context(query: &Query) -> Vec<types::ContextEntry> {
    let entry = |entry: &ContextEntry| {
        types::ContextEntry::builder()
            .context_key_name(&entry.context_key_name)
            .set_context_key_values(Some(entry.context_key_values.clone()))
            .context_key_type(entry.context_key_type.as_str().into())
            .build()
    };
    query.context_entries.iter().map(entry).collect()
}

fn answer(output: &SimulateCustomPolicyOutput) -> Answer {
    let results = output.evaluation_results().iter();
    Answer {
        evaluation_results: results.map(action).collect(),
        marker: output
            .marker()
            .filter(|_| output.is_truncated())
            .map(str::to_owned),
    }
}

fn action(result: &types::EvaluationResult) -> ActionResult {
    ActionResult {
        eval_action_name: result.eval_action_name().to_owned(),
        eval_resource_name: result.eval_resource_name().map(str::to_owned),
        eval_decision: result.eval_decision().as_str().to_owned(),
        matched_statements: result.matched_statements().iter().map(statement).collect(),
        missing_context_values: result.missing_context_values().to_vec(),
        allowed_by_organizations: result
            .organizations_decision_detail()
            .map(types::OrganizationsDecisionDetail::allowed_by_organizations),
        allowed_by_permissions_boundary: result
            .permissions_boundary_decision_detail()
            .map(types::PermissionsBoundaryDecisionDetail::allowed_by_permissions_boundary),
        resource_specific_results: result
            .resource_specific_results()
            .iter()
            .map(resource)
            .collect(),
    }
}

fn resource(result: &types::ResourceSpecificResult) -> ResourceResult {
    ResourceResult {
        eval_resource_name: result.eval_resource_name().to_owned(),
        eval_resource_decision: result.eval_resource_decision().as_str().to_owned(),
        matched_statements: result.matched_statements().iter().map(statement).collect(),
        missing_context_values: result.missing_context_values().to_vec(),
        allowed_by_permissions_boundary: result
            .permissions_boundary_decision_detail()
            .map(types::PermissionsBoundaryDecisionDetail::allowed_by_permissions_boundary),
    }
}

fn statement(statement: &types::Statement) -> MatchedStatement {
    MatchedStatement {
        source_policy_id: statement.source_policy_id().unwrap_or_default().to_owned(),
        source_policy_type: statement
            .source_policy_type()
            .map(|kind| kind.as_str().to_owned()),
        start_position: statement.start_position().and_then(place),
        end_position: statement.end_position().and_then(place),
    }
}

fn place(position: &types::Position) -> Option<Place> {
    Some(Place {
        line: u32::try_from(position.line()).ok()?,
        column: u32::try_from(position.column()).ok()?,
    })
}
