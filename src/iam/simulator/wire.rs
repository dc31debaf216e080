//! A request of the AWS query protocol answered, bytes to bytes: `SimulateCustomPolicy` and
//! `GetContextKeysForCustomPolicy` of IAM, version 2010-05-08. Signatures are not looked at: there is nothing to guard.

use super::answer::{answer, context_keys};
use super::exchange::{ActionResult, Answer, MatchedStatement, Place, Refusal, ResourceResult};
use super::form::Form;
use super::xml::Xml;

/// IAM's version of its API.
const VERSION: &str = "2010-05-08";

/// What goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status of HTTP.
    pub status: u16,
    /// XML.
    pub body: String,
}

/// Answers the form `body`; `id` becomes the request's id.
#[must_use]
pub fn reply(body: &[u8], id: &str) -> Reply {
    match result(body, id) {
        Ok(body) => Reply { status: 200, body },
        Err(refusal) => refused(&refusal, id),
    }
}

/// The reply to a request whose body is larger than what is read.
#[must_use]
pub fn too_large(limit: usize, id: &str) -> Reply {
    let refusal = Refusal {
        code: "RequestEntityTooLarge".to_owned(),
        message: format!("bodies of more than {limit} bytes are not read"),
    };
    Reply {
        status: 413,
        ..refused(&refusal, id)
    }
}

/// The reply to a request that is no `POST` of a form.
#[must_use]
pub fn not_a_form(id: &str) -> Reply {
    let refusal = Refusal {
        code: "MalformedQueryString".to_owned(),
        message: "a POST of a form (application/x-www-form-urlencoded) is expected".to_owned(),
    };
    Reply {
        status: 405,
        ..refused(&refusal, id)
    }
}

/// The reply that says why a request has no answer.
fn refused(refusal: &Refusal, id: &str) -> Reply {
    let ours = refusal.code == "PolicyEvaluation";
    let body = Xml::document("ErrorResponse", |xml| {
        xml.element("Error", |xml| {
            xml.text("Type", if ours { "Receiver" } else { "Sender" });
            xml.text("Code", &refusal.code);
            xml.text("Message", &refusal.message);
        });
        xml.text("RequestId", id);
    });
    let status = if ours { 500 } else { 400 };
    Reply { status, body }
}

fn result(body: &[u8], id: &str) -> Result<String, Refusal> {
    let mut form = Form::read(body)?;
    let action = form.take("Action").unwrap_or_default();
    if let Some(version) = form.take("Version").filter(|version| version != VERSION) {
        return Err(no_such_action(&action, &version));
    }
    match action.as_str() {
        "SimulateCustomPolicy" => {
            let query = form.query()?;
            form.finish(&action)?;
            let answer = answer(&query)?;
            Ok(document(&action, id, |xml| simulated(xml, &answer)))
        }
        "GetContextKeysForCustomPolicy" => {
            let policies = form.policies();
            form.finish(&action)?;
            let keys = context_keys(&policies)?;
            Ok(document(&action, id, |xml| {
                xml.members("ContextKeyNames", &keys, |xml, key| xml.escaped(key));
            }))
        }
        "" => Err(Refusal {
            code: "MissingAction".to_owned(),
            message: "the form has no `Action`".to_owned(),
        }),
        other => Err(no_such_action(other, VERSION)),
    }
}

fn no_such_action(action: &str, version: &str) -> Refusal {
    Refusal {
        code: "InvalidAction".to_owned(),
        message: format!(
            "`{action}` of version {version} is not served here; SimulateCustomPolicy and GetContextKeysForCustomPolicy of version {VERSION} are"
        ),
    }
}

fn document(action: &str, id: &str, inside: impl FnOnce(&mut Xml)) -> String {
    Xml::document(&format!("{action}Response"), |xml| {
        xml.element(&format!("{action}Result"), inside);
        xml.element("ResponseMetadata", |xml| xml.text("RequestId", id));
    })
}

fn simulated(xml: &mut Xml, answer: &Answer) {
    xml.members("EvaluationResults", &answer.evaluation_results, action);
    let truncated = answer.marker.is_some();
    xml.text("IsTruncated", truth(truncated));
    if let Some(marker) = &answer.marker {
        xml.text("Marker", marker);
    }
}

fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn action(xml: &mut Xml, result: &ActionResult) {
    xml.text("EvalActionName", &result.eval_action_name);
    if let Some(name) = &result.eval_resource_name {
        xml.text("EvalResourceName", name);
    }
    xml.text("EvalDecision", &result.eval_decision);
    xml.members("MatchedStatements", &result.matched_statements, statement);
    missing(xml, &result.missing_context_values);
    if let Some(allowed) = result.allowed_by_organizations {
        xml.element("OrganizationsDecisionDetail", |xml| {
            xml.text("AllowedByOrganizations", truth(allowed));
        });
    }
    boundary(xml, result.allowed_by_permissions_boundary);
    if !result.resource_specific_results.is_empty() {
        xml.members(
            "ResourceSpecificResults",
            &result.resource_specific_results,
            resource,
        );
    }
}

fn resource(xml: &mut Xml, result: &ResourceResult) {
    xml.text("EvalResourceName", &result.eval_resource_name);
    xml.text("EvalResourceDecision", &result.eval_resource_decision);
    xml.members("MatchedStatements", &result.matched_statements, statement);
    missing(xml, &result.missing_context_values);
    boundary(xml, result.allowed_by_permissions_boundary);
}

fn missing(xml: &mut Xml, keys: &[String]) {
    xml.members("MissingContextValues", keys, |xml, key: &String| {
        xml.escaped(key);
    });
}

fn boundary(xml: &mut Xml, allowed: Option<bool>) {
    if let Some(allowed) = allowed {
        xml.element("PermissionsBoundaryDecisionDetail", |xml| {
            xml.text("AllowedByPermissionsBoundary", truth(allowed));
        });
    }
}

fn statement(xml: &mut Xml, statement: &MatchedStatement) {
    xml.text("SourcePolicyId", &statement.source_policy_id);
    if let Some(kind) = &statement.source_policy_type {
        xml.text("SourcePolicyType", kind);
    }
    for (name, place) in [
        ("StartPosition", statement.start_position),
        ("EndPosition", statement.end_position),
    ] {
        if let Some(Place { line, column }) = place {
            xml.element(name, |xml| {
                xml.text("Line", &line.to_string());
                xml.text("Column", &column.to_string());
            });
        }
    }
}
