//! A condition value that is no principal of a service, under a key that carries one.

use crate::diag::Severity;
use crate::iam::catalog;
use crate::model::policy::{BaseOperator, Condition, Family, PolicyDocument, Value, has_wildcard};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::invalid_principal::{OF_AWS, is_no_service};
use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-service-principal",
    aliases: &[],
    summary: "a condition value that is no service principal, where the key carries one",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_service_principal.md"),
    check: Check::Policy(check),
};

/// Keys whose values are principals of services: `ec2.amazonaws.com` (IAM User Guide, "AWS global condition context
/// keys"; Service Authorization Reference, of IAM, Organizations and STS).
pub(super) const OF_SERVICES: [&str; 9] = [
    "aws:CalledVia",
    "aws:CalledViaFirst",
    "aws:CalledViaLast",
    "aws:PrincipalServiceName",
    "aws:PrincipalServiceNamesList",
    "iam:AWSServiceName",
    "iam:PassedToService",
    "organizations:ServicePrincipal",
    "sts:AWSServiceName",
];

/// The key whose values are a service in a Region: `s3.us-east-1.amazonaws.com` (AWS KMS Developer Guide).
const VIA: &str = "kms:ViaService";

/// How the domains of AWS end, partition by partition.
const DOMAINS: [&str; 8] = [
    ".amazonaws.com",
    ".amazonaws.com.cn",
    ".amazonaws.eu",
    ".amazon.com",
    ".aws.internal",
    ".api.aws",
    ".c2s.ic.gov",
    ".sc2s.sgov.gov",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let regional = condition.is_on(VIA);
        let operator = condition.operator.map(|operator| operator.base);
        let Some(operator) = operator.filter(|base| base.family() == Family::String) else {
            continue;
        };
        if !regional && !OF_SERVICES.iter().any(|key| condition.is_on(key)) {
            continue;
        }
        for value in &condition.values {
            if !may_match(operator, value.text.as_str(), regional) {
                report(policy, condition, operator, value, sink);
            }
        }
    }
}

/// Whether a request can carry a value that the policy's value equals or matches.
fn may_match(operator: BaseOperator, text: &str, regional: bool) -> bool {
    // Variables stand for anything, and a wildcard that is compared as it stands is told as that.
    if text.contains("${") || has_wildcard(text) && !operator.is_pattern() {
        return true;
    }
    if has_wildcard(text) {
        let among = |domain: &&str| catalog::may_be_in_domain(text, domain, regional);
        // No name has any other character, so that a pattern with one matches none.
        let of_names = |byte: u8| {
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || matches!(byte, b'-' | b'.' | b'_' | b'*' | b'?')
        };
        return text.bytes().all(of_names) && DOMAINS.iter().any(among);
    }
    let folded;
    let text = if operator.name().ends_with("IgnoreCase") {
        folded = text.to_ascii_lowercase();
        folded.as_str()
    } else {
        text
    };
    if regional {
        return is_regional(text);
    }
    !is_no_service(text)
}

/// Whether a service and a Region stand before the domain.
fn is_regional(text: &str) -> bool {
    let before = DOMAINS.iter().find_map(|domain| text.strip_suffix(domain));
    let Some((service, region)) = before.and_then(|before| before.rsplit_once('.')) else {
        return false;
    };
    let lower = |part: &str| {
        part.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
        })
    };
    let of_region = region.contains('-') && region.ends_with(|last: char| last.is_ascii_digit());
    !service.is_empty() && lower(service) && lower(region) && of_region
}

fn report(
    policy: &PolicyDocument,
    condition: &Condition,
    operator: BaseOperator,
    value: &Value,
    sink: &mut Sink<'_>,
) {
    let text = value.text.as_str();
    let key = condition.key.as_str();
    let effect = if operator.is_negated() {
        "which always holds"
    } else {
        "which never holds"
    };
    let regional = condition.is_on(VIA);
    let form = if regional {
        "a service in a Region"
    } else {
        "a service principal"
    };
    let message = format!(
        "{} is not {form}, as {} carries it, {effect}",
        quoted(text),
        quoted(key)
    );
    let right = right(text, regional);
    let help = match &right {
        Some(right) => format!("write {}", quoted(right)),
        None if regional => {
            "write `service.region.amazonaws.com`, such as `s3.us-east-1.amazonaws.com`, or `s3.*.amazonaws.com` under `StringLike`".to_owned()
        }
        None => {
            "write the service's name in lower case with its domain, such as `ec2.amazonaws.com`".to_owned()
        }
    };
    let edit = right.map(|right| mend::replace(sink, &value.text, &right));
    let draft = sink
        .report(value.text.span(), message)
        .pointer(value.pointer.clone())
        .help(help);
    mend::offer(
        draft,
        policy,
        "write the service's principal",
        edit.into_iter().collect(),
    );
}

/// What was certainly meant: the name of a service that is known to have a principal of that name, in any case, alone or
/// with a part of the domain.
fn right(text: &str, regional: bool) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    let name = lower.split('.').next().unwrap_or_default();
    let rest = lower.get(name.len()..).unwrap_or_default();
    let known = OF_AWS.contains(&name)
        && matches!(
            rest,
            "" | ".aws" | ".amazon" | ".amazonaws" | ".amazon.com" | ".aws.com" | ".amazonaws.com"
        );
    (known && !regional).then(|| format!("{name}.amazonaws.com"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_judged_by_what_it_can_match() {
        let like = |text| may_match(BaseOperator::StringLike, text, false);
        for text in [
            "ec2.*",
            "ec2*",
            "*",
            "dms.*.amazonaws.com",
            "ec2.amazonaws.com*",
        ] {
            assert!(like(text), "{text}");
        }
        for text in [
            "ec2",
            "ec2.*.internal.example.com",
            "arn:*:iam::*",
            "EC2.amazonaws.com",
        ] {
            assert!(!like(text), "{text}");
        }
    }

    #[test]
    fn a_service_in_a_region_has_both_parts_in_their_order() {
        let via = |text| may_match(BaseOperator::StringLike, text, true);
        for text in [
            "s3.us-east-1.amazonaws.com",
            "s3.cn-north-1.amazonaws.com.cn",
            "s3.*.amazonaws.com",
            "*.us-gov-west-1.amazonaws.com",
            "s3.*",
        ] {
            assert!(via(text), "{text}");
        }
        for text in [
            "s3",
            "s3.amazonaws.com",
            "us-east-1.s3.amazonaws.com",
            "s3*.example.com",
            ".us-east-1.amazonaws.com",
        ] {
            assert!(!via(text), "{text}");
        }
    }
}
