//! What each setting would buy: the forecast again with one setting changed, the same luck.

use super::compare::quick;
use super::settings::{Setting, Settings, Start};
use super::summary::Summary;

/// One setting, changed alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The setting.
    pub setting: &'static str,
    /// Its value now.
    pub now: f64,
    /// The value that it is changed to.
    pub then: f64,
    /// What the change does to the p95 of the move away, in seconds; negative is sooner. `None`: it decides whether the
    /// move ends at all.
    pub away: Option<f64>,
    /// And to that of the move back.
    pub back: Option<f64>,
    /// What the change costs.
    pub price: &'static str,
}

/// How many outages are drawn for each bar.
const DRAWS: u32 = 10_000;

/// What to try: a value in whose direction the wait gets shorter, one in whose direction it gets longer, and the price of
/// the shorter one.
const TRIED: &[(&str, f64, f64, &str)] = &[
    (
        "ttl",
        60.0,
        3600.0,
        "resolvers ask more often; the TTL that was in force before must have passed",
    ),
    (
        "monitor.edge.timeout",
        5.0,
        48.0,
        "a slow answer counts as none",
    ),
    (
        "monitor.edge.interval",
        20.0,
        120.0,
        "more requests to home",
    ),
    (
        "monitor.edge.retries",
        1.0,
        5.0,
        "a short disturbance starts the workflow, which then asks home itself",
    ),
    (
        "monitor.edge.retry_interval",
        10.0,
        60.0,
        "a short disturbance starts the workflow, which then asks home itself",
    ),
    (
        "probe.tries",
        1.0,
        5.0,
        "one lost packet moves all visitors",
    ),
    (
        "probe.window",
        15.0,
        60.0,
        "less time for a short disturbance to pass",
    ),
    (
        "failback.probes",
        5.0,
        20.0,
        "visitors go back to a home that has answered for less long",
    ),
    (
        "failback.interval",
        15.0,
        60.0,
        "visitors go back to a home that has answered for less long",
    ),
    (
        "runner.p95",
        20.0,
        600.0,
        "a runner that waits for nothing else",
    ),
    ("sync.p95", 35.0, 130.0, "not yours to set"),
    ("dispatch.loss", 0.0, 0.1, "a second way to start the run"),
];

/// The bars, the longest first: what shortens the wait most, then what lengthens it.
#[must_use]
pub fn tornado(settings: &Settings, seed: u64) -> Vec<Bar> {
    let base = quick(settings, DRAWS, seed);
    let mut bars = Vec::new();
    for (name, better, worse, price) in TRIED {
        let Some(setting) = Setting::find(name) else {
            continue;
        };
        let now = settings.value(setting);
        let observed = *name == "runner.p95" && matches!(settings.start, Start::Observed(_));
        for then in [*better, *worse] {
            let shortens = then < now || (now <= 0.0 && *name == "monitor.edge.timeout");
            let is_better = (then - *better).abs() < f64::EPSILON;
            // A value that is better already is no offer.
            if observed || is_better != shortens || (then - now).abs() < f64::EPSILON {
                continue;
            }
            let mut changed = settings.clone();
            changed.put(setting, then);
            let Ok(changed) = changed.checked() else {
                continue;
            };
            let [away, back] = quick(&changed, DRAWS, seed);
            let [base_away, base_back] = &base;
            bars.push(Bar {
                setting: setting.name,
                now,
                then,
                away: difference(&away, base_away),
                back: difference(&back, base_back),
                price: if is_better { price } else { "" },
            });
        }
    }
    // What changes nothing is no news.
    let tells = |seconds: Option<f64>| seconds.is_none_or(|seconds| seconds.abs() >= 0.5);
    bars.retain(|bar| tells(bar.away) || tells(bar.back));
    bars.sort_by(|a, b| weight(a).total_cmp(&weight(b)));
    bars
}

/// What it buys in both directions together.
fn weight(bar: &Bar) -> f64 {
    bar.away.unwrap_or(-1e9) + bar.back.unwrap_or(-1e9)
}

fn difference(changed: &Summary, base: &Summary) -> Option<f64> {
    match (changed.p95, base.p95) {
        (Some(changed), Some(base)) => Some(changed - base),
        (None, None) => Some(0.0),
        _ => None,
    }
}
