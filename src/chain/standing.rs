//! What of the chain does its work, judged once for the matrix of failures and for the forecast.

use std::fmt;

use crate::forecast::{Settings, Working};

use super::duties::Duty;
use super::links::{Chain, Link, State};
use super::weak::Weak;

/// How a duty is done; a place is file and line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// A monitor does it.
    Works,
    /// No monitor does, or the one that there is does not; where that is seen.
    Broken(String),
    /// It is not known.
    Undecided(String),
    /// No monitor does it, and no monitor was to be looked at.
    Absent,
}

/// The first link on the way from the heartbeat to the visitors that keeps a switch from happening, or may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The link.
    pub link: &'static str,
    /// Where that is seen; empty where nothing was given.
    pub place: String,
    /// Whether it is only not known.
    pub open: bool,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.open { "undecided" } else { "broken" };
        if self.place.is_empty() {
            return write!(f, "nothing was given for {}", self.link);
        }
        write!(f, "the chain is {how} at {} ({})", self.link, self.place)
    }
}

/// The links that a switch takes, in their order; the monitors beside them only tell, or try again.
const WAY: [&str; 9] = [
    "heartbeat",
    "webhook",
    "workflow",
    "trust",
    "role",
    "policy",
    "records",
    "sites",
    "hosts",
];

/// The duties that start the workflow.
pub(super) const SENDING: [Duty; 3] = [Duty::Dispatch, Duty::EdgeWatch, Duty::FailbackRetry];
/// The duties that tell people of an outage.
pub(super) const TELLING: [Duty; 2] = [Duty::EdgeNotice, Duty::TransitionNotice];

impl Chain {
    /// How a duty is done.
    #[must_use]
    pub fn standing(&self, duty: Duty) -> Standing {
        let holders = || self.duties.with(duty);
        if holders().any(|holder| holder.works()) {
            return Standing::Works;
        }
        // A number of which nothing can be computed leaves open what the monitor does.
        let unusable = holders().filter(|holder| holder.fits);
        let mut unusable = unusable.filter(|holder| holder.is_unusable());
        let weak = |weak: &Weak| {
            let place = weak.place.clone();
            if weak.open {
                Standing::Undecided(place)
            } else {
                Standing::Broken(place)
            }
        };
        if let Some(holder) = unusable.next() {
            let path = || holder.monitor.path.clone();
            let place = holder
                .uncounted()
                .next()
                .map_or_else(path, |it| it.place.clone());
            return Standing::Undecided(place);
        }
        for holder in holders() {
            if let Some(found) = holder.uncounted().next() {
                return weak(found);
            }
            if holder.fits {
                return Standing::Broken(holder.monitor.path.clone());
            }
        }
        let mut links = self.links.iter();
        let link = links.find(|link| link.id == duty.link());
        let of_link = || link.into_iter().flat_map(|link| &link.weak);
        let own = of_link().find(|weak| weak.duty == Some(duty));
        let whole = of_link().find(|weak| weak.duty.is_none());
        own.or(whole).map_or(Standing::Absent, weak)
    }

    /// Whether it is not known which monitors speak in an outage, or whether anything moves in it.
    #[must_use]
    pub fn counts_open(&self) -> bool {
        let stop = self.stop();
        stop.is_some_and(|stop| stop.open) || self.are_open(&SENDING) || self.are_open(&TELLING)
    }

    /// Whether how one of these duties is done is not known.
    pub(super) fn are_open(&self, duties: &[Duty]) -> bool {
        let mut all = duties.iter().map(|duty| self.standing(*duty));
        all.any(|standing| matches!(standing, Standing::Undecided(_)))
    }

    /// Where a switch stops that nobody helps.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        WAY.into_iter().find_map(|id| {
            let standing = match id {
                "heartbeat" => self.standing(Duty::EdgeWatch),
                "webhook" => self.standing(Duty::Dispatch),
                _ => self.of_link(id),
            };
            let (place, open) = match standing {
                Standing::Works => return None,
                Standing::Broken(place) => (place, false),
                Standing::Undecided(place) => (place, true),
                Standing::Absent => (String::new(), false),
            };
            Some(Stop {
                link: id,
                place,
                open,
            })
        })
    }

    fn of_link(&self, id: &str) -> Standing {
        let Some(link) = self.links.iter().find(|link| link.id == id) else {
            return Standing::Works;
        };
        let first = |open: bool| {
            let mut weak = link
                .weak
                .iter()
                .filter(|weak| weak.open == open && !weak.counted);
            weak.next().map(|weak| weak.place.clone())
        };
        match (link.state, first(false), first(true)) {
            (State::Broken, Some(place), _) => Standing::Broken(place),
            (State::Broken | State::Undecided, _, Some(place)) => Standing::Undecided(place),
            (State::Undecided, _, None) => Standing::Undecided(String::new()),
            // What is counted keeps the link from nothing.
            (State::Broken, None, None) if link.weak.is_empty() => Standing::Broken(String::new()),
            (State::Good | State::NotGiven | State::Broken, ..) => Standing::Works,
        }
    }

    /// Puts what is declared, and what of it works, into the settings of a forecast; gives what is to be known of that.
    pub fn declare(&self, settings: &mut Settings) -> Vec<String> {
        let works = |duty| self.standing(duty) == Standing::Works;
        let sends = works(Duty::Dispatch);
        settings.working = Working {
            edge: sends && works(Duty::EdgeWatch),
            people: works(Duty::EdgeNotice),
            retry: sends && works(Duty::FailbackRetry),
            notice: works(Duty::TransitionNotice),
            moves: self.stop().is_none(),
        };
        let mut notes = self.duties.declare(settings);
        let before = settings.get("ttl");
        if let Some(ttl) = self.given.ttl.filter(|ttl| f64::from(*ttl) != before)
            && settings.set("ttl", &ttl.to_string()).is_ok()
        {
            notes.push(format!(
                "Terraform gives the records a TTL of {ttl} s, so {ttl} counts, not the spec's {before}: a run keeps the TTL that it finds"
            ));
        }
        notes
    }

    /// Every link that is broken or undecided, with the first reason, in a line each; and those of which no files were
    /// given, so that what is said of the way takes them as right.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let faulty = self
            .links
            .iter()
            .filter(|link| matches!(link.state, State::Broken | State::Undecided));
        let line = |link: &Link| {
            let open = link.state == State::Undecided;
            let first = link.weak.iter().find(|weak| weak.open == open);
            let (place, what) =
                first.map_or(("", ""), |weak| (weak.place.as_str(), weak.what.as_str()));
            format!(
                "the chain is {} at {}: {place}: {what}",
                link.state.word(),
                link.id
            )
        };
        let unseen = self.links.iter().filter(|link| {
            let counts =
                WAY.contains(&link.id) && !["heartbeat", "webhook", "hosts"].contains(&link.id);
            counts && link.state == State::NotGiven
        });
        let assumed = |link: &Link| {
            let id = link.id;
            format!("nothing was given for {id}, which is taken as right")
        };
        faulty.map(line).chain(unseen.map(assumed)).collect()
    }
}
