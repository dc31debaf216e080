//! The settings of a monitor as it is declared: it is the one that runs. What is absent is as `AutoKuma`, uptime-kuma-api
//! and Uptime Kuma take it.

use crate::model::monitor::{Form, INTERVAL, Limit, Monitor, RESEND, RETRIES, RETRY_INTERVAL};
use crate::text::{Span, Text};

use super::detection::Watch;

/// A setting of which no number can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// The setting, as the file spells it.
    pub setting: String,
    /// What is written.
    pub written: String,
    /// Where.
    pub at: Span,
}

/// What a check may take where nothing says so: Kuma's interface, `AutoKuma` and uptime-kuma-api write 48 seconds; in
/// Kuma's own JSON none is none.
fn timeout_absent(monitor: &Monitor) -> f64 {
    match monitor.form {
        Form::Entity | Form::Listed => 48.0,
        Form::Kuma => 0.0,
    }
}

impl Watch {
    /// What a declared monitor says; `autokuma` is the release that reads it.
    ///
    /// # Errors
    /// With the first setting that is no number, or none that a monitor can have.
    pub fn declared(monitor: &Monitor, autokuma: &str) -> Result<Self, Unusable> {
        let number = |limit: Limit, absent: f64| match monitor.text(limit.setting) {
            None => Ok(absent),
            Some(text) => limit
                .number(text.as_str())
                .ok_or_else(|| unusable(monitor, limit.setting, &text)),
        };
        let timeout = match monitor.text("timeout") {
            None => timeout_absent(monitor),
            Some(text) => {
                let seconds = text.as_str().trim().parse::<f64>().ok();
                seconds
                    .filter(|seconds| (0.0..=INTERVAL.most).contains(seconds))
                    .ok_or_else(|| unusable(monitor, "timeout", &text))?
            }
        };
        let resend = number(RESEND, 0.0)?;
        Ok(Self {
            interval: number(INTERVAL, 60.0)?,
            retries: number(RETRIES, 0.0)?,
            retry_interval: number(RETRY_INTERVAL, 60.0)?,
            resend: if monitor.loses_resend(autokuma) {
                0.0
            } else {
                resend
            },
            timeout,
            takes_server_errors: monitor.is_http() && monitor.accepted().takes_server_errors(),
        })
    }
}

fn unusable(monitor: &Monitor, setting: &str, text: &Text) -> Unusable {
    Unusable {
        setting: monitor.spelling(setting).to_owned(),
        written: text.as_str().to_owned(),
        at: text.span(),
    }
}
