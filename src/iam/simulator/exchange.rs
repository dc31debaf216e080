//! What goes to `SimulateCustomPolicy` and what comes back, in AWS's names (IAM API Reference, 2010-05-08, as of 2026: one
//! result an action, with a result for each resource inside). Recordings are kept in this form too.

use serde::{Deserialize, Serialize};

/// A request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields, default)]
pub struct Query {
    /// Identity policies, as JSON text.
    pub policy_input_list: Vec<String>,
    /// The permissions boundary; one at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions_boundary_policy_input_list: Vec<String>,
    /// Service control policies, one list a level, from the organisation's root to the account; seven levels at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ordered_organization_policy_input_list: Vec<Vec<String>>,
    /// Actions, without wildcards.
    pub action_names: Vec<String>,
    /// ARNs; none is `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_arns: Vec<String>,
    /// The policy that each of the resources is taken to have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_policy: Option<String>,
    /// The account of resources whose ARN has none, as `arn:aws:iam::ACCOUNT:root`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_owner: Option<String>,
    /// Who asks: a user, group or role. Needed with a resource policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_arn: Option<String>,
    /// Context keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_entries: Vec<ContextEntry>,
    /// How many results a page has at most, 1 to 1000; 100 when it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// Where the page begins: the marker of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
}

/// A context key with its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct ContextEntry {
    /// The key; letter case does not count.
    pub context_key_name: String,
    /// Its values.
    pub context_key_values: Vec<String>,
    /// One of [`CONTEXT_TYPES`].
    pub context_key_type: String,
}

/// The types of context keys (`ContextKeyTypeEnum`).
pub const CONTEXT_TYPES: [&str; 12] = [
    "string",
    "stringList",
    "numeric",
    "numericList",
    "boolean",
    "booleanList",
    "ip",
    "ipList",
    "binary",
    "binaryList",
    "date",
    "dateList",
];

/// A page of results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields, default)]
pub struct Answer {
    /// One result an action.
    pub evaluation_results: Vec<ActionResult>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
}

/// What came of one action over all resources: the most restrictive decision, and all that any resource brought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields, default)]
pub struct ActionResult {
    /// The action.
    pub eval_action_name: String,
    /// The form of the ARN of what the action is for; no resource that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_resource_name: Option<String>,
    /// `allowed`, `implicitDeny` or `explicitDeny`.
    pub eval_decision: String,
    /// The statements that decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matched_statements: Vec<MatchedStatement>,
    /// Keys that the policies ask for, for whatever action, and that were not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_context_values: Vec<String>,
    /// Whether the service control policies allow; absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_by_organizations: Option<bool>,
    /// Whether the boundary allows; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_by_permissions_boundary: Option<bool>,
    /// One result a resource; none for `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_specific_results: Vec<ResourceResult>,
}

/// What came of one action on one resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields, default)]
pub struct ResourceResult {
    /// The resource, as it was asked about.
    pub eval_resource_name: String,
    /// `allowed`, `implicitDeny` or `explicitDeny`.
    pub eval_resource_decision: String,
    /// The statements that decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matched_statements: Vec<MatchedStatement>,
    /// Keys that the policies ask for and that were not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_context_values: Vec<String>,
    /// Whether the boundary allows; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_by_permissions_boundary: Option<bool>,
}

/// A statement that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct MatchedStatement {
    /// The policy: `PolicyInputList.1`.
    pub source_policy_id: String,
    /// What kind of policy AWS takes it for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_policy_type: Option<String>,
    /// Where it starts, loosely: behind the token before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_position: Option<Place>,
    /// Just behind its closing brace; this identifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_position: Option<Place>,
}

/// A place in a policy's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// An answer that refuses the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Refusal {
    /// AWS's code, such as `InvalidInput`.
    pub code: String,
    /// Why.
    pub message: String,
}

impl Refusal {
    /// The request holds what it may not (`InvalidInput`, HTTP 400).
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self {
            code: "InvalidInput".to_owned(),
            message: message.into(),
        }
    }

    /// A policy leaves the decision open (`PolicyEvaluation`, HTTP 500).
    pub fn policy_evaluation(message: impl Into<String>) -> Self {
        Self {
            code: "PolicyEvaluation".to_owned(),
            message: message.into(),
        }
    }

    /// A parameter is missing or of the wrong form (`ValidationError`, HTTP 400).
    pub fn validation(message: impl Into<String>) -> Self {
        Self {
            code: "ValidationError".to_owned(),
            message: message.into(),
        }
    }
}
