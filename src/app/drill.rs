//! `pointsman drill`: the whole chain rehearsed on loopback, with the deployment's own files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::{Detour, Runtime, World};
use crate::chain::Duties;
use crate::diag::Severity;
use crate::drill::rehearsal::{DrillFault, Dying, Executor, FAULTS, Fault, Plan, rehearse};
use crate::forecast::{Death, SEED, Settings, outages};
use crate::model::rehearsal::{Evidence, FOLDER, Kind};
use crate::model::spec::FILE;
use crate::ports::Files;
use crate::report::Format;
use crate::report::drill::{
    EventRow, Rehearsed, Verdict, counted, drill_html, drill_mermaid, drill_svg, render_drill,
};
use crate::text::nearest;

use super::exit::{AppError, Exit};
use super::spare::spare;
use super::spec::SpecChoice;
use super::{rehearsals, validate};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where the spec is.
    pub spec: SpecChoice,
    /// The working directory as an absolute path.
    pub here: String,
    /// The name of a fault, or none.
    pub fault: Option<String>,
    /// How home dies.
    pub dying: Dying,
    /// By how much waits are shortened; 1 for none.
    pub speed: f64,
    /// Where the page goes.
    pub html: Option<String>,
    /// Where the picture goes.
    pub svg: Option<String>,
    /// Where the Gantt chart goes.
    pub mermaid: Option<String>,
    /// The moment at which it begins, in milliseconds since 1970, where evidence goes into the ledger.
    pub ledger: Option<u64>,
    /// The form of the output.
    pub format: Format,
}

/// How many outages are drawn for the forecast beside the measured times.
const OUTAGES: u32 = 10_000;

/// What a rehearsal is put together with.
pub struct Hands<'a> {
    /// The executor's own code.
    pub executor: Arc<dyn Executor>,
    /// Leads everything to a world on loopback.
    pub world: fn(Detour) -> World,
    /// Hears what happens as it happens.
    pub onlooker: &'a mut dyn FnMut(&EventRow),
}

impl std::fmt::Debug for Hands<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hands").finish_non_exhaustive()
    }
}

/// Rehearses, and writes what came of it to `out`. Exit status: 0 everything was as it must be, 1 something was not, 4 a
/// file of the deployment could not be read.
///
/// # Errors
/// When there is no spec or fault of that name, or the world cannot be set up.
pub fn run(
    request: &Request,
    hands: Hands<'_>,
    files: &dyn Files,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let fault = request.fault.as_deref().map(fault).transpose()?;
    writable(request, files)?;
    let asked = validate::Request::to_read(&request.spec, &request.here, request.format);
    let Some(read) = validate::load(&asked, files, out)? else {
        return Ok(Exit::Usage);
    };
    let pictures = [&request.html, &request.svg, &request.mermaid];
    spare(&pictures, &request.here, &request.spec, &read.loaded)?;
    let Some(spec) = read.loaded.workspace.spec.as_ref() else {
        return Err(AppError::usage(
            "there is no spec with a deployment here",
            "write one with `pointsman init`, or name another with `--spec FILE`",
        ));
    };
    let mut settings = Settings::of(spec);
    Duties::of(spec, &read.loaded.workspace).declare(&mut settings);
    settings.death = forecast_death(request.dying);
    let column = outages(&settings, OUTAGES, SEED);
    let plan = Plan {
        spec,
        spec_path: match &request.spec {
            SpecChoice::Usual => PathBuf::from(FILE),
            SpecChoice::At(path) => PathBuf::from(path),
        },
        workspace: &read.loaded.workspace,
        sources: &read.loaded.sources,
        unread: &read.loaded.unread,
        settings: &settings,
        forecast: &column,
        fault,
        dying: request.dying,
        speed: request.speed,
    };
    // From here on a signal ends no process: it is asked for at the end, before anything is written.
    let signals = Runtime::new().map_err(|error| outside(&error.into()))?;
    let rehearsed = rehearse(&plan, hands.executor, hands.world, hands.onlooker);
    let mut rehearsed = rehearsed.map_err(|fault| outside(&fault))?;
    rehearsed.caveats.extend(errors(request, files)?);
    let unread = rehearsed.unread.iter().chain(&rehearsed.open);
    let unread: Vec<String> = unread.cloned().collect();
    rehearsed.notes.extend(unread);
    if signals.is_over() {
        return Err(outside(&DrillFault::Cancelled));
    }
    note(request, &mut rehearsed, &read.loaded.workspace.sums, files)?;
    draw(request, &rehearsed, files)?;
    render_drill(request.format, &rehearsed, out)?;
    Ok(match rehearsed.verdict() {
        Verdict::Passed => Exit::Clean,
        Verdict::Failed => Exit::Findings,
        Verdict::NotDecided => Exit::Unread,
    })
}

