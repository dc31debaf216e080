//! Attacks on the running rehearsal: whoever has the role's session, another token or the dispatch token tries what it must
//! not. Each is a real request to the same endpoints, and each must be refused.

use std::io;

use crate::drill::{Issuer, Verdict};
use crate::model::dns::{RecordName, RecordType};
use crate::model::spec::OIDC_AUDIENCE;
use crate::report::drill::AttackRow;

use super::borrow::{Form, Session, borrow, said};
use super::caller::{Outgoing, call};
use super::declared::TOKEN;
use super::jobs::issuer;
use super::stage::Stage;
use super::world::word;

/// A change that is tried: the action, the name, the type and the value of each record.
struct Change {
    what: String,
    zone: String,
    edits: Vec<(&'static str, String, &'static str, String)>,
    must_fail: bool,
}

/// Calls beside the switch that must not be open to the role's session: the action, on what, and what it would do.
const BESIDE: [(&str, &str, &str); 7] = [
    ("iam:PutRolePolicy", "ROLE", "gives the role other rights"),
    (
        "sts:AssumeRole",
        "arn:aws:iam::ACCOUNT:role/another",
        "borrows another role",
    ),
    ("s3:GetObject", "arn:aws:s3:::bucket/key", "reads a bucket"),
    ("route53:DeleteHostedZone", "ZONE", "deletes the zone"),
    (
        "route53:ChangeTagsForResource",
        "ZONE",
        "changes the zone's tags",
    ),
    ("route53:CreateHostedZone", "*", "makes a zone"),
    (
        "route53domains:TransferDomainToAnotherAwsAccount",
        "*",
        "gives the domain away",
    ),
];

