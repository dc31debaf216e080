//! A probe that takes any certificate.

use crate::diag::Severity;
use crate::model::script::Script;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "probe-ignores-certificate",
    aliases: &[],
    summary: "a pinned probe that takes any certificate for good",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("probe_ignores_certificate.md"),
    check: Check::Script(check),
};

fn check(script: &Script, sink: &mut Sink<'_>) {
    for command in script
        .commands
        .iter()
        .filter(|command| super::is_probe(command))
    {
        if let Some(word) = command.switch("--insecure", 'k') {
            sink.report(
                word.span(),
                format!("`{}` takes any certificate: a site whose certificate has run out, or is another host's, counts as good, and no visitor sees it", word.as_str()),
            )
            .help("leave it out; with `--resolve` the certificate is compared with the name of the host");
        }
    }
}
