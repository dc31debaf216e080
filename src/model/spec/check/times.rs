//! Time settings against each other: a probe inside its window, a run inside its job, the job inside its credentials.

use crate::model::spec::Monitors;
use crate::model::spec::ids;
use crate::model::spec::raw::RawSpec;

use super::Check;

/// Seconds of a run that are neither probing nor waiting for home: one minute in which Route 53 must answer a read, three
/// until a change is in sync: the executor waits 180 s (Route 53 says 60 s in general, 130 s have been seen).
const READ_AND_SYNC_SECONDS: u64 = 240;

/// The status of a site that serves. A redirect leads to a name that the switch moves, and an error page comes from a gateway
/// whose application is dead; on either a failover would go to, or return to, a site that serves nobody.
const SERVES: u16 = 200;

/// Checks all of them.
pub(super) fn check_times(check: &mut Check<'_>, raw: &RawSpec) {
    check_probe(check, raw);
    check_run(check, raw);
    check_monitors(check, &raw.monitors);
}

fn check_probe(check: &mut Check<'_>, raw: &RawSpec) {
    let probe = &raw.probe;
    let longest = u64::from(probe.tries) * u64::from(probe.timeout_seconds);
    if longest > u64::from(probe.window_seconds) {
        let message = format!(
            "{} tries of {} s take up to {longest} s, but the window is {} s",
            probe.tries, probe.timeout_seconds, probe.window_seconds
        );
        check
            .report(ids::TIMES, "/probe/window_seconds", message)
            .related("/probe/tries", "the tries")
            .related("/probe/timeout_seconds", "the time-out of each")
            .help(format!(
                "set `window_seconds` to at least {longest}, or make fewer or shorter tries"
            ));
    }
    if probe.expected_status != SERVES {
        let message = format!(
            "`expected_status` is {}; a site serves when it answers exactly {SERVES}, and nothing else is evidence of that",
            probe.expected_status
        );
        check
            .report(ids::VALUE, "/probe/expected_status", message)
            .help(
                "leave the key out or write 200, and let the site's first host answer 200 directly",
            );
    }
    let interval = raw.failback.interval_seconds;
    if probe.timeout_seconds > interval {
        let message = format!(
            "a probe may take {} s, but the next one follows after {interval} s",
            probe.timeout_seconds
        );
        check
            .report(ids::TIMES, "/failback/interval_seconds", message)
            .related("/probe/timeout_seconds", "the time-out of a probe")
            .help("set `interval_seconds` to at least the probe's `timeout_seconds`");
    }
}

/// The longest run is a return home: read, ask every site, wait for home's probes in a row, ask once more, write.
fn check_run(check: &mut Check<'_>, raw: &RawSpec) {
    let window = failback_seconds(raw);
    let sites = u64::try_from(raw.sites.len()).unwrap_or(u64::MAX);
    let asked = sites.saturating_add(raw.probe.control.is_some().into());
    let asking = asked.saturating_mul(u64::from(raw.probe.window_seconds));
    let needed = window
        .saturating_add(asking)
        .saturating_add(READ_AND_SYNC_SECONDS);
    let job = u64::from(raw.github.job_timeout_minutes) * 60;
    if needed > job {
        let message = format!(
            "a return home takes up to {needed} s ({window} s of probes in a row, {asking} s to ask the sites, \
             {READ_AND_SYNC_SECONDS} s to read and to wait for Route 53), but GitHub ends the job after {job} s"
        );
        check
            .report(ids::TIMES, "/github/job_timeout_minutes", message)
            .related("/failback/probes", "the probes in a row")
            .related("/failback/interval_seconds", "the time between them")
            .help(format!(
                "set `job_timeout_minutes` to at least {}, or shorten the fail-back",
                needed.div_ceil(60)
            ));
    }
    let session = u64::from(raw.aws.session_seconds);
    if job > session {
        let message = format!("the credentials live {session} s, but the job may run for {job} s");
        check
            .report(ids::TIMES, "/aws/session_seconds", message)
            .related("/github/job_timeout_minutes", "the job's limit")
            .help(format!(
                "set `session_seconds` to at least {job}, or shorten the job"
            ));
    }
}

/// From the first probe of a return to the last answer; a probe that takes its whole time-out fails and ends the row.
fn failback_seconds(raw: &RawSpec) -> u64 {
    u64::from(raw.failback.probes.saturating_sub(1)) * u64::from(raw.failback.interval_seconds)
        + u64::from(raw.probe.timeout_seconds)
}

fn check_monitors(check: &mut Check<'_>, monitors: &Monitors) {
    let duties = [
        (
            "edge_watch",
            monitors.edge_watch.timeout_seconds,
            monitors.edge_watch.interval_seconds,
        ),
        (
            "failback_retry",
            monitors.failback_retry.timeout_seconds,
            monitors.failback_retry.interval_seconds,
        ),
        (
            "token_check",
            monitors.token_check.timeout_seconds,
            monitors.token_check.interval_seconds,
        ),
    ];
    for (duty, timeout, interval) in duties {
        if timeout >= interval {
            let message = format!(
                "a check of `{duty}` may take {timeout} s, but the next one is due after {interval} s"
            );
            let at = |key: &str| format!("/monitors/{duty}/{key}");
            check
                .report(ids::TIMES, &at("timeout_seconds"), message)
                .related(&at("interval_seconds"), "the time between two checks")
                .help("set `timeout_seconds` below `interval_seconds`");
        }
    }
}
