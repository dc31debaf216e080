//! The three policies: who may borrow the role, what it may change, what it may read.

use serde_json::{Map, Value, json};

use crate::model::dns::RecordName;
use crate::model::spec::{OIDC_AUDIENCE, Spec};

use super::{Artefact, GenerateError};

/// What IAM takes for all inline policies of a role, and for a trust policy by default (IAM User Guide, "IAM and STS quotas").
const INLINE_LIMIT: usize = 10_240;
const TRUST_LIMIT: usize = 2_048;

/// The policies as JSON files.
pub(super) fn files(spec: &Spec) -> Result<Vec<Artefact>, GenerateError> {
    let (change, read) = (change_records(spec), read_zone(spec));
    let trust = trust(spec, &json!(spec.oidc_provider_arn()));
    let inline = length(&change) + length(&read);
    if inline > INLINE_LIMIT {
        return Err(GenerateError::TooLong {
            what: "the role's two inline policies".to_owned(),
            characters: inline,
            limit: INLINE_LIMIT,
            remedy: "switch fewer records with one role",
        });
    }
    if length(&trust) > TRUST_LIMIT {
        return Err(GenerateError::TooLong {
            what: "the trust policy".to_owned(),
            characters: length(&trust),
            limit: TRUST_LIMIT,
            remedy: "shorten the branch or the environment",
        });
    }
    Ok(vec![
        artefact(spec.change_policy_path(), &change)?,
        artefact(spec.read_policy_path(), &read)?,
        artefact(spec.trust_policy_path(), &trust)?,
    ])
}

/// Characters as IAM counts them: white space outside strings is none.
fn length(policy: &Value) -> usize {
    policy.to_string().chars().count()
}

fn artefact(path: String, policy: &Value) -> Result<Artefact, GenerateError> {
    match serde_json::to_string_pretty(policy) {
        Ok(text) => Ok(Artefact {
            path,
            text: text + "\n",
        }),
        Err(error) => Err(GenerateError::Unwritable {
            path,
            reason: error.to_string(),
        }),
    }
}

/// The write right. `ForAllValues` is true when a key is absent, so each of the three keys has its `Null` guard (IAM
/// User Guide, "Set operators for multi-valued context keys"); the keys carry names in normalised form (Route 53
/// Developer Guide, "Using IAM policy conditions for fine-grained access control").
#[must_use]
pub fn change_records(spec: &Spec) -> Value {
    let names: Vec<String> = spec.record_names().iter().map(RecordName::iam).collect();
    let types: Vec<&str> = spec.records.types.iter().map(|kind| kind.word()).collect();
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Sid": "ChangeFailoverRecords",
            "Effect": "Allow",
            "Action": "route53:ChangeResourceRecordSets",
            "Resource": spec.zone_arn(),
            "Condition": {
                "ForAllValues:StringEquals": {
                    "route53:ChangeResourceRecordSetsNormalizedRecordNames": names,
                    "route53:ChangeResourceRecordSetsRecordTypes": types,
                    "route53:ChangeResourceRecordSetsActions": ["UPSERT"],
                },
                "Null": {
                    "route53:ChangeResourceRecordSetsNormalizedRecordNames": "false",
                    "route53:ChangeResourceRecordSetsRecordTypes": "false",
                    "route53:ChangeResourceRecordSetsActions": "false",
                },
            },
        }],
    })
}

/// The read rights, neither of which a condition key can narrow.
#[must_use]
pub fn read_zone(spec: &Spec) -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "ListZoneRecords",
                "Effect": "Allow",
                "Action": "route53:ListResourceRecordSets",
                "Resource": spec.zone_arn(),
            },
            {
                "Sid": "FollowChange",
                "Effect": "Allow",
                "Action": "route53:GetChange",
                "Resource": spec.change_arn(),
            },
        ],
    })
}

/// Who may borrow the role: the exact audience and the exact subject, nothing else. A subject that names an environment
/// says nothing of the branch, and a classic one could be had again by whoever takes the names over; AWS maps the claims
/// that close both gaps to condition keys of their own (AWS, "STS supports validation of identity provider claims"), for
/// github.com; of another issuer the subject must say it all.
#[must_use]
pub fn trust(spec: &Spec, provider: &Value) -> Value {
    let issuer = spec.oidc_issuer();
    let has_keys = spec.issuer_kind().has_claim_keys();
    let mut claims = Map::new();
    let mut demand = |claim: &str, value: String| {
        claims.insert(format!("{issuer}:{claim}"), Value::String(value));
    };
    demand("aud", OIDC_AUDIENCE.to_owned());
    demand("sub", spec.subject());
    if has_keys && spec.subject_leaves_ref_open() {
        demand("ref", spec.git_ref());
    }
    if has_keys && spec.subject_leaves_id_open() {
        demand("repository_id", spec.github.repository_id.to_string());
    }
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Sid": "FailoverWorkflow",
            "Effect": "Allow",
            "Principal": { "Federated": provider },
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": { "StringEquals": claims },
        }],
    })
}
