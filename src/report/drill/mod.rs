//! What came of a rehearsal, as data, and in every form.

mod html;
mod human;
mod json;
mod mermaid;
mod svg;

use std::io::{self, Write};
use std::time::Duration;

use super::Format;

/// What came of a rehearsal.
#[derive(Debug, Clone, Default)]
pub struct Rehearsed {
    /// The fault that was played, with what it is.
    pub fault: Option<(String, String)>,
    /// What is promised for that fault.
    pub promise: Option<String>,
    /// How home stopped serving.
    pub death: String,
    /// The sites, home first.
    pub sites: Vec<String>,
    /// By how much waits were shortened.
    pub speed: f64,
    /// How long it lasted on its own clock.
    pub lasted: Duration,
    /// How long it really took.
    pub took: Duration,
    /// The links from the heartbeat to the visitors.
    pub links: Vec<LinkRow>,
    /// Artefacts that are missing, or are not those that they must be.
    pub defects: Vec<String>,
    /// Files of the deployment that could not be read.
    pub unread: Vec<String>,
    /// What was not rehearsed, and leaves it undecided.
    pub open: Vec<String>,
    /// What is to be said beside `passed`.
    pub caveats: Vec<String>,
    /// The moves that were made, with their times.
    pub moves: Vec<MoveTimes>,
    /// Runs of the workflow, in the order in which they were asked for.
    pub runs: Vec<RunRow>,
    /// What was to be seen, and whether it was.
    pub expected: Vec<Expectation>,
    /// What happened, in order.
    pub events: Vec<EventRow>,
    /// What visitors saw of each host.
    pub hosts: Vec<HostView>,
    /// How many visitors there were.
    pub visitors: usize,
    /// What AWS decided, in order.
    pub decisions: Vec<DecisionRow>,
    /// Attacks, and what became of them.
    pub attacks: Vec<AttackRow>,
    /// Messages that were to start the workflow.
    pub dispatches: usize,
    /// Messages to people.
    pub people: usize,
    /// What should be known of it.
    pub notes: Vec<String>,
}

/// A link of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// Its name.
    pub name: &'static str,
    /// How it is.
    pub state: LinkState,
    /// What was seen of it; for a broken one, why.
    pub told: String,
    /// For a broken one the artefact and its line, where that is known.
    pub at: Option<String>,
    /// Whether it is broken as the fault has it, and for no other cause.
    pub as_fault: bool,
}

impl LinkRow {
    /// Whether it is broken, and not by what was asked for.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.state == LinkState::Broken && !self.as_fault
    }
}

/// How a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// It did what it is for.
    Held,
    /// It did not.
    Broken,
    /// Nothing was asked of it.
    NotReached,
    /// There are no files for it.
    NotGiven,
    /// A file for it could not be read.
    Unread,
    /// Something of it was not rehearsed.
    NotDecided,
}

/// What comes of a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was as it must be.
    Passed,
    /// Something was not.
    Failed,
    /// That cannot be said: a file could not be read, or something of the deployment was not rehearsed.
    NotDecided,
}

impl Verdict {
    /// Its words.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::NotDecided => "not decided",
        }
    }
}

impl LinkState {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Broken => "broken",
            Self::NotReached => "not reached",
            Self::NotGiven => "not given",
            Self::Unread => "unread",
            Self::NotDecided => "not decided",
        }
    }
}

/// A move from one site to another.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveTimes {
    /// From where.
    pub from: String,
    /// To where.
    pub to: String,
    /// When it began: home died, or came back.
    pub began: Duration,
    /// Its phases, in order.
    pub phases: Vec<PhaseTime>,
    /// What is forecast for the whole: the middle and 95 of 100, in seconds.
    pub forecast: Option<(f64, f64)>,
}

impl MoveTimes {
    /// All phases together.
    #[must_use]
    pub fn whole(&self) -> Duration {
        self.phases.iter().map(|phase| phase.lasted).sum()
    }
}

