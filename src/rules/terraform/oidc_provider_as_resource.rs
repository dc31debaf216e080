//! GitHub's OIDC provider made by the spec's module.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-provider-as-resource",
    aliases: &[],
    summary: "GitHub's OIDC provider as a resource instead of a data source",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("oidc_provider_as_resource.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    if !module.is_of(spec) {
        return;
    }
    for provider in &module.providers {
        let url = provider.url.as_ref();
        if let Some(unknown) = url.and_then(Node::as_unknown) {
            let what = format!("whether `{}` is GitHub's provider", provider.address);
            sink.undecided(provider.head, what, &unknown.why, unknown.missing.clone());
        }
        let host = url.and_then(Node::as_str).map(|url| {
            let host = url.strip_prefix("https://").unwrap_or(url);
            host.trim_end_matches('/')
        });
        if host == Some(spec.oidc_issuer()) {
            let message = format!(
                "`{}` makes the provider of `{}`, of which an account has one",
                provider.address,
                spec.oidc_issuer()
            );
            sink.report(provider.head, message)
                .help("look it up: `data \"aws_iam_openid_connect_provider\"` with the same `url`");
        }
    }
}
