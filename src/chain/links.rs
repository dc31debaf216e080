//! The links as they are judged: what the checks found breaks the link that it belongs to.

use crate::check::Checked;
use crate::diag::Finding;
use crate::model::spec::Spec;

use super::blame::{Blame, MOVES_ALL_THE_SAME, blame, is_counted, is_kustomization, is_of};
use super::drawn::drawn;
use super::duties::{Duties, Duty};
use super::given::Given;
use super::hosts::{HostAt, hosts};
use super::weak::{Weak, place};

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
    /// What of that breaks it or leaves it open.
    pub weak: Vec<Weak>,
    /// For the link to the hosts: each of them at each site whose manifests were given.
    pub hosts: Vec<HostAt>,
}

/// The links as they were judged, and the monitors with what keeps each from its duty.
#[derive(Debug)]
pub struct Chain {
    /// The links, in their order.
    pub links: Vec<Link>,
    /// The monitors by duty.
    pub duties: Duties,
    /// What there was to look at.
    pub given: Given,
}

impl Chain {
    /// The chain of a deployment; `duties` and `given` are what the workspace held before the checks consumed it.
    #[must_use]
    pub fn judged(spec: &Spec, duties: Duties, given: Given, checked: &Checked) -> Self {
        let mut links = drawn(spec, &duties, &given);
        let of_spec = checked.sources.path(spec.at("").file);
        for link in &mut links {
            match link.id {
                "sites" => link.places.push(of_spec.to_owned()),
                "hosts" => link.hosts = hosts(&given, &checked.sources),
                _ => {}
            }
        }
        let mut chain = Self {
            links,
            duties,
            given,
        };
        for finding in &checked.outcome.findings {
            chain.take(finding, spec, checked);
        }
        chain.take_open(spec, checked);
        chain
    }

    fn take(&mut self, finding: &Finding, spec: &Spec, checked: &Checked) {
        let path = checked.sources.path(finding.primary.at.file);
        let Blame { links, duty } = blame(finding, path, spec, &self.duties);
        let weak = Weak::found(finding, checked, duty).map(|weak| Weak {
            counted: MOVES_ALL_THE_SAME.contains(&finding.rule),
            ..weak
        });
        if let Some(weak) = &weak {
            let holders = &mut self.duties.holders;
            for holder in holders.iter_mut().filter(|it| it.holds(finding.primary.at)) {
                let counted = is_counted(finding, holder);
                holder.weak.push(Weak {
                    counted,
                    ..weak.clone()
                });
            }
        }
        let why = format!(
            "{}: {} [{}] {}",
            place(checked, finding.primary.at),
            finding.severity.word(),
            finding.rule,
            finding.message
        );
        for link in self.links.iter_mut().filter(|it| links.contains(&it.id)) {
            link.why.push(why.clone());
            if let Some(weak) = &weak {
                link.state = State::Broken;
                link.weak.push(weak.clone());
            }
        }
    }

    /// What was not decided, by its place; what was not read, by its path.
    fn take_open(&mut self, spec: &Spec, checked: &Checked) {
        for open in &checked.outcome.undecided {
            let path = checked.sources.path(open.at.file);
            let duty = self.duties.at(open.at);
            let weak = Weak::undecided(open, checked, duty);
            let holders = &mut self.duties.holders;
            for holder in holders.iter_mut().filter(|it| it.holds(open.at)) {
                holder.weak.push(weak.clone());
            }
            let of_duty = duty.map(Duty::link);
            let belongs = |link: &Link, duties: &Duties| match of_duty {
                Some(id) => link.id == id,
                None => is_of(link.id, path, spec, duties),
            };
            let why = format!("{path}: {}", weak.what);
            for link in &mut self.links {
                if belongs(link, &self.duties) {
                    link.leave_open(weak.clone(), why.clone());
                }
            }
        }
        for unread in &checked.outcome.unread {
            let weak = Weak::unread(unread, None);
            // What a kustomization makes of the monitors beside it is not known of any of them.
            if is_kustomization(&unread.path, spec) {
                for holder in &mut self.duties.holders {
                    holder.weak.push(weak.clone());
                }
            }
            let why = format!("{}: {}", unread.path, weak.what);
            for link in &mut self.links {
                if is_of(link.id, &unread.path, spec, &self.duties) {
                    link.leave_open(weak.clone(), why.clone());
                }
            }
        }
    }

    /// Whether any link is in this state.
    #[must_use]
    pub fn any(&self, state: State) -> bool {
        self.links.iter().any(|link| link.state == state)
    }
}

impl Link {
    fn leave_open(&mut self, weak: Weak, why: String) {
        if self.state != State::Broken {
            self.state = State::Undecided;
        }
        self.weak.push(weak);
        self.why.push(why);
    }
}
