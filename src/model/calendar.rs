//! The proleptic Gregorian calendar: days as numbers, dates and moments as text (ISO 8601, RFC 3339), all in UTC.

use std::fmt;

/// A day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

/// A year, a month from 1 and a day from 1.
pub type Date = (i64, i64, i64);

/// From 0000-03-01 to 1970-01-01: years are counted from March, so that the leap day is the last of its year.
const BEFORE_1970: i64 = 719_468;
/// The days of 400 years, after which the calendar repeats itself.
const ERA: i64 = 146_097;

impl Day {
    /// The day that `text` writes, `YYYY-MM-DD` with anything behind it; `None` for what is no day.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.get(..10)?.split('-');
        let mut next = || {
            let digits = parts.next()?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<i64>().ok().filter(|_| plain)
        };
        let read = Self::on((next()?, next()?, next()?))?;
        (read.to_string() == text.get(..10)?).then_some(read)
    }

    /// The day of a date; `None` for one that does not exist, such as 31 June.
    #[must_use]
    pub fn on(date: Date) -> Option<Self> {
        let (year, month, _) = date;
        let fits = (1..=12).contains(&month) && (0..=9999).contains(&year);
        let day = fits.then(|| Self::of(date));
        day.filter(|day| day.date() == date)
    }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    fn of((year, month, day): Date) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Self(era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - BEFORE_1970)
    }

    /// The date of the day (`civil_from_days`, as above).
    #[must_use]
    pub fn date(self) -> Date {
        let days = self.0.saturating_add(BEFORE_1970);
        let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
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
        (year, month, day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// Seconds since 1970 as a moment in UTC: `2026-11-30T12:00:00Z`.
#[must_use]
pub fn moment(seconds: i64) -> String {
    let (day, rest) = (Day(seconds.div_euclid(86_400)), seconds.rem_euclid(86_400));
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{day}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A moment: seconds since 1970, and the nanoseconds behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970, in UTC.
    pub seconds: i64,
    /// What is behind them.
    pub nanos: u32,
}

impl Moment {
    /// The moment that `text` writes as RFC 3339 (section 5.6) asks: with seconds, and with `Z` or an offset from UTC.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let day = Day::parse(text)?;
        let clock = text.get(10..)?.strip_prefix(['T', 't', ' '])?;
        let (hour, rest) = two_digits(clock, 23)?;
        let (minute, rest) = two_digits(rest.strip_prefix(':')?, 59)?;
        // A leap second is the first of the next minute.
        let (second, rest) = two_digits(rest.strip_prefix(':')?, 60)?;
        let (nanos, rest) = match rest.strip_prefix('.') {
            None => (0, rest),
            Some(fraction) => {
                let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
                let (digits, rest) = fraction.split_at_checked(length)?;
                let first = digits.get(..9).unwrap_or(digits);
                (
                    format!("{first:0<9}").parse().ok().filter(|_| length > 0)?,
                    rest,
                )
            }
        };
        let offset = match rest {
            "Z" | "z" => 0,
            _ => {
                let (sign, written) = match rest.strip_prefix('-') {
                    Some(written) => (-1, written),
                    None => (1, rest.strip_prefix('+')?),
                };
                let (hours, rest) = two_digits(written, 23)?;
                let (minutes, rest) = two_digits(rest.strip_prefix(':')?, 59)?;
                (rest.is_empty()).then_some(sign * (hours * 3600 + minutes * 60))?
            }
        };
        let seconds = day.0 * 86_400 + hour * 3600 + minute * 60 + second - offset;
        Some(Self { seconds, nanos })
    }
}

/// The number that two digits write, up to `most`, and what is behind them.
fn two_digits(text: &str, most: i64) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(2)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits
        .parse()
        .ok()
        .filter(|number| plain && *number <= most)?;
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_of_rfc_3339_are_read_whole() {
        let noon = Moment::parse("2026-11-30T12:00:00Z");
        assert_eq!(noon.map(|moment| moment.seconds), Some(1_796_040_000));
        for same in [
            "2026-11-30t12:00:00z",
            "2026-11-30T21:00:00+09:00",
            "2026-11-30T06:30:00.000-05:30",
            "2026-12-01T11:59:00+23:59",
        ] {
            assert_eq!(Moment::parse(same), noon, "{same}");
        }
        assert!(Moment::parse("2026-11-30T12:00:00.5Z") > noon);
        assert!(Moment::parse("2026-11-30T12:00:00.0000000019Z") > noon);
        assert!(Moment::parse("2016-12-31T23:59:60Z").is_some());
        for none in [
            "2026-11-30",
            "2026-11-30T12:00Z",
            "2026-11-30T12:00:00",
            "2026-11-30T24:00:00Z",
            "2026-11-30T12:00:00.Z",
            "2026-11-30T12:00:00+9:00",
            "2026-11-30T12:00:00+0900",
            "2026-11-30T12:00:00Z ",
            "2026-11-31T12:00:00Z",
        ] {
            assert_eq!(Moment::parse(none), None, "{none}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(Day::parse("1970-01-01"), Some(Day(0)));
        assert_eq!(Day::parse("2026-07-15T08:00Z"), Some(Day(20_649)));
        assert_eq!(Day::parse("2000-02-29"), Some(Day(11_016)));
        for none in [
            "2026-06-31",
            "2025-02-29",
            "2026-13-01",
            "2026-6-1",
            "+026-06-01",
            "x",
        ] {
            assert_eq!(Day::parse(none), None, "{none}");
        }
    }

    #[test]
    fn moments_are_written_as_dates() {
        assert_eq!(moment(0), "1970-01-01T00:00:00Z");
        assert_eq!(moment(-1), "1969-12-31T23:59:59Z");
        assert_eq!(moment(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(moment(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(moment(1_796_040_000), "2026-11-30T12:00:00Z");
    }

    proptest! {
        #[test]
        fn a_day_that_is_written_reads_back(days in -700_000_i64..2_900_000) {
            prop_assert_eq!(Day::parse(&Day(days).to_string()), Some(Day(days)));
            prop_assert_eq!(Day::on(Day(days).date()), Some(Day(days)));
        }
    }
}
