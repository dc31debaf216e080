//! A setting that the released AutoKuma drops without a word.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

use super::monitor_type_unknown;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resend-dropped-by-autokuma",
    aliases: &[],
    summary: "resend_interval on a monitor type for which AutoKuma drops it",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("resend_dropped_by_autokuma.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| monitor.is_monitor()) else {
        return;
    };
    let version = &spec.monitors.autokuma_version;
    if !monitor.loses_resend(version) {
        return;
    }
    let Some(entry) = monitor.setting("resend_interval") else {
        return;
    };
    if monitor.number("resend_interval") == Some(0) {
        return;
    }
    // Of a type that there is not, nothing else is said.
    let Some(kind) = monitor.kind.as_ref().map(Text::as_str) else {
        return;
    };
    if !monitor_type_unknown::is_known(kind) {
        return;
    }
    let label = spec.label("/monitors/autokuma_version");
    sink.report(
        entry.key.span(),
        format!(
            "`{}` of a `{kind}` monitor is dropped by AutoKuma {version}, so that nothing is sent again",
            entry.key.as_str()
        ),
    )
    .related(label.at, label.text)
    .help("use an `http`, `json-query` or `keyword` monitor, or an AutoKuma newer than 2.0.0");
}
