//! A private address without the VPC that it belongs to.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "missing-paired-condition-key",
    aliases: &[],
    summary: "aws:VpcSourceIp without aws:SourceVpc or aws:SourceVpce",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("missing_paired_condition_key.md"),
    check: Check::Policy(check),
};

const NETWORKS: [&str; 3] = ["aws:SourceVpc", "aws:SourceVpce", "aws:SourceVpcArn"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let named = NETWORKS
            .iter()
            .any(|key| statement.conditions_on(key).next().is_some());
        let alone = statement.conditions_on("aws:VpcSourceIp").find(|_| !named);
        if let Some(condition) = alone {
            sink.report(
                condition.key.span(),
                "`aws:VpcSourceIp` is an address in any VPC of anybody: nothing says in which",
            )
            .pointer(condition.pointer.clone())
            .help("add a condition on `aws:SourceVpc` or `aws:SourceVpce`");
        }
    }
}
