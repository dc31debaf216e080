//! `pointsman forecast`: how long an outage lasts, from the spec, the monitors as they are declared, and the user's own runs.

use std::io::Write;

use crate::chain::Chain;
use crate::check::Loaded;
use crate::diag::Finding;
use crate::forecast::{
    Column, DRAWS_MOST, Death, History, Setting, SettingFault, Settings, Start, forecast,
};
use crate::model::spec::{Site, Spec};
use crate::ports::Files;
use crate::report::{Forecasted, Format, forecast_html, forecast_svg, render_forecast};

use super::exit::{AppError, Exit};
use super::spare::spare;
use super::spec::SpecChoice;
use super::{chain, validate};

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
    let asked = validate::Request::to_read(&request.spec, &request.here, request.format);
    let Some(read) = validate::load(&asked, files, out)? else {
        return Ok(Exit::Usage);
    };
    let loaded = read.loaded;
    let pictures = [&request.svg, &request.html];
    spare(&pictures, &request.here, &request.spec, &loaded)?;
    // Before anything is drawn: a folder that is not there is a slip, and is not made.
    for path in pictures.into_iter().flatten() {
        files.writable(path)?;
    }
    let Some(spec) = loaded.workspace.spec.clone() else {
        return Err(AppError::usage(
            "there is no spec with a deployment here",
            "write one with `pointsman init`, or name another with `--spec FILE`",
        ));
    };
    let mut notes = Vec::new();
    let chain = has_artefacts(&spec, &loaded).then(|| chain::judged(&spec, loaded));
    let now = settings(request, &spec, chain.as_ref(), files, &mut notes)?;
    let columns = columns(request, &spec, now)?;
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
        counts_open: chain.as_ref().is_some_and(Chain::counts_open),
        notes,
    };
    draw(request, &forecasted, files)?;
    render_forecast(request.format, &forecasted, out)?;
    Ok(match chain.as_ref().map(chain::exit) {
        _ if never => Exit::Findings,
        Some(exit) => exit,
        None => Exit::Clean,
    })
}

/// The forecast as it is, and as it would be where other settings are asked for.
fn columns(request: &Request, spec: &Spec, now: Settings) -> Result<Vec<Column>, AppError> {
    let mut columns = vec![forecast(&now, request.outages, request.seed)];
    if !request.set.is_empty() {
        let then = changed(now, &request.set, spec)?;
        columns.push(forecast(&then, request.outages, request.seed));
    }
    for column in &mut columns {
        // What the spec would refuse is no offer.
        column
            .bars
            .retain(|bar| refused(spec, &[(bar.setting, bar.then)]).is_none());
    }
    Ok(columns)
}

/// Writes the pictures that are asked for.
fn draw(request: &Request, forecasted: &Forecasted, files: &dyn Files) -> Result<(), AppError> {
    for (path, text) in [
        (&request.svg, forecast_svg as fn(&Forecasted) -> String),
        (&request.html, forecast_html),
    ] {
        if let Some(path) = path {
            files.write_atomically(path, text(forecasted).as_bytes())?;
        }
    }
    Ok(())
}

/// Whether anything of the deployment is there but its spec: then what is missing of it is missing.
fn has_artefacts(spec: &Spec, loaded: &Loaded) -> bool {
    let artefacts = &spec.artefacts;
    let folders = [
        &artefacts.monitors,
        &artefacts.terraform,
        &artefacts.policies,
    ];
    let within = |path: &String| {
        let mut folders = folders.iter();
        *path == spec.workflow_path()
            || folders.any(|folder| path.starts_with(&format!("{folder}/")))
    };
    loaded.workspace.paths.iter().any(within)
}

fn wrong(fault: &SettingFault) -> AppError {
    let hint = match fault {
        SettingFault::Unknown { nearest: Some(nearest), .. } => format!("is `{nearest}` meant? `pointsman forecast --format json` lists all under `settings`"),
        SettingFault::Unknown { .. } | SettingFault::NoNumber(_) => "for example `--set ttl=60 --set monitor.edge.timeout=10`; `pointsman forecast --format json` lists all under `settings`".to_owned(),
        SettingFault::OutOfRange { .. } | SettingFault::BelowOther { .. } => "nothing can be forecast from it".to_owned(),
        SettingFault::NotWhole { .. } => "the spec takes whole numbers alone".to_owned(),
    };
    AppError::usage(fault.to_string(), hint)
}

fn changed(mut settings: Settings, set: &[String], spec: &Spec) -> Result<Settings, AppError> {
    let mut together = Vec::new();
    for word in set {
        let Some((name, value)) = word.split_once('=') else {
            return Err(AppError::usage(
                format!("`--set {word}` has no `=`"),
                "for example `--set ttl=60`",
            ));
        };
        let name = name.trim();
        settings.set(name, value).map_err(|fault| wrong(&fault))?;
        together.extend(Setting::find(name).map(|it| (it.name, settings.value(it))));
    }
    if let Some(finding) = refused(spec, &together) {
        let message = format!("the spec would be refused with that: {}", finding.message);
        let hint = finding.help.unwrap_or_default();
        return Err(AppError::usage(message, hint));
    }
    settings.checked().map_err(|fault| wrong(&fault))
}

/// What the spec's own checks say to these numbers in it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what stands in the spec is whole and within the limits of its setting"
)]
fn refused(spec: &Spec, set: &[(&str, f64)]) -> Option<Finding> {
    let known = set.iter().filter_map(|(name, value)| {
        let setting = Setting::find(name)?;
        (!setting.key.is_empty()).then_some((setting.key, *value as u32))
    });
    let numbers: Vec<(&str, u32)> = known.collect();
    spec.refusal(&numbers)
}

/// The settings as they are: the spec's, unless the declared monitor says otherwise; it is the one that runs.
fn settings(
    request: &Request,
    spec: &Spec,
    chain: Option<&Chain>,
    files: &dyn Files,
    notes: &mut Vec<String>,
) -> Result<Settings, AppError> {
    let mut settings = Settings::of(spec);
    settings.death = request.death;
    match chain {
        Some(chain) => {
            notes.extend(chain.faults());
            notes.extend(chain.declare(&mut settings));
            if !settings.working.edge {
                notes.push("no declared monitor is known to watch home and to start the workflow, so the spec's numbers stand for it; by itself nothing moves".to_owned());
            }
        }
        None => notes.push(
            "there are no monitors and no other artefacts here, so the spec's numbers stand for them"
                .to_owned(),
        ),
    }
    let start = match &request.runs {
        Some(path) => observed(path, &mut settings, files, notes)?,
        None => "runner start is an assumption, GitHub promises nothing: half of the runs wait less than 12 s, 95 of 100 less than 60 s; `--runs FILE` takes your own, from `gh run view ID --json createdAt,jobs`".to_owned(),
    };
    notes.push(start);
    notes.push("INSYNC is an assumption after Route 53's documentation: within 60 s in general; the worst that users have reported is far longer".to_owned());
    notes.push("assumed as well, each length between the two as likely: a message takes 0.2 to 1.5 s, the job's set-up `job.setup_least` to `job.setup_most`, a site's answer 0.1 to 2 s, a write 0.3 to 1.5 s; nothing bounds what is assumed".to_owned());
    notes.push("an outage at AWS or GitHub, a lost message and a run that is refused are not in here: see `pointsman chain --survival`".to_owned());
    settings.checked().map_err(|fault| wrong(&fault))
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
