//! What the schema cannot say: names that must lie in the zone, sites that must exist, addresses that must be public,
//! times that must fit into each other.

mod github;
mod monitors;
mod probe;
mod records;
mod sites;
mod times;

use crate::diag::{Finding, Label};
use crate::model::dns::RecordName;
use crate::syntax::{Node, pointer};
use crate::text::{Span, nearest, quoted};

use super::ids;
use super::raw::RawSpec;
use super::read::{finding, place};
use super::{Spec, Zone};

/// Makes a [`Spec`] of what was typed. It is whole only when nothing was found.
pub(super) fn checked(raw: RawSpec, root: &Node, findings: &mut Vec<Finding>) -> Option<Spec> {
    let mut check = Check { root, findings };
    github::check_github(&mut check, &raw.github);
    github::check_actions(&mut check, &raw.actions);
    github::check_artefacts(&mut check, &raw.artefacts);
    monitors::check_ids(&mut check, &raw.monitors);
    times::check_times(&mut check, &raw);
    let sites = sites::sites(&mut check, &raw.sites);
    let Some(zone_name) = check.host_name("/zone/name", &raw.zone.name) else {
        check.hosts_alone(&raw);
        return None;
    };
    if zone_name.is_wildcard() {
        let message = format!("`{zone_name}` is no zone; a zone's name has no `*`");
        check
            .report(ids::NAME, "/zone/name", message)
            .help("write the zone as Route 53 lists it, such as `example.com`");
        // Every other name would lie outside such a zone.
        return None;
    }
    let zone = Zone {
        id: raw.zone.id.clone(),
        name: zone_name,
    };
    let Some(records) = records::records(&mut check, &raw.records, &zone) else {
        check.hosts_alone(&raw);
        return None;
    };
    sites::addresses_of_types(&mut check, &sites, &records);
    let hosts = sites::hosts(&mut check, &raw.hosts, &zone, &sites);
    let origin = records::origin(&mut check, &raw.origin, &zone, &sites)?;
    records::origin_stays(&mut check, &origin, &records, &hosts);
    records::hosts_move(&mut check, &hosts, &records, &origin, &zone);
    let hosts = hosts.into_iter().map(|(_, host)| host).collect();
    let probe = probe::probe(&mut check, &raw.probe, &zone);
    Some(Spec {
        zone,
        sites,
        records,
        hosts,
        origin,
        probe,
        failback: raw.failback,
        github: raw.github,
        aws: raw.aws,
        actions: raw.actions,
        monitors: raw.monitors,
        artefacts: raw.artefacts,
        rehearsals: raw.rehearsals,
        allow: raw.allow,
        root: root.clone(),
        folder: String::new(),
    })
}

/// The findings so far, and the tree that they point into.
struct Check<'a> {
    root: &'a Node,
    findings: &'a mut Vec<Finding>,
}

