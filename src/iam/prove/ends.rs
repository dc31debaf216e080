//! Values around the ends of the intervals that conditions draw: of numbers, dates and addresses.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::model::calendar::moment;

use super::super::operators::seconds_since_1970;

/// Values around the ends of intervals.
#[derive(Default)]
pub(super) struct Ends {
    pub(super) values: Vec<String>,
    /// Why one could be missing.
    pub(super) open: Option<String>,
}

impl Ends {
    /// Each number, and numbers closer to it than any two of them are to each other.
    pub(super) fn numbers<'a>(&mut self, written: impl Iterator<Item = &'a str>) {
        let texts: Vec<&str> = written.collect();
        let longest = texts
            .iter()
            .filter_map(|text| text.split_once('.').map(|(_, fraction)| fraction.len()))
            .max()
            .unwrap_or(0);
        let places = longest + 1;
        for text in texts {
            match scaled(text, places) {
                Some(number) => {
                    let around = [Some(number), number.checked_sub(1), number.checked_add(1)];
                    self.values
                        .extend(around.into_iter().flatten().map(|one| decimal(one, places)));
                }
                None => {
                    self.values.push(text.to_owned());
                    self.open.get_or_insert_with(|| {
                        format!("`{text}` is no number that can be counted with")
                    });
                }
            }
        }
    }

    /// Each date, and one in each gap: the evaluator counts in nanoseconds.
    pub(super) fn dates<'a>(&mut self, written: impl Iterator<Item = &'a str>) {
        let mut instants = BTreeSet::new();
        for text in written {
            match seconds_since_1970(text) {
                Some((seconds, nanoseconds)) => {
                    instants.insert(i128::from(seconds) * SECOND + i128::from(nanoseconds));
                }
                None => self.values.push(text.to_owned()),
            }
        }
        let ends = instants.first().map(|first| first - SECOND);
        let ends = ends
            .into_iter()
            .chain(instants.last().map(|last| last + SECOND));
        let next = instants.iter().skip(1);
        let gaps = instants
            .iter()
            .zip(next)
            .map(|(one, next)| between(*one, *next));
        let all: Vec<i128> = instants.iter().copied().chain(ends).chain(gaps).collect();
        for instant in all {
            match date(instant) {
                Some(text) => self.values.push(text),
                None => {
                    self.open
                        .get_or_insert_with(|| "a date lies too far off to be written".to_owned());
                }
            }
        }
    }

    /// Of each network its first and last address, and the addresses just outside.
    pub(super) fn addresses<'a>(&mut self, written: impl Iterator<Item = &'a str>) {
        for text in written {
            let (base, bits) = text.split_once('/').unwrap_or((text, ""));
            let Ok(address) = base.parse::<IpAddr>() else {
                continue;
            };
            match address {
                IpAddr::V4(address) => {
                    let ends = around(address.to_bits().into(), bits.parse().unwrap_or(32), 32);
                    let ends = ends.filter_map(|end| u32::try_from(end).ok());
                    self.values
                        .extend(ends.map(|end| Ipv4Addr::from_bits(end).to_string()));
                }
                IpAddr::V6(address) => {
                    let ends = around(address.to_bits(), bits.parse().unwrap_or(128), 128);
                    self.values
                        .extend(ends.map(|end| Ipv6Addr::from_bits(end).to_string()));
                }
            }
        }
    }
}

/// A second, in nanoseconds.
const SECOND: i128 = 1_000_000_000;

/// An instant between two, the plainest; the first of them where there is none between.
fn between(one: i128, next: i128) -> i128 {
    if next - one > SECOND {
        one + SECOND
    } else {
        i128::midpoint(one, next)
    }
}

/// How an instant is written so that the evaluator reads it.
fn date(instant: i128) -> Option<String> {
    let seconds = i64::try_from(instant.div_euclid(SECOND)).ok()?;
    let nanoseconds = instant.rem_euclid(SECOND);
    let whole = moment(seconds);
    let text = if nanoseconds == 0 {
        whole
    } else {
        let fraction = format!("{nanoseconds:09}");
        format!(
            "{}.{}Z",
            whole.strip_suffix('Z')?,
            fraction.trim_end_matches('0')
        )
    };
    let is_read = |text: &String| {
        let read = seconds_since_1970(text);
        read.is_some_and(|(own, rest)| own == seconds && i128::from(rest) == nanoseconds)
    };
    let digits = (nanoseconds == 0).then(|| seconds.to_string());
    [Some(text), digits].into_iter().flatten().find(is_read)
}

/// The ends of a network and their neighbours, as numbers of `width` bits.
fn around(address: u128, bits: u32, width: u32) -> impl Iterator<Item = u128> {
    let all = u128::MAX >> (128 - width);
    let hosts = all.checked_shr(bits).unwrap_or(0);
    let (first, last) = (address & !hosts, address | hosts);
    let after = last.checked_add(1).filter(|after| *after <= all);
    let ends = [Some(first), Some(last), first.checked_sub(1), after];
    ends.into_iter().flatten()
}

/// The number in units of the last of `places` decimal places.
fn scaled(text: &str, places: usize) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || fraction.len() > places {
        return None;
    }
    let padded = format!("{whole}{fraction:0<places$}");
    let number: i128 = padded.parse().ok()?;
    Some(if negative { -number } else { number })
}

fn decimal(number: i128, places: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits
        .split_at_checked(digits.len() - places)
        .unwrap_or((&digits, ""));
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_neighbours_on_both_sides() {
        let mut ends = Ends::default();
        ends.numbers(["10", "-0.25"].into_iter());
        assert_eq!(
            ends.values,
            ["10", "9.999", "10.001", "-0.25", "-0.251", "-0.249"]
        );
        assert_eq!(ends.open, None);
        let mut ends = Ends::default();
        ends.numbers(["99999999999999999999999999999999999999999"].into_iter());
        assert!(ends.open.is_some());
    }

    #[test]
    fn dates_have_a_neighbour_in_each_gap() {
        let mut ends = Ends::default();
        ends.dates(["2020-01-01T00:00:00Z", "2020-01-01T00:00:01Z"].into_iter());
        assert_eq!(
            ends.values,
            [
                "2020-01-01T00:00:00Z",
                "2020-01-01T00:00:01Z",
                "2019-12-31T23:59:59Z",
                "2020-01-01T00:00:02Z",
                "2020-01-01T00:00:00.5Z"
            ]
        );
        let mut ends = Ends::default();
        ends.dates(["99999999999999"].into_iter());
        assert!(
            ends.values.contains(&"99999999999999".to_owned()),
            "{:?}",
            ends.values
        );
        assert_eq!(ends.open, None);
    }

    #[test]
    fn networks_have_their_ends_and_what_lies_outside() {
        let mut ends = Ends::default();
        ends.addresses(["203.0.113.77/24", "::/0", "0.0.0.0/0"].into_iter());
        assert_eq!(
            ends.values,
            [
                "203.0.113.0",
                "203.0.113.255",
                "203.0.112.255",
                "203.0.114.0",
                "::",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "0.0.0.0",
                "255.255.255.255"
            ]
        );
    }
}
