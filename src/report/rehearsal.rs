//! What came of decision scenarios: one line a row, and the stable JSON form `[{"id","decision","batches","exit","notify"}]`.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::failover::rehearse::Ran;

use super::Format;
use super::junit::{Came, Case, Suite, write};
use crate::text::command::one_line;

/// What came of one row.
#[derive(Debug)]
pub enum Rehearsed {
    /// It was run through.
    Ran {
        /// What came out.
        ran: Box<Ran>,
        /// The row's title.
        title: String,
        /// What differs from what had to come out.
        differs: Vec<String>,
        /// Keys that were not understood.
        unknown: Vec<String>,
        /// Whether the row says what has to come out.
        tested: bool,
    },
    /// It could not be read.
    Unread {
        /// The row's id.
        id: String,
        /// Why not.
        reason: String,
    },
}

impl Rehearsed {
    /// Whether something else came out than had to.
    #[must_use]
    pub fn failed(&self) -> bool {
        matches!(self, Self::Ran { differs, .. } if !differs.is_empty())
    }

    /// Whether the row, or a part of it, was not read.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        match self {
            Self::Ran { unknown, .. } => !unknown.is_empty(),
            Self::Unread { .. } => true,
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Unread { id, reason } => json!({ "id": id, "unread": reason }),
            Self::Ran { ran, unknown, .. } => {
                let mut row = Map::new();
                row.insert("id".to_owned(), json!(ran.id));
                row.insert("decision".to_owned(), json!(ran.decision));
                row.insert("batches".to_owned(), json!(ran.batches));
                row.insert("exit".to_owned(), json!(ran.status));
                row.insert("notify".to_owned(), json!(ran.notify));
                if let Some(decision) = &ran.next_decision {
                    row.insert("next_run".to_owned(), json!({ "decision": decision }));
                }
                if !unknown.is_empty() {
                    row.insert("unread".to_owned(), json!(unknown));
                }
                Value::Object(row)
            }
        }
    }
}

/// Writes the rows in the given form; annotations are the lines for people.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_rehearsal(format: Format, rows: &[Rehearsed], out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => {
            let all: Vec<Value> = rows.iter().map(Rehearsed::json).collect();
            serde_json::to_writer_pretty(&mut *out, &all)?;
            writeln!(out)
        }
        Format::JUnit { .. } => junit(rows, out),
        Format::Human { .. } | Format::GitHub | Format::Sarif => human(rows, out),
    }
}

fn junit(rows: &[Rehearsed], out: &mut dyn Write) -> io::Result<()> {
    let case = |row: &Rehearsed| {
        let (name, came) = match row {
            Rehearsed::Unread { id, reason } => {
                (id, Came::Broken("unread".to_owned(), reason.clone()))
            }
            Rehearsed::Ran {
                ran,
                differs,
                unknown,
                ..
            } => (&ran.id, came(ran, differs, unknown)),
        };
        Case {
            name: name.clone(),
            class: "failover scenarios".to_owned(),
            place: None,
            came,
        }
    };
    let suite = Suite {
        name: "failover scenarios".to_owned(),
        cases: rows.iter().map(case).collect(),
    };
    write(&[suite], out)
}

fn came(ran: &Ran, differs: &[String], unknown: &[String]) -> Came {
    if let Some(first) = differs.first() {
        let long = format!("{}\n{}", differs.join("\n"), ran.why);
        return Came::Failed("scenario".to_owned(), first.clone(), long);
    }
    match unknown {
        [] => Came::Passed(String::new()),
        keys => {
            let message = format!("`{}` means nothing to a rehearsal", keys.join("`, `"));
            Came::Broken("unread".to_owned(), message)
        }
    }
}

fn human(rows: &[Rehearsed], out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        match row {
            Rehearsed::Unread { id, reason } => {
                writeln!(out, "unread {}: {}", one_line(id), one_line(reason))?;
            }
            Rehearsed::Ran {
                ran,
                title,
                differs,
                unknown,
                tested,
            } => {
                let mark = match (tested, differs.is_empty()) {
                    (_, false) => "FAIL",
                    (true, true) => "ok",
                    (false, true) => "ran",
                };
                let Ran {
                    id,
                    decision,
                    status,
                    why,
                    ..
                } = &**ran;
                let (id, why) = (one_line(id), one_line(why));
                writeln!(out, "{mark:4} {id}: {decision}, status {status}: {why}")?;
                if !differs.is_empty() {
                    writeln!(out, "       {}", one_line(title))?;
                }
                for difference in differs {
                    writeln!(out, "       {}", one_line(difference))?;
                }
                for key in unknown {
                    let key = one_line(key);
                    writeln!(out, "       unread: `{key}` means nothing to a rehearsal")?;
                }
            }
        }
    }
    let count = |test: fn(&Rehearsed) -> bool| rows.iter().filter(|row| test(row)).count();
    writeln!(
        out,
        "{} scenarios: {} failed, {} unread",
        rows.len(),
        count(Rehearsed::failed),
        count(Rehearsed::is_unread)
    )
}
