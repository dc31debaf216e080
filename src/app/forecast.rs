//! `pointsman forecast`: how long an outage lasts, from the spec, the monitors as they are declared, and the user's own runs.

use std::io::Write;

use crate::check::Loaded;
use crate::forecast::{DRAWS_MOST, Death, History, SettingFault, Settings, Start, forecast};
use crate::model::monitor::Monitor;
use crate::model::spec::{Site, Spec};
use crate::ports::Files;
use crate::report::{Forecasted, Format, forecast_html, forecast_svg, render_forecast};
use crate::rules::Subject;

use super::exit::{AppError, Exit};
use super::spare::spare;
use super::spec::SpecChoice;
use super::validate;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where the spec is.
    pub spec: SpecChoice,
    /// The working directory as an absolute path.
    pub here: String,
    /// Settings for a second column, as `name=value`.
    pub set: Vec<String>,
    /// How home dies.
    pub death: Death,
    /// A file with the user's own runs.
    pub runs: Option<String>,
    /// How many outages are drawn.
    pub outages: u32,
    /// The seed.
    pub seed: u64,
    /// Where the picture goes.
    pub svg: Option<String>,
    /// Where the page goes.
    pub html: Option<String>,
    /// The form of the output.
    pub format: Format,
}

/// Forecasts, and writes the result to `out`, and pictures where they are asked for.
///
/// # Errors
/// When there is no spec, a setting is wrong or absurd, or a file cannot be read or written.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    if !(1..=DRAWS_MOST).contains(&request.outages) {
        let message = format!(
            "`--outages {}` is not between 1 and {DRAWS_MOST}",
            request.outages
        );
        return Err(AppError::usage(
            message,
            "200000 gives p95 to about half a second",
        ));
    }
    let Some(loaded) = loaded(request, files, out)? else {
        return Ok(Exit::Usage);
    };
    let pictures = [&request.svg, &request.html];
    spare(&pictures, &request.here, &request.spec, &loaded)?;
    let Some(spec) = &loaded.workspace.spec else {
        return Err(AppError::usage(
            "there is no spec with a deployment here",
            "write one with `pointsman init`, or name another with `--spec FILE`",
        ));
    };
    let mut notes = Vec::new();
    let now = settings(request, spec, &loaded, files, &mut notes)?;
    let mut columns = vec![forecast(&now, request.outages, request.seed)];
    if !request.set.is_empty() {
        let then = changed(now, &request.set)?;
        columns.push(forecast(&then, request.outages, request.seed));
    }
    let never = columns.iter().any(|column| {
        column
            .directions
            .iter()
            .any(|it| it.whole.drawn.never > 0.0)
    });
    let name = |site: Option<&Site>| site.map(|site| site.name.clone()).unwrap_or_default();
    let forecasted = Forecasted {
        sites: (name(spec.home()), name(spec.standbys().first())),
        columns,
        changed: request.set.clone(),
        notes,
    };
    for (path, text) in [
        (&request.svg, forecast_svg as fn(&Forecasted) -> String),
        (&request.html, forecast_html),
    ] {
        if let Some(path) = path {
            files.write_atomically(path, text(&forecasted).as_bytes())?;
        }
    }
    render_forecast(request.format, &forecasted, out)?;
    Ok(if never { Exit::Findings } else { Exit::Clean })
}

/// The spec and its monitors; `None` for a wrong spec, which is told in `out`.
fn loaded(
    request: &Request,
    files: &dyn Files,
    out: &mut dyn Write,
) -> Result<Option<Loaded>, AppError> {
    let asked = validate::Request {
        subject: Some(Subject::Monitors),
        ..validate::Request::to_read(&request.spec, &request.here, request.format)
    };
    Ok(validate::load(&asked, files, out)?.map(|read| read.loaded))
}

fn wrong(fault: &SettingFault, place: &str) -> AppError {
    let hint = match fault {
        SettingFault::Unknown { nearest: Some(nearest), .. } => format!("is `{nearest}` meant? `pointsman forecast --format json` lists all under `settings`"),
        SettingFault::Unknown { .. } | SettingFault::NoNumber(_) => "for example `--set ttl=60 --set monitor.edge.timeout=10`; `pointsman forecast --format json` lists all under `settings`".to_owned(),
        SettingFault::OutOfRange { .. } | SettingFault::BelowOther { .. } => "nothing can be forecast from it".to_owned(),
    };
    AppError::usage(format!("{place}{fault}"), hint)
}

fn changed(mut settings: Settings, set: &[String]) -> Result<Settings, AppError> {
    for word in set {
        let Some((name, value)) = word.split_once('=') else {
            return Err(AppError::usage(
                format!("`--set {word}` has no `=`"),
                "for example `--set ttl=60`",
            ));
        };
        settings
            .set(name.trim(), value)
            .map_err(|fault| wrong(&fault, ""))?;
    }
    settings.checked().map_err(|fault| wrong(&fault, ""))
}

