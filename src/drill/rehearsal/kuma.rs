//! Uptime Kuma on the stage: monitors that ask the rehearsal's own sites, resolver and GitHub, and notices that are posted.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::failover::{Answer, Request};
use crate::model::dns::RecordName;
use crate::ports::Cancelled;

use super::caller::{Outgoing, call_on};
use super::declared::{Asks, Declared, DeclaredMonitor, Hook, HttpCheck, Keyword};
use super::facts::{Posted, Told};
use super::links::{HEARTBEAT, MESSAGE};
use super::resolver::Resolver;
use super::run::ask_apart;
use super::stage::{Cue, Stage};
use super::watch::{Health, Notice, Watch};

/// A monitor on the stage.
#[derive(Debug)]
pub(super) struct PlayedMonitor {
    /// As it is declared.
    pub declared: DeclaredMonitor,
    watch: Watch,
    /// What its last check saw.
    seen: String,
}

/// Uptime Kuma.
#[derive(Debug)]
pub(super) struct Kuma {
    /// The monitors.
    pub monitors: Vec<PlayedMonitor>,
    /// Whether it runs.
    pub alive: bool,
    /// How many of the next calls to the workflow hang.
    pub hangs: u32,
    hooks: Vec<Hook>,
    resolver: Resolver,
}

/// What came of a question.
enum Asked {
    Answered(bool, String),
    /// It was swallowed, and ends with its time-out.
    Swallowed,
}

/// What came of a notice.
#[derive(PartialEq, Eq)]
enum Sent {
    Done,
    /// It hangs, and the monitor with it.
    Hangs,
}

impl Kuma {
    /// With these monitors.
    #[must_use]
    pub(super) fn new(declared: Declared) -> Self {
        let played = declared.monitors.into_iter().map(|declared| PlayedMonitor {
            watch: Watch::new(declared.settings.clone()),
            seen: String::new(),
            declared,
        });
        Self {
            monitors: played.collect(),
            alive: true,
            hangs: 0,
            hooks: declared.hooks,
            resolver: Resolver::default(),
        }
    }
}

impl Kuma {
    /// The notifications that post.
    #[must_use]
    pub(super) fn hooks(&self) -> &[Hook] {
        &self.hooks
    }

    /// Whether the monitor at this place has this id.
    pub(super) fn is(&self, place: usize, id: Option<&str>) -> bool {
        let own = self.monitors.get(place);
        own.is_some_and(|played| Some(played.declared.id.as_str()) == id)
    }

    /// What the monitor of this id asks, and what it saw last, in words.
    #[must_use]
    pub(super) fn sees(&self, id: &str) -> String {
        let own = self.monitors.iter().find(|played| played.declared.id == id);
        own.map_or(String::new(), |played| {
            let seen = match played.seen.as_str() {
                "" => "has seen nothing yet",
                seen => seen,
            };
            let asks = played.declared.asks.words();
            let flips = if played.declared.settings.upside_down {
                ", upside down"
            } else {
                ""
            };
            format!("it asks whether {asks}{flips}, and sees: {seen}")
        })
    }

    /// What the monitor of this id shows.
    #[must_use]
    pub(super) fn health(&self, id: &str) -> Option<Health> {
        let own = self.monitors.iter().find(|played| played.declared.id == id);
        own.and_then(|played| played.watch.health())
    }
}

