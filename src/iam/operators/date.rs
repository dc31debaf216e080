//! `DateEquals` and its kin: the W3C forms of ISO 8601 (<https://www.w3.org/TR/NOTE-datetime>) or seconds since 1970.

use crate::model::calendar::Day;

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
    if parts.next().is_some() {
        return None;
    }
    let midnight = Day::on((year, month, day))?.0 * 86_400;
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

/// The moment as seconds since 1970 and nanoseconds; `None` for what is no date.
pub(in crate::iam) fn seconds_since_1970(text: &str) -> Option<(i64, u32)> {
    instant(text)
}

/// Whether `text` is a point in time.
pub(super) fn is_date(text: &str) -> bool {
    instant(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::instant;
    use crate::model::calendar::moment;

    proptest::proptest! {
        #[test]
        fn a_moment_is_written_as_it_is_read(seconds in -60_000_000_000_i64..250_000_000_000) {
            proptest::prop_assert_eq!(instant(&moment(seconds)), Some((seconds, 0)));
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
