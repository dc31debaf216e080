//! Functions of moments (RFC 3339). What asks for the moment of the run is not known before it.

use std::cmp::Ordering;

use super::{Arguments, Signature, takes};
use crate::model::calendar::Day;
use crate::terraform::Eval;
use crate::terraform::Number;
use crate::terraform::failure::fault;
use crate::terraform::value::{Value, ValueKind};
use crate::text::quoted;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "formatdate" => takes(2, 2, format_date),
        "timeadd" => takes(2, 2, time_add),
        "timecmp" => takes(2, 2, |given| {
            let order = given
                .moment(0)?
                .nanoseconds
                .cmp(&given.moment(1)?.nanoseconds);
            let order = match order {
                Ordering::Less => -1,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            };
            Ok(given.result(ValueKind::Number(Number::from_whole(order))))
        }),
        _ => return None,
    })
}

const SECOND: i128 = 1_000_000_000;

/// A moment, and the offset in which it is written.
#[derive(Clone, Copy)]
struct Moment {
    /// Since 1970 in UTC.
    nanoseconds: i128,
    /// Seconds east of UTC; `None` for `Z`.
    offset: Option<i128>,
}

/// A moment as people write it.
struct Shown {
    year: i64,
    month: usize,
    day: i64,
    weekday: usize,
    hour: i128,
    minute: i128,
    second: i128,
    offset: Option<i128>,
}

impl Moment {
    /// `2018-01-02T23:12:01Z`, `2018-01-02T23:12:01.5+05:30`.
    fn parse(written: &str) -> Option<Self> {
        let number = |range: std::ops::Range<usize>| -> Option<i64> {
            let digits = written.get(range)?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| plain)
        };
        let mark = |at: usize, mark: &str| written.get(at..=at).filter(|found| *found == mark);
        mark(4, "-")?;
        mark(7, "-")?;
        mark(10, "T")?;
        mark(13, ":")?;
        mark(16, ":")?;
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        let in_range = hour < 24 && minute < 60 && second < 60;
        let day = Day::on((year, month, day)).filter(|_| in_range)?;
        let mut rest = written.get(19..)?;
        let mut fraction = 0;
        if let Some(behind) = rest.strip_prefix('.') {
            let length = behind.bytes().take_while(u8::is_ascii_digit).count();
            let digits = behind
                .get(..length.min(9))
                .filter(|digits| !digits.is_empty())?;
            fraction = format!("{digits:0<9}").parse().ok()?;
            rest = behind.get(length..)?;
        }
        let offset = match rest {
            "Z" => None,
            _ => {
                let (sign, clock) = match rest.strip_prefix('+') {
                    Some(clock) => (1, clock),
                    None => (-1, rest.strip_prefix('-')?),
                };
                let (hours, minutes) = clock.split_once(':')?;
                let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
                let valid = clock.len() == 5 && hours < 24 && minutes < 60;
                let seconds = i128::from(hours) * 3600 + i128::from(minutes) * 60;
                Some(sign * seconds).filter(|_| valid)?.into()
            }
        };
        let seconds = i128::from(day.0 * 86_400 + hour * 3600 + minute * 60 + second);
        let seconds = seconds - offset.unwrap_or_default();
        Some(Self {
            nanoseconds: seconds * SECOND + fraction,
            offset,
        })
    }

    fn shown(self) -> Shown {
        let seconds = self.nanoseconds.div_euclid(SECOND) + self.offset.unwrap_or_default();
        let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let days = i64::try_from(days).unwrap_or_default();
        let (year, month, day) = Day(days).date();
        Shown {
            year,
            month: usize::try_from(month).unwrap_or_default(),
            day,
            weekday: usize::try_from((days + 4).rem_euclid(7)).unwrap_or_default(),
            hour: clock / 3600,
            minute: clock / 60 % 60,
            second: clock % 60,
            offset: self.offset,
        }
    }
}

impl Arguments {
    fn moment(&self, at: usize) -> Eval<Moment> {
        let text = self.text(at)?;
        Moment::parse(text.as_str()).ok_or_else(|| {
            let reason = format!(
                "{} is no moment such as `2026-01-02T03:04:05Z`",
                quoted(text.as_str())
            );
            fault(text.span(), reason)
        })
    }
}

fn time_add(given: &Arguments) -> Eval<Value> {
    let (moment, text) = (given.moment(0)?, given.text(1)?);
    let Some(duration) = duration(text.as_str()) else {
        let reason = format!("{} is no duration such as `1h30m`", quoted(text.as_str()));
        return Err(fault(text.span(), reason));
    };
    let moved = Moment {
        nanoseconds: moment.nanoseconds + duration,
        ..moment
    };
    let shown = moved.shown();
    let written = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}",
        shown.year,
        shown.month,
        shown.day,
        shown.hour,
        shown.minute,
        shown.second,
        zone(shown.offset, ":", true)
    );
    Ok(given.made(&written))
}

