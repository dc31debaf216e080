//! An entity that AutoKuma does not read as it looks.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-malformed",
    aliases: &[],
    summary: "a KumaEntity that declares nothing, or not what it looks like",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("monitor_malformed.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    if let Some(kuma) = monitor
        .kuma
        .as_ref()
        .filter(|_| monitor.is_of_kuma_1().is_none())
    {
        let why = format!(
            "Uptime Kuma `{}` is not known here; known are 1.23 and 2",
            kuma.as_str()
        );
        let what = "whether the settings of this backup mean what they meant".to_owned();
        sink.undecided(kuma.span(), what, why, Vec::new());
    }
    for part in &monitor.malformed {
        sink.report(part.at, part.reason.clone())
            .help("AutoKuma leaves such an entity out with a line in its log; declare it as its entity types ask");
    }
}
