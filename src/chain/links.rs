//! The links as they are judged: what the checks found breaks the link that it belongs to.

use crate::check::Checked;
use crate::diag::Severity;
use crate::model::spec::Spec;

use super::blame::{is_of, link_of};
use super::drawn::drawn;
use super::duties::Duties;
use super::given::Given;
use super::hosts::{HostAt, hosts};

/// How a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It was checked, and nothing breaks it.
    Good,
    /// Something breaks it.
    Broken,
    /// It could not be decided, or a file of it was not read.
    Undecided,
    /// No files were given for it.
    NotGiven,
}

impl State {
    /// The word used in every output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Broken => "broken",
            Self::Undecided => "undecided",
            Self::NotGiven => "not given",
        }
    }
}

/// Whether a link must change something, or only answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plane {
    /// It changes something: the less available half.
    Control,
    /// It answers from what is there.
    Data,
}

impl Plane {
    /// The word used in every output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Control => "control plane",
            Self::Data => "data plane",
        }
    }
}

/// One link of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub id: &'static str,
    /// Where it begins: what, and the files.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Where the two are declared.
    pub places: Vec<String>,
    /// Where it runs.
    pub region: String,
    /// Whether it must change something.
    pub plane: Plane,
    /// How it is.
    pub state: State,
    /// What breaks it or leaves it open, with places; also what weakens it.
    pub why: Vec<String>,
    /// For the link to the hosts: each of them at each site whose manifests were given.
    pub hosts: Vec<HostAt>,
}

/// The chain of a deployment. `files` are the workspace's facts, taken before the checks consumed it.
#[must_use]
pub fn links(spec: &Spec, duties: &Duties, given: &Given, checked: &Checked) -> Vec<Link> {
    let mut links = drawn(spec, duties, given);
    let of_spec = checked.sources.path(spec.at("").file);
    for link in links.iter_mut().filter(|link| link.id == "sites") {
        link.places.push(of_spec.to_owned());
    }
    for link in links.iter_mut().filter(|link| link.id == "hosts") {
        link.hosts = hosts(given, &checked.sources);
    }
    for finding in &checked.outcome.findings {
        let path = checked.sources.path(finding.primary.at.file).to_owned();
        let id = link_of(finding, &path, spec, duties);
        let line = checked
            .sources
            .positions(finding.primary.at)
            .map_or(1, |(start, _)| start.line);
        let Some(link) = links.iter_mut().find(|link| link.id == id) else {
            continue;
        };
        link.why.push(format!(
            "{path}:{line}: {} [{}] {}",
            finding.severity.word(),
            finding.rule,
            finding.message
        ));
        if finding.severity == Severity::Error {
            link.state = State::Broken;
        }
    }
    let open = checked.outcome.undecided.iter().map(|open| {
        (
            checked.sources.path(open.at.file).to_owned(),
            format!("{}: {}", open.what, open.why),
        )
    });
    let unread = checked
        .outcome
        .unread
        .iter()
        .map(|unread| (unread.path.clone(), format!("not read: {}", unread.reason)));
    for (path, why) in open.chain(unread) {
        for link in links
            .iter_mut()
            .filter(|link| is_of(link.id, &path, spec, duties))
        {
            if link.state != State::Broken {
                link.state = State::Undecided;
            }
            link.why.push(format!("{path}: {why}"));
        }
    }
    links
}
