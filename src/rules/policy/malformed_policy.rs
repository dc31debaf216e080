//! A part of a policy that has a shape or a place no policy may have.

use crate::diag::{Edit, Severity};
use crate::model::policy::{Malformed, PolicyDocument, PolicyKind, Statement};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Kind, pointer};
use crate::text::{Span, Text, quoted};

use super::{grant, mend};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "malformed-policy",
    aliases: &[],
    summary: "a part that AWS refuses: an unknown element, a wrong type, a missing part",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("malformed_policy.md"),
    check: Check::Policy(check),
};

const VERSIONS: [&str; 2] = ["2012-10-17", "2008-10-17"];

const EFFECTS: [&str; 2] = ["Allow", "Deny"];

const ELEMENTS: [&str; 3] = ["Version", "Id", "Statement"];

const STATEMENT_ELEMENTS: [&str; 9] = [
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for part in &policy.malformed {
        let help =
            "AWS refuses the policy with `MalformedPolicyDocument`; mend this part or take it out";
        let edit = in_right_case(policy, part, sink);
        let mut draft = sink
            .report(part.at, part.message.clone())
            .pointer(part.pointer.clone())
            .help(help);
        if is_ignored(policy, &part.pointer) {
            draft = draft.severity(Severity::Warning);
        }
        if edit.is_some() {
            mend::offer(
                draft,
                policy,
                "write it in AWS's case of letters",
                vec![edit],
            );
        }
    }
    if let Some(version) = policy
        .version
        .as_ref()
        .filter(|version| !is_version(version))
    {
        let message = format!(
            "{} is no version of the policy language; allowed are `2012-10-17` and `2008-10-17`",
            quoted(version.as_str())
        );
        let help = "write `2012-10-17`: it is the version of the language, not a date of yours";
        report(sink, version.span(), message, "/Version", help);
    }
    for statement in policy.statements.iter().filter(|one| !one.open) {
        resources(policy.kind, statement, sink);
        if policy.kind.has_principals() && statement.principals.is_none() {
            let message = format!(
                "`Principal` is missing; {} says whom it concerns",
                named(policy.kind)
            );
            let help = "add `Principal`, or give the right kind with `--policy-type`";
            report(
                sink,
                statement.span.slice(0, 1),
                message,
                &statement.pointer,
                help,
            );
        }
    }
}

/// The edit of an element or an effect that is right but for the case of its letters, where nothing else has its name.
fn in_right_case(policy: &PolicyDocument, part: &Malformed, sink: &Sink<'_>) -> Option<Edit> {
    let right = |written: &str, known: &[&'static str]| {
        let mut known = known.iter().copied();
        known.find(|word| word.eq_ignore_ascii_case(written) && *word != written)
    };
    let (parent, step) = part.pointer.rsplit_once('/')?;
    if step == "Effect" {
        let text = pointer::find(&policy.root, &part.pointer)?.as_text()?;
        return mend::replace(sink, text, right(text.as_str(), &EFFECTS)?);
    }
    let known: &[&str] = if parent.is_empty() {
        &ELEMENTS
    } else {
        &STATEMENT_ELEMENTS
    };
    let place = pointer::find(&policy.root, parent)?;
    let is_statement = is_statement(parent);
    let entry = place
        .entry(step)
        .filter(|_| parent.is_empty() || is_statement)?;
    let word = right(entry.key.as_str(), known).filter(|word| place.get(word).is_none())?;
    mend::replace(sink, &entry.key, word)
}

fn is_statement(pointer: &str) -> bool {
    pointer.strip_prefix("/Statement").is_some_and(|rest| {
        let index = rest.strip_prefix('/').unwrap_or(rest);
        index.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// `null` in a list of resources, which `CreatePolicy` takes and passes over.
fn is_ignored(policy: &PolicyDocument, pointer: &str) -> bool {
    let mut steps: Vec<String> = pointer::steps(pointer).collect();
    let _index = steps.pop();
    let in_list = steps.last().is_some_and(|step| step == "Resource");
    let node = pointer::find(&policy.root, pointer);
    in_list && node.is_some_and(|node| matches!(node.kind, Kind::Null))
}

fn is_version(version: &Text) -> bool {
    VERSIONS.contains(&version.as_str())
}

fn resources(kind: PolicyKind, statement: &Statement, sink: &mut Sink<'_>) {
    match &statement.resources {
        None if grant::is_for_identities(kind) => {
            let help = "add `Resource`: an ARN, a list of ARNs, or `*`";
            let message =
                "`Resource` is missing; every statement says what it applies to".to_owned();
            report(
                sink,
                statement.span.slice(0, 1),
                message,
                &statement.pointer,
                help,
            );
        }
        Some(resources) if kind == PolicyKind::Trust => {
            let message = format!(
                "a trust policy has no `{}`: it speaks of its own role",
                resources.key.as_str()
            );
            report(
                sink,
                resources.key.span(),
                message,
                &resources.pointer,
                "take it out",
            );
        }
        Some(_) | None => {}
    }
}

/// The kind in words, for those that have principals.
fn named(kind: PolicyKind) -> &'static str {
    match kind {
        PolicyKind::Trust => "a trust policy",
        PolicyKind::Rcp => "a resource control policy",
        PolicyKind::Endpoint => "an endpoint policy",
        PolicyKind::Resource
        | PolicyKind::Identity
        | PolicyKind::ManagedIdentity
        | PolicyKind::Scp
        | PolicyKind::Boundary
        | PolicyKind::Session => "the policy of a resource",
    }
}

fn report(sink: &mut Sink<'_>, at: Span, message: String, pointer: &str, help: &str) {
    sink.report(at, message).pointer(pointer).help(help);
}
