//! A value that AutoKuma's template engine refuses.

use crate::diag::Severity;
use crate::model::monitor::Monitor;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "monitor-template-refused",
    aliases: &[],
    summary: "a value of a KumaEntity that AutoKuma cannot fill in, so that it leaves the entity out",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("monitor_template_refused.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    for (at, why) in monitor.refused_templates() {
        sink.report(at, why).help(
            "AutoKuma fills in `{{ get_env(name='AUTOKUMA__ENV__…') }}`; put what Uptime Kuma is to fill in between `{% raw %}` and `{% endraw %}`",
        );
    }
}
