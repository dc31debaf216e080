//! Which resources of Route 53 an ARN in a policy can stand for (Service Authorization Reference, "Resource types defined
//! by Amazon Route 53"): `arn:<partition>:route53:::<type>/<id>`, with no Region and no account.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::{nearest, quoted};

/// The types of resource that have an ARN of Route 53's own.
pub const ROUTE53_TYPES: [&str; 8] = [
    "change",
    "cidrcollection",
    "delegationset",
    "healthcheck",
    "hostedzone",
    "queryloggingconfig",
    "trafficpolicy",
    "trafficpolicyinstance",
];

/// Why an ARN of Route 53 matches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArnFault {
    /// The faulty bytes of the ARN.
    pub at: Range<usize>,
    /// What is wrong, and what is allowed.
    pub why: String,
    /// What the bytes must be, where that is certain.
    pub instead: Option<Cow<'static, str>>,
}

/// The types of Route 53 resource that the pattern `arn` can match; none for an ARN of another service. Where a wildcard
/// or a variable leaves it open, all of them.
///
/// # Errors
/// When it is an ARN of Route 53, but of no form that a resource has.
pub fn route53_types(arn: &str) -> Result<Vec<&'static str>, ArnFault> {
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    let &[prefix, partition, service, region, account, resource] = parts.as_slice() else {
        // A wildcard may stand for colons too, but not for what stands before it.
        let service = parts.get(2).copied().unwrap_or_default();
        let elsewhere = parts.len() > 3 && !is_open(service) && service != "route53";
        return Ok(if is_open(arn) && !elsewhere {
            ROUTE53_TYPES.to_vec()
        } else {
            Vec::new()
        });
    };
    if [prefix, partition, service].into_iter().any(is_open) {
        return Ok(ROUTE53_TYPES.to_vec());
    }
    if service != "route53" {
        return Ok(Vec::new());
    }
    let region_at = prefix.len() + partition.len() + service.len() + 3;
    let account_at = region_at + region.len() + 1;
    let resource_at = account_at + account.len() + 1;
    for (part, at, noun) in [
        (region, region_at, "Region"),
        (account, account_at, "account"),
    ] {
        if !part.is_empty() && !is_open(part) {
            return Err(ArnFault {
                at: at..at + part.len(),
                why: format!(
                    "has the {noun} {}; an ARN of Route 53 has neither Region nor account",
                    quoted(part)
                ),
                instead: Some(Cow::Borrowed("")),
            });
        }
    }
    types_of(resource).map_err(|fault| ArnFault {
        at: fault.at.start + resource_at..fault.at.end + resource_at,
        ..fault
    })
}

/// Whether a wildcard or a variable leaves open what stands there.
fn is_open(part: &str) -> bool {
    part.contains(['*', '?']) || part.contains("${")
}

/// The types that `type/id` can be.
fn types_of(resource: &str) -> Result<Vec<&'static str>, ArnFault> {
    let open_at = [resource.find(['*', '?']), resource.find("${")]
        .into_iter()
        .flatten()
        .min();
    let fixed = resource.get(..open_at.unwrap_or(resource.len()));
    let fixed = fixed.unwrap_or_default();
    let fault = |at: Range<usize>, why: String, instead| Err(ArnFault { at, why, instead });
    let Some((kind, id)) = fixed.split_once('/') else {
        let fitting: Vec<&str> = ROUTE53_TYPES
            .into_iter()
            .filter(|kind| open_at.is_some() && kind.starts_with(fixed))
            .collect();
        if fitting.is_empty() {
            let why = format!(
                "ends in {}; an ARN of Route 53 ends in `<type>/<id>`, such as `hostedzone/Z0123456789EXAMPLE`",
                quoted(resource)
            );
            return fault(0..resource.len(), why, None);
        }
        return Ok(fitting);
    };
    if kind.is_empty() {
        // So the API writes ids: `/hostedzone/Z0123456789EXAMPLE`.
        let why = "has a `/` before the type, which no ARN of Route 53 has".to_owned();
        return fault(0..1, why, Some(Cow::Borrowed("")));
    }
    let Some(known) = ROUTE53_TYPES.into_iter().find(|known| *known == kind) else {
        let near = nearest(kind, ROUTE53_TYPES);
        let why = format!(
            "names {}, which is no type of Route 53 resource; the types are {}",
            quoted(kind),
            ROUTE53_TYPES.join(", ")
        );
        return fault(0..kind.len(), why, near.map(Cow::Borrowed));
    };
    let id_at = kind.len() + 1;
    if id.is_empty() && open_at.is_none() {
        let why = format!("has no id after `{kind}/`; write the id, or `*` for all");
        return fault(0..id_at, why, None);
    }
    let odd = |character: char| !character.is_ascii_alphanumeric() && character != '-';
    if let (Some(first), Some(last)) = (id.find(odd), id.rfind(odd)) {
        let end = last
            + id.get(last..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8);
        let why = format!(
            "has {} in its id; an id of Route 53 is letters and digits alone",
            quoted(id.get(first..end).unwrap_or_default())
        );
        return fault(id_at + first..id_at + end, why, None);
    }
    if let Some(capitals) = in_capitals(known, id) {
        let why = format!(
            "has the id {}; such ids are written in capitals, and capitals count in an ARN",
            quoted(id)
        );
        return fault(id_at..id_at + id.len(), why, Some(Cow::Owned(capitals)));
    }
    Ok(vec![known])
}

