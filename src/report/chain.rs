//! The chain and the matrix of failures, for people, as JSON and as Mermaid.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::chain::{Chain, Failure, HostAt, Link, State};

use super::Format;

/// Writes the chain.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_chain(format: Format, links: &[Link], out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        let links: Vec<Value> = links
            .iter()
            .map(|link| json!({ "id": link.id, "state": link.state.word(), "from": link.from, "to": link.to, "places": link.places, "region": link.region, "plane": link.plane.word(), "why": link.why, "hosts": link.hosts.iter().map(of_host).collect::<Vec<_>>() }))
            .collect();
        return writeln!(out, "{:#}", json!({ "version": 1, "links": links }));
    }
    for link in links {
        writeln!(
            out,
            "{:9} {:10} {} → {}",
            link.state.word(),
            link.id,
            link.from,
            link.to
        )?;
        writeln!(
            out,
            "{:20} {}; {}{}",
            "",
            link.region,
            link.plane.word(),
            places(&link.places)
        )?;
        for why in &link.why {
            writeln!(out, "{:20} {why}", "")?;
        }
        for host in &link.hosts {
            let parts: Vec<String> = host.parts.iter().map(in_words).collect();
            let (site, host) = (&host.site, &host.host);
            writeln!(out, "{:20} {host} at {site}: {}", "", parts.join(", "))?;
        }
    }
    Ok(())
}

type Part = (&'static str, State, Option<String>);

fn of_host(host: &HostAt) -> Value {
    let mut told = json!({ "site": host.site, "host": host.host });
    for (name, state, place) in &host.parts {
        if let Some(told) = told.as_object_mut() {
            told.insert(
                (*name).to_owned(),
                json!({ "state": state.word(), "place": place }),
            );
        }
    }
    told
}

fn in_words((name, state, place): &Part) -> String {
    let place = place
        .as_ref()
        .map_or(String::new(), |place| format!(" ({place})"));
    format!("{name} {}{place}", state.word())
}

fn places(places: &[String]) -> String {
    if places.is_empty() {
        String::new()
    } else {
        format!("; {}", places.join(", "))
    }
}

/// Writes the chain as a Mermaid flow chart.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_mermaid(links: &[Link], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "flowchart TD")?;
    for (index, link) in links.iter().enumerate() {
        let (from, to) = (quoted(&link.from), quoted(&link.to));
        let arrow = match link.state {
            State::Good => "-->",
            State::Broken => "--x",
            State::Undecided | State::NotGiven => "-.->",
        };
        let label = quoted(&format!("{}: {}", link.id, link.state.word()));
        writeln!(
            out,
            "  n{index}a[\"{from}\"] {arrow}|\"{label}\"| n{index}b[\"{to}\"]"
        )?;
        writeln!(
            out,
            "  class n{index}a,n{index}b {}",
            link.state.word().replace(' ', "")
        )?;
        if index > 0 {
            writeln!(out, "  n{}b ~~~ n{index}a", index - 1)?;
        }
    }
    writeln!(
        out,
        "  classDef good stroke:#009e73\n  classDef broken stroke:#d55e00,stroke-width:3px"
    )?;
    writeln!(
        out,
        "  classDef undecided stroke:#e69f00\n  classDef notgiven stroke:#999999,stroke-dasharray:4"
    )
}

/// Text inside the quotes of a Mermaid label, which takes entities.
fn quoted(text: &str) -> String {
    text.replace('&', "#amp;")
        .replace('"', "#quot;")
        .replace('<', "#lt;")
        .replace('>', "#gt;")
        .replace(['\n', '\r', '|'], " ")
}

/// Writes the matrix of failures, and before it what is wrong with the chain already.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_survival(
    format: Format,
    chain: &Chain,
    failures: &[Failure],
    out: &mut dyn Write,
) -> io::Result<()> {
    if format == Format::Json {
        let rows: Vec<Value> = failures
            .iter()
            .map(|row| json!({ "id": row.id, "failure": row.what, "notices": row.notices, "switches": row.switches, "lasts": row.lasts, "messages": row.messages, "person": row.person }))
            .collect();
        return writeln!(
            out,
            "{:#}",
            json!({ "version": 1, "notes": chain.faults(), "failures": rows })
        );
    }
    for fault in chain.faults() {
        writeln!(out, "note: {fault}")?;
    }
    for row in failures {
        writeln!(out, "{}: {}", row.id, row.what)?;
        for (name, cell) in [
            ("notices", &row.notices),
            ("switches", &row.switches),
            ("lasts", &row.lasts),
            ("messages", &row.messages),
            ("a person", &row.person),
        ] {
            writeln!(out, "  {name:9} {cell}")?;
        }
    }
    Ok(())
}