/// One phase of a move.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseTime {
    /// Its name, as in a forecast.
    pub name: &'static str,
    /// How long it lasted.
    pub lasted: Duration,
    /// What is forecast: the middle and 95 of 100, in seconds.
    pub forecast: Option<(f64, f64)>,
}

/// A run of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its number, from 1.
    pub number: usize,
    /// When it was asked for.
    pub asked: Duration,
    /// When a runner took its job.
    pub begun: Option<Duration>,
    /// When the executor began.
    pub started: Option<Duration>,
    /// When it ended.
    pub ended: Option<Duration>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// The executor's exit status.
    pub status: Option<u8>,
    /// How it ended, in words.
    pub end: String,
}

/// Something that was to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// When it was looked for.
    pub at: Duration,
    /// The link that it belongs to.
    pub link: &'static str,
    /// What.
    pub what: String,
    /// Whether it was seen.
    pub met: bool,
    /// What was seen instead.
    pub found: String,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// When.
    pub at: Duration,
    /// To whom, or by whom.
    pub who: String,
    /// What.
    pub what: String,
}

/// What visitors saw of one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostView {
    /// The host.
    pub host: String,
    /// What they saw, from the beginning to the end.
    pub spans: Vec<ViewSpan>,
}

/// A time in which visitors saw the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewSpan {
    /// From when on.
    pub from: Duration,
    /// Until when.
    pub to: Duration,
    /// What, and how many visitors: the name of a site, `absent`, `down`, `nowhere`, `wrong`.
    pub seen: Vec<(String, usize)>,
}

/// A decision of AWS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRow {
    /// When.
    pub at: Duration,
    /// Who asked.
    pub who: String,
    /// For what.
    pub action: String,
    /// On what, and with which values.
    pub on: String,
    /// Whether it was let through.
    pub allowed: bool,
    /// Whether that is not decided: it turns on what is not known here, and was let through all the same.
    pub open: bool,
    /// Why.
    pub why: Vec<String>,
}

/// An attack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttackRow {
    /// What was tried.
    pub what: String,
    /// Whether it has to be refused: IAM cannot look at values.
    pub must_fail: bool,
    /// Whether it was refused.
    pub refused: bool,
    /// Whether that is not decided: it turns on what is not known here.
    pub open: bool,
    /// By whom and why.
    pub why: Vec<String>,
}

impl ViewSpan {
    /// What is seen, with the number of visitors where they see different things.
    #[must_use]
    pub fn words(&self) -> String {
        let all = self.seen.len() == 1;
        let each = self.seen.iter().map(|(what, count)| {
            if all {
                what.clone()
            } else {
                format!("{count} {what}")
            }
        });
        each.collect::<Vec<_>>().join(", ")
    }
}

impl AttackRow {
    /// Whether it came out as it must.
    #[must_use]
    pub fn is_as_it_must(&self) -> bool {
        self.refused || self.open || !self.must_fail
    }

    /// Its outcome, in a word or two.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (self.refused, self.must_fail) {
            _ if self.open => "not decided",
            (true, _) => "refused",
            (false, true) => "LET IN",
            (false, false) => "beyond IAM",
        }
    }
}

impl Rehearsed {
    /// What it is called.
    #[must_use]
    pub fn title(&self) -> String {
        let home = self.sites.first().map_or("home", String::as_str);
        match &self.fault {
            Some((name, _)) => format!("Rehearsal with the fault {name}"),
            None => format!("Rehearsal: {home} dies ({}) and comes back", self.death),
        }
    }

    /// Hosts that visitors saw alike, together.
    #[must_use]
    pub fn alike(&self) -> Vec<(Vec<&str>, &[ViewSpan])> {
        let mut groups: Vec<(Vec<&str>, &[ViewSpan])> = Vec::new();
        for view in &self.hosts {
            match groups.iter_mut().find(|(_, spans)| *spans == view.spans) {
                Some((hosts, _)) => hosts.push(&view.host),
                None => groups.push((vec![&view.host], &view.spans)),
            }
        }
        groups
    }

