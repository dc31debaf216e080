//! A rehearsal as one page without scripts and without anything from elsewhere.

use crate::report::chart::escaped;
use crate::report::page::{page as framed, picture};

use super::{DecisionRow, LinkState, MoveTimes, Rehearsed, Verdict, clock, svg};

pub(super) fn page(drill: &Rehearsed) -> String {
    let title = drill.title();
    let class = match drill.verdict() {
        Verdict::Passed if drill.but().is_empty() => "good",
        Verdict::Passed => "but",
        Verdict::Failed | Verdict::NotDecided => "bad",
    };
    let verdict = drill.conclusion();
    let mut body = format!(
        "<h1>{}</h1>\n<p id=\"verdict\" class=\"{class}\">{}</p>\n",
        marked(&title),
        marked(&verdict)
    );
    if let (Some((_, what)), Some(promise)) = (&drill.fault, &drill.promise) {
        body.push_str(&format!(
            "<p>What fails: {}. Promised: {}.</p>\n",
            marked(what),
            marked(promise)
        ));
    }
    body.push_str(&picture(&svg::draw(drill)));
    links(drill, &mut body);
    for moved in &drill.moves {
        times(moved, &mut body);
    }
    expected(drill, &mut body);
    runs(drill, &mut body);
    attacks(drill, &mut body);
    visitors(drill, &mut body);
    decisions(drill, &mut body);
    events(drill, &mut body);
    let notes = drill.notes.iter();
    let notes: String = notes
        .map(|note| format!("<li>{}</li>\n", marked(note)))
        .collect();
    if !notes.is_empty() {
        body.push_str(&format!(
            "<h2>What to know of it</h2>\n<ul>\n{notes}</ul>\n"
        ));
    }
    framed(&title, STYLE, &body)
}

/// A table with its heading and its id.
fn table(
    (id, heading): (&str, &str),
    columns: &[&str],
    rows: impl Iterator<Item = (bool, Vec<String>)>,
    body: &mut String,
) {
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let cell = |kind: &str, text: &str| format!("<{kind}>{}</{kind}>", marked(text));
    let head: String = columns.iter().map(|column| cell("th", column)).collect();
    body.push_str(&format!(
        "<h2>{}</h2>\n<table id=\"{id}\">\n<tr>{head}</tr>\n",
        marked(heading)
    ));
    for (good, cells) in rows {
        let class = if good { "" } else { " class=\"bad\"" };
        let cells: String = cells.iter().map(|text| cell("td", text)).collect();
        body.push_str(&format!("<tr{class}>{cells}</tr>\n"));
    }
    body.push_str("</table>\n");
}

fn links(drill: &Rehearsed, body: &mut String) {
    let rows = drill.links.iter().map(|link| {
        let open = matches!(link.state, LinkState::Unread | LinkState::NotDecided);
        let fails = open || link.fails();
        let at = link.at.as_ref();
        let at = at.map_or(String::new(), |at| format!(" (`{at}`)"));
        let told = format!("{}{at}", link.told);
        let cells = [link.name.to_owned(), link.state.word().to_owned(), told];
        (!fails, cells.to_vec())
    });
    table(("links", "Links"), &["link", "state", "seen"], rows, body);
}

fn times(moved: &MoveTimes, body: &mut String) {
    let forecast = |forecast: Option<(f64, f64)>| match forecast {
        Some((half, most)) => [format!("{half:.0} s"), format!("{most:.0} s")],
        None => [String::new(), String::new()],
    };
    let row = |name: &str, lasted: f64, drawn: Option<(f64, f64)>| {
        let [half, most] = forecast(drawn);
        (
            true,
            vec![name.to_owned(), format!("{lasted:.1} s"), half, most],
        )
    };
    let phases = moved.phases.iter();
    let phases = phases.map(|phase| row(phase.name, phase.lasted.as_secs_f64(), phase.forecast));
    let whole = row("whole", moved.whole().as_secs_f64(), moved.forecast);
    let heading = format!("{} to {}", moved.from, moved.to);
    let columns = [
        "phase",
        "measured",
        "forecast: half within",
        "95 of 100 within",
    ];
    let id = format!("times-{}", moved.to);
    table((&id, &heading), &columns, phases.chain([whole]), body);
}