/// A duration as Go writes it, in nanoseconds.
fn duration(written: &str) -> Option<i128> {
    let (sign, mut rest) = match written.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, written.strip_prefix('+').unwrap_or(written)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut all = 0_i128;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let length = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at_checked(length)?;
        let units = [
            ("ns", 1),
            ("us", 1000),
            ("µs", 1000),
            ("ms", 1_000_000),
            ("s", SECOND),
            ("m", 60 * SECOND),
            ("h", 3600 * SECOND),
        ];
        let unit_length = behind
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(unit_length)?;
        let (_, unit) = units.iter().find(|(name, _)| *name == unit)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let whole: i128 = if whole.is_empty() {
            0
        } else {
            whole.parse().ok()?
        };
        let mut part = whole.checked_mul(*unit)?;
        let mut place = *unit;
        for digit in fraction.chars() {
            place /= 10;
            part = part.checked_add(i128::from(digit.to_digit(10)?) * place)?;
        }
        all = all.checked_add(part)?;
        rest = behind;
    }
    // Go holds durations in 64 bits.
    i64::try_from(all).ok()?;
    Some(sign * all)
}

fn zone(offset: Option<i128>, between: &str, letter: bool) -> String {
    let offset = match offset {
        None | Some(0) if letter => return "Z".to_owned(),
        None => 0,
        Some(offset) => offset,
    };
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.abs() / 60;
    format!("{sign}{:02}{between}{:02}", minutes / 60, minutes % 60)
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// Letters are verbs, in rows of one letter; text stands in single quotes, everything else for itself.
fn format_date(given: &Arguments) -> Eval<Value> {
    let (format, moment) = (given.text(0)?, given.moment(1)?);
    let shown = moment.shown();
    let written: Vec<char> = format.as_str().chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while let Some(first) = written.get(at).copied() {
        if first == '\'' {
            let end = quoted_end(&written, at, &mut out);
            let never_closed = || fault(format.span(), "a quote is not closed in this format");
            at = end.ok_or_else(never_closed)?;
            continue;
        }
        if !first.is_ascii_alphabetic() {
            out.push(first);
            at += 1;
            continue;
        }
        let length = written.iter().skip(at).take_while(|c| **c == first).count();
        let verb: String = std::iter::repeat_n(first, length).collect();
        let Some(part) = part(&verb, &shown) else {
            let reason = format!("`{verb}` is no verb of a date format");
            return Err(fault(format.span(), reason));
        };
        out.push_str(&part);
        at += length;
    }
    Ok(given.made(&out))
}

/// Takes text in single quotes; a doubled quote is one. Where it ends.
fn quoted_end(written: &[char], open: usize, out: &mut String) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match (written.get(at)?, written.get(at + 1)) {
            ('\'', Some('\'')) => {
                out.push('\'');
                at += 2;
            }
            ('\'', _) => return Some(at + 1),
            (other, _) => {
                out.push(*other);
                at += 1;
            }
        }
    }
}

fn part(verb: &str, shown: &Shown) -> Option<String> {
    let month = MONTHS.get(shown.month.checked_sub(1)?)?;
    let day = DAYS.get(shown.weekday)?;
    let short = |name: &str| name.get(..3).unwrap_or_default().to_owned();
    let twelve = match shown.hour % 12 {
        0 => 12,
        hour => hour,
    };
    let half = if shown.hour < 12 { "am" } else { "pm" };
    Some(match verb {
        "YYYY" => format!("{:04}", shown.year),
        "YY" => format!("{:02}", shown.year.rem_euclid(100)),
        "MMMM" => (*month).to_owned(),
        "MMM" => short(month),
        "MM" => format!("{:02}", shown.month),
        "M" => shown.month.to_string(),
        "DD" => format!("{:02}", shown.day),
        "D" => shown.day.to_string(),
        "EEEE" => (*day).to_owned(),
        "EEE" => short(day),
        "hh" => format!("{:02}", shown.hour),
        "h" => shown.hour.to_string(),
        "HH" => format!("{twelve:02}"),
        "H" => twelve.to_string(),
        "AA" => half.to_uppercase(),
        "aa" => half.to_owned(),
        "mm" => format!("{:02}", shown.minute),
        "m" => shown.minute.to_string(),
        "ss" => format!("{:02}", shown.second),
        "s" => shown.second.to_string(),
        "ZZZZZ" => zone(shown.offset, ":", false),
        "ZZZZ" => zone(shown.offset, "", false),
        "ZZZ" if shown.offset.unwrap_or_default() == 0 => "UTC".to_owned(),
        "ZZZ" => zone(shown.offset, "", false),
        "Z" => zone(shown.offset, ":", true),
        _ => return None,
    })
}
