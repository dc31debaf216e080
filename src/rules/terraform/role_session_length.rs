//! How long sessions of a role may last.

use std::ops::RangeInclusive;

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::yaml;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "role-session-length",
    aliases: &[],
    summary: "a longest session of a role that IAM refuses, or that is shorter than the one the workflow asks for",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("role_session_length.md"),
    check: Check::Terraform(check),
};

/// IAM API reference, `CreateRole`, `MaxSessionDuration`: seconds.
const ALLOWED: RangeInclusive<u64> = 3_600..=43_200;

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let spec = sink.spec().filter(|spec| module.is_of(spec));
    let own = spec.and_then(|spec| module.own_role(spec));
    for role in &module.roles {
        let written = role.max_session.as_ref().and_then(yaml::as_written);
        let Some(written) = written else { continue };
        let Ok(seconds) = written.as_str().parse::<u64>() else {
            continue;
        };
        let (least, most) = (ALLOWED.start(), ALLOWED.end());
        if !ALLOWED.contains(&seconds) {
            sink.report(
                written.span(),
                format!("`max_session_duration` of `{}` is {seconds}, and IAM takes {least} to {most} seconds", role.address),
            )
            .help("write 3600, or leave it out, which is the same");
            continue;
        }
        let asked = spec.filter(|_| own.is_some_and(|own| own.address == role.address));
        let asked = asked.map(|spec| (spec, u64::from(spec.aws.session_seconds)));
        if let Some((spec, asked)) = asked.filter(|(_, asked)| *asked > seconds) {
            let label = spec.label("/aws/session_seconds");
            sink.report(
                written.span(),
                format!("sessions of `{}` last {seconds} seconds at most, and the workflow asks for {asked}, which STS refuses", role.address),
            )
            .related(label.at, label.text)
            .help(format!("write {asked} or more here, or fewer seconds in the spec"));
        }
    }
}
