//! Whether an exercise can begin: the records are at home, and every host answers at both sites. Otherwise the run would refuse,
//! or visitors would pay for it.

use std::time::Duration;

use crate::app::exit::AppError;
use crate::app::watch::{Place, Progress};
use crate::model::spec::{Site, Spec};
use crate::ports::Cancelled;

use super::Outside;
use super::leg::Records;
use super::sites::Sites;

/// How long servers may take for their first answers.
const FIRST: Duration = Duration::from_secs(5);

/// Looks whether it can begin.
///
/// # Errors
/// Why not.
pub(super) fn ready(
    spec: &Spec,
    (home, target): (&Site, &Site),
    places: &[Place],
    outside: &mut Outside<'_>,
    progress: &mut Progress<'_>,
) -> Result<(), AppError> {
    progress.line(&format!(
        "looking whether `{}` and `{}` serve, and where the records are",
        home.name, target.name
    ));
    let mut sites = Sites::default();
    sites
        .ask(spec, [home, target], outside.prober)
        .map_err(ended)?;
    for site in [home, target] {
        let silent = sites.silent(&site.name);
        if !silent.is_empty() {
            return Err(not_now(format!(
                "`{}` does not answer 200 for {}",
                site.name,
                silent.join(", ")
            )));
        }
    }
    let began = outside.clock.now();
    let mut records = Records::new(spec, home, places, began);
    records
        .ask(outside.servers, began.after(FIRST))
        .map_err(ended)?;
    if records.nobody() {
        return Err(AppError::Outside {
            message: "no name server has answered".to_owned(),
            hint: Some("give others, as `--server 192.0.2.1` and `--resolver 192.0.2.53`"),
        });
    }
    let behind = records.behind();
    if behind.is_empty() {
        return Ok(());
    }
    Err(not_now(format!(
        "the records are not at `{}` everywhere: {}",
        home.name,
        behind.join("; ")
    )))
}

pub(super) fn ended(cancelled: Cancelled) -> AppError {
    AppError::Outside {
        message: cancelled.to_string(),
        hint: None,
    }
}

fn not_now(message: String) -> AppError {
    AppError::Outside {
        message,
        hint: Some("nothing was begun; mend that first, for the executor would refuse as well"),
    }
}
