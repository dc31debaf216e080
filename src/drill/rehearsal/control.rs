//! What of the deployment would stand in the way of any switch, asked while a fault is played: a right that is missing, a token
//! that is not trusted, a message that GitHub does not take. That is no fault of the world, and none excuses it.

use std::time::Duration;

use crate::drill::{Call, Now, Reply, Service as _, Verdict, change_id};
use crate::model::policy::route53;
use crate::model::spec::OIDC_AUDIENCE;

use super::borrow::said;
use super::declared::Hook;
use super::github;
use super::jobs::issuer;
use super::links::{CONFIRMATION, MESSAGE, RECORDS, ROLE, SITES};
use super::stage::Stage;
use super::world::word;

/// Who asks.
const ASKER: &str = "the role's session";

/// A moment in the year 2026, for what is valid until then.
const WALL: u64 = 1_796_000_000;

impl Stage<'_> {
    /// Asks for all that a switch needs, with nothing of a fault in it; what is refused is a defect of its link.
    pub(super) fn control(&mut self) {
        self.after_calls();
        self.control_role();
        self.control_rights();
        for hook in self.kuma.hooks().to_vec() {
            self.control_message(&hook);
        }
    }

    fn control_role(&mut self) {
        let spec = self.spec;
        let environment = self.rules.environment.clone();
        let branch = &spec.github.branch;
        let own = issuer(spec, &spec.repository(), false, branch, environment);
        let mut claims = own.claims;
        claims.insert("aud".to_owned(), OIDC_AUDIENCE.into());
        let session = self.rules.session().to_owned();
        let trusted = self.judge.token(&spec.role_arn(), &session, &claims);
        self.controlled(ROLE, trusted);
    }

    fn control_rights(&mut self) {
        let spec = self.spec;
        let zone = format!("arn:aws:route53:::hostedzone/{}", spec.zone.id);
        let names = spec.records.names.iter().map(|name| name.iam());
        let types = spec.records.types.iter().map(|kind| word(*kind).to_owned());
        let batch = vec![
            (route53::NAMES_KEY, names.collect()),
            (route53::TYPES_KEY, types.collect()),
            (route53::ACTIONS_KEY, vec!["UPSERT".to_owned()]),
        ];
        let change = |number| format!("arn:aws:route53:::change/{}", change_id(number));
        let calls = [
            (SITES, route53::LIST_RECORDS, zone.clone(), Vec::new()),
            (RECORDS, route53::CHANGE_RECORDS, zone, batch),
            (CONFIRMATION, route53::GET_CHANGE, change(1), Vec::new()),
            (CONFIRMATION, route53::GET_CHANGE, change(2), Vec::new()),
        ];
        for (link, action, on, context) in calls {
            let verdict = self.judge.ask(ASKER, action, &on, &context);
            self.controlled(link, verdict == Verdict::Allowed);
        }
    }

    /// What was refused is a defect of its link, and what was not decided a doubt.
    fn controlled(&mut self, link: &'static str, allowed: bool) {
        for decided in self.judge.take() {
            self.doubt_of(&decided);
            if !allowed {
                self.facts.defect(link, decided.why.join("; "));
            }
        }
    }

    /// A message, put to a GitHub in which all is well.
    fn control_message(&mut self, hook: &Hook) {
        let api = self.spec.api_url();
        let path = hook
            .url
            .strip_prefix(&api)
            .filter(|path| path.starts_with('/'));
        let Some(path) = path else {
            return;
        };
        let mut workflow = self.world.github.with(|github| github.workflow.clone());
        workflow.disabled = false;
        let header = |name: &str| {
            let mut own = hook.headers.iter();
            let own = own.find(|(known, _)| known.eq_ignore_ascii_case(name));
            own.map(|(_, value)| value.clone())
        };
        let call = Call {
            method: hook.method.clone(),
            path: path.to_owned(),
            authorization: header("authorization"),
            content_type: header("content-type"),
            agent: Some("Uptime-Kuma".to_owned()),
            version: header("x-github-api-version"),
            body: hook.body.clone(),
            ..Call::default()
        };
        let now = Now {
            since: Duration::ZERO,
            wall: WALL,
        };
        if let Reply::Answer { http, body, .. } = github(self.spec, workflow).answer(&call, now)
            && http != 204
        {
            let told = said(&body);
            let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
            self.facts
                .defect(MESSAGE, format!("GitHub answers {http}: {told}"));
        }
    }
}
