//! Ids of the monitors and notifications: Kubernetes keeps one entity a name.

use crate::model::spec::ids;
use crate::model::spec::{MONITOR_IDS, Monitors};

use super::Check;

/// Checks that each entity has a name of its own.
pub(super) fn check_ids(check: &mut Check<'_>, monitors: &Monitors) {
    if monitors.people == monitors.dispatch {
        let message = format!("`{}` is the id of both notifications", monitors.people);
        check
            .report(ids::REPEATED, "/monitors/dispatch", message)
            .related("/monitors/people", "the notification that reaches people")
            .help("people and the workflow need a notification each");
    }
    for (key, id) in [
        ("people", &monitors.people),
        ("dispatch", &monitors.dispatch),
    ] {
        if MONITOR_IDS.contains(&id.as_str()) {
            let message = format!("`{id}` is the id of a monitor, so no notification can have it");
            check
                .report(ids::REPEATED, &format!("/monitors/{key}"), message)
                .help("give the notification another id");
        }
    }
}
