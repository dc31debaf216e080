//! The first line of a journal: what the run knew of the world before anything happened.

use serde_json::{Value, json};

use crate::failover::limits::{FailbackRules, Limits, ProbeRules};
use crate::failover::moment::millis;
use crate::failover::topology::{SiteDraft, Topology, TopologyDraft};
use crate::model::dns::{RecordName, RecordType};

use super::fields::Fields;

/// The form of the journal.
const FORM: u32 = 1;

/// The first line, without its line end.
#[must_use]
pub fn head(topology: &Topology) -> String {
    let draft = topology.draft();
    let sites: Vec<Value> = draft
        .sites
        .iter()
        .map(|site| {
            json!({ "name": site.name, "addresses": site.addresses, "hosts": names(&site.hosts) })
        })
        .collect();
    let limits = &draft.limits;
    json!({
        "journal": FORM,
        "version": env!("CARGO_PKG_VERSION"),
        "topology": {
            "sites": sites,
            "names": names(&draft.names),
            "types": draft.types.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
            "probe": {
                "timeout_ms": millis(draft.probe.timeout),
                "status": draft.probe.status,
                "tries": draft.probe.tries,
                "window_ms": millis(draft.probe.window),
            },
            "failback": {
                "probes": draft.failback.probes,
                "interval_ms": millis(draft.failback.interval),
            },
            "site_identity": draft.site_identity,
            "control": draft.control.as_ref().map(RecordName::dns),
            "pin_variable": draft.pin_variable,
            "limits": {
                "read_ms": millis(limits.read),
                "fresh_ms": millis(limits.fresh),
                "spare_ms": millis(limits.spare),
                "sync_ms": millis(limits.sync),
                "poll_ms": millis(limits.poll),
                "backoff_ms": millis(limits.backoff),
                "backoff_most_ms": millis(limits.backoff_most),
                "backoff_least_ms": millis(limits.backoff_least),
                "token_ms": limits.token.map(millis),
                "run_ms": limits.run.map(millis),
            },
        },
    })
    .to_string()
}

fn names(names: &[RecordName]) -> Vec<String> {
    names.iter().map(RecordName::dns).collect()
}

/// The topology of a first line, and the version that wrote it.
pub(super) fn read(line: &Value) -> Result<(Topology, String), String> {
    let fields = Fields(line);
    let form: u32 = fields.number("journal")?;
    if form != FORM {
        return Err(format!("the journal has form {form}; form {FORM} is known"));
    }
    let version = fields.text("version")?.to_owned();
    let fields = fields.object("topology")?;
    let probe = fields.object("probe")?;
    let failback = fields.object("failback")?;
    let draft = TopologyDraft {
        sites: fields.each("sites", |one| site(Fields(one)))?,
        names: fields
            .texts("names")?
            .iter()
            .map(|text| name(text))
            .collect::<Result<_, _>>()?,
        types: fields
            .texts("types")?
            .iter()
            .map(|text| kind(text))
            .collect::<Result<_, _>>()?,
        probe: ProbeRules {
            timeout: probe.duration("timeout_ms")?,
            status: probe.number("status")?,
            tries: probe.number("tries")?,
            window: probe.duration("window_ms")?,
        },
        failback: FailbackRules {
            probes: failback.number("probes")?,
            interval: failback.duration("interval_ms")?,
        },
        site_identity: fields.flag("site_identity")?,
        control: fields
            .maybe_text("control")?
            .map(|text| name(&text))
            .transpose()?,
        // Journals of 0.1 and before have none.
        pin_variable: fields
            .maybe_text("pin_variable")
            .unwrap_or_default()
            .unwrap_or_else(|| "PIN_SITE".to_owned()),
        limits: limits(fields.object("limits")?)?,
    };
    let topology = Topology::new(draft).map_err(|fault| fault.to_string())?;
    Ok((topology, version))
}

fn limits(fields: Fields<'_>) -> Result<Limits, String> {
    Ok(Limits {
        read: fields.duration("read_ms")?,
        fresh: fields.duration("fresh_ms")?,
        // Journals of 0.1 and before have none.
        spare: fields
            .maybe_duration("spare_ms")
            .unwrap_or_default()
            .unwrap_or(Limits::default().spare),
        sync: fields.duration("sync_ms")?,
        poll: fields.duration("poll_ms")?,
        backoff: fields.duration("backoff_ms")?,
        backoff_most: fields.duration("backoff_most_ms")?,
        backoff_least: fields.duration("backoff_least_ms")?,
        token: fields.maybe_duration("token_ms")?,
        run: fields.maybe_duration("run_ms")?,
    })
}

fn site(fields: Fields<'_>) -> Result<SiteDraft, String> {
    let address = |text: &String| text.parse().map_err(|error| format!("`{text}`: {error}"));
    Ok(SiteDraft {
        name: fields.text("name")?.to_owned(),
        addresses: fields
            .texts("addresses")?
            .iter()
            .map(address)
            .collect::<Result<_, _>>()?,
        hosts: fields
            .texts("hosts")?
            .iter()
            .map(|text| name(text))
            .collect::<Result<_, _>>()?,
    })
}

fn name(text: &str) -> Result<RecordName, String> {
    RecordName::parse(text).map_err(|error| error.to_string())
}

fn kind(text: &str) -> Result<RecordType, String> {
    match text {
        "A" => Ok(RecordType::A),
        "AAAA" => Ok(RecordType::Aaaa),
        other => Err(format!("`{other}` records hold no address")),
    }
}
