//! The calendar.
#![expect(
    clippy::disallowed_methods,
    reason = "this is where the day comes from"
)]

use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::calendar::Day;

/// Now, in milliseconds since 1970; 0 where the clock stands before that.
#[must_use]
pub fn now_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

/// Today, in UTC; the first day of all where the clock stands before it.
#[must_use]
pub fn today() -> Day {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    Day(i64::try_from(days).unwrap_or(i64::MAX))
}
