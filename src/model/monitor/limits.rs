//! What the numbers of a monitor may be: one table for the rule that judges files and for the forecast.

/// A setting and what it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The setting, as `AutoKuma` spells it.
    pub setting: &'static str,
    /// The smallest whole number that makes sense.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

/// Seconds between two checks; more than 20736000 Kuma refuses (2.5, `MAX_INTERVAL_SECOND`).
pub const INTERVAL: Limit = of("interval", 1.0, 20_736_000.0);
/// Seconds between two checks while failures are forgiven.
pub const RETRY_INTERVAL: Limit = of("retry_interval", 1.0, 20_736_000.0);
/// Failing checks that are forgiven; with more the monitor says nothing while anybody waits.
pub const RETRIES: Limit = of("max_retries", 0.0, 1000.0);
/// Failing checks between two messages.
pub const RESEND: Limit = of("resend_interval", 0.0, 1_000_000.0);

/// All of them.
pub const LIMITS: [Limit; 4] = [INTERVAL, RETRY_INTERVAL, RETRIES, RESEND];

const fn of(setting: &'static str, least: f64, most: f64) -> Limit {
    Limit {
        setting,
        least,
        most,
    }
}

impl Limit {
    /// The whole number that a text is, if it lies within.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<f64> {
        let number: f64 = text.trim().parse().ok()?;
        let fits = number.fract() == 0.0 && (self.least..=self.most).contains(&number);
        fits.then_some(number)
    }
}
