//! The services behind the endpoint, pure: a call and a moment come in, an answer goes out.
//!
//! Source: Route 53 API reference and its service model `route53/2013-04-01`; signatures are read, not checked: the key
//! must be known, its session alive, and the scope `us-east-1/route53`.

use std::fmt;

use crate::model::dns::RecordName;
use crate::model::policy::route53;

use super::call::{Call, Logged, Now, Reply, Scope, decoded};
use super::changes::{Changes, Sync};
use super::refusal::Refusal;
use super::script::{Script, Trouble, What};
use super::sts::{self, Borrowed, Sessions, Trust};
use super::token::Issuer;
use super::xml;
use super::zone::{Edit, HostedZone, PAGE, Start};

/// The most calls that the log keeps.
const LOGGED: usize = 100_000;

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

/// Who decides about every call.
pub type Authoriser = Box<dyn FnMut(&Asked) -> Verdict + Send>;

/// Route 53 with one hosted zone, STS, and GitHub's token endpoint.
pub struct Cloud {
    zone: HostedZone,
    /// The zone before the last change.
    before: Option<HostedZone>,
    changes: Changes,
    script: Script,
    sessions: Sessions,
    issuer: Option<Issuer>,
    trust: Trust,
    authoriser: Authoriser,
    log: Vec<Logged>,
}

impl fmt::Debug for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cloud")
            .field("zone", &self.zone)
            .field("changes", &self.changes)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}

/// What a call did, for the log.
#[derive(Default)]
struct Done {
    edits: Vec<Edit>,
    comment: String,
}

impl Cloud {
    /// The services around this zone. Nobody is known yet; whoever will be may do anything, until it is decided otherwise.
    #[must_use]
    pub fn new(zone: HostedZone) -> Self {
        Self {
            zone,
            before: None,
            changes: Changes::default(),
            script: Script::default(),
            sessions: Sessions::new(),
            issuer: None,
            trust: Box::new(|_, _| true),
            authoriser: Box::new(|_| Verdict::Allowed),
            log: Vec::new(),
        }
    }

    /// The zone.
    #[must_use]
    pub fn zone(&self) -> &HostedZone {
        &self.zone
    }

    /// The zone, for changes by hand.
    pub fn zone_mut(&mut self) -> &mut HostedZone {
        &mut self.zone
    }

    /// Lets the bearer of this access key in.
    pub fn admit(&mut self, key: &str, borrowed: Borrowed) {
        self.sessions.insert(key.to_owned(), borrowed);
    }

    /// Lets this issuer give out tokens.
    pub fn issue(&mut self, issuer: Issuer) {
        self.issuer = Some(issuer);
    }

    /// Lets `trust` decide which tokens borrow which role.
    pub fn trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// Lets `authoriser` decide about every call of Route 53.
    pub fn authorise(&mut self, authoriser: Authoriser) {
        self.authoriser = authoriser;
    }

    /// How long changes stay PENDING.
    pub fn sync(&mut self, sync: Sync) {
        self.changes.sync = sync;
    }

    /// Adds a fault.
    pub fn trouble(&mut self, trouble: Trouble) {
        self.script.add(trouble);
    }

    /// Takes all faults back.
    pub fn calm(&mut self) {
        self.script.clear();
    }

    /// Every call so far.
    #[must_use]
    pub fn log(&self) -> &[Logged] {
        &self.log
    }

    /// Answers a call.
    pub fn answer(&mut self, call: &Call, now: Now) -> Reply {
        let op = operation(call);
        let of_route53 = !matches!(op, "AssumeRoleWithWebIdentity" | "oidc_token");
        let trouble = self.script.next(op, of_route53);
        let mut done = Done::default();
        let unheard = matches!(
            trouble,
            Some(What::Lost { applied: false } | What::Refused(_))
        );
        let answer = if unheard {
            if let Ok(batch) = xml::batch(&call.body) {
                done = Done {
                    edits: batch.edits,
                    comment: batch.comment,
                };
            }
            Ok(String::new())
        } else {
            let old = trouble == Some(What::Old);
            self.dispatch(op, call, now, old, &mut done)
        };
        let reply = told(op, answer, trouble);
        self.note(op, call, now, done, &reply);
        reply
    }

