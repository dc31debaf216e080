//! The zone as a rehearsal begins with it: every record that Terraform declares in it, with its values and its time to live. The
//! spec's own stand where there is no Terraform, and for what of it is not known, which is told. Records beside the spec's are
//! read by `beside`.

use std::net::IpAddr;

use crate::model::dns::{RecordName, RecordType};
use crate::model::spec::Spec;
use crate::report::drill::AttackRow;
use crate::rules::Workspace;
use crate::terraform::{Declarations, Record, Standing};

use super::world::word;

/// Records of one name and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StartSet {
    /// The name.
    pub name: RecordName,
    /// The type, in upper case.
    pub kind: String,
    /// Seconds that it is kept.
    pub ttl: u32,
    /// The values.
    pub values: Vec<String>,
    /// The name of this zone that it has the values of, for an alias.
    pub alias: Option<RecordName>,
    /// How Terraform calls it, if it is declared there.
    pub address: Option<String>,
    /// Whether it is one of the spec's.
    pub own: bool,
}

/// The zone at the beginning.
#[derive(Debug, Clone, Default)]
pub(super) struct ZoneStart {
    /// Its records.
    pub sets: Vec<StartSet>,
    /// What of them is not known.
    pub doubts: Vec<String>,
    /// What the result has to say beside `passed`.
    pub caveats: Vec<String>,
    /// Where what is declared of a record of the spec's is not what the spec says, by the record's name.
    pub odd: Vec<(RecordName, String)>,
    /// What the next `terraform apply` does to a switch.
    pub applied: Vec<AttackRow>,
}

impl ZoneStart {
    /// The zone of a deployment; `without_origin` for one in which the origin's record is missing.
    #[must_use]
    pub(super) fn of(spec: &Spec, workspace: &Workspace, without_origin: bool) -> Self {
        let module = workspace.own_module().filter(|module| module.whole);
        let mut start = match module {
            Some(module) => Self::declared(spec, module),
            None => Self {
                sets: wanted(spec),
                ..Self::default()
            },
        };
        if without_origin {
            start.sets.retain(|set| set.name != spec.origin.name);
        }
        start
    }

    /// The longest that a record of it is kept.
    #[must_use]
    pub(super) fn ttl(&self) -> u32 {
        let own = self.sets.iter().filter(|set| set.own);
        own.map(|set| set.ttl).max().unwrap_or_default()
    }

    fn declared(spec: &Spec, module: &Declarations) -> Self {
        let mut start = Self::default();
        let mut unknown = module.beyond().map(|(why, _)| why);
        for record in &module.records {
            if let Standing::Unknown(why, _) = record.standing(spec, true) {
                unknown.get_or_insert_with(|| format!("`{}`: {}", record.address, why.why));
            }
        }
        let mut kept = Vec::new();
        let mut any = false;
        for usual in wanted(spec) {
            let own = |record: &&Record| is_of(spec, record, &usual);
            let Some(record) = module.records.iter().find(own) else {
                start.missing(usual, unknown.as_deref());
                continue;
            };
            if let Some(zone) = record.zone().filter(|zone| *zone != spec.zone.id) {
                let address = &record.address;
                start.doubt(format!(
                    "what `{address}` does in the zone `{zone}`, which is not the spec's"
                ));
            }
            let is_switched = usual.name != spec.origin.name;
            any |= is_switched;
            if is_switched && !record.ignore_changes.ignores("records") {
                kept.push(record.address.clone());
            }
            let set = start.read(record, usual);
            start.sets.push(set);
        }
        let is_own = |record: &Record| wanted(spec).iter().any(|own| is_of(spec, record, own));
        for record in module.records.iter().filter(|record| !is_own(record)) {
            start.beside(spec, record);
        }
        if let Some((why, _)) = module.beyond() {
            start.caveats.push(format!(
                "which other records the zone has is not known: {why}"
            ));
        }
        if any {
            start.applied.push(applied(&kept));
        }
        start
    }

    pub(super) fn doubt(&mut self, told: String) {
        if !self.doubts.contains(&told) {
            self.doubts.push(told);
        }
    }

