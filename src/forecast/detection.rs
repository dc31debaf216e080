//! When Uptime Kuma says DOWN, and when UP again (2.5.3, `server/model/monitor.js`; measured): after `retries + 1` failing
//! checks in a row; the gap while they are forgiven is counted from the start of a check, and a check that lasts longer
//! is followed at once by the next.

/// How a site dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// The connection is refused: the machine is there, the port is not.
    Refused,
    /// The answer is a server error.
    ServerError,
    /// No answer at all: power or line are gone. A check takes as long as its time-out.
    BlackHole,
}

impl Death {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Refused, Self::ServerError, Self::BlackHole];

    /// Its name in outputs and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::ServerError => "5xx",
            Self::BlackHole => "black-hole",
        }
    }

    /// How long one failing request takes whose time-out is `timeout`.
    #[must_use]
    pub fn failing_request(self, timeout: f64) -> f64 {
        match self {
            Self::Refused | Self::ServerError => 0.1,
            Self::BlackHole => timeout,
        }
    }
}

/// The settings of a monitor that decide when it speaks. Seconds and numbers of checks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Watch {
    /// Between two checks, while it is UP and while it is DOWN.
    pub interval: f64,
    /// Failing checks that are forgiven.
    pub retries: f64,
    /// Between two checks while they are forgiven.
    pub retry_interval: f64,
    /// Checks while DOWN after which the notice is sent again; 0 for never.
    pub resend: f64,
    /// That one check may take; 0 for no limit.
    pub timeout: f64,
    /// Whether it takes the answer of a failed server for life.
    pub takes_server_errors: bool,
}

impl Watch {
    /// How long one failing check takes; `None` where none fails, so that the death is never noticed.
    ///
    /// A time-out of 0 is taken by Kuma as 800 times the interval in seconds, times 1000: a black hole then never fails.
    #[must_use]
    pub fn failing_check(&self, death: Death) -> Option<f64> {
        let seen = match death {
            Death::Refused => true,
            Death::ServerError => !self.takes_server_errors,
            Death::BlackHole => self.timeout > 0.0,
        };
        seen.then(|| death.failing_request(self.timeout))
    }

    /// Seconds from the death to DOWN, on average; `None` where it is never noticed.
    #[must_use]
    pub fn notices_after(&self, death: Death) -> Option<f64> {
        let (_, mean, _) = detection_bounds(self, death)?;
        Some(mean)
    }

    /// From the first failing check to DOWN, where a failing check takes `check`.
    #[must_use]
    pub fn forgiving(&self, check: f64) -> f64 {
        self.retries * self.retry_interval.max(check) + check
    }

    /// From one repeated notice to the next; `None` where it is never repeated.
    #[must_use]
    pub fn repeats_every(&self) -> Option<f64> {
        (self.resend > 0.0).then_some(self.resend * self.interval)
    }
}

/// From the death to DOWN: the shortest, the mean and the longest; `None` where this death is never noticed. Between the
/// shortest and the longest every length is as likely.
#[must_use]
pub fn detection_bounds(watch: &Watch, death: Death) -> Option<(f64, f64, f64)> {
    let check = watch.failing_check(death)?;
    let least = watch.forgiving(check);
    Some((least, least + watch.interval / 2.0, least + watch.interval))
}
