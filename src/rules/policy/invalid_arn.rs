//! A resource that is no ARN, or one with a part that no ARN has.

use crate::diag::Severity;
use std::ops::Range;

use crate::iam::catalog;
use crate::model::policy::{PolicyDocument, PolicyKind, Value};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest, quoted};

use super::resource_placeholder::placeholder;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-arn",
    aliases: &[],
    summary: "a resource that is no ARN",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_arn.md"),
    check: Check::Policy(check),
};

/// The partitions of AWS.
const PARTITIONS: [&str; 9] = [
    "aws",
    "aws-cn",
    "aws-us-gov",
    "aws-eusc",
    "aws-iso",
    "aws-iso-b",
    "aws-iso-e",
    "aws-iso-f",
    "aws-cn-iso",
];

/// Services whose ARNs have no Region, as AWS refuses it there.
const WITHOUT_REGION: [&str; 2] = ["iam", "s3"];

/// What an IAM resource begins with, as AWS lists it when it refuses another.
const IAM_TYPES: [&str; 16] = [
    "user/",
    "federated-user/",
    "role/",
    "group/",
    "instance-profile/",
    "mfa/",
    "server-certificate/",
    "policy/",
    "sms-mfa/",
    "saml-provider/",
    "oidc-provider/",
    "report/",
    "access-report/",
    "root",
    "assumed-role/",
    "delegation-request/",
];

/// What is wrong with an ARN.
struct Fault {
    at: Range<usize>,
    severity: Severity,
    why: String,
    help: String,
}

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let resources = policy
        .statements
        .iter()
        .filter_map(|statement| statement.resources.as_ref());
    for value in resources.flat_map(|resources| &resources.values) {
        let text = value.text.as_str();
        // In the policy of a resource some services take the resource without the rest of its ARN.
        let relative = policy.kind == PolicyKind::Resource && !text.starts_with("arn:");
        if text == "*" || relative || text.contains("${") || placeholder(text).is_some() {
            continue;
        }
        if let Some(fault) = fault(text) {
            report(value, fault, sink);
        }
    }
}

fn report(value: &Value, fault: Fault, sink: &mut Sink<'_>) {
    let text = value.text.as_str();
    let at = if fault.at.is_empty() || fault.at == (0..text.len()) {
        value.text.span()
    } else {
        value.text.span_of(fault.at)
    };
    sink.report(at, format!("{} {}", quoted(text), fault.why))
        .severity(fault.severity)
        .pointer(value.pointer.clone())
        .help(fault.help);
}

fn error(at: Range<usize>, why: impl Into<String>, help: impl Into<String>) -> Option<Fault> {
    Some(Fault {
        at,
        severity: Severity::Error,
        why: why.into(),
        help: help.into(),
    })
}

fn is_open(part: &str) -> bool {
    part.contains(['*', '?'])
}

/// What stands in place of a service with a wildcard.
const NAMED: &str = "name the service, such as `arn:aws:route53:::hostedzone/*`; `*` alone stands for all resources";

const FORM: &str =
    "an ARN is `arn:partition:service:region:account:resource`; `*` stands for all resources";

/// The address of a resource, or an ARN with white space behind it.
fn no_arn(text: &str, prefix: &str, rest: &str) -> Option<Fault> {
    if matches!(prefix, "http" | "https") {
        let help = address(rest).unwrap_or_else(|| FORM.to_owned());
        return error(
            0..text.len(),
            "is the address of a resource, not its ARN",
            help,
        );
    }
    let ends = text.trim_end().len();
    // A key of S3 may end so.
    let may_be = text.starts_with("arn:aws:s3:::") && text.contains('/');
    (ends < text.len()).then(|| Fault {
        at: ends..text.len(),
        severity: if may_be {
            Severity::Warning
        } else {
            Severity::Error
        },
        why: "ends with white space, which no name has".to_owned(),
        help: "take the white space out".to_owned(),
    })
}

/// A partition that is none, at byte `start`.
fn no_partition(text: &str, partition: &str, start: usize) -> Option<Fault> {
    let near = nearest(partition, PARTITIONS).unwrap_or("aws");
    let at = if partition.is_empty() {
        0..text.len()
    } else {
        start..start + partition.len()
    };
    error(
        at,
        format!(
            "has the partition {}, which AWS does not have",
            quoted(partition)
        ),
        format!("write `{near}`"),
    )
}