impl Check<'_> {
    /// Adds a finding at the value that `pointer` leads to.
    fn report(&mut self, rule: &'static str, pointer: &str, message: String) -> Draft<'_> {
        let mut made = finding(rule, place(self.root, pointer), message);
        made.pointer = Some(pointer.to_owned());
        self.findings.push(made);
        Draft {
            root: self.root,
            finding: self.findings.last_mut(),
        }
    }

    /// Reads a record name.
    fn name(&mut self, pointer: &str, written: &str) -> Option<RecordName> {
        match RecordName::parse(written) {
            Ok(name) => Some(name),
            Err(error) => {
                self.report(ids::NAME, pointer, error.to_string())
                    .help("write a name such as `www.example.com`: labels of up to 63 characters with one dot between");
                None
            }
        }
    }

    /// Reads the name of something that visitors or the monitor ask for, or of the zone (RFC 1123, section 2.1; `_` is
    /// let through, since servers answer to it).
    fn host_name(&mut self, pointer: &str, written: &str) -> Option<RecordName> {
        let name = self.name(pointer, written)?;
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let dns = name.dns();
        // A wildcard is told of where the name is used.
        let below = if name.is_wildcard() {
            dns.strip_prefix('*')
        } else {
            None
        };
        let Some(wrong) = below.unwrap_or(&dns).chars().find(|letter| !fits(*letter)) else {
            return Some(name);
        };
        // The escape that `dns` writes stands for a character that was written itself, or as that escape.
        let wrong = written
            .chars()
            .find(|letter| !fits(*letter))
            .unwrap_or(wrong);
        let message = format!(
            "{} is no host name: {} is not allowed in it",
            quoted(written),
            quoted(wrong.encode_utf8(&mut [0; 4]))
        );
        let help = if written.contains("://") {
            "write the name alone, without scheme, port and path"
        } else {
            "letters, digits, `-` and dots are allowed; write a name such as `www.example.com`"
        };
        self.report(ids::NAME, pointer, message).help(help);
        None
    }

    /// Whether the hosts have names at all, where the zone or the records are not known that they would lie in.
    fn hosts_alone(&mut self, raw: &RawSpec) {
        for (index, host) in raw.hosts.iter().enumerate() {
            self.host_name(&format!("/hosts/{index}/name"), &host.name);
        }
    }

    /// Reads a record name that must lie in the zone.
    fn name_within(&mut self, pointer: &str, written: &str, zone: &Zone) -> Option<RecordName> {
        let name = self.name(pointer, written)?;
        self.within(pointer, written, &name, zone);
        if name.has_stray_star() {
            let message = format!(
                "{} is no wildcard: the star must be the whole first label",
                quoted(written)
            );
            self.report(ids::NAME, pointer, message)
                .help(format!("write `*.{}` for the wildcard record", zone.name));
            return None;
        }
        Some(name)
    }

    /// Reads a host name that must lie in the zone.
    fn host_within(&mut self, pointer: &str, written: &str, zone: &Zone) -> Option<RecordName> {
        let name = self.host_name(pointer, written)?;
        self.within(pointer, written, &name, zone);
        Some(name)
    }

    fn within(&mut self, pointer: &str, written: &str, name: &RecordName, zone: &Zone) {
        if !name.is_within(&zone.name) {
            let message = format!("{} lies outside the zone `{}`", quoted(written), zone.name);
            self.report(ids::NAME_OUTSIDE_ZONE, pointer, message)
                .related("/zone/name", "the zone")
                .help(format!(
                    "write `{}` or a name that ends with `.{}`",
                    zone.name, zone.name
                ));
        }
    }

    /// Says that `written`, which stands at `at`, is none of `known`.
    fn unknown_site<'a>(
        &mut self,
        at: Span,
        pointer: &str,
        written: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) {
        let list: Vec<String> = known.clone().map(|name| format!("`{name}`")).collect();
        let message = format!(
            "`{written}` is no site of this spec; its sites are {}",
            list.join(", ")
        );
        let help = match nearest(written, known) {
            Some(meant) => format!("`{meant}` is probably meant"),
            None => format!("write one of its sites, or add `{written}` under `[[sites]]`"),
        };
        let draft = self.report(ids::SITE_UNKNOWN, pointer, message);
        draft.at(at).help(help);
    }

    /// Says that the value at `again` stands at `first` already.
    fn repeated(&mut self, first: &str, again: &str, what: &str) {
        self.report(ids::REPEATED, again, format!("{what} stands here twice"))
            .related(first, "it stands here first")
            .help("keep one of the two");
    }
}

/// A finding that is being made.
struct Draft<'a> {
    root: &'a Node,
    finding: Option<&'a mut Finding>,
}

impl Draft<'_> {
    /// Adds a place, if it is written at all.
    fn related(mut self, at: &str, text: impl Into<String>) -> Self {
        let written = pointer::find(self.root, at).is_some();
        if let Some(finding) = self.finding.as_deref_mut().filter(|_| written) {
            finding.related.push(Label {
                at: place(self.root, at),
                text: text.into(),
            });
        }
        self
    }

    /// Points at other bytes than the value's.
    fn at(mut self, at: Span) -> Self {
        if let Some(finding) = self.finding.as_deref_mut() {
            finding.primary.at = at;
            finding.covers = at;
        }
        self
    }

    /// Says what to do.
    fn help(mut self, text: impl Into<String>) {
        if let Some(finding) = self.finding.as_deref_mut() {
            finding.help = Some(text.into());
        }
    }
}
