//! Which monitors do which duty, found by what they watch and whom they tell, not by their names; and whether they do it.

use crate::forecast::{Death, Settings, Unusable, Watch};
use crate::model::dns::RecordName;
use crate::model::monitor::{Monitor, is_same_setting};
use crate::model::spec::Spec;
use crate::rules::Workspace;
use crate::text::Span;

use super::weak::Weak;

/// What a monitor or a notification is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Duty {
    /// The notification that starts the workflow.
    Dispatch,
    /// Watches home and starts the workflow.
    EdgeWatch,
    /// Watches home and tells people.
    EdgeNotice,
    /// Watches the records and tells people.
    TransitionNotice,
    /// Watches the records and starts the workflow.
    FailbackRetry,
    /// Watches the dispatch token and tells people.
    TokenCheck,
}

impl Duty {
    const ALL: [Self; 6] = [
        Self::Dispatch,
        Self::EdgeWatch,
        Self::EdgeNotice,
        Self::TransitionNotice,
        Self::FailbackRetry,
        Self::TokenCheck,
    ];

    /// Its name, by which findings are about it.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Dispatch => "dispatch",
            Self::EdgeWatch => "edge-watch",
            Self::EdgeNotice => "edge-notice",
            Self::TransitionNotice => "transition-notice",
            Self::FailbackRetry => "failback-retry",
            Self::TokenCheck => "token-check",
        }
    }

    /// The link of the chain that it is.
    #[must_use]
    pub fn link(self) -> &'static str {
        match self {
            Self::Dispatch => "webhook",
            Self::EdgeWatch => "heartbeat",
            Self::EdgeNotice | Self::TransitionNotice | Self::FailbackRetry | Self::TokenCheck => {
                "monitors"
            }
        }
    }

    pub(super) fn called(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|duty| duty.id() == id)
    }

    /// The settings whose effect the forecast and the matrix count: a monitor in which they are other than asked for does
    /// its duty still, in another time or for fewer deaths.
    pub(super) fn counts(self, setting: &str) -> bool {
        let of_time = [
            "interval",
            "max_retries",
            "retry_interval",
            "resend_interval",
            "timeout",
        ];
        let of_answer = ["accepted_statuscodes", "ignore_tls"];
        let is_among = |names: &[&str]| names.iter().any(|name| is_same_setting(setting, name));
        let asks_home = matches!(self, Self::EdgeWatch | Self::EdgeNotice);
        is_among(&of_time) || asks_home && is_among(&of_answer)
    }
}

/// A monitor or a notification with its duty.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The duty.
    pub duty: Duty,
    /// Whether it is one that could do it; else it is only meant to, by its name or by what it starts.
    pub fits: bool,
    /// As it is declared.
    pub monitor: Monitor,
    /// The numbers that decide when it speaks.
    pub watch: Result<Watch, Unusable>,
    /// What keeps it from doing its duty; known once the checks have run.
    pub weak: Vec<Weak>,
}

impl Holder {
    /// Whether a place in a file is in it.
    pub(super) fn holds(&self, at: Span) -> bool {
        self.monitor.document.span().contains(at)
    }

    fn is_paused(&self) -> bool {
        self.monitor.flag("active") == Some(false)
    }

    /// Whether a number of it is none, so that what it does is not known.
    pub(super) fn is_unusable(&self) -> bool {
        self.monitor.is_monitor() && self.watch.is_err()
    }

    /// What keeps it from its duty, and is not in its numbers.
    pub(super) fn uncounted(&self) -> impl Iterator<Item = &Weak> {
        self.weak.iter().filter(|weak| !weak.counted)
    }

    /// Whether it does its duty, as far as the checks found.
    #[must_use]
    pub fn works(&self) -> bool {
        self.fits && !self.is_paused() && !self.is_unusable() && self.uncounted().next().is_none()
    }
}

/// The monitors by duty; a duty that no monitor has is not among them.
#[derive(Debug, Clone, Default)]
pub struct Duties {
    pub(super) holders: Vec<Holder>,
}

impl Duties {
    /// What the monitors of a workspace do for a deployment.
    #[must_use]
    pub fn of(spec: &Spec, workspace: &Workspace) -> Self {
        let mut duties = Self::default();
        for artefact in &workspace.monitors {
            duties.add(spec, &artefact.model);
        }
        // By duty, so that a place which belongs to two of them is first of all that of the weightier.
        duties.holders.sort_by_key(|holder| holder.duty);
        duties
    }

    fn add(&mut self, spec: &Spec, monitor: &Monitor) {
        let held = held(spec, monitor);
        let fits = !held.is_empty();
        let meant = meant(spec, monitor).filter(|_| !fits);
        for duty in held.into_iter().chain(meant) {
            self.holders.push(Holder {
                duty,
                fits,
                monitor: monitor.clone(),
                watch: Watch::declared(monitor, &spec.monitors.autokuma_version),
                weak: Vec::new(),
            });
        }
    }

    /// Those with this duty.
    pub(super) fn with(&self, duty: Duty) -> impl Iterator<Item = &Holder> {
        self.holders
            .iter()
            .filter(move |holder| holder.duty == duty)
    }

    /// The paths of those that could do this duty.
    pub(super) fn paths(&self, duty: Duty) -> Vec<String> {
        let fit = self.with(duty).filter(|holder| holder.fits);
        let mut paths: Vec<String> = fit.map(|holder| holder.monitor.path.clone()).collect();
        paths.dedup();
        paths
    }

    /// The one that does this duty; of several watches of home the one that notices this death first.
    pub(super) fn working(&self, duty: Duty, death: Death) -> Option<&Holder> {
        let after = |holder: &&Holder| {
            let watch = holder.watch.as_ref().ok();
            watch
                .and_then(|watch| watch.notices_after(death))
                .unwrap_or(f64::INFINITY)
        };
        let able = self.with(duty).filter(|holder| holder.works());
        able.min_by(|a, b| after(a).total_cmp(&after(b)))
    }

