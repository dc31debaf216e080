//! `DateEquals` and its kin: the W3C forms of ISO 8601 (<https://www.w3.org/TR/NOTE-datetime>) or seconds since 1970.

use super::Order;

/// The values of a date condition; those that are no date are left out.
#[derive(Debug, Clone)]
pub(in crate::iam) struct Dates {
    order: Order,
    values: Box<[Instant]>,
}

/// Seconds since 1970 and nanoseconds.
type Instant = (i64, u32);

impl Dates {
    pub(super) fn new<'a>(order: Order, values: impl Iterator<Item = &'a str>) -> Self {
        Self {
            order,
            values: values.filter_map(instant).collect(),
        }
    }

    pub(super) fn match_one(&self, value: &str) -> bool {
        instant(value).is_some_and(|found| {
            self.values
                .iter()
                .any(|wanted| self.order.holds(found.cmp(wanted)))
        })
    }
}

/// Four digits are a year; more are seconds since 1970.
fn instant(text: &str) -> Option<Instant> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    if digits(text) && text.len() != 4 {
        return text.parse().ok().map(|seconds| (seconds, 0));
    }
    let (date, time) = match text.split_once(['T', 't']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| number(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| number(part, 2))?;
    if parts.next().is_some() || !(1..=12).contains(&month) {
        return None;
    }
    if !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let midnight = days_since_1970(year, month, day) * 86_400;
    let Some(time) = time else {
        return Some((midnight, 0));
    };
    if date.len() != 10 {
        return None;
    }
    let (seconds, nanoseconds) = time_of_day(time)?;
    Some((midnight + seconds, nanoseconds))
}

/// Exactly `width` digits.
fn number(text: &str, width: usize) -> Option<i64> {
    let fits = text.len() == width && text.bytes().all(|digit| digit.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.s` with `Z` or `±hh:mm`: seconds from midnight in UTC, and nanoseconds.
fn time_of_day(text: &str) -> Option<Instant> {
    let zone_at = text.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = text.split_at_checked(zone_at)?;
    let offset = offset(zone)?;
    let mut parts = clock.splitn(3, ':');
    let hour = number(parts.next()?, 2).filter(|hour| *hour < 24)?;
    let minute = number(parts.next()?, 2).filter(|minute| *minute < 60)?;
    let (second, nanoseconds) = match parts.next() {
        None => (0, 0),
        Some(text) => {
            let (second, fraction) = match text.split_once('.') {
                Some((second, fraction)) => (second, nanoseconds(fraction)?),
                None => (text, 0),
            };
            (number(second, 2).filter(|second| *second < 61)?, fraction)
        }
    };
    Some((hour * 3600 + minute * 60 + second - offset, nanoseconds))
}

fn nanoseconds(fraction: &str) -> Option<u32> {
    if fraction.is_empty() || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digits: String = fraction
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    digits.parse().ok()
}

fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, digits) = match zone.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, zone.strip_prefix('+')?),
    };
    let (hours, minutes) = digits.split_once(':')?;
    let hours = number(hours, 2).filter(|hours| *hours < 24)?;
    let minutes = number(minutes, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 3600 + minutes * 60))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day is the last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// The moment as seconds since 1970 and nanoseconds; `None` for what is no date.
pub(in crate::iam) fn seconds_since_1970(text: &str) -> Option<(i64, u32)> {
    instant(text)
}

/// The moment in ISO 8601, in UTC.
pub(in crate::iam) fn date_text(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    // From 0000-03-01 on, in eras of 400 years; the inverse of `days_since_1970`.
    let day = days + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, late) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + era * 400 + late;
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Whether `text` is a point in time.
pub(super) fn is_date(text: &str) -> bool {
    instant(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::{date_text, instant};

    proptest::proptest! {
        #[test]
        fn a_moment_is_written_as_it_is_read(seconds in -60_000_000_000_i64..250_000_000_000) {
            proptest::prop_assert_eq!(instant(&date_text(seconds)), Some((seconds, 0)));
        }
    }

    #[test]
    fn every_documented_form_is_read() {
        assert_eq!(instant("1970-01-01T00:00:00Z"), Some((0, 0)));
        assert_eq!(instant("1969-12-31T23:59:59Z"), Some((-1, 0)));
        assert_eq!(instant("2026-10-04T00:00:00Z"), Some((1_791_072_000, 0)));
        assert_eq!(
            instant("2026-01-01T01:00:00+01:00"),
            instant("2026-01-01T00:00Z")
        );
        assert_eq!(instant("2024-02-29"), instant("1709164800"));
        assert_eq!(instant("2026"), instant("2026-01"));
        assert_eq!(instant("1970-01-01T00:00:00.25Z"), Some((0, 250_000_000)));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for odd in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-29",
            "2026-01-01T00:00:00",
            "2026-1-1",
            "26-01-01",
            "2026-01T00:00Z",
            "2026-01-01T24:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+1",
        ] {
            assert_eq!(instant(odd), None, "{odd}");
        }
    }
}
