//! The host that says whether the runner's own network is sound: it must have nothing to do with the sites.

use crate::model::dns::RecordName;
use crate::model::spec::ids;
use crate::model::spec::raw::RawProbe;
use crate::model::spec::{Probe, Zone};
use crate::text::quoted;

use super::Check;

/// Where the control host stands in the spec.
const CONTROL: &str = "/probe/control";

/// Reads how a site is asked.
pub(super) fn probe(check: &mut Check<'_>, raw: &RawProbe, zone: &Zone) -> Probe {
    let control = raw.control.as_deref();
    Probe {
        control: control.and_then(|written| host_elsewhere(check, written, zone)),
        timeout_seconds: raw.timeout_seconds,
        expected_status: raw.expected_status,
        tries: raw.tries,
        window_seconds: raw.window_seconds,
        site_identity: raw.site_identity,
    }
}

fn host_elsewhere(check: &mut Check<'_>, written: &str, zone: &Zone) -> Option<RecordName> {
    let name = check.host_name(CONTROL, written)?;
    let refused = if name.is_wildcard() {
        Some(format!(
            "{} is a wildcard; one host is asked",
            quoted(written)
        ))
    } else if name.is_within(&zone.name) {
        Some(format!(
            "{} lies in the zone `{}`, so a site may answer for it; it must answer when no site does",
            quoted(written),
            zone.name
        ))
    } else {
        not_of_the_public_dns(&name.dns()).map(|why| format!("{} {why}", quoted(written)))
    };
    let Some(message) = refused else {
        return Some(name);
    };
    check
        .report(ids::NAME, CONTROL, message)
        .related("/zone/name", "the zone")
        .help(
            "name a host of somebody else that answers 200 at `/` over HTTPS, such as `www.example.net`, or leave the key out",
        );
    None
}

/// Why a host that says whether the network is sound cannot have this name: it must be found in the public DNS, and be reached
/// over the network. What ends in a number is an address (URL standard, "ends in a number checker"); the names without a public
/// zone are those of RFC 6761, RFC 6762 and the registry of special-use domain names.
fn not_of_the_public_dns(name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let hexadecimal = |digits: &str| digits.chars().all(|digit| digit.is_ascii_hexdigit());
    if last.chars().all(|digit| digit.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(hexadecimal)
    {
        return Some("is an address; no certificate is checked for it, a host name is asked for");
    }
    if matches!(
        last,
        "localhost" | "local" | "internal" | "invalid" | "onion" | "alt"
    ) {
        return Some("is no name of the public DNS; such a host says nothing of the network");
    }
    (last == name).then_some(
        "is a single label; a resolver may look for it in the runner's own domain, a full name is asked for",
    )
}