impl Stage<'_> {
    /// Tries all of them.
    pub(super) fn attacks(&mut self) -> Vec<AttackRow> {
        self.after_calls();
        self.judge.attacked(true);
        let mut rows = self.with_the_session();
        rows.extend(self.beside_the_switch());
        rows.extend(self.with_other_tokens());
        rows.extend(self.with_other_claims());
        rows.extend(self.with_tokens_that_fit());
        rows.extend(self.with_the_dispatch_token());
        rows.extend(self.start.applied.clone());
        self.judge.attacked(false);
        self.after_calls();
        for row in &rows {
            self.tell("attack", format!("{}: {}", row.what, row.word()));
        }
        rows
    }

    /// The role that is attacked.
    pub(super) fn attacked_role(&self) -> String {
        let own = self.judge.own().arn.clone();
        own.unwrap_or_else(|| self.spec.role_arn())
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
                open: false,
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

    fn home_address(&self) -> String {
        let home = self.world.sites.first();
        let home = home.and_then(|site| site.addresses.first());
        home.map(ToString::to_string).unwrap_or_default()
    }

    fn changes(&self) -> Vec<Change> {
        let spec = self.spec;
        let apex = spec.records.names.first().map(RecordName::route53);
        let apex = apex.unwrap_or_default();
        let (kind, elsewhere) = match spec.records.types.first() {
            Some(RecordType::Aaaa) => ("AAAA", "2001:db8::66"),
            Some(RecordType::A) | None => ("A", "192.0.2.66"),
        };
        let home = self.home_address();
        let foreign = format!("mail.{}", spec.zone.name);
        let one = |what: String, action, name: &str, kind, value: &str| Change {
            what,
            zone: spec.zone.id.clone(),
            edits: vec![(action, name.to_owned(), kind, value.to_owned())],
            must_fail: true,
        };
        let own = |value: &str| ("UPSERT", apex.clone(), kind, value.to_owned());
        let mut changes = vec![
            one(format!("DELETE of {apex}"), "DELETE", &apex, kind, &home),
            one(format!("CREATE of {apex}"), "CREATE", &apex, kind, &home),
            one(
                format!("UPSERT of {foreign}"),
                "UPSERT",
                &foreign,
                kind,
                elsewhere,
            ),
            one(
                format!("UPSERT of TXT at {apex}"),
                "UPSERT",
                &apex,
                "TXT",
                "\"x\"",
            ),
        ];
        for (other, value) in [("A", "192.0.2.66"), ("AAAA", "2001:db8::66")] {
            if !spec.records.types.iter().any(|own| word(*own) == other) {
                let what = format!("UPSERT of {other} at {apex}");
                changes.push(one(what, "UPSERT", &apex, other, value));
            }
        }
        changes.push(Change {
            what: format!("UPSERT of {apex} and {foreign} in one batch"),
            edits: vec![own(&home), ("UPSERT", foreign, kind, elsewhere.to_owned())],
            zone: spec.zone.id.clone(),
            must_fail: true,
        });
        changes.push(Change {
            what: "UPSERT in another zone".to_owned(),
            edits: vec![own(elsewhere)],
            zone: "Z0000000000OTHER".to_owned(),
            must_fail: true,
        });
        changes.push(Change {
            what: format!("UPSERT of {apex} with {elsewhere}, no site's address"),
            edits: vec![own(elsewhere)],
            zone: spec.zone.id.clone(),
            must_fail: false,
        });
        changes
    }

    fn try_change(&self, session: &Session, change: &Change) -> AttackRow {
        let edits = change.edits.iter().map(|(action, name, kind, value)| {
            format!(
                "<Change><Action>{action}</Action><ResourceRecordSet><Name>{name}</Name><Type>{kind}</Type><TTL>300</TTL>\
                 <ResourceRecords><ResourceRecord><Value>{}</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>\
                 </Change>",
                value.replace('"', "&quot;")
            )
        });
        let body = format!(
            "<ChangeResourceRecordSetsRequest xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\"><ChangeBatch><Changes>\
             {}</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>",
            edits.collect::<String>()
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
            path: &format!("/2013-04-01/hostedzone/{}/rrset", change.zone),
            headers: &headers,
            body: &body,
        };
        let answered = call(self.world.cloud.address(), request);
        self.world.cloud.with(|cloud| *cloud.zone_mut() = before);
        self.row(&change.what, change.must_fail, answered)
    }

    /// What the role's session must not do at AWS beside the switch: what would do harm, and whatever else a statement allows.
    fn beside_the_switch(&self) -> Vec<AttackRow> {
        let spec = self.spec;
        let zone = format!("arn:aws:route53:::hostedzone/{}", spec.zone.id);
        let role = self.attacked_role();
        let mut calls: Vec<(String, String, String)> = Vec::new();
        for (action, on, what) in BESIDE {
            let on = match on {
                "ROLE" => role.clone(),
                "ZONE" => zone.clone(),
                other => other.replace("ACCOUNT", &spec.aws.account),
            };
            calls.push((format!("{action}, which {what}"), action.to_owned(), on));
        }
        for (written, on) in self.judge.allowed_beside() {
            // What of Route 53's own calls is open is tried above, each on what it is for.
            let of_route53 = written == "*" || written.to_ascii_lowercase().starts_with("route53:");
            if !of_route53 {
                let plain = |text: &str| text.replace(['*', '?'], "x");
                let what = format!("`{written}`, which a statement allows");
                calls.push((what, plain(&written), plain(&on)));
            }
        }
        let each = calls.into_iter().map(|(what, action, on)| {
            let verdict = self.judge.ask("the role's session", &action, &on, &[]);
            let answered = Ok((
                if verdict == Verdict::Allowed {
                    200
                } else {
                    403
                },
                String::new(),
            ));
            self.row(&what, true, answered)
        });
        each.collect()
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
    pub(super) fn borrow_with(&self, mut issuer: Issuer) -> io::Result<(u16, String)> {
        let token = issuer.issue(OIDC_AUDIENCE, self.world.cloud.now());
        let form = Form {
            role: &self.attacked_role(),
            token: &token,
            seconds: "900",
            session: self.rules.session(),
            policy: None,
        };
        borrow(self.world.cloud.address(), form)
    }

    fn session(&self, issuer: Issuer) -> io::Result<Option<Session>> {
        let (status, body) = self.borrow_with(issuer)?;
        drop(self.judge.take());
        Ok(Session::read(&body).filter(|_| status == 200))
    }

    /// What came of an attack: the evaluator's own reasons where it decided, else what the answer says.
    pub(super) fn row(
        &self,
        what: &str,
        must_fail: bool,
        answered: io::Result<(u16, String)>,
    ) -> AttackRow {
        let decided = self.judge.take();
        let (refused, told) = match answered {
            Ok((status, body)) => (status >= 400, format!("{status} {}", said(&body))),
            Err(error) => (true, error.to_string()),
        };
        // What IAM lets through may still be refused for what it is; that does not count.
        let (refused, open, mut why) = match decided.into_iter().next_back() {
            Some(decided) => (!decided.allowed, !decided.open.is_empty(), decided.why),
            None => (refused, false, vec![told]),
        };
        if !refused && !open && !must_fail {
            let told = "IAM decides by action, name and type and never sees a value; the executor has no way to write it";
            why.insert(0, told.to_owned());
        }
        AttackRow {
            what: what.to_owned(),
            must_fail,
            refused,
            open,
            why,
        }
    }
}