    /// A record of the spec's that Terraform does not declare; it may do so where something of it is not known.
    fn missing(&mut self, usual: StartSet, unknown: Option<&str>) {
        let (name, kind) = (&usual.name, &usual.kind);
        match unknown {
            Some(why) => {
                self.doubt(format!("whether Terraform declares `{name}` ({why})"));
                self.sets.push(usual);
            }
            None => {
                let told = format!("Terraform declares no record `{name}` of type {kind}");
                self.odd.push((usual.name, told));
            }
        }
    }

    /// The record as it is declared, with the spec's values for what is not known.
    fn read(&mut self, record: &Record, usual: StartSet) -> StartSet {
        let address = &record.address;
        if record.alias.is_some() || record.routing.is_some() {
            self.doubt(format!("what `{address}` answers"));
            return usual;
        }
        let (ttl, values) = (ttl_of(record), values_of(record));
        if ttl.is_none() {
            self.doubt(format!("how long `{address}` is kept"));
        }
        match &values {
            None => self.doubt(format!("which values `{address}` has")),
            Some(values) if *values != usual.values => {
                let told = format!(
                    "`{address}` of Terraform is {}, and the spec says {}",
                    values.join(", "),
                    usual.values.join(", ")
                );
                self.odd.push((usual.name.clone(), told));
            }
            Some(_) => {}
        }
        StartSet {
            ttl: ttl.unwrap_or(usual.ttl),
            values: values.unwrap_or(usual.values),
            address: Some(address.clone()),
            ..usual
        }
    }
}

/// Seconds that a record is kept, where they are known.
pub(super) fn ttl_of(record: &Record) -> Option<u32> {
    let ttl = record.ttl.as_ref()?;
    let number = ttl.as_integer().and_then(|it| u32::try_from(it).ok());
    number.or_else(|| ttl.as_str()?.parse().ok())
}

/// The values of a record, where all are known.
pub(super) fn values_of(record: &Record) -> Option<Vec<String>> {
    let values = record.records.as_ref()?.as_list()?.iter();
    values
        .map(|value| value.as_str().map(str::to_owned))
        .collect()
}

/// Whether a record is this one of the spec's.
fn is_of(spec: &Spec, record: &Record, usual: &StartSet) -> bool {
    match record.standing(spec, true) {
        Standing::Switched(at, kind) => {
            word(kind) == usual.kind && spec.records.names.get(at) == Some(&usual.name)
        }
        Standing::Origin(kind) => word(kind) == usual.kind && spec.origin.name == usual.name,
        Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => false,
    }
}

/// The records that the spec wants.
fn wanted(spec: &Spec) -> Vec<StartSet> {
    let mut sets = Vec::new();
    let mut put = |name: &RecordName, kind: RecordType, ttl: u32, address: Option<IpAddr>| {
        sets.extend(address.map(|address| StartSet {
            name: name.clone(),
            kind: word(kind).to_owned(),
            ttl,
            values: vec![address.to_string()],
            alias: None,
            address: None,
            own: true,
        }));
    };
    for kind in &spec.records.types {
        let home = spec.home().and_then(|site| site.address(*kind));
        for name in &spec.records.names {
            put(name, *kind, spec.records.ttl, home);
        }
        let origin = spec.site(&spec.origin.site);
        let origin = origin.and_then(|site| site.address(*kind));
        put(&spec.origin.name, *kind, spec.origin.ttl, origin);
    }
    sets
}

/// What an apply does while the records are away, of which these write their values back.
fn applied(writing: &[String]) -> AttackRow {
    let why = match writing {
        [] => {
            vec!["terraform: each of the switched records ignores changes of `records`".to_owned()]
        }
        all => vec![format!(
            "terraform: `{}` does not ignore changes of `records`: the apply writes its own value back",
            all.join("`, `")
        )],
    };
    AttackRow {
        what: "`terraform apply` while the records are away".to_owned(),
        must_fail: true,
        refused: writing.is_empty(),
        open: false,
        why,
    }
}
