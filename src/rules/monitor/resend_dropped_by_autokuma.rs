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
    if !monitor.is_monitor() {
        return;
    }
    let spec = sink.spec();
    // Where nobody says which release reads it, it is the last one.
    let version = spec.map_or(RELEASED, |spec| spec.monitors.autokuma_version.as_str());
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
    let label = spec.map(|spec| spec.label("/monitors/autokuma_version"));
    let draft = sink.report(
        entry.key.span(),
        format!(
            "`{}` of a `{kind}` monitor is dropped by AutoKuma {version}, so that nothing is sent again",
            entry.key.as_str()
        ),
    )
    .help("use an `http`, `json-query` or `keyword` monitor, or an AutoKuma newer than 2.0.0");
    match label {
        Some(label) => {
            draft.related(label.at, label.text);
        }
        None => {
            draft.severity(Severity::Warning);
        }
    }
}

/// The last release of AutoKuma.
const RELEASED: &str = "2.0.0";