fn expected(drill: &Rehearsed, body: &mut String) {
    let rows = drill.expected.iter().map(|expected| {
        let word = if expected.met { "yes" } else { "no" };
        let cells = [
            clock(expected.at),
            expected.what.clone(),
            word.to_owned(),
            expected.found.clone(),
        ];
        (expected.met, cells.to_vec())
    });
    let columns = ["at", "what must be so", "seen", "found instead"];
    table(("expected", "Expected"), &columns, rows, body);
}

fn runs(drill: &Rehearsed, body: &mut String) {
    let rows = drill.runs.iter().map(|run| {
        let time = |at: Option<std::time::Duration>| at.map_or(String::new(), clock);
        let cells = [
            run.number.to_string(),
            clock(run.asked),
            time(run.started),
            time(run.ended),
            run.end.clone(),
        ];
        (true, cells.to_vec())
    });
    let columns = ["run", "asked for", "executor", "ended", "how"];
    table(("runs", "Runs of the workflow"), &columns, rows, body);
}

fn attacks(drill: &Rehearsed, body: &mut String) {
    let rows = drill.attacks.iter().map(|attack| {
        let why = attack.why.join("; ");
        let cells = [attack.what.clone(), attack.word().to_owned(), why];
        (attack.is_as_it_must(), cells.to_vec())
    });
    table(
        ("attacks", "Attacks"),
        &["attack", "outcome", "why"],
        rows,
        body,
    );
}

fn visitors(drill: &Rehearsed, body: &mut String) {
    let rows = drill.alike().into_iter().flat_map(|(hosts, spans)| {
        let hosts = hosts.join(", ");
        spans.iter().enumerate().map(move |(index, span)| {
            let name = if index == 0 {
                hosts.clone()
            } else {
                String::new()
            };
            (
                true,
                vec![name, clock(span.from), clock(span.to), span.words()],
            )
        })
    });
    let heading = format!("What {} visitors saw", drill.visitors);
    let columns = ["hosts", "from", "to", "seen"];
    table(("hosts", &heading), &columns, rows, body);
}

/// Decisions, those that follow each other and are the same in one row with their number.
fn decisions(drill: &Rehearsed, body: &mut String) {
    let same = |a: &DecisionRow, b: &DecisionRow| {
        let key = |row: &DecisionRow| (row.who.clone(), row.action.clone(), row.on.clone());
        key(a) == key(b) && a.allowed == b.allowed && a.why == b.why
    };
    let rows = drill.decisions.chunk_by(same).filter_map(|rows| {
        let (first, last) = rows.first().zip(rows.last())?;
        let word = match (first.open, first.allowed) {
            (true, _) => "not decided",
            (false, true) => "allowed",
            (false, false) => "denied",
        };
        let (at, times) = match rows.len() {
            1 => (clock(first.at), String::new()),
            count => {
                let at = format!("{} to {}", clock(first.at), clock(last.at));
                (at, format!(", {count} times"))
            }
        };
        let call = format!(
            "{} by `{}` on `{}`{times}",
            first.action, first.who, first.on
        );
        let cells = vec![at, call, word.to_owned(), first.why.join("; ")];
        Some((first.allowed || drill.passed(), cells))
    });
    let columns = ["at", "call", "decision", "why"];
    table(("decisions", "Decisions of AWS"), &columns, rows, body);
}

fn events(drill: &Rehearsed, body: &mut String) {
    let rows = drill.events.iter().map(|event| {
        let cells = [clock(event.at), event.who.clone(), event.what.clone()];
        (true, cells.to_vec())
    });
    table(
        ("events", "What happened"),
        &["at", "who", "what"],
        rows,
        body,
    );
}

/// Text, with what stands in backquotes as code.
fn marked(text: &str) -> String {
    let mut parts = text.split('`');
    let mut marked = escaped(parts.next().unwrap_or_default());
    while let Some(inner) = parts.next() {
        match parts.next() {
            Some(after) => {
                marked.push_str(&format!(
                    "<code>{}</code>{}",
                    escaped(inner),
                    escaped(after)
                ));
            }
            None => marked.push_str(&format!("`{}", escaped(inner))),
        }
    }
    marked
}

const STYLE: &str = "table{width:100%}th,td{text-align:left;vertical-align:top}\
[id^=times] td:not(:first-child),[id^=times] th:not(:first-child){text-align:right}td:first-child,th,#links td:nth-child(2){white-space:nowrap}\
#hosts td:first-child,#attacks td:first-child{white-space:normal;width:30%}#decisions td:nth-child(2){width:40%}";
