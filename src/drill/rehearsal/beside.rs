//! Records of the zone beside the spec's: a name that has one is answered by it and by no wildcard (RFC 4592), so that no switch
//! moves its visitors. What of such a record is not known is told where it could matter to a host.

use crate::model::dns::RecordName;
use crate::model::spec::Spec;
use crate::syntax::Node;
use crate::terraform::Record;

use super::start::{StartSet, ZoneStart, ttl_of, values_of};

/// Types whose values lead visitors somewhere.
const LEADING: [&str; 3] = ["A", "AAAA", "CNAME"];

impl ZoneStart {
    /// Takes over a record that is none of the spec's.
    pub(super) fn beside(&mut self, spec: &Spec, record: &Record) {
        let address = &record.address;
        let zone = record.zone();
        if zone.is_some_and(|zone| zone != spec.zone.id) {
            return;
        }
        let own = spec.zone.name.to_string();
        if zone.is_none() && record.zone_name.as_ref().is_some_and(|it| *it != own) {
            return;
        }
        let Some(name) = record.full_name(&own) else {
            self.doubt(format!(
                "which name `{address}` has, and whether it takes a host from the wildcard"
            ));
            return;
        };
        let Ok(name) = RecordName::parse(&name) else {
            return;
        };
        let matters = matters(spec, &name);
        let repeated = record.repeated.as_ref();
        if matters && repeated.is_some_and(|repeated| repeated.count.is_err()) {
            self.doubt(format!("whether `{address}` is made"));
        }
        let kind = record.record_type.as_ref().and_then(Node::as_str);
        let Some(kind) = kind.map(str::to_ascii_uppercase) else {
            if matters {
                self.doubt(format!("of which type `{address}` is"));
            }
            return;
        };
        let set = self.beside_of(record, name, kind, matters);
        self.sets.push(set);
    }

    /// The set of a record whose name and type are known.
    fn beside_of(
        &mut self,
        record: &Record,
        name: RecordName,
        kind: String,
        matters: bool,
    ) -> StartSet {
        let address = &record.address;
        let leads = matters && LEADING.contains(&kind.as_str());
        let target = record.alias.as_ref().and_then(|alias| {
            let name = alias.name.as_ref()?.as_str()?;
            RecordName::parse(name).ok()
        });
        let values = match &record.alias {
            Some(_) => Some(Vec::new()),
            None => values_of(record),
        };
        let is_alias = record.alias.is_some();
        let same = self
            .sets
            .iter()
            .find(|set| set.name == name && set.kind == kind);
        if let Some(other) = same.and_then(|set| set.address.as_ref()) {
            let told = format!("which of `{other}` and `{address}` stands in the zone");
            self.doubt(told);
        } else if record.routing.is_some() && leads || is_alias && leads && target.is_none() {
            self.doubt(format!("what `{address}` answers"));
        } else if values.is_none() && leads {
            self.doubt(format!("which values `{address}` has"));
        }
        let text = kind == "TXT";
        let values = values.unwrap_or_default().into_iter();
        StartSet {
            name,
            ttl: ttl_of(record).unwrap_or(300),
            values: values
                .map(|value| if text { format!("\"{value}\"") } else { value })
                .collect(),
            kind,
            alias: target,
            address: Some(address.clone()),
            own: false,
        }
    }

    /// Whether a record beside the spec's leads visitors of the other family than the spec's records do.
    #[must_use]
    pub(super) fn has_other_family(&self, spec: &Spec) -> bool {
        let is_own = |kind: &str| spec.records.types.iter().any(|own| own.word() == kind);
        let leads = |set: &&StartSet| ["A", "AAAA"].contains(&set.kind.as_str());
        let mut all = self.sets.iter().filter(leads);
        all.any(|set| !set.own && !is_own(&set.kind))
    }

    /// Why a host is not where the records point: what is declared of it in another way, or beside it.
    #[must_use]
    pub(super) fn why(&self, spec: &Spec, host: &RecordName) -> Option<String> {
        let names = spec.record_names();
        let mover = names.iter().find(|name| *name == host);
        let mover = mover.or_else(|| names.iter().find(|name| host.is_covered_by(name)));
        let odd = self.odd.iter().find(|(name, _)| Some(name) == mover);
        let beside = self.sets.iter().filter(|set| !set.own);
        let beside = beside.filter(|set| set.name != spec.zone.name || set.name == *host);
        let of_host = beside
            .clone()
            .find(|set| set.name == *host && (mover != Some(host) || set.leads()));
        let below = || {
            let mut sets = beside.clone();
            sets.find(|set| {
                set.name != *host && (set.name.is_within(host) || takes(&set.name, host))
            })
        };
        let found = of_host.or_else(|| if mover == Some(host) { None } else { below() });
        let told = found.map(|set| {
            let address = set.address.as_deref().unwrap_or_default();
            let (name, kind) = (&set.name, &set.kind);
            let of_host = set.name == *host;
            let does = if of_host {
                "is a record of its own"
            } else {
                "keeps the wildcard from it"
            };
            format!("`{address}` of Terraform (`{name}` {kind}) {does}, so that no switch moves it")
        });
        told.or_else(|| odd.map(|(_, told)| told.clone()))
    }
}

impl StartSet {
    fn leads(&self) -> bool {
        LEADING.contains(&self.kind.as_str())
    }
}

/// Whether a record of this name can keep a wildcard above it from answering for `host`.
fn takes(name: &RecordName, host: &RecordName) -> bool {
    if name.is_wildcard() {
        return host.is_covered_by(name);
    }
    host.is_within(name)
}

/// Whether a record of this name can have to do with what visitors or monitors see.
fn matters(spec: &Spec, name: &RecordName) -> bool {
    let hosts = spec.hosts.iter().map(|host| &host.name);
    let mut all = hosts.chain(spec.record_names()).chain([&spec.origin.name]);
    all.any(|host| {
        name == host || name.is_within(host) && *host != spec.zone.name || {
            *name != spec.zone.name && takes(name, host)
        }
    })
}
