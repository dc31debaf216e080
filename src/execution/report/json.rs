//! What came of a run, in the stable JSON form.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::RunReport;

/// Writes the result as one JSON object: `{"version":1,"decision","status","notify","why","dry_run","from","to","reason",
/// "change_id","batch","lost":[{"host","why"}],"warnings":[…],"phases":{"read_ms",…},"journal"}`; what is not known is null.
///
/// # Errors
/// When `out` cannot be written to.
pub fn json(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:#}", value(report))
}

/// The object.
pub(super) fn value(report: &RunReport) -> Value {
    let lost = report.lost.iter();
    let lost: Vec<Value> = lost
        .map(|lost| json!({ "host": lost.host, "why": lost.why }))
        .collect();
    let phases: Map<String, Value> = report
        .phases
        .words()
        .into_iter()
        .map(|(word, millis)| (format!("{word}_ms"), json!(millis)))
        .collect();
    json!({
        "version": 1,
        "decision": report.decision,
        "status": report.status,
        "notify": report.notify,
        "why": report.why,
        "dry_run": report.dry_run,
        "from": report.from,
        "to": report.to,
        "reason": report.reason_word(),
        "change_id": report.change,
        "batch": report.batch,
        "lost": lost,
        "warnings": report.warnings,
        "phases": phases,
        "journal": report.journal,
    })
}
