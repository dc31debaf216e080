//! A name, a length or a policy of the borrowed session that STS refuses.

use crate::diag::Severity;
use crate::model::session::{
    NAME_LENGTHS, NAME_PATTERN, POLICY_LENGTH, SECONDS, may_hold, name_fault, narrowing,
};
use crate::model::spec::CREDENTIALS;
use crate::model::workflow::{Step, Workflow, embedded, variable};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "credentials-input-refused",
    aliases: &[],
    summary: "STS refuses the name, the length or the policy of the session that a step asks for",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("credentials_input_refused.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    for step in workflow.jobs.iter().flat_map(|job| &job.steps) {
        let repository = step.uses.as_ref().and_then(|uses| uses.repository());
        if repository.is_some_and(|name| name.eq_ignore_ascii_case(CREDENTIALS)) {
            name(step, sink);
            seconds(step, sink);
            policy(step, sink);
        }
    }
}

/// The name; without one the action takes its own. What an expression stands for is not looked at, what stands around it is.
fn name(step: &Step, sink: &mut Sink<'_>) {
    let Some(written) = input(step, "role-session-name") else {
        return;
    };
    let text = written.as_str();
    let parts = embedded(text);
    let fault = if parts.is_empty() {
        name_fault(text)
    } else {
        let outside = |at: usize| !parts.iter().any(|part| part.whole.contains(&at));
        let mut glyphs = text.char_indices().filter(|(at, _)| outside(*at));
        let fits = glyphs.all(|(_, glyph)| may_hold(glyph));
        (!fits).then(|| format!("satisfy regular expression pattern: {NAME_PATTERN}"))
    };
    if let Some(fault) = fault {
        let (least, most) = (NAME_LENGTHS.start(), NAME_LENGTHS.end());
        sink.report(
            written.span(),
            format!("`{text}` is no name of a session to STS: it must {fault}"),
        )
        .help(format!(
            "write {least} to {most} letters, digits or marks of `_+=,.@-`, or leave it out"
        ));
    }
}

/// The length in seconds.
fn seconds(step: &Step, sink: &mut Sink<'_>) {
    let Some(written) = input(step, "role-duration-seconds") else {
        return;
    };
    let seconds = written.as_str().trim().parse::<u64>();
    if let Some(seconds) = seconds.ok().filter(|it| *it > 0 && !SECONDS.contains(it)) {
        let (least, most) = (SECONDS.start(), SECONDS.end());
        sink.report(
            written.span(),
            format!(
                "a session of {seconds} seconds is none that STS gives: it lasts {least} to {most}"
            ),
        )
        .help("write 3600, which every role allows, or leave it out");
    }
}

/// The policy that narrows the session. One with an expression in it is not looked at.
fn policy(step: &Step, sink: &mut Sink<'_>) {
    let written = input(step, "inline-session-policy");
    let Some(written) = written.filter(|text| embedded(text.as_str()).is_empty()) else {
        return;
    };
    if let Err(reason) = narrowing(written) {
        sink.report(
            written.span(),
            format!("a session takes no such policy: {reason}"),
        )
        .help(format!(
            "write a policy in JSON with `Version` and `Statement`, of {POLICY_LENGTH} characters at most, or leave it out: the role's own policies hold in any case"
        ));
    }
}

fn input<'a>(step: &'a Step, name: &str) -> Option<&'a Text> {
    let value = variable(&step.with, name)?.value.as_ref()?;
    (!value.as_str().is_empty()).then_some(value)
}
