//! Attacks on the running rehearsal: whoever has the role's session, another token or the dispatch token tries what it must
//! not. Each is a real request to the same endpoints, and each must be refused.

use std::io;
use std::net::SocketAddr;

use crate::drill::Issuer;
use crate::model::dns::{RecordName, RecordType};
use crate::model::spec::OIDC_AUDIENCE;
use crate::model::trust::{Context, Repository};
use crate::report::drill::AttackRow;

use super::caller::{Outgoing, call};
use super::declared::TOKEN;
use super::jobs::issuer;
use super::stage::Stage;

/// The name of the attack on another zone.
const IN_ANOTHER_ZONE: &str = "UPSERT in another zone";

/// A session of the role.
struct Session {
    key: String,
    token: String,
}

/// A change that is tried.
struct Change<'a> {
    what: String,
    zone: &'a str,
    action: &'a str,
    name: String,
    kind: &'a str,
    value: String,
    must_fail: bool,
}

impl Stage<'_> {
    /// Tries all of them.
    pub(super) fn attacks(&mut self) -> Vec<AttackRow> {
        self.after_calls();
        self.judge.attacked(true);
        let mut rows = self.with_the_session();
        rows.extend(self.with_other_tokens());
        rows.extend(self.with_the_dispatch_token());
        self.judge.attacked(false);
        self.after_calls();
        for row in &rows {
            self.tell("attack", format!("{}: {}", row.what, row.word()));
        }
        rows
    }

    fn socket(&self) -> SocketAddr {
        self.world.cloud.address()
    }

    /// What the role's session must not do.
    fn with_the_session(&mut self) -> Vec<AttackRow> {
        let own = issuer(
            self.spec,
            &self.spec.repository(),
            false,
            &self.spec.github.branch,
            self.rules.environment.clone(),
        );
        let Some(session) = self.session(own).ok().flatten() else {
            let row = AttackRow {
                what: "attacks with the role's session".to_owned(),
                must_fail: true,
                refused: true,
                why: vec!["nobody can borrow the role at all".to_owned()],
            };
            return vec![row];
        };
        let changes = self.changes();
        let tried = changes
            .iter()
            .map(|change| self.try_change(&session, change));
        tried.collect()
    }

    fn changes(&self) -> Vec<Change<'static>> {
        let spec = self.spec;
        let apex = spec.records.names.first().map(RecordName::route53);
        let apex = apex.unwrap_or_default();
        let (kind, elsewhere) = match spec.records.types.first() {
            Some(RecordType::Aaaa) => ("AAAA", "2001:db8::66"),
            Some(RecordType::A) | None => ("A", "192.0.2.66"),
        };
        let home = self.world.sites.first();
        let home = home.and_then(|site| site.addresses.first());
        let home = home.map(ToString::to_string).unwrap_or_default();
        let foreign = format!("mail.{}", spec.zone.name);
        let unseen = format!("UPSERT of {apex} with {elsewhere}, no site's address");
        let tried = [
            (
                format!("DELETE of {apex}"),
                "DELETE",
                &apex,
                kind,
                home.as_str(),
            ),
            (
                format!("CREATE of {apex}"),
                "CREATE",
                &apex,
                kind,
                home.as_str(),
            ),
            (
                format!("UPSERT of {foreign}"),
                "UPSERT",
                &foreign,
                kind,
                elsewhere,
            ),
            (
                format!("UPSERT of TXT at {apex}"),
                "UPSERT",
                &apex,
                "TXT",
                "\"x\"",
            ),
            (IN_ANOTHER_ZONE.to_owned(), "UPSERT", &apex, kind, elsewhere),
            (unseen.clone(), "UPSERT", &apex, kind, elsewhere),
        ];
        let changes = tried.map(|(what, action, name, kind, value)| Change {
            zone: if what == IN_ANOTHER_ZONE {
                "Z0000000000OTHER"
            } else {
                ""
            },
            must_fail: what != unseen,
            what,
            action,
            name: name.clone(),
            kind,
            value: value.to_owned(),
        });
        changes.into()
    }

    fn try_change(&self, session: &Session, change: &Change<'_>) -> AttackRow {
        let zone = if change.zone.is_empty() {
            self.spec.zone.id.as_str()
        } else {
            change.zone
        };
        let Change {
            action,
            name,
            kind,
            value,
            ..
        } = change;
        let body = format!(
            "<ChangeResourceRecordSetsRequest xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\"><ChangeBatch><Changes>\
             <Change><Action>{action}</Action><ResourceRecordSet><Name>{name}</Name><Type>{kind}</Type><TTL>300</TTL>\
             <ResourceRecords><ResourceRecord><Value>{}</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>\
             </Change></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>",
            value.replace('"', "&quot;")
        );
        let credential = format!("{}/20260101/us-east-1/route53/aws4_request", session.key);
        let headers = [
            (
                "Authorization".to_owned(),
                format!(
                    "AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=0"
                ),
            ),
            ("X-Amz-Security-Token".to_owned(), session.token.clone()),
        ];
        // Asked, not done: what IAM cannot refuse must not leave the zone pointing elsewhere.
        let before = self.world.cloud.with(|cloud| cloud.zone().clone());
        let request = Outgoing {
            method: "POST",
            path: &format!("/2013-04-01/hostedzone/{zone}/rrset"),
            headers: &headers,
            body: &body,
        };
        let answered = call(self.socket(), request);
        self.world.cloud.with(|cloud| *cloud.zone_mut() = before);
        self.row(&change.what, change.must_fail, answered)
    }

    /// Tokens that must not borrow the role.
    fn with_other_tokens(&mut self) -> Vec<AttackRow> {
        let spec = self.spec;
        let environment = self.rules.environment.clone();
        let (repository, branch) = (spec.repository(), spec.github.branch.clone());
        let other_branch = issuer(spec, &repository, false, "feature", environment.clone());
        let mut recycled = spec.clone();
        recycled.github.repository_id += 1;
        recycled.github.owner_id += 1;
        let recycled_issuer = issuer(&recycled, &repository, true, &branch, environment.clone());
        let mut strange = spec.clone();
        strange.github.repository_id += 7;
        strange.github.owner_id += 7;
        let stranger = issuer(
            &strange,
            "stranger/dns-failover",
            true,
            &branch,
            environment,
        );
        let mut pull = issuer(spec, &repository, false, &branch, None);
        let own = Repository::of_spec(spec);
        let subject = own.subject_in(own.format, Context::PullRequest);
        let pull_request = subject.to_string();
        pull.claims.insert("sub".to_owned(), pull_request.into());
        let cases = [
            ("the token of another branch", other_branch),
            (
                "the token of a repository that took over the name",
                recycled_issuer,
            ),
            ("the token of a stranger's repository", stranger),
            ("the token of a pull request", pull),
        ];
        let mut rows = Vec::new();
        for (what, other) in cases {
            let answered = self.borrow(other);
            rows.push(self.row(what, true, answered));
        }
        rows
    }

    fn with_the_dispatch_token(&mut self) -> Vec<AttackRow> {
        let headers = [
            ("Authorization".to_owned(), format!("Bearer {TOKEN}")),
            ("Content-Type".to_owned(), "application/json".to_owned()),
        ];
        let url = self.spec.dispatch_url();
        let path = url.strip_prefix(&self.spec.api_url()).unwrap_or_default();
        let body = serde_json::json!({
            "ref": self.spec.github.branch,
            "inputs": { "target": "192.0.2.66" },
        });
        let request = Outgoing {
            method: "POST",
            path,
            headers: &headers,
            body: &body.to_string(),
        };
        let answered = call(self.world.github.address(), request);
        let row = self.row("a dispatch with an address as input", true, answered);
        vec![row]
    }

    /// Borrows the role with a token of this issuer.
    fn borrow(&self, mut issuer: Issuer) -> io::Result<(u16, String)> {
        let now = self.world.cloud.now();
        let token = issuer.issue(OIDC_AUDIENCE, now);
        let encoded = |text: &str| {
            text.replace('%', "%25")
                .replace(':', "%3A")
                .replace('/', "%2F")
                .replace('=', "%3D")
        };
        let body = format!(
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&DurationSeconds=900&RoleSessionName=attack&RoleArn={}&WebIdentityToken={}",
            encoded(&self.spec.role_arn()),
            encoded(&token)
        );
        let headers = [(
            "Content-Type".to_owned(),
            "application/x-www-form-urlencoded".to_owned(),
        )];
        let request = Outgoing {
            method: "POST",
            path: "/",
            headers: &headers,
            body: &body,
        };
        call(self.socket(), request)
    }

    fn session(&self, issuer: Issuer) -> io::Result<Option<Session>> {
        let (status, body) = self.borrow(issuer)?;
        drop(self.judge.take());
        let part = |name: &str| {
            let (_, rest) = body.split_once(&format!("<{name}>"))?;
            rest.split_once('<').map(|(text, _)| text.to_owned())
        };
        let session = part("AccessKeyId").zip(part("SessionToken"));
        let session = session.map(|(key, token)| Session { key, token });
        Ok(session.filter(|_| status == 200))
    }

    /// What came of an attack: the evaluator's own reasons where it decided, else what the answer says.
    fn row(&self, what: &str, must_fail: bool, answered: io::Result<(u16, String)>) -> AttackRow {
        let decided = self.judge.take();
        let (refused, told) = match answered {
            Ok((status, body)) => (status >= 400, format!("{status} {}", said(&body))),
            Err(error) => (true, error.to_string()),
        };
        // What IAM lets through may still be refused for what it is; that does not count.
        let (refused, mut why) = match decided.into_iter().next_back() {
            Some(decided) => (!decided.allowed, decided.why),
            None => (refused, vec![told]),
        };
        if !refused && !must_fail {
            let told = "IAM decides by action, name and type and never sees a value; the executor has no way to write it";
            why.insert(0, told.to_owned());
        }
        AttackRow {
            what: what.to_owned(),
            must_fail,
            refused,
            why,
        }
    }
}

/// The message of an answer in XML or JSON.
fn said(body: &str) -> String {
    let xml = body
        .split_once("<Message>")
        .and_then(|(_, rest)| rest.split_once("</Message>"));
    let read: Result<serde_json::Value, _> = serde_json::from_str(body);
    let read = read.unwrap_or_default();
    let json = read.get("message").and_then(serde_json::Value::as_str);
    xml.map(|(text, _)| text)
        .or(json)
        .unwrap_or_default()
        .to_owned()
}
