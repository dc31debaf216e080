//! Which answers of a site count as life: `accepted_statuscodes` (Uptime Kuma, `server/util-server.js`, `checkStatusCode`).

/// Statuses that are taken for life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted(Vec<(u16, u16)>);

impl Accepted {
    /// From single codes and ranges; what is neither matches nothing.
    pub fn of<'a>(codes: impl IntoIterator<Item = &'a str>) -> Self {
        let number = |text: &str| text.trim().parse::<u16>().ok();
        let range = |code: &str| {
            let (first, last) = code.split_once('-').unwrap_or((code, code));
            Some((number(first)?, number(last)?))
        };
        Self(codes.into_iter().filter_map(range).collect())
    }

    /// Whether this status is taken for life.
    #[must_use]
    pub fn takes(&self, status: u16) -> bool {
        self.0
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&status))
    }

    /// Whether a status of a server that fails is: a 500, or what a gateway answers whose application is dead.
    #[must_use]
    pub fn takes_server_errors(&self) -> bool {
        (500..=599).any(|status| self.takes(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_ranges_are_taken_and_nothing_else() {
        let usual = Accepted::of(["200-299", "404"]);
        assert!(usual.takes(204) && usual.takes(404) && !usual.takes(401));
        assert!(!usual.takes_server_errors());
        assert!(Accepted::of(["200-299", "503"]).takes_server_errors());
        assert!(!Accepted::of(["2xx", "299-200", ""]).takes(200));
    }
}