    fn note(&mut self, op: &str, call: &Call, now: Now, done: Done, reply: &Reply) {
        if self.log.len() >= LOGGED {
            return;
        }
        let scope = call.authorization.as_deref().and_then(Scope::read);
        self.log.push(Logged {
            at: now.since,
            op: op.to_owned(),
            scope,
            edits: done.edits,
            comment: done.comment,
            answer: match reply {
                Reply::Answer { http, body, .. } => match code(body).filter(|_| *http >= 400) {
                    Some(code) => format!("{http} {code}"),
                    None => http.to_string(),
                },
                Reply::Dropped => "dropped".to_owned(),
            },
        });
    }

    fn dispatch(
        &mut self,
        op: &'static str,
        call: &Call,
        now: Now,
        old: bool,
        done: &mut Done,
    ) -> Result<String, Refusal> {
        match op {
            "oidc_token" => match &mut self.issuer {
                Some(issuer) => issuer.answer(call, now),
                None => Err(Refusal::new(404, "NotFound", "no token is issued here")),
            },
            "AssumeRoleWithWebIdentity" => {
                sts::answer(&call.body, now, &mut self.trust, &mut self.sessions)
            }
            "GetChange" => self.get_change(call, now),
            "ListResourceRecordSets" => self.list(call, now, old),
            "ChangeResourceRecordSets" => self.change(call, now, done),
            _ => Err(Refusal::new(
                404,
                "UnknownOperation",
                "this endpoint does not know the operation",
            )),
        }
    }

    fn list(&mut self, call: &Call, now: Now, old: bool) -> Result<String, Refusal> {
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

    fn change(&mut self, call: &Call, now: Now, done: &mut Done) -> Result<String, Refusal> {
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
            &super::time::written(now.wall),
            &batch.comment,
        ))
    }

    fn get_change(&mut self, call: &Call, now: Now) -> Result<String, Refusal> {
        let principal = self.principal(call, now)?;
        let id = decoded(call.path.rsplit('/').next().unwrap_or_default());
        self.permit(&principal, route53::GET_CHANGE, &id, Vec::new())?;
        let Some((change, in_sync)) = self.changes.ask(&id, now.since) else {
            let message = format!("Could not find resource with ID: {id}");
            return Err(Refusal::new(404, "NoSuchChange", &message));
        };
        let status = if in_sync { "INSYNC" } else { "PENDING" };
        let at = super::time::written(change.submitted);
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

/// The API name of a call.
fn operation(call: &Call) -> &'static str {
    let path = call
        .path
        .strip_prefix("/2013-04-01/")
        .map(|path| path.trim_end_matches('/'));
    match (call.method.as_str(), path) {
        ("GET", Some(path)) if path.starts_with("change/") => "GetChange",
        ("GET", Some(path)) if path.ends_with("/rrset") => "ListResourceRecordSets",
        ("POST", Some(path)) if path.ends_with("/rrset") => "ChangeResourceRecordSets",
        ("POST", None)
            if call.path == "/" && call.body.contains("Action=AssumeRoleWithWebIdentity") =>
        {
            "AssumeRoleWithWebIdentity"
        }
        ("GET", None) if call.path == "/token" => "oidc_token",
        _ => "UnknownOperation",
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

/// The reply to a call of `op`, as its fault leaves it.
fn told(op: &str, answer: Result<String, Refusal>, trouble: Option<What>) -> Reply {
    let space = if op == "AssumeRoleWithWebIdentity" {
        xml::STS
    } else {
        xml::ROUTE53
    };
    let refusal = |refusal: &Refusal| match op {
        "oidc_token" => (
            refusal.http,
            serde_json::json!({ "message": refusal.message }).to_string(),
        ),
        _ => (refusal.http, xml::refusal(refusal, space)),
    };
    let (mut http, mut body) = answer.map_or_else(|no| refusal(&no), |body| (200, body));
    let mut late = std::time::Duration::ZERO;
    match trouble {
        Some(What::Lost { .. }) => return Reply::Dropped,
        Some(What::Refused(no)) => (http, body) = refusal(&no),
        Some(What::Late(wait)) => late = wait,
        Some(What::Garbled(text)) => (http, body) = (200, text),
        Some(What::Old) | None => {}
    }
    let kind = if op == "oidc_token" {
        "application/json"
    } else {
        "text/xml"
    };
    Reply::Answer {
        http,
        kind,
        body,
        late,
    }
}

/// The code of an error's document.
fn code(body: &str) -> Option<&str> {
    let (_, rest) = body.split_once("<Code>")?;
    rest.split_once("</Code>").map(|(code, _)| code)
}
