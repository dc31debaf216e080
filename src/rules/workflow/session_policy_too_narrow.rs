//! A session that is narrower than what the switch needs.

use crate::diag::Severity;
use crate::generate;
use crate::iam::NamedPolicy;
use crate::iam::prove::{Bounds, Question, Realm, Side, Witness, ask};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::session::narrowing;
use crate::model::spec::{CREDENTIALS, Spec};
use crate::model::workflow::{Step, Workflow, embedded, variable};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::json;
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "session-policy-too-narrow",
    aliases: &[],
    summary: "the policy of the borrowed session does not allow a request that the spec needs",
    severity: Severity::Error,
    tier: Tier::Proof,
    page: include_str!("session_policy_too_narrow.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    for step in super::switching_jobs(workflow).flat_map(|job| &job.steps) {
        let repository = step.uses.as_ref().and_then(|uses| uses.repository());
        if repository.is_some_and(|name| name.eq_ignore_ascii_case(CREDENTIALS)) {
            inline(step, spec, sink);
            managed(step, sink);
        }
    }
}

/// The policy that stands in the step.
fn inline(step: &Step, spec: &Spec, sink: &mut Sink<'_>) {
    let Some(written) = input(step, "inline-session-policy") else {
        return;
    };
    if !embedded(written.as_str()).is_empty() {
        sink.undecided(
            written.span(),
            "what the policy of the session allows",
            "an expression stands in it, whose value only a run knows",
            Vec::new(),
        );
        return;
    }
    // What STS refuses is told elsewhere.
    let Ok(session) = narrowing(written) else {
        return;
    };
    if let Some(witness) = lacks(&session, spec) {
        let request = &witness.request;
        let label = spec.label("/aws/role");
        sink.report(
            written.span(),
            format!(
                "`{}` on `{}` is not in the policy of the session, and the spec needs it",
                request.action(),
                request.resource
            ),
        )
        .related(label.at, label.text)
        .help("a session has what both its own policy and the role's allow; leave `inline-session-policy` out, the role's policies are narrow already");
    }
}

/// Managed policies narrow a session too, and lie in the account.
fn managed(step: &Step, sink: &mut Sink<'_>) {
    if let Some(written) = input(step, "managed-session-policies") {
        sink.undecided(
            written.span(),
            "what the managed policies of the session allow",
            "they lie in the account, and the session has no more than they allow",
            Vec::new(),
        );
    }
}

/// A request that the spec needs and the policy of the session does not allow.
fn lacks(session: &PolicyDocument, spec: &Spec) -> Option<Witness> {
    let wanted = [generate::change_records(spec), generate::read_zone(spec)];
    let wanted = wanted.iter().filter_map(|policy| {
        let text = Text::verbatim(policy.to_string(), spec.at(""));
        let root = json::read(&text).documents.pop()?;
        Some(PolicyDocument::read(root, Some(PolicyKind::Identity), None))
    });
    let wanted: Vec<PolicyDocument> = wanted.collect();
    let question = Question {
        granted: vec![side("spec", &wanted)],
        not_granted: vec![side("session", std::slice::from_ref(session))],
        realm: Realm::Documented,
        principal: None,
        home: None,
        aside: Vec::new(),
    };
    ask(&question, Bounds::default())
        .witnesses
        .into_iter()
        .next()
}

fn side<'a>(name: &'a str, documents: &'a [PolicyDocument]) -> Side<'a> {
    let named = |document| NamedPolicy { name, document };
    Side {
        policies: documents.iter().map(named).collect(),
    }
}

fn input<'a>(step: &'a Step, name: &str) -> Option<&'a Text> {
    let value = variable(&step.with, name)?.value.as_ref()?;
    (!value.as_str().trim().is_empty()).then_some(value)
}