/// Before anything is played: whether what is asked for can be written at all.
fn writable(request: &Request, files: &dyn Files) -> Result<(), AppError> {
    let asked = [&request.html, &request.svg, &request.mermaid];
    for path in asked.into_iter().flatten() {
        files.writable(path)?;
    }
    if request.ledger.is_some() {
        let folder = format!("{}{FOLDER}", request.spec.folder());
        // The ledger's folder is made with its first evidence.
        let within = match files.kind(&folder) {
            Some(_) => format!("{folder}/evidence"),
            None => folder,
        };
        files.writable(&within)?;
    }
    Ok(())
}

/// What `validate` has against the same files: a rehearsal plays what is there, and does not judge what it does not play.
fn errors(request: &Request, files: &dyn Files) -> Result<Option<String>, AppError> {
    let asked = validate::Request::to_read(&request.spec, &request.here, request.format);
    let judged = validate::judge(&asked, files, &mut io::sink())?;
    let errors = judged.map_or(0, |judged| {
        let findings = judged.checked.outcome.findings.iter();
        let errors = findings.filter(|finding| finding.severity == Severity::Error);
        errors.count()
    });
    let told = || format!("`pointsman validate` finds {}", counted(errors, "error"));
    Ok((errors > 0).then(told))
}

fn forecast_death(dying: Dying) -> Death {
    match dying {
        Dying::BlackHole => Death::BlackHole,
        Dying::ServerError => Death::ServerError,
        Dying::Refused | Dying::Certificate | Dying::Application => Death::Refused,
    }
}

/// Writes the evidence into the ledger, where that is asked for.
fn note(
    request: &Request,
    rehearsed: &mut Rehearsed,
    sums: &BTreeMap<String, String>,
    files: &dyn Files,
) -> Result<(), AppError> {
    let Some(began) = request.ledger else {
        return Ok(());
    };
    let evidence = evidence(rehearsed, began, sums.clone());
    let path = rehearsals::write(&evidence, &request.spec.folder(), files)?;
    let note = format!("the evidence is in {path}; commit it");
    rehearsed.notes.push(note);
    Ok(())
}

/// The evidence of a drill that began then: the phases of each of its moves, and what was not as it must be.
fn evidence(
    rehearsed: &Rehearsed,
    began_millis: u64,
    artefacts: BTreeMap<String, String>,
) -> Evidence {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut phases: Vec<(String, u64)> = Vec::new();
    for it in &rehearsed.moves {
        let home = rehearsed.sites.first() == Some(&it.to);
        let way = if home { "return" } else { "switch" };
        for phase in &it.phases {
            let name = format!("{way}_{}", phase.name.replace(' ', "_"));
            // A second move the same way adds to the first.
            match phases.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum = sum.saturating_add(millis(phase.lasted)),
                None => phases.push((name, millis(phase.lasted))),
            }
        }
    }
    let failed = (!rehearsed.passed()).then(|| rehearsed.conclusion());
    Evidence {
        kind: Kind::Drill,
        started_millis: began_millis,
        finished_millis: began_millis.saturating_add(millis(rehearsed.took)),
        failed,
        but: rehearsed.but(),
        phases,
        artefacts,
    }
}

/// Writes the page and the pictures that are asked for.
fn draw(request: &Request, rehearsed: &Rehearsed, files: &dyn Files) -> Result<(), AppError> {
    for (path, text) in [
        (&request.html, drill_html as fn(&Rehearsed) -> String),
        (&request.svg, drill_svg),
        (&request.mermaid, drill_mermaid),
    ] {
        if let Some(path) = path {
            files.write_atomically(path, text(rehearsed).as_bytes())?;
        }
    }
    Ok(())
}

fn fault(name: &str) -> Result<&'static Fault, AppError> {
    Fault::find(name).ok_or_else(|| {
        let hint = match nearest(name, FAULTS.iter().map(|fault| fault.name)) {
            Some(nearest) => format!("is `{nearest}` meant? `pointsman drill --list` shows all"),
            None => "`pointsman drill --list` shows all".to_owned(),
        };
        AppError::usage(format!("there is no fault `{name}`"), hint)
    })
}

fn outside(fault: &DrillFault) -> AppError {
    if let DrillFault::NoWatch(_) = fault {
        return AppError::usage(
            fault.to_string(),
            "`pointsman generate` writes one to `monitors/edge-watch.yaml`",
        );
    }
    AppError::Outside {
        message: fault.to_string(),
        hint: None,
    }
}

/// Lists the faults that can be played, each with what is promised.
///
/// # Errors
/// When `out` cannot be written to.
pub fn list(format: Format, out: &mut dyn Write) -> Result<Exit, AppError> {
    if format == Format::Json {
        let all: Vec<_> = FAULTS
            .iter()
            .map(|fault| {
                serde_json::json!({ "name": fault.name, "what": fault.what, "promise": fault.promise })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::from(all))?;
        return Ok(Exit::Clean);
    }
    for fault in FAULTS {
        writeln!(
            out,
            "{}\n    {}\n    promised: {}",
            fault.name, fault.what, fault.promise
        )?;
    }
    Ok(Exit::Clean)
}