/// The settings as they are: the spec's, unless the declared monitor says otherwise; it is the one that runs.
fn settings(
    request: &Request,
    spec: &Spec,
    loaded: &Loaded,
    files: &dyn Files,
    notes: &mut Vec<String>,
) -> Result<Settings, AppError> {
    let mut settings = Settings::of(spec);
    settings.death = request.death;
    for unread in &loaded.unread {
        notes.push(format!(
            "`{}` is not read, so the spec's numbers stand for it: {}",
            unread.path, unread.reason
        ));
    }
    let monitors = loaded
        .workspace
        .monitors
        .iter()
        .map(|artefact| &artefact.model);
    let watch = monitors
        .clone()
        .find(|monitor| is_edge_watch(spec, monitor));
    let place = match watch {
        Some(monitor) => {
            declared(monitor, &mut settings, notes)?;
            format!("`{}`: ", monitor.path)
        }
        None => {
            notes.push("no declared monitor watches home and starts the workflow, so the spec's numbers stand for it".to_owned());
            String::new()
        }
    };
    let start = match &request.runs {
        Some(path) => observed(path, &mut settings, files, notes)?,
        None => "runner start is an assumption, GitHub promises nothing: half of the runs wait less than 12 s, 95 of 100 less than 60 s; `--runs FILE` takes your own, from `gh run view ID --json createdAt,jobs`".to_owned(),
    };
    notes.push(start);
    notes.push("INSYNC is an assumption after Route 53's documentation: within 60 s in general; the worst that users have reported is far longer".to_owned());
    notes.push("an outage at AWS or GitHub, a lost message and a run that is refused are not in here: see `pointsman chain --survival`".to_owned());
    settings.checked().map_err(|fault| wrong(&fault, &place))
}

/// Takes over what the declared edge watch says; the notes are not kept.
///
/// # Errors
/// When it says something absurd.
pub(super) fn as_declared(
    spec: &Spec,
    loaded: &Loaded,
    settings: &mut Settings,
) -> Result<(), AppError> {
    let mut monitors = loaded
        .workspace
        .monitors
        .iter()
        .map(|artefact| &artefact.model);
    let Some(watch) = monitors.find(|monitor| is_edge_watch(spec, monitor)) else {
        return Ok(());
    };
    declared(watch, settings, &mut Vec::new())
}

/// Whether a monitor watches home's own name and starts the workflow.
fn is_edge_watch(spec: &Spec, monitor: &Monitor) -> bool {
    let dispatches = monitor.notifications();
    let host = monitor.watched_host();
    host.is_some_and(|host| host.as_str() == spec.origin.name.to_string())
        && dispatches
            .iter()
            .any(|id| id.as_str() == spec.monitors.dispatch)
}

/// What the file of the edge watch says; what is absent is as `AutoKuma` and Uptime Kuma take it.
fn declared(
    monitor: &Monitor,
    settings: &mut Settings,
    notes: &mut Vec<String>,
) -> Result<(), AppError> {
    let keys = [
        ("interval", "monitor.edge.interval", Some("60")),
        ("max_retries", "monitor.edge.retries", Some("0")),
        ("retry_interval", "monitor.edge.retry_interval", Some("60")),
        ("resend_interval", "monitor.edge.resend", Some("0")),
        ("timeout", "monitor.edge.timeout", Some("0")),
    ];
    for (key, name, absent) in keys {
        let before = settings.get(name);
        let written = monitor.text(key);
        let Some(value) = written.as_ref().map_or(absent, |text| Some(text.as_str())) else {
            continue;
        };
        settings
            .set(name, value)
            .map_err(|fault| wrong(&fault, &format!("`{}`: ", monitor.path)))?;
        let after = settings.get(name);
        if (after - before).abs() > f64::EPSILON {
            let how = if written.is_some() {
                "says"
            } else {
                "leaves out"
            };
            notes.push(format!(
                "`{}` {how} `{key}`, so {after} counts, not the spec's {before}",
                monitor.path
            ));
        }
    }
    Ok(())
}

fn observed(
    path: &str,
    settings: &mut Settings,
    files: &dyn Files,
    notes: &mut Vec<String>,
) -> Result<String, AppError> {
    let bytes = files.read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let history = History::read(&text).map_err(|fault| {
        AppError::usage(format!("`{path}`: {fault}"), "`gh run list --json createdAt,startedAt` or `gh run view ID --json createdAt,jobs` writes such a file")
    })?;
    if history.skipped > 0 {
        notes.push(format!(
            "`{path}`: {} entries say nothing of a wait and are left out",
            history.skipped
        ));
    }
    if history.shows_no_wait() {
        notes.push(format!("`{path}`: every run started as it was created; `gh run list` does not show the wait for a runner, the jobs of `gh run view ID --json createdAt,jobs` do"));
    }
    if history.waits.len() < 20 {
        notes.push(format!(
            "`{path}`: {} runs are few, p95 is then little more than the longest",
            history.waits.len()
        ));
    }
    settings.start = Start::Observed(history.distribution());
    Ok(format!(
        "runner start is from {} runs of `{path}`",
        history.waits.len()
    ))
}
