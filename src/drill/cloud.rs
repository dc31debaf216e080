//! The services behind the endpoint, pure: a call and a moment come in, an answer goes out.
//!
//! What a call may do, and what it does, is in `operations` and `sts`; here it is told
//! which it is, faults happen to it, and the log is kept.

use std::fmt;

use super::call::{Call, Logged, Now, Reply, Scope};
use super::changes::{Changes, Sync};
use super::operations::{Asked, Verdict};
use super::refusal::Refusal;
use super::script::{Script, Trouble, What};
use super::sts::{self, Borrowed, Sessions, Trust};
use super::token::Issuer;
use super::xml;
use super::zone::{Edit, HostedZone};

/// The most calls that the log keeps.
const LOGGED: usize = 100_000;

/// Who decides about every call.
pub type Authoriser = Box<dyn FnMut(&Asked) -> Verdict + Send>;

/// Route 53 with one hosted zone, STS, and GitHub's token endpoint.
pub struct Cloud {
    pub(super) zone: HostedZone,
    /// The zone before the last change.
    pub(super) before: Option<HostedZone>,
    pub(super) changes: Changes,
    script: Script,
    pub(super) sessions: Sessions,
    issuer: Option<Issuer>,
    trust: Trust,
    /// The role's `MaxSessionDuration`.
    longest: u64,
    pub(super) authoriser: Authoriser,
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
pub(super) struct Done {
    pub(super) edits: Vec<Edit>,
    pub(super) comment: String,
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
            trust: Box::new(|_, _, _| true),
            longest: 43_200,
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

    /// Lets no session of the role last longer than this many seconds.
    pub fn limit_sessions(&mut self, longest: u64) {
        self.longest = longest;
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
            Some(What::Lost { applied: false } | What::Refused(_) | What::Says { .. })
        );
        let answer = if unheard {
            if let Ok(batch) = xml::batch(&call.body) {
                done = Done {
                    edits: batch.edits,
                    comment: batch.comment,
                };
            }
            Ok(String::new())
        } else if trouble == Some(What::Endless) {
            Ok(xml::one_more_page(self.log.len()))
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
            "AssumeRoleWithWebIdentity" => sts::answer(
                &call.body,
                now,
                self.longest,
                &mut self.trust,
                &mut self.sessions,
            ),
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
        Some(What::Says {
            http: other,
            body: text,
        }) => (http, body) = (other, text),
        Some(What::Old | What::Endless) | None => {}
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
        location: None,
        late,
    }
}

/// The code of an error's document.
fn code(body: &str) -> Option<&str> {
    let (_, rest) = body.split_once("<Code>")?;
    rest.split_once("</Code>").map(|(code, _)| code)
}
