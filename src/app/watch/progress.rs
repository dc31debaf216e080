//! What happens in a watch, told to whoever looks on: a line for each change, and on a terminal one that says how it stands.

use std::fmt;
use std::io::Write;
use std::time::Duration;

use crate::model::dns::{RecordName, RecordType};
use crate::propagation::{Measured, Observation, Role, Server};
use crate::report::SiteNames;

/// Tells it; that nobody reads it is no fault.
pub struct Progress<'a> {
    out: &'a mut dyn Write,
    /// Whether a line can be written over.
    live: bool,
    /// Whether such a line stands there.
    standing: bool,
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("live", &self.live)
            .finish_non_exhaustive()
    }
}

impl<'a> Progress<'a> {
    /// Tells it to `out`; `live` says that this is a terminal.
    pub fn new(out: &'a mut dyn Write, live: bool) -> Self {
        Self {
            out,
            live,
            standing: false,
        }
    }

    /// One line.
    pub(in crate::app) fn line(&mut self, text: &str) {
        self.ends();
        drop(writeln!(self.out, "{text}"));
        drop(self.out.flush());
    }

    pub(super) fn begins(&mut self, name: &RecordName, kind: RecordType, servers: &[Server]) {
        let count = |role, noun: &str| {
            let count = servers.iter().filter(|it| it.role == role).count();
            format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
        };
        self.line(&format!(
            "watching {} {} at {} and {}, once a second",
            name.dns(),
            kind.word(),
            count(Role::Authoritative, "authoritative server"),
            count(Role::Resolver, "resolver")
        ));
    }

    /// A change at a server, of the record that is named.
    pub(in crate::app) fn sees_of(
        &mut self,
        record: &str,
        change: &Observation,
        servers: &[Server],
        sites: &SiteNames,
    ) {
        let Some(server) = servers.get(change.server) else {
            return;
        };
        self.line(&format!(
            "{:>8.1} s  {} {}, {record}: {}{}",
            change.at.as_secs_f64(),
            server.role.word(),
            server.name,
            change.answer,
            sites.suffix(change.answer.values().unwrap_or_default()),
        ));
    }

    pub(super) fn sees(&mut self, change: &Observation, servers: &[Server], sites: &SiteNames) {
        let Some(server) = servers.get(change.server) else {
            return;
        };
        let ttl = change.answer.ttl();
        let ttl = ttl.map(|ttl| format!(", TTL {ttl}")).unwrap_or_default();
        self.line(&format!(
            "{:>8.1} s  {} {}: {}{}{ttl}",
            change.at.as_secs_f64(),
            server.role.word(),
            server.name,
            change.answer,
            sites.suffix(change.answer.values().unwrap_or_default()),
        ));
    }

    /// How it stands, on a terminal alone.
    pub(in crate::app) fn stands(&mut self, at: Duration, measured: &Measured) {
        if !self.live {
            return;
        }
        let of = |role| {
            let all = measured
                .servers
                .iter()
                .filter(move |it| it.server.role == role);
            let have = all.clone().filter(|it| it.settled.is_some()).count();
            format!("{have}/{} {}", all.count(), role.word())
        };
        let stale = measured.servers.iter().filter(|it| it.stale.is_some());
        let stale: Vec<&str> = stale.map(|it| it.server.name.as_str()).collect();
        let stale = if stale.is_empty() {
            String::new()
        } else {
            format!(", stale: {}", stale.join(", "))
        };
        let new = if measured.new.is_some() {
            "have the new value"
        } else {
            "have another value than at the start"
        };
        drop(write!(
            self.out,
            "\r\x1b[K{:>8} s  {} and {} {new}{stale}",
            at.as_secs(),
            of(Role::Authoritative),
            of(Role::Resolver)
        ));
        drop(self.out.flush());
        self.standing = true;
    }

    /// Takes the line away that says how it stands.
    pub(in crate::app) fn ends(&mut self) {
        if self.standing {
            drop(write!(self.out, "\r\x1b[K"));
            drop(self.out.flush());
            self.standing = false;
        }
    }
}
