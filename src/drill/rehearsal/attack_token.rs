//! Attacks on the trust policy: tokens of others, tokens that say less or something else, identities that are no token. Those
//! that STS itself would turn away are put to the trust policy all the same: it is the door that the deployment has.

use serde_json::Value;

use crate::drill::Issuer;
use crate::iam::trust::Verdict;
use crate::model::spec::{OIDC_AUDIENCE, Spec};
use crate::model::trust::{Context, Repository};
use crate::report::drill::AttackRow;

use super::jobs::issuer;
use super::stage::Stage;

/// An account that is nobody's here.
const FOREIGN: &str = "999999999999";

/// How many tokens are tried of those that a trust policy is found to let in.
const SHOWN: usize = 4;

/// The environment that somebody with write access makes up.
const FORGED: &str = "made-up";

impl Stage<'_> {
    /// Tokens that must not borrow the role.
    pub(super) fn with_other_tokens(&mut self) -> Vec<AttackRow> {
        let cases = tokens(self.spec, self.rules.environment.as_ref());
        let mut rows = Vec::new();
        for (what, other) in cases {
            let answered = self.borrow_with(other);
            rows.push(self.row(what, true, answered));
        }
        rows
    }

    /// Tokens that fit the pattern of a trust policy and are not the job's, such as those of the branch `main-x` for
    /// `refs/heads/main*`: found by the search over all tokens that `validate` and `prove trust` make, and tried like all others.
    pub(super) fn with_tokens_that_fit(&mut self) -> Vec<AttackRow> {
        let (mut rows, mut shut) = (Vec::new(), Vec::new());
        for (place, found) in self.judge.let_in(self.spec) {
            let strong = found.attackers.iter();
            let strong = strong.filter(|attack| !attack.threat.is_weak());
            for attack in strong.clone().take(SHOWN) {
                let claims = attack.claims.iter();
                let claims = claims.map(|(claim, value)| (claim.to_owned(), value.into()));
                let (claims, provider) = (claims.collect(), self.spec.oidc_provider_arn());
                let session = self.rules.session();
                let trusted = self.judge.trusts(&claims, session, &provider);
                let subject = attack.claims.subject();
                let what = format!("the token of {} (`{subject}`)", attack.name);
                rows.push(self.judged(&what, trusted));
            }
            let why = &found.why;
            match (strong.count(), found.verdict) {
                (0, Verdict::Unresolved) => self.facts.note(format!(
                    "{place}: whether tokens get in beside those that were tried is not known: {why}"
                )),
                (0, _) => shut.push(format!("{place}: {why}")),
                (count, _) if count > SHOWN => self.facts.note(format!(
                    "{place}: the trust policy lets in {count} kinds of other tokens, of which {SHOWN} were tried"
                )),
                _ => {}
            }
        }
        if !shut.is_empty() && rows.is_empty() {
            rows.push(AttackRow {
                what: "any other token, of all branches, tags and repositories".to_owned(),
                must_fail: true,
                refused: true,
                open: false,
                why: shut,
            });
        }
        rows
    }

    /// Claims and identities that the trust policy itself must turn away.
    pub(super) fn with_other_claims(&mut self) -> Vec<AttackRow> {
        let spec = self.spec;
        let environment = self.rules.environment.clone();
        let own = issuer(
            spec,
            &spec.repository(),
            false,
            &spec.github.branch,
            environment,
        );
        let provider = spec.oidc_provider_arn();
        let other_provider = format!(
            "arn:aws:iam::{}:oidc-provider/tokens.example.net",
            spec.aws.account
        );
        let other_audience = Value::from(format!("https://github.com/{}", spec.github.owner));
        let audience = Value::from(OIDC_AUDIENCE);
        let cases = [
            (
                "a token for another audience",
                Some(other_audience),
                true,
                &provider,
            ),
            ("a token without an audience", None, true, &provider),
            (
                "a token without a subject",
                Some(audience.clone()),
                false,
                &provider,
            ),
            (
                "a token of another provider",
                Some(audience),
                true,
                &other_provider,
            ),
        ];
        let mut rows = Vec::new();
        for (what, audience, with_subject, provider) in cases {
            let mut claims = own.claims.clone();
            claims.remove("aud");
            if let Some(audience) = audience {
                claims.insert("aud".to_owned(), audience);
            }
            if !with_subject {
                claims.remove("sub");
            }
            let trusted = self.judge.trusts(&claims, self.rules.session(), provider);
            rows.push(self.judged(what, trusted));
        }
        rows.extend(self.with_other_identities());
        rows
    }

    /// Identities of AWS's own, which are no token.
    fn with_other_identities(&self) -> Vec<AttackRow> {
        let mut rows = Vec::new();
        let foreign = [
            (
                "a role of another account",
                format!("arn:aws:iam::{FOREIGN}:role/stranger"),
            ),
            (
                "a user of this account",
                format!("arn:aws:iam::{}:user/somebody", self.spec.aws.account),
            ),
        ];
        for (what, arn) in foreign {
            let trusted = self.judge.trusts_arn(&arn, self.rules.session());
            rows.push(self.judged(what, trusted));
        }
        rows
    }

    fn judged(&self, what: &str, trusted: bool) -> AttackRow {
        let status = if trusted { 200 } else { 403 };
        self.row(what, true, Ok((status, String::new())))
    }
}

/// Tokens of GitHub that are not this job's, each with whose it is.
fn tokens(spec: &Spec, environment: Option<&String>) -> Vec<(&'static str, Issuer)> {
    let (repository, branch) = (spec.repository(), spec.github.branch.clone());
    let environment = environment.cloned();
    let own = |branch: &str| issuer(spec, &repository, false, branch, environment.clone());
    let elsewhere = |owner: u64, id: u64, name: &str| {
        let mut other = spec.clone();
        other.github.owner_id += owner;
        other.github.repository_id += id;
        issuer(&other, name, true, &branch, environment.clone())
    };
    let mut other = spec.clone();
    other.github.repository_id += 3;
    let sibling = format!("{}/another", spec.github.owner);
    let sibling = issuer(&other, &sibling, false, &branch, environment.clone());
    let mut other_branch = own("feature");
    if environment.is_some() {
        // A job outside the environment has the branch in its subject.
        other_branch = issuer(spec, &repository, false, "feature", None);
    }
    let forged = issuer(spec, &repository, false, &branch, Some(FORGED.to_owned()));
    let mut pull = issuer(spec, &repository, false, &branch, None);
    let repository_of_spec = Repository::of_spec(spec);
    let subject = repository_of_spec.subject_in(repository_of_spec.format, Context::PullRequest);
    pull.claims
        .insert("sub".to_owned(), subject.to_string().into());
    vec![
        ("the token of another branch", other_branch),
        ("the token of a job in another environment", forged),
        (
            "the token of a repository that took over the name",
            elsewhere(1, 1, &repository),
        ),
        ("the token of another repository of the same owner", sibling),
        (
            "the token of a stranger's repository",
            elsewhere(7, 7, "stranger/dns-failover"),
        ),
        ("the token of a pull request", pull),
    ]
}
