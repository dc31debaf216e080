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
        None
    };
    let Some(message) = refused else {
        return Some(name);
    };
    check
        .report(ids::NAME, CONTROL, message)
        .related("/zone/name", "the zone")
        .help(
            "name a host of somebody else that answers 200 at `/` over HTTPS, or leave the key out",
        );
    None
}
