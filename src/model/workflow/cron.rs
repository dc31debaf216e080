//! The five fields of a cron line, as far as its rhythm goes.
//!
//! Source: GitHub Docs, "Events that trigger workflows", `schedule`: POSIX cron syntax, in UTC, every five minutes at most.

/// The minutes of the hour at which a cron line fires; `None` for what is no such line.
#[must_use]
pub fn minutes(cron: &str) -> Option<Vec<u32>> {
    let fields: Vec<&str> = cron.split_whitespace().collect();
    let [minute, _, _, _, _] = fields.as_slice() else {
        return None;
    };
    set(minute, 60)
}

/// The shortest time in minutes between two runs that a cron line plans within an hour, or across the next one where it runs
/// in every hour; `None` for what is no such line, or runs once an hour.
#[must_use]
pub fn shortest_gap(cron: &str) -> Option<u32> {
    let mut all = minutes(cron)?;
    let first = *all.first()?;
    if cron.split_whitespace().nth(1) == Some("*") {
        all.push(first + 60);
    }
    let gaps = all.windows(2).map(|pair| match pair {
        [one, next] => next - one,
        _ => 60,
    });
    gaps.min()
}

/// The longest time in minutes between two runs that a cron line plans, where it runs on each day.
#[must_use]
pub fn longest_gap(cron: &str) -> Option<i64> {
    let fields: Vec<&str> = cron.split_whitespace().collect();
    let [minute, hour, "*", "*", "*"] = fields.as_slice() else {
        return None;
    };
    let (minutes, hours) = (set(minute, 60)?, set(hour, 24)?);
    let mut all: Vec<i64> = Vec::new();
    for hour in hours {
        all.extend(minutes.iter().map(|minute| i64::from(hour * 60 + minute)));
    }
    let first = *all.first()?;
    all.push(first + 24 * 60);
    let gaps = all.windows(2).map(|pair| match pair {
        [one, next] => next - one,
        _ => 0,
    });
    gaps.max()
}

/// Why GitHub refuses a cron line: not five fields, or a number that its field does not have. What else it may know in a
/// field is passed over.
#[must_use]
pub fn fault(cron: &str) -> Option<String> {
    const FIELDS: [(&str, u32, u32); 5] = [
        ("minute", 0, 59),
        ("hour", 0, 23),
        ("day of the month", 1, 31),
        ("month", 1, 12),
        ("day of the week", 0, 7),
    ];
    let fields: Vec<&str> = cron.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let count = fields.len();
        return Some(format!(
            "`{cron}` has {count} fields, but a cron line has five"
        ));
    }
    fields
        .iter()
        .zip(FIELDS)
        .find_map(|(field, (name, first, last))| {
            let ends = field.split(',').filter_map(|part| part.split('/').next());
            let mut numbers = ends.flat_map(|range| range.split('-'));
            let is_outside = |number: &&str| {
                let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
                let value = number.parse::<u32>().unwrap_or(u32::MAX);
                is_number && !number.is_empty() && !(first..=last).contains(&value)
            };
            let wrong = numbers.find(is_outside)?;
            Some(format!(
                "`{wrong}` is no {name}; allowed are {first} to {last}"
            ))
        })
}

/// The values of a field: `*`, `*/5`, `3`, `1-5`, `0,30`, and lists of these.
fn set(field: &str, end: u32) -> Option<Vec<u32>> {
    let mut found = vec![];
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, step.parse::<u32>().ok().filter(|step| *step > 0)?),
            None => (part, 1),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
            None if range == "*" => (0, end - 1),
            None => {
                let one: u32 = range.parse().ok()?;
                (one, if part.contains('/') { end - 1 } else { one })
            }
        };
        if last >= end || first > last {
            return None;
        }
        let size = usize::try_from(step).ok()?;
        found.extend((first..=last).step_by(size));
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_outside_its_field_is_told() {
        for fine in ["0 0 1 1 0", "*/5 8-18 * JAN,FEB mon-fri", "59 23 31 12 7"] {
            assert_eq!(fault(fine), None, "{fine}");
        }
        assert_eq!(
            fault("99 * * * *").as_deref(),
            Some("`99` is no minute; allowed are 0 to 59")
        );
        for wrong in [
            "@daily",
            "0 24 * * *",
            "0 0 0 * *",
            "0 0 * 1-13 *",
            "0 0 * * 8",
        ] {
            assert!(fault(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn fields_are_lists_of_ranges_and_steps() {
        assert_eq!(minutes("*/20 * * * *"), Some(vec![0, 20, 40]));
        assert_eq!(minutes("5-7,30 6 * * 1"), Some(vec![5, 6, 7, 30]));
        assert_eq!(minutes("60 * * * *"), None);
        assert_eq!(minutes("0 5 * *"), None);
        assert_eq!(shortest_gap("* * * * *"), Some(1));
        assert_eq!(shortest_gap("*/7 * * * *"), Some(4));
        assert_eq!(shortest_gap("*/7 3 * * *"), Some(7));
        assert_eq!(shortest_gap("1,59 * * * *"), Some(2));
        assert_eq!(shortest_gap("*/5 * * * *"), Some(5));
        assert_eq!(shortest_gap("17 3 * * *"), None);
        assert_eq!(longest_gap("0 * * * *"), Some(60));
        assert_eq!(longest_gap("0 6,18 * * *"), Some(720));
        assert_eq!(longest_gap("*/5 * * * *"), Some(5));
        assert_eq!(longest_gap("0 6 * * 1"), None);
    }
}
