//! Days of the calendar, as locks write them: `2026-08-18`.

use std::fmt;

/// A day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// The day that `text` writes, `YYYY-MM-DD` with anything behind it; `None` for what is no day.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.get(..10)?.split('-');
        let mut next = || parts.next()?.parse::<i64>().ok();
        let (year, month, day) = (next()?, next()?, next()?);
        let read = Self::of(year, month, day);
        // 31 June and the like come out as another day.
        let fits = (1..=12).contains(&month) && (0..=9999).contains(&year);
        (fits && read.to_string() == text.get(..10)?).then_some(read)
    }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    fn of(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `civil_from_days`, as above.
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(Day::parse("1970-01-01"), Some(Day(0)));
        assert_eq!(Day::parse("2026-07-15T08:00Z"), Some(Day(20_649)));
        assert_eq!(Day::parse("2000-02-29"), Some(Day(11_016)));
        for none in ["2026-06-31", "2025-02-29", "2026-13-01", "2026-6-1", "x"] {
            assert_eq!(Day::parse(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn a_day_that_is_written_reads_back(days in -700_000_i64..2_900_000) {
            prop_assert_eq!(Day::parse(&Day(days).to_string()), Some(Day(days)));
        }
    }
}
