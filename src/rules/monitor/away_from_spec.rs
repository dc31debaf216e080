//! How the question of a monitor that looks the switched records up, and the addresses that its answer is compared with,
//! differ from the spec's.

use crate::model::dns::RecordName;
use crate::model::monitor::Monitor;
use crate::model::spec::{RecordType, Spec};
use crate::text::{Span, Text};

use super::away::Question;

/// A setting that contradicts the spec.
pub(super) struct Difference {
    /// Where.
    pub(super) at: Span,
    /// What is wrong.
    pub(super) message: String,
    /// What of the spec it contradicts, as a pointer.
    pub(super) place: String,
}

type Tell<'a> = dyn FnMut(Span, String, &str) + 'a;

/// What is another than the spec's.
pub(super) fn differences(monitor: &Monitor, spec: &Spec, id: &str) -> Vec<Difference> {
    let question = Question::of(monitor);
    let whole = monitor
        .kind
        .as_ref()
        .map_or_else(|| monitor.config_span(), Text::span);
    let mut found = Vec::new();
    let mut tell = |at: Span, message: String, place: &str| {
        found.push(Difference {
            at,
            message,
            place: place.to_owned(),
        });
    };
    if !monitor.is("dns") {
        resolver(monitor, spec, &mut tell);
    }
    match &question.name {
        None => tell(whole, format!("`{id}` looks no name up"), "/records/names"),
        Some(name) if !is_switched(name, spec) => {
            let message = format!(
                "`{}` is not moved by the switch, so that its address tells nothing",
                name.as_str()
            );
            tell(name.span(), message, "/records/names");
        }
        Some(_) => {}
    }
    if let Some(kind) = question
        .record_type()
        .filter(|kind| spec.records.types.contains(kind))
    {
        let section = format!("/monitors/{}", id.replace('-', "_"));
        for (at, message) in &question.wrong {
            tell(*at, message.clone(), &section);
        }
        answers(&question, whole, (spec, kind), &mut tell);
    } else {
        let written = question.kind.as_ref();
        let (at, word) = written.map_or((whole, "A"), |kind| (kind.span(), kind.as_str()));
        let message = format!("it asks for `{word}` records, which the switch does not move");
        tell(at, message, "/records/types");
    }
    found
}

/// The addresses are those of all standbys.
fn answers(
    question: &Question,
    whole: Span,
    (spec, kind): (&Spec, RecordType),
    tell: &mut Tell<'_>,
) {
    let at = question.at.unwrap_or(whole);
    let Some(addresses) = &question.addresses else {
        if question.wrong.is_empty() {
            tell(
                at,
                "the answer is compared with no address".to_owned(),
                "/sites",
            );
        }
        return;
    };
    let of_site = spec.standbys().iter();
    let standbys: Vec<(&str, String)> = of_site
        .filter_map(|site| Some((site.name.as_str(), site.address(kind)?.to_string())))
        .collect();
    let is_standby = |address: &&Text| standbys.iter().any(|(_, known)| known == address.as_str());
    let foreign: Vec<&Text> = addresses
        .iter()
        .filter(|address| !is_standby(address))
        .collect();
    for address in &foreign {
        let message = format!(
            "`{}` is the address of no standby, as a resolver writes it",
            address.as_str()
        );
        tell(address.span(), message, "/sites");
    }
    let is_missing = |wanted: &str| !addresses.iter().any(|address| address.as_str() == wanted);
    let missing: Vec<String> = standbys
        .iter()
        .filter(|(_, wanted)| is_missing(wanted))
        .map(|(site, address)| format!("`{address}` of `{site}`"))
        .collect();
    // A wrong address in the place of the right one is one fault.
    if missing.len() > foreign.len() {
        let message = format!(
            "nothing is told when visitors are at {}, which the answer is not compared with",
            missing.join(", ")
        );
        tell(at, message, "/sites");
    }
}

/// The resolver is the spec's.
fn resolver(monitor: &Monitor, spec: &Spec, tell: &mut Tell<'_>) {
    let Some(url) = monitor.text("url") else {
        return;
    };
    let base = url.as_str().split('?').next().unwrap_or_default();
    let wanted = &spec.monitors.resolver_url;
    if base != wanted {
        let message = format!("it asks `{base}`, but the spec's resolver is `{wanted}`");
        tell(
            url.span_of(0..base.len()),
            message,
            "/monitors/resolver_url",
        );
    }
}

/// Whether the switch moves the address of this name.
pub(super) fn is_switched(name: &Text, spec: &Spec) -> bool {
    RecordName::parse(name.as_str()).is_ok_and(|name| {
        let mut records = spec.record_names().iter();
        name != spec.origin.name
            && records.any(|record| *record == name || name.is_covered_by(record))
    })
}
