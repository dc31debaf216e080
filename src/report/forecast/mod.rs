//! A forecast as text: one renderer a file.

mod html;
mod human;
mod json;
mod svg;

use std::io::{self, Write};

use crate::forecast::Column;

use super::Format;

/// A forecast with all that is said of it.
#[derive(Debug)]
pub struct Forecasted {
    /// The settings as they are; then, where others were asked for, as they would be.
    pub columns: Vec<Column>,
    /// The settings that the second column changes, as they were typed.
    pub changed: Vec<String>,
    /// The name of home and of the first standby.
    pub sites: (String, String),
    /// Whether it is not known which monitors speak, so that nothing can be counted.
    pub counts_open: bool,
    /// What to know of the numbers: where they come from, and what is assumed.
    pub notes: Vec<String>,
}

/// Writes the forecast in the form that was asked for.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_forecast(
    format: Format,
    forecasted: &Forecasted,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => json::render(forecasted, out),
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            human::render(forecasted, out)
        }
    }
}

/// The forecast as a picture.
#[must_use]
pub fn forecast_svg(forecasted: &Forecasted) -> String {
    svg::draw(forecasted)
}

/// The forecast as a page that needs nothing else: the picture, and its numbers as tables.
#[must_use]
pub fn forecast_html(forecasted: &Forecasted) -> String {
    html::page(forecasted)
}

/// Seconds as minutes and seconds, such as `2:05`; `never` for what has no end.
fn clock(seconds: Option<f64>) -> String {
    let Some(seconds) = seconds else {
        return "never".to_owned();
    };
    let whole = seconds.round();
    let (hours, rest) = ((whole / 3600.0).floor(), whole % 3600.0);
    let (minutes, rest) = ((rest / 60.0).floor(), rest % 60.0);
    if hours > 0.0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{minutes}:{rest:02}")
    }
}

/// A difference in seconds, with its sign.
fn change(seconds: Option<f64>) -> String {
    match seconds {
        None => "decides".to_owned(),
        Some(seconds) if seconds.abs() < 0.5 => "0 s".to_owned(),
        Some(seconds) => format!("{seconds:+.0} s"),
    }
}