impl Stage<'_> {
    /// A monitor begins a check.
    ///
    /// # Errors
    /// When the program is ended.
    pub(super) fn check(&mut self, monitor: usize) -> Result<(), Cancelled> {
        let Some(played) = self.kuma.monitors.get(monitor) else {
            return Ok(());
        };
        if !self.kuma.alive {
            return Ok(());
        }
        let (began, timeout) = (self.now(), played.declared.timeout);
        let asks = played.declared.asks.clone();
        match (self.ask(&asks)?, timeout) {
            (Asked::Answered(good, told), _) => self.checked(monitor, began, good, &told),
            (Asked::Swallowed, Some(timeout)) => {
                let cue = Cue::TimedOut { monitor, began };
                self.queue.push(began + timeout, cue);
            }
            (Asked::Swallowed, None) => {
                let played = self.kuma.monitors.get(monitor);
                let path = played.map_or("", |played| played.declared.path.as_str());
                let note = format!("the check of `{path}` has no time-out and never ends");
                self.facts.note(note);
            }
        }
        Ok(())
    }

    /// A check is done.
    pub(super) fn checked(&mut self, monitor: usize, began: Duration, good: bool, told: &str) {
        let Some(played) = self.kuma.monitors.get_mut(monitor) else {
            return;
        };
        if !self.kuma.alive {
            return;
        }
        let notice = played.watch.takes(good);
        told.clone_into(&mut played.seen);
        let id = played.declared.id.clone();
        if let Some(notice) = notice {
            let at = self.now();
            self.tell(&id, format!("{}: {told}", notice.word()));
            self.facts.told.push(Told {
                at,
                monitor: id,
                notice,
            });
            if self.notify(monitor, notice) == Sent::Hangs {
                return;
            }
        }
        let now = self.now();
        if let Some(played) = self.kuma.monitors.get(monitor) {
            let next = played.watch.next(began, now);
            self.queue.push(next, Cue::Check(monitor));
        }
    }

    fn ask(&mut self, asks: &Asks) -> Result<Asked, Cancelled> {
        match asks {
            Asks::Http(check) if check.host == self.spec.api_host() => Ok(self.ask_github(check)),
            Asks::Http(check) => self.ask_site(check),
            Asks::Resolver {
                name,
                kind,
                equal,
                expected,
                among,
            } => {
                let found = self.resolved(name, kind).into_iter().next();
                let told = found.clone().unwrap_or_else(|| "no address".to_owned());
                let value = found.map(|found| match among {
                    Some(among) => among.contains(&found).to_string(),
                    None => found,
                });
                let good = value.is_some_and(|value| (value == *expected) == *equal);
                Ok(Asked::Answered(good, format!("{name} is {told}")))
            }
            Asks::Dns {
                name,
                kind,
                expected,
                possible,
            } => {
                let found = self.resolved(name, kind);
                let told = if found.is_empty() {
                    "no address".to_owned()
                } else {
                    found.join(", ")
                };
                let any = expected.is_empty() || found.iter().any(|one| expected.contains(one));
                let good = *possible && !found.is_empty() && any;
                Ok(Asked::Answered(good, format!("{name} is {told}")))
            }
        }
    }

    fn resolved(&mut self, name: &str, kind: &str) -> Vec<String> {
        let (servers, now) = (self.world.name_servers(), self.now());
        let Ok(name) = RecordName::parse(name) else {
            return Vec::new();
        };
        let found = self.kuma.resolver.ask(&servers, &name, kind == "AAAA", now);
        let found = found.unwrap_or_default();
        found.iter().map(IpAddr::to_string).collect()
    }

    fn ask_site(&mut self, check: &HttpCheck) -> Result<Asked, Cancelled> {
        let ipv6 = !self.has_ipv4();
        let kind = if ipv6 { "AAAA" } else { "A" };
        let found = self.resolved(&check.host, kind);
        let address = found.first().and_then(|found| found.parse().ok());
        let (Some(address), Ok(host)) = (address, RecordName::parse(&check.host)) else {
            let told = format!("`{}` has no address", check.host);
            return Ok(Asked::Answered(false, told));
        };
        if self.world.site_at(address).is_none() {
            let told = format!("`{}` is {address}, where no site is", check.host);
            return Ok(Asked::Answered(false, told));
        }
        let request = Request {
            host: &host,
            address: Some(address),
        };
        let rules = self.probe_rules();
        let holes = self.world.black_holes.clone();
        let (answers, swallowed) = ask_apart(&mut self.prober, &holes, &[request], rules)?;
        if swallowed {
            return Ok(Asked::Swallowed);
        }
        let Some(answer) = answers.first() else {
            return Ok(Asked::Swallowed);
        };
        let good = matches!(answer, Answer::Status { code, .. } if check.accepts(*code));
        if let Some(keyword) = check.keyword.as_ref().filter(|_| good) {
            self.taken_on_trust(check, keyword);
        }
        Ok(Asked::Answered(good, answer.describe()))
    }

    /// What a real page holds nobody knows here: it is taken to be as the monitor wants it, and that is told.
    fn taken_on_trust(&mut self, check: &HttpCheck, keyword: &Keyword) {
        let (host, path, text) = (&check.host, &check.path, &keyword.text);
        let link = if *host == self.spec.api_host() {
            MESSAGE
        } else {
            HEARTBEAT
        };
        let told = format!("whether the page of `{host}{path}` holds `{text}`");
        self.facts.doubt(link, told);
    }

    fn has_ipv4(&self) -> bool {
        let addresses = self.world.sites.iter().flat_map(|site| &site.addresses);
        addresses.into_iter().any(IpAddr::is_ipv4)
    }

    fn ask_github(&mut self, check: &HttpCheck) -> Asked {
        let api = self.spec.api_url();
        let below = api.strip_prefix("https://").unwrap_or_default();
        let below = below.strip_prefix(&check.host).unwrap_or_default();
        let request = Outgoing {
            method: "GET",
            path: check.path.strip_prefix(below).unwrap_or(&check.path),
            headers: &check.headers,
            body: "",
        };
        match call_on(self.github(), request, check.redirects) {
            Ok((ways, body)) => {
                let mut good = ways.last().is_some_and(|status| check.accepts(*status));
                if let Some(keyword) = check.keyword.as_ref().filter(|_| good) {
                    // What is played is a part of what GitHub says: what it holds is there, what it does not may be.
                    if body.contains(&keyword.text) {
                        good = !keyword.inverted;
                    } else {
                        self.taken_on_trust(check, keyword);
                    }
                }
                Asked::Answered(good, shown(&ways))
            }
            Err(_) => Asked::Answered(false, "no answer".to_owned()),
        }
    }

    /// Whether a URL is one of the host of GitHub's API.
    pub(super) fn is_at_github(&self, url: &str) -> bool {
        url.split_once("://").is_some_and(|(_, rest)| {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            authority.rsplit('@').next() == Some(self.spec.api_host().as_str())
        })
    }

    fn github(&self) -> SocketAddr {
        self.world.github.address()
    }

    /// One notification after another, as they are listed.
    fn notify(&mut self, monitor: usize, notice: Notice) -> Sent {
        let Some(played) = self.kuma.monitors.get(monitor) else {
            return Sent::Done;
        };
        let (id, tells) = (played.declared.id.clone(), played.declared.tells.clone());
        for told in tells {
            let hook = self.kuma.hooks.iter().find(|hook| hook.id == told).cloned();
            match hook {
                Some(hook) => {
                    if self.post(&id, notice, &hook) == Sent::Hangs {
                        return Sent::Hangs;
                    }
                }
                None if told == self.spec.monitors.people => {
                    let now = self.now();
                    self.facts.people.push((now, id.clone()));
                }
                None => self.facts.note(format!(
                    "the monitor `{id}` tells `{told}`, which is declared nowhere"
                )),
            }
        }
        Sent::Done
    }

    /// One more message of this monitor to the workflow, whatever it sees.
    pub(super) fn message_of(&mut self, id: &str) {
        let own = self.kuma.monitors.iter().find(|it| it.declared.id == id);
        let tells = own.map(|it| it.declared.tells.clone()).unwrap_or_default();
        let mut hooks = self.kuma.hooks.iter();
        let hook = hooks.find(|hook| tells.contains(&hook.id)).cloned();
        if let Some(hook) = hook {
            self.post(id, Notice::StillDown, &hook);
        }
    }

    /// One call, and no second try.
    fn post(&mut self, monitor: &str, notice: Notice, hook: &Hook) -> Sent {
        let api = self.spec.api_url();
        let path = hook.url.strip_prefix(&api);
        let Some(path) = path.filter(|path| path.starts_with('/')) else {
            let astray = (hook.id.clone(), hook.url.clone());
            if !self.is_at_github(&hook.url) {
                let (id, url) = &astray;
                let told = format!("what `{url}` makes of a message of `{id}`");
                self.facts.doubt(MESSAGE, told);
            }
            if !self.facts.astray.contains(&astray) {
                self.facts.astray.push(astray);
            }
            return Sent::Done;
        };
        if self.kuma.hangs > 0 {
            self.kuma.hangs -= 1;
            self.facts.hung += 1;
            self.tell(
                monitor,
                "the call to the workflow hangs, and the monitor with it".to_owned(),
            );
            return Sent::Hangs;
        }
        let at = self.now();
        let request = Outgoing {
            method: &hook.method,
            path,
            headers: &hook.headers,
            body: &hook.body,
        };
        let answered = call_on(self.github(), request, REDIRECTS);
        let (ways, answer) = match answered {
            Ok((ways, body)) => (ways, message(&body)),
            Err(_) => (Vec::new(), "no answer".to_owned()),
        };
        let http = ways.last().copied();
        let word = http.map_or("no answer".to_owned(), |_| {
            format!("{} {answer}", shown(&ways))
        });
        self.tell(
            "GitHub",
            format!("dispatch of `{monitor}`: {}", word.trim()),
        );
        self.facts.posted.push(Posted {
            at,
            monitor: monitor.to_owned(),
            notice,
            http,
            answer,
        });
        self.github_moved();
        Sent::Done
    }
}

/// How often a webhook of Uptime Kuma goes where it is sent on to: its client's own limit (axios, `maxRedirects`; its
/// `follow-redirects` keeps method, body and, on the same host, the token at 307).
const REDIRECTS: u32 = 5;

/// The statuses that were met on the way.
fn shown(ways: &[u16]) -> String {
    let each: Vec<String> = ways.iter().map(u16::to_string).collect();
    each.join(", then ")
}

/// The message of an answer, on one line.
fn message(body: &str) -> String {
    let read: Result<serde_json::Value, _> = serde_json::from_str(body);
    let read = read.unwrap_or_default();
    let message = read.get("message").and_then(serde_json::Value::as_str);
    let words = message.unwrap_or_default().split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}
