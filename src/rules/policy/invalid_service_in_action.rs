//! An action of a service that is not known.

use crate::diag::Severity;
use std::collections::BTreeSet;

use crate::iam::catalog::{self, Service, Services};
use crate::model::policy::{PolicyDocument, Value};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{cut_at_colon, nearest_few, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-service-in-action",
    aliases: &[],
    summary: "an action of a service that does not exist, as far as is known",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("invalid_service_in_action.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let mut told = BTreeSet::new();
    let mut services = Services::default();
    for action in policy.actions() {
        let Some((prefix, name)) = cut_at_colon(action.text.as_str()) else {
            continue;
        };
        // What has no right form is told by `invalid-action`, a wildcard in the service by a rule of its own.
        let plain =
            |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'.' | b'_');
        let judged = !prefix.is_empty() && prefix.bytes().all(plain) && !name.contains(':');
        if judged && services.find(prefix).is_none() && told.insert(prefix) {
            report(action, prefix, sink);
        }
    }
}

fn report(action: &Value, prefix: &str, sink: &mut Sink<'_>) {
    let near = meant(prefix);
    let near: Vec<String> = near.iter().map(|near| format!("`{near}`")).collect();
    let help = if near.is_empty() {
        "the Service Authorization Reference lists the services with the prefixes of their actions"
            .to_owned()
    } else {
        format!("did you mean {}?", near.join(" or "))
    };
    let message = format!(
        "no service is known whose actions begin with {}",
        quoted(prefix)
    );
    sink.report(action.text.span_of(0..prefix.len()), message)
        .pointer(action.pointer.clone())
        .help(help);
}

/// Services by the names that they go by elsewhere: of the product, the console, or another program.
const NICKNAMES: [(&str, &[&str]); 20] = [
    ("alb", &["elasticloadbalancing"]),
    ("apigw", &["apigateway"]),
    ("cloudwatchevents", &["events"]),
    ("cloudwatchlogs", &["logs"]),
    ("cognito", &["cognito-idp", "cognito-identity"]),
    ("documentdb", &["rds"]),
    ("dynamo", &["dynamodb"]),
    ("efs", &["elasticfilesystem"]),
    ("elb", &["elasticloadbalancing"]),
    ("emr", &["elasticmapreduce"]),
    ("eventbridge", &["events"]),
    ("kinesisfirehose", &["firehose"]),
    ("msk", &["kafka"]),
    ("neptune", &["neptune-db", "rds"]),
    ("opensearch", &["es", "aoss"]),
    ("parameterstore", &["ssm"]),
    ("secrets", &["secretsmanager"]),
    ("stepfunctions", &["states"]),
    ("systemsmanager", &["ssm"]),
    ("waf2", &["wafv2"]),
];

/// The services that were probably meant by a prefix that is none.
pub(super) fn meant(prefix: &str) -> Vec<&'static str> {
    let plain: String = prefix
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let mut nicknames = NICKNAMES.iter();
    match nicknames.find(|(nickname, _)| *nickname == plain) {
        Some((_, services)) => services.to_vec(),
        None => nearest_few(prefix, catalog::services().map(Service::name)),
    }
}