    /// Puts what the declared monitors say in the place of the spec's numbers; gives what is to be known of that.
    pub fn declare(&self, settings: &mut Settings) -> Vec<String> {
        let mut notes = Vec::new();
        for duty in [
            Duty::EdgeWatch,
            Duty::EdgeNotice,
            Duty::FailbackRetry,
            Duty::TransitionNotice,
        ] {
            let death = settings.death;
            let fit = || self.with(duty).find(|holder| holder.fits);
            let Some(holder) = self.working(duty, death).or_else(fit) else {
                continue;
            };
            let (path, place) = (&holder.monitor.path, place(settings, duty));
            match &holder.watch {
                Ok(watch) => {
                    notes.extend(differences(path, holder, place, watch));
                    *place = *watch;
                }
                Err(Unusable {
                    setting, written, ..
                }) => notes.push(format!(
                    "`{path}` says `{setting}: {written}`, from which nothing can be forecast, so the spec's numbers stand for it"
                )),
            }
            let others = self.with(duty).filter(|other| other.works()).count();
            if others > 1 {
                notes.push(format!(
                    "{others} monitors do the duty of `{}`; counted is the one that is first, `{path}`",
                    duty.id()
                ));
            }
        }
        notes
    }
}

fn place(settings: &mut Settings, duty: Duty) -> &mut Watch {
    match duty {
        Duty::EdgeNotice => &mut settings.people,
        Duty::FailbackRetry => &mut settings.retry,
        Duty::TransitionNotice => &mut settings.notice,
        Duty::EdgeWatch | Duty::Dispatch | Duty::TokenCheck => &mut settings.edge,
    }
}

/// How what a monitor says differs from the spec's numbers.
fn differences(path: &str, holder: &Holder, spec: &Watch, found: &Watch) -> Vec<String> {
    let asks = holder.monitor.is_http();
    let numbers = [
        ("interval", spec.interval, found.interval, true),
        ("max_retries", spec.retries, found.retries, true),
        (
            "retry_interval",
            spec.retry_interval,
            found.retry_interval,
            true,
        ),
        ("resend_interval", spec.resend, found.resend, true),
        ("timeout", spec.timeout, found.timeout, asks),
    ];
    let changed = numbers
        .into_iter()
        .filter(|(_, before, after, counts)| *counts && (after - before).abs() > f64::EPSILON);
    let mut notes: Vec<String> = changed
        .map(|(setting, before, after, _)| {
            let key = holder.monitor.spelling(setting);
            let written = holder.monitor.text(setting).is_some();
            let how = match (written, setting) {
                (true, "resend_interval") if after == 0.0 => "does not repeat by",
                (true, _) => "says",
                (false, _) => "leaves out",
            };
            format!("`{path}` {how} `{key}`, so {after} counts, not the spec's {before}")
        })
        .collect();
    if found.takes_server_errors && !spec.takes_server_errors {
        notes.push(format!(
            "`{path}` takes the answer of a failed server for life"
        ));
    }
    notes
}

/// The duties that a monitor could do.
fn held(spec: &Spec, monitor: &Monitor) -> Vec<Duty> {
    let mut held = Vec::new();
    let id = monitor.id.as_ref().map(|id| id.as_str());
    let is_dispatch = monitor
        .webhook
        .as_ref()
        .is_some_and(|hook| hook.is_dispatch());
    if is_dispatch || id == Some(spec.monitors.dispatch.as_str()) {
        held.push(Duty::Dispatch);
    }
    if !monitor.is_monitor() {
        return held;
    }
    let told = monitor.notifications();
    let tells = |wanted: &str| told.iter().any(|id| id.as_str() == wanted);
    let (people, workflow) = (tells(&spec.monitors.people), tells(&spec.monitors.dispatch));
    let url = monitor.text("url").or_else(|| monitor.text("hostname"));
    let url = url.as_ref().map_or("", |url| url.as_str());
    let host = monitor.watched_host();
    let host = host.and_then(|host| RecordName::parse(host.as_str()).ok());
    let mut names = spec.record_names().iter();
    let asks_records = names.any(|name| {
        host.as_ref() == Some(name)
            || url
                .split(['?', '&'])
                .any(|part| part.strip_prefix("name=") == Some(name.to_string().as_str()))
    });
    let (for_workflow, for_people) =
        if monitor.is_http() && host.as_ref() == Some(&spec.origin.name) {
            (Duty::EdgeWatch, Duty::EdgeNotice)
        } else if asks_records && !["http", "keyword"].iter().any(|kind| monitor.is(kind)) {
            (Duty::FailbackRetry, Duty::TransitionNotice)
        } else {
            let asks_token = spec.is_workflow_url(url, "");
            held.extend((asks_token && people).then_some(Duty::TokenCheck));
            return held;
        };
    held.extend(workflow.then_some(for_workflow));
    held.extend(people.then_some(for_people));
    held
}

/// The duty that a monitor is meant to do, which does none: by its name, else by what it starts.
fn meant(spec: &Spec, monitor: &Monitor) -> Option<Duty> {
    let id = monitor.id.as_ref().map(|id| id.as_str());
    let named = id.and_then(Duty::called);
    let told = monitor.notifications();
    let starts = told.iter().any(|id| id.as_str() == spec.monitors.dispatch);
    let started = match (starts, monitor.is("http") || monitor.is("keyword")) {
        (false, _) => None,
        (true, true) => Some(Duty::EdgeWatch),
        (true, false) => Some(Duty::FailbackRetry),
    };
    named.or(started)
}