fn fault(text: &str) -> Option<Fault> {
    let whole = 0..text.len();
    let Some((prefix, rest)) = text.split_once(':') else {
        let star = is_open(text)
            && (text.starts_with('*')
                || "arn:".starts_with(text.split(['*', '?']).next().unwrap_or_default()));
        return if star {
            None
        } else {
            error(whole, "is no ARN", FORM)
        };
    };
    if let Some(fault) = no_arn(text, prefix, rest) {
        return Some(fault);
    }
    let mut parts = rest.split(':');
    let partition = parts.next().unwrap_or_default();
    let start = prefix.len() + 1;
    if !is_open(partition) && !PARTITIONS.contains(&partition) {
        return no_partition(text, partition, start);
    }
    if prefix != "arn" && !is_open(prefix) {
        return error(0..prefix.len(), "does not begin with `arn`", FORM);
    }
    let Some(service) = parts.next() else {
        return if is_open(text) {
            None
        } else {
            error(whole, "ends before its service", FORM)
        };
    };
    let at = start + partition.len() + 1;
    if service.is_empty() {
        return error(whole, "names no service", FORM);
    }
    if is_open(service) {
        let named = prefix == "arn";
        let service = at..at + service.len();
        return named
            .then(|| {
                error(
                    service,
                    "has a wildcard in its service, where AWS takes none",
                    NAMED,
                )
            })
            .flatten();
    }
    in_service(text, service, at, &parts.collect::<Vec<_>>())
}

/// The ARN of the queue at the address `//sqs.<region>.amazonaws.com/<account>/<name>`.
fn address(rest: &str) -> Option<String> {
    let (host, path) = rest.trim_start_matches('/').split_once('/')?;
    let region = host.strip_prefix("sqs.")?.strip_suffix(".amazonaws.com")?;
    let (account, name) = path.split_once('/')?;
    Some(format!("write `arn:aws:sqs:{region}:{account}:{name}`"))
}

/// What is wrong behind the service, which stands at byte `at`.
fn in_service(text: &str, service: &str, at: usize, rest: &[&str]) -> Option<Fault> {
    let region_at = at + service.len() + 1;
    let region = rest.first().copied();
    let open = rest.iter().any(|part| is_open(part));
    if let Some(region) = region.filter(|region| {
        WITHOUT_REGION.contains(&service) && !region.is_empty() && !is_open(region)
    }) {
        // Buckets have none, access points do.
        let access_point =
            service == "s3" && rest.get(1).is_some_and(|account| !account.is_empty());
        if !access_point {
            return error(
                region_at..region_at + region.len(),
                format!("has a Region, which no ARN of `{service}` has"),
                "leave the Region empty",
            );
        }
    }
    if rest.len() < 3 && !open {
        let doubled = text.contains("::");
        let fault = error(
            0..text.len(),
            "has fewer than six parts",
            "write all six, with nothing between two colons where a part is empty",
        );
        // CreatePolicy fills up what is only cut short.
        return fault.map(|fault| Fault {
            severity: if doubled {
                Severity::Error
            } else {
                Severity::Warning
            },
            ..fault
        });
    }
    let account_at = region_at + region.map_or(0, str::len) + 1;
    if let Some(fault) = rest
        .get(1)
        .and_then(|account| of_account(account, account_at))
    {
        return Some(fault);
    }
    let resource = rest.get(2).copied().unwrap_or_default();
    if service == "iam" && !is_of_iam(resource) {
        let at = text.len() - resource.len();
        return error(
            at..text.len(),
            "is no resource of IAM",
            format!("it begins with one of {}", IAM_TYPES.join(", ")),
        );
    }
    known_service(service, at)
}

fn is_of_iam(resource: &str) -> bool {
    let fits = |kind: &&str| {
        resource.starts_with(*kind) || is_open(resource) && begins_alike(kind, resource)
    };
    resource.starts_with(is_open_char) || IAM_TYPES.iter().any(fits)
}

/// What is wrong with an account, which stands at byte `at`.
fn of_account(account: &str, at: usize) -> Option<Fault> {
    const OWNERS: [&str; 4] = ["", "aws", "aws-marketplace", "cloudfront"];
    let digits = account.bytes().all(|byte| byte.is_ascii_digit());
    let known = digits && account.len() == 12;
    // A word may be the owner of resources that AWS or a partner publishes; a number of other length is none.
    let severity = if digits {
        Severity::Error
    } else {
        Severity::Warning
    };
    (!known && !is_open(account) && !OWNERS.contains(&account)).then(|| Fault {
        at: at..at + account.len(),
        severity,
        why: format!("has the account {}, which is none", quoted(account)),
        help: "write the twelve digits of the account, `*`, or nothing where the service has none"
            .to_owned(),
    })
}

fn is_open_char(letter: char) -> bool {
    matches!(letter, '*' | '?')
}

/// Whether a pattern can begin with `kind`.
fn begins_alike(kind: &str, pattern: &str) -> bool {
    let fixed = pattern.split(['*', '?']).next().unwrap_or_default();
    kind.starts_with(fixed)
}

fn known_service(service: &str, at: usize) -> Option<Fault> {
    if catalog::has_arns(service) {
        return None;
    }
    let lower = service.to_ascii_lowercase();
    let help = if catalog::has_arns(&lower) {
        format!("write `{lower}`: letter case counts in an ARN")
    } else {
        "the Service Authorization Reference lists the forms of ARN of each service".to_owned()
    };
    Some(Fault {
        at: at..at + service.len(),
        severity: Severity::Warning,
        why: format!(
            "is of the service {}, which is not known to have ARNs",
            quoted(service)
        ),
        help,
    })
}
