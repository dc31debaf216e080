//! A dispatch that is no POST.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "dispatch-method-invalid",
    aliases: &[],
    summary: "a dispatch that is sent with another method than POST",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("dispatch_method_invalid.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let method = super::dispatch(monitor).and_then(|webhook| webhook.method.as_ref());
    let Some(method) = method.filter(|method| !method.as_str().eq_ignore_ascii_case("post")) else {
        return;
    };
    if !super::holds_template(method) {
        sink.report(
            method.span(),
            format!(
                "`{}` starts nothing: GitHub takes a dispatch by POST alone, and answers 404",
                method.as_str()
            ),
        )
        .help("write `post`");
    }
}