/// The id in capitals, where its letters are small and ids of this type have none: they begin with a letter of their own
/// (Route 53 API Reference, `HostedZone`, `ChangeInfo`, `DelegationSet`, and the examples there).
fn in_capitals(kind: &str, id: &str) -> Option<String> {
    let first = match kind {
        "hostedzone" => 'Z',
        "change" => 'C',
        "delegationset" => 'N',
        _ => return None,
    };
    let capitals = id.to_ascii_uppercase();
    let whole = (10..=32).contains(&id.len()) && !id.contains('-');
    let with_digit = id.bytes().any(|byte| byte.is_ascii_digit());
    (whole && with_digit && capitals.starts_with(first) && capitals != id).then_some(capitals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_forms_of_the_reference_are_known() {
        let zone = Ok(vec!["hostedzone"]);
        assert_eq!(
            route53_types("arn:aws:route53:::hostedzone/Z0123456789EXAMPLE"),
            zone
        );
        assert_eq!(route53_types("arn:aws-cn:route53:::hostedzone/*"), zone);
        assert_eq!(
            route53_types("arn:aws:route53:::change/*"),
            Ok(vec!["change"])
        );
        assert_eq!(route53_types("arn:aws:route53:::host*"), zone);
        assert_eq!(route53_types("*"), Ok(ROUTE53_TYPES.to_vec()));
        assert_eq!(
            route53_types("arn:aws:route53:::hostedzone/${aws:PrincipalTag/zone}"),
            zone
        );
        assert_eq!(route53_types("arn:aws:s3:::bucket"), Ok(Vec::new()));
        assert_eq!(route53_types("arn:aws:s3:*"), Ok(Vec::new()));
    }

    #[test]
    fn an_arn_that_matches_nothing_says_which_bytes_are_wrong() {
        let wrong = |arn: &str| {
            arn.get(route53_types(arn).unwrap_err().at)
                .map(str::to_owned)
        };
        let told = |arn: &str| wrong(arn).unwrap();
        assert_eq!(
            told("arn:aws:route53::123456789012:hostedzone/Z1"),
            "123456789012"
        );
        assert_eq!(
            told("arn:aws:route53:us-east-1::hostedzone/Z1"),
            "us-east-1"
        );
        assert_eq!(
            told("arn:aws:route53:::hostedzone//hostedzone/Z1"),
            "/hostedzone/"
        );
        assert_eq!(told("arn:aws:route53:::hostedzone/example.com"), ".");
        assert_eq!(told("arn:aws:route53:::hostedzones/Z1"), "hostedzones");
        assert_eq!(told("arn:aws:route53:::change/"), "change/");
        assert_eq!(told("arn:aws:route53:::Z1"), "Z1");
        assert_eq!(
            told("arn:aws:route53:::hostedzone/z0123456789EXAMPLE"),
            "z0123456789EXAMPLE"
        );
        // Others have small letters of their own.
        let check = "arn:aws:route53:::healthcheck/c0123456-0123-4567-89ab-0123456789ab";
        assert_eq!(route53_types(check), Ok(vec!["healthcheck"]));
    }

    proptest! {
        #[test]
        fn faulty_bytes_lie_inside_the_arn(arn in "(arn:aws:route53:)?[:a-z/*?$é{]{0,20}") {
            if let Err(fault) = route53_types(&arn) {
                prop_assert!(arn.get(fault.at).is_some());
            }
        }
    }
}