    /// Whether everything was as it must be.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.verdict() == Verdict::Passed
    }

    /// What comes of it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let open = |link: &&LinkRow| {
            link.fails() || matches!(link.state, LinkState::Unread | LinkState::NotDecided)
        };
        let first = self.links.iter().find(open).map(|link| link.state);
        let let_in = !self.attacks.iter().all(AttackRow::is_as_it_must);
        let missed = self.expected.iter().any(|expected| !expected.met);
        let broken = self.links.iter().any(LinkRow::fails);
        if let_in || !self.defects.is_empty() {
            return Verdict::Failed;
        }
        let decided = self.unread.is_empty() && self.open.is_empty();
        match (decided, missed || broken) {
            (true, false) => Verdict::Passed,
            (true, true) => Verdict::Failed,
            // What is broken before the first that is not known is broken whatever that is.
            (false, true) if first == Some(LinkState::Broken) => Verdict::Failed,
            (false, _) => Verdict::NotDecided,
        }
    }

    /// The last line: the verdict, and what must be known with it.
    #[must_use]
    pub fn conclusion(&self) -> String {
        let verdict = self.verdict();
        let word = verdict.word();
        match verdict {
            Verdict::Failed => match self.failed_at() {
                Some(link) => {
                    let at = link.at.as_ref();
                    let at = at.map_or(String::new(), |at| format!(" ({at})"));
                    let told = &link.told;
                    format!(
                        "{word} at the link `{}`{at}: {told}; see `pointsman validate`",
                        link.name
                    )
                }
                None => match self.attacks.iter().find(|attack| !attack.is_as_it_must()) {
                    Some(attack) => {
                        let why = attack.why.first();
                        let why = why.map_or(String::new(), |why| format!(": {why}"));
                        format!("{word}: an attack was let in: {}{why}", attack.what)
                    }
                    None => word.to_owned(),
                },
            },
            Verdict::NotDecided => {
                let mut all = self.unread.iter().chain(&self.open);
                let first = all.next().map_or("", String::as_str);
                let more = match all.count() {
                    0 => String::new(),
                    count => format!("; and {count} more"),
                };
                format!("{word}: {first}{more}")
            }
            Verdict::Passed => {
                let but = self.but();
                let but = if but.is_empty() {
                    String::new()
                } else {
                    format!(", but {}", but.join("; "))
                };
                format!("{word}{but}")
            }
        }
    }

    /// The first link that is broken, where that is why it failed.
    #[must_use]
    pub fn failed_at(&self) -> Option<&LinkRow> {
        self.links.iter().find(|link| link.fails())
    }

    /// What was not rehearsed of a chain that passed.
    #[must_use]
    pub fn but(&self) -> Vec<String> {
        let skipped = self
            .links
            .iter()
            .filter(|link| link.state == LinkState::NotGiven);
        let skipped: Vec<&str> = skipped.map(|link| link.name).collect();
        let told = match skipped.as_slice() {
            [] => None,
            [one] => Some(format!("{one} was not given")),
            all => Some(format!("{} were not given", all.join(" and "))),
        };
        told.into_iter()
            .chain(self.caveats.iter().cloned())
            .collect()
    }
}

/// A number with its noun.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Writes it in a form.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_drill(format: Format, drill: &Rehearsed, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => json::render(drill, out),
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            human::render(drill, out)
        }
    }
}

/// It as a picture, in SVG.
#[must_use]
pub fn drill_svg(drill: &Rehearsed) -> String {
    svg::draw(drill)
}

/// It as one page without scripts and without anything from elsewhere.
#[must_use]
pub fn drill_html(drill: &Rehearsed) -> String {
    html::page(drill)
}

/// Its phases as a Gantt chart of Mermaid.
#[must_use]
pub fn drill_mermaid(drill: &Rehearsed) -> String {
    mermaid::gantt(drill)
}

/// A time on the rehearsal's clock: minutes, seconds and tenths.
#[must_use]
pub fn clock(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}
