//! An audience that no token for STS carries.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::model::spec::OIDC_AUDIENCE;
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{allows, is_open, limits, takes};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-aud-wrong",
    aliases: &[],
    summary: "an audience that no token for STS carries",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_aud_wrong.md"),
    check: Check::Trust(check),
};

/// The audiences of STS: everywhere, and in the regions of China.
const AUDIENCES: [&str; 2] = [OIDC_AUDIENCE, "sts.amazonaws.com.cn"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for one in allows(policy) {
        for condition in limits(one, "aud").filter(|condition| !is_open(condition)) {
            let right = |value| {
                AUDIENCES
                    .iter()
                    .any(|audience| takes(condition, value, audience))
            };
            if condition.values.iter().any(right) {
                continue;
            }
            for value in &condition.values {
                let text = value.text.as_str();
                // Without a repository the job may ask for an audience of its own; a misspelt STS is none.
                let meant = text.to_ascii_lowercase().contains("sts.amazonaws.com");
                if sink.repository().is_none() && !meant {
                    continue;
                }
                let message = format!("no token of the job carries the audience `{text}`");
                sink.report(value.text.span(), message)
                    .pointer(value.pointer.clone())
                    .help(format!(
                        "write `{OIDC_AUDIENCE}`, without scheme and in lower case"
                    ));
            }
        }
    }
}
