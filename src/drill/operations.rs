//! The three operations of Route 53, from who asks and whether that may be to the answer's document.
//!
//! Source: Route 53 API reference. Signatures are read, not checked: the key must be known, its session alive, and the
//! scope that of Route 53.

use crate::model::calendar::moment;
use crate::model::dns::RecordName;
use crate::model::policy::route53;

use super::call::{Call, Now, Scope, decoded};
use super::cloud::{Cloud, Done};
use super::refusal::Refusal;
use super::xml;
use super::zone::{Edit, PAGE, Start};

/// A call of Route 53, as IAM is asked about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Who asks.
    pub principal: String,
    /// The action: `route53:ChangeResourceRecordSets`.
    pub action: &'static str,
    /// The ARN.
    pub resource: String,
    /// Multi-valued condition keys; names are normalised as IAM sees them.
    pub context: Vec<(&'static str, Vec<String>)>,
}

/// What IAM says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Allowed,
    /// No statement allows it.
    ImplicitDeny,
    /// A statement denies it.
    ExplicitDeny,
}

impl Cloud {
    pub(super) fn list(&mut self, call: &Call, now: Now, old: bool) -> Result<String, Refusal> {
        let principal = self.principal(call, now)?;
        let zone = zone_id(call);
        self.permit(&principal, route53::LIST_RECORDS, &zone, Vec::new())?;
        let name = call.asked("name").filter(|name| !name.is_empty());
        let parsed = name.map(RecordName::parse).transpose();
        let start = Start {
            name: parsed.map_err(|error| Refusal::input(&error.to_string()))?,
            kind: call.asked("type").map(str::to_owned),
            identifier: call.asked("identifier").map(str::to_owned),
        };
        let most = match call.asked("maxitems") {
            None => PAGE,
            Some(written) => written
                .parse()
                .ok()
                .filter(|most| *most > 0)
                .ok_or_else(|| {
                    Refusal::input(&format!("The input is not valid: maxitems '{written}'"))
                })?,
        };
        self.known(&zone)?;
        let zone = if old { self.before.as_ref() } else { None };
        let page = zone.unwrap_or(&self.zone).list(&start, most)?;
        Ok(xml::page(&page, most.min(PAGE)))
    }

    pub(super) fn change(
        &mut self,
        call: &Call,
        now: Now,
        done: &mut Done,
    ) -> Result<String, Refusal> {
        let principal = self.principal(call, now)?;
        let zone = zone_id(call);
        let batch = xml::batch(&call.body)?;
        done.edits.clone_from(&batch.edits);
        done.comment.clone_from(&batch.comment);
        let keys = keys(&batch.edits);
        self.permit(&principal, route53::CHANGE_RECORDS, &zone, keys)?;
        self.known(&zone)?;
        if batch.comment.chars().count() > 256 {
            return Err(Refusal::input(
                "The input is not valid: the comment has more than 256 characters",
            ));
        }
        let before = self.zone.clone();
        self.zone.apply(&batch.edits)?;
        self.before = Some(before);
        let id = self.changes.accept(&batch.comment, now.since, now.wall);
        Ok(xml::change(
            "ChangeResourceRecordSetsResponse",
            &id,
            "PENDING",
            &moment(now.wall.cast_signed()),
            &batch.comment,
        ))
    }

    pub(super) fn get_change(&mut self, call: &Call, now: Now) -> Result<String, Refusal> {
        let principal = self.principal(call, now)?;
        let id = decoded(call.path.rsplit('/').next().unwrap_or_default());
        self.permit(&principal, route53::GET_CHANGE, &id, Vec::new())?;
        let Some((change, in_sync)) = self.changes.ask(&id, now.since) else {
            let message = format!("Could not find resource with ID: {id}");
            return Err(Refusal::new(404, "NoSuchChange", &message));
        };
        let status = if in_sync { "INSYNC" } else { "PENDING" };
        let at = moment(change.submitted.cast_signed());
        Ok(xml::change(
            "GetChangeResponse",
            &id,
            status,
            &at,
            &change.comment,
        ))
    }

    fn known(&self, zone: &str) -> Result<(), Refusal> {
        if zone == self.zone.id() {
            return Ok(());
        }
        let message = format!("No hosted zone found with ID: {zone}");
        Err(Refusal::new(404, "NoSuchHostedZone", &message))
    }

    /// Who signed the call.
    fn principal(&self, call: &Call, now: Now) -> Result<String, Refusal> {
        let refused = |code: &str, message: &str| Refusal::new(403, code, message);
        let Some(scope) = call.authorization.as_deref().and_then(Scope::read) else {
            return Err(refused(
                "MissingAuthenticationToken",
                "Missing Authentication Token",
            ));
        };
        if scope.region != "us-east-1" || scope.service != "route53" {
            return Err(refused(
                "SignatureDoesNotMatch",
                "Credential should be scoped to a valid region.",
            ));
        }
        let session = self
            .sessions
            .get(&scope.key)
            .filter(|session| session.token == call.session);
        let Some(session) = session else {
            return Err(refused(
                "InvalidClientTokenId",
                "The security token included in the request is invalid.",
            ));
        };
        if session.until.is_some_and(|until| until <= now.wall) {
            return Err(refused(
                "ExpiredToken",
                "The security token included in the request is expired",
            ));
        }
        Ok(session.principal.clone())
    }

    fn permit(
        &mut self,
        principal: &str,
        action: &'static str,
        id: &str,
        context: Vec<(&'static str, Vec<String>)>,
    ) -> Result<(), Refusal> {
        let kind = if action == route53::GET_CHANGE {
            "change"
        } else {
            "hostedzone"
        };
        let asked = Asked {
            principal: principal.to_owned(),
            action,
            resource: format!("arn:aws:route53:::{kind}/{id}"),
            context,
        };
        let why = match (self.authoriser)(&asked) {
            Verdict::Allowed => return Ok(()),
            Verdict::ImplicitDeny => {
                format!("because no identity-based policy allows the {action} action")
            }
            Verdict::ExplicitDeny => "with an explicit deny in an identity-based policy".to_owned(),
        };
        Err(Refusal::denied(principal, action, &asked.resource, &why))
    }
}

/// The zone's id in a path such as `/2013-04-01/hostedzone/ID/rrset`.
fn zone_id(call: &Call) -> String {
    let mut parts = call
        .path
        .split('/')
        .skip_while(|part| *part != "hostedzone");
    decoded(parts.nth(1).unwrap_or_default())
}

/// The three record keys of a batch, each value once.
fn keys(edits: &[Edit]) -> Vec<(&'static str, Vec<String>)> {
    let once = |value: &dyn Fn(&Edit) -> String| {
        let mut values: Vec<String> = Vec::new();
        for edit in edits {
            let value = value(edit);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    };
    vec![
        (route53::NAMES_KEY, once(&|edit| edit.set.name.iam())),
        (route53::TYPES_KEY, once(&|edit| edit.set.kind.clone())),
        (
            route53::ACTIONS_KEY,
            once(&|edit| edit.action.word().to_owned()),
        ),
    ]
}
