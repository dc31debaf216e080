//! Which monitors do which duty, found by what they watch and whom they tell, not by their names.

use crate::model::monitor::Monitor;
use crate::model::spec::Spec;
use crate::rules::Workspace;

/// The paths of the monitors by duty; a duty without a monitor is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Duties {
    /// Watches home and starts the workflow.
    pub edge_watch: Vec<String>,
    /// Watches home and tells people.
    pub edge_notice: Vec<String>,
    /// Watches the records and tells people.
    pub transition_notice: Vec<String>,
    /// Watches the records and starts the workflow.
    pub failback_retry: Vec<String>,
    /// Watches the dispatch token and tells people.
    pub token_check: Vec<String>,
    /// The notification that starts the workflow.
    pub dispatch: Vec<String>,
    /// Whether the watch takes a 404 for life, so that a dead application behind a living gateway is not seen.
    pub takes_404: bool,
    /// Whether the watch does not look at certificates, so that an expired one is not seen.
    pub ignores_tls: bool,
    /// Whether any monitor was read at all.
    pub given: bool,
}

impl Duties {
    /// What the monitors of a workspace do for a deployment.
    #[must_use]
    pub fn of(spec: &Spec, workspace: &Workspace) -> Self {
        let mut duties = Self::default();
        for artefact in &workspace.monitors {
            duties.given = true;
            duties.add(spec, &artefact.model);
        }
        duties
    }

    fn add(&mut self, spec: &Spec, monitor: &Monitor) {
        let path = || monitor.path.clone();
        let id = monitor.id.as_ref().map(|id| id.as_str());
        let is_dispatch = monitor
            .webhook
            .as_ref()
            .is_some_and(|hook| hook.is_dispatch());
        if is_dispatch || id == Some(spec.monitors.dispatch.as_str()) {
            self.dispatch.push(path());
        }
        if !monitor.is_monitor() {
            return;
        }
        let told = monitor.notifications();
        let tells = |wanted: &str| told.iter().any(|id| id.as_str() == wanted);
        let (people, workflow) = (tells(&spec.monitors.people), tells(&spec.monitors.dispatch));
        let url = monitor.text("url").or_else(|| monitor.text("hostname"));
        let url = url.as_ref().map_or("", |url| url.as_str());
        let host = monitor.watched_host();
        let host = host.as_ref().map_or("", |host| host.as_str());
        let names = spec.records.names.iter().map(ToString::to_string);
        let asks_records = names.into_iter().any(|name| {
            host == name
                || url
                    .split(['?', '&'])
                    .any(|part| part.strip_prefix("name=") == Some(name.as_str()))
        });
        if host == spec.origin.name.to_string() {
            let accepted = monitor.list("accepted_statuscodes");
            if workflow {
                self.takes_404 |= accepted.iter().any(|code| covers_404(code.as_str()));
                self.ignores_tls |= monitor.flag("ignore_tls") == Some(true);
                self.edge_watch.push(path());
            }
            if people {
                self.edge_notice.push(path());
            }
        } else if asks_records {
            if workflow {
                self.failback_retry.push(path());
            }
            if people {
                self.transition_notice.push(path());
            }
        } else if url == spec.workflow_url() && people {
            self.token_check.push(path());
        }
    }
}

fn covers_404(range: &str) -> bool {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let number = |text: &str| text.trim().parse::<u16>().ok();
    match (number(first), number(last)) {
        (Some(first), Some(last)) => (first..=last).contains(&404),
        _ => false,
    }
}
