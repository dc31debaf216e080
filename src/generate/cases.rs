//! The regression table of `pointsman simulate`: what the role of the spec may do, and what it may not.
//!
//! Trust is not in it: AWS's simulator does not judge trust policies, so that a case of them could not be asked of both
//! engines; `validate` tries the trust policy with the job's own token and with others.

use std::fmt::Write as _;

use serde_json::json;

use crate::model::dns::RecordName;
use crate::model::policy::route53;
use crate::model::spec::{RecordType, Spec};

use super::{Artefact, HEADER};

/// The table as a file.
pub(super) fn file(spec: &Spec) -> Artefact {
    let mut table = Table {
        text: format!("{HEADER}{HEAD}"),
        spec,
    };
    table.switch();
    table.beyond();
    table.without_a_key();
    table.reads();
    Artefact {
        path: spec.cases_path(),
        text: table.text,
    }
}

const HEAD: &str = "
# What the role of this deployment may do, and what it may not. `pointsman simulate` runs it.
#
# A case gives Route 53's own `change_batch`, from which the three record keys are derived as IAM sees them (`*` as
# `\\052`), or the keys themselves under `context`; a key that is left out on purpose stands in `absent`.
";

const ALLOWED: &str = "allowed";
const DENIED: &str = "implicitDeny";

/// One change: its action, name and type.
type Change<'a> = (&'a str, String, &'a str);

struct Table<'a> {
    text: String,
    spec: &'a Spec,
}

impl Table<'_> {
    fn chapter(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n# {title}");
    }

    /// A case up to its request's resource.
    fn begin(&mut self, id: &str, decision: &str, absent: Option<&str>, action: &str, on: &str) {
        let (id, on) = (json!(id), json!(on));
        let _ = writeln!(self.text, "\n[[cases]]\nid = {id}");
        self.text
            .push_str("policies.identity = [\"change-records.json\", \"read-zone.json\"]\n");
        let _ = writeln!(self.text, "expected.decision = \"{decision}\"");
        if let Some(key) = absent {
            let _ = writeln!(self.text, "absent = [\"{key}\"]");
        }
        let _ = writeln!(
            self.text,
            "\n[cases.request]\naction = \"{action}\"\nresource = {on}"
        );
    }

    fn batch(&mut self, id: &str, decision: &str, zone: &str, changes: &[Change<'_>]) {
        self.begin(id, decision, None, route53::CHANGE_RECORDS, zone);
        let ttl = self.spec.records.ttl;
        for (action, name, kind) in changes {
            let (name, value) = (json!(name), json!(self.value(kind)));
            let _ = writeln!(
                self.text,
                "\n[[cases.request.change_batch.Changes]]\nAction = \"{action}\"\nResourceRecordSet = {{ Name = {name}, Type = \"{kind}\", TTL = {ttl}, ResourceRecords = [{{ Value = {value} }}] }}"
            );
        }
    }

    /// What a record of this type holds after a switch; no condition key carries it.
    fn value(&self, kind: &str) -> String {
        let standby = self.spec.standbys().first();
        let of = |kind: RecordType| standby.and_then(|site| site.address(kind));
        let kinds = [RecordType::A, RecordType::Aaaa];
        let own = kinds.into_iter().find(|known| known.word() == kind);
        let other = || kinds.into_iter().find_map(of);
        let address = own.and_then(of).or_else(other);
        address.map_or_else(String::new, |address| address.to_string())
    }

    fn zone(&self) -> String {
        self.spec.zone_arn()
    }

    fn other_zone(&self) -> String {
        let ids = ["Z9999999999EXAMPLE", "Z8888888888EXAMPLE"];
        let mut others = ids.into_iter().filter(|id| *id != self.spec.zone.id);
        let id = others.next().unwrap_or_default();
        let partition = &self.spec.aws.partition;
        format!("arn:{partition}:route53:::hostedzone/{id}")
    }

    /// Every record that is switched, with what it is called.
    fn records(&self) -> Vec<(String, String, &'static str)> {
        let types = &self.spec.records.types;
        let apex = self.spec.zone.name.to_string();
        let mut records = Vec::new();
        for name in self.spec.record_names() {
            let name = name.to_string();
            let word = if name == apex {
                "apex".to_owned()
            } else if name == format!("*.{apex}") {
                "wildcard".to_owned()
            } else {
                name.clone()
            };
            for kind in types.iter().map(|kind| kind.word()) {
                let id = match types.len() {
                    1 => word.clone(),
                    _ => format!("{word}, {kind}"),
                };
                records.push((id, name.clone(), kind));
            }
        }
        records
    }

    fn switch(&mut self) {
        self.chapter("What the switch does.");
        let (zone, records) = (self.zone(), self.records());
        for (id, name, kind) in &records {
            self.batch(id, ALLOWED, &zone, &[("UPSERT", name.clone(), kind)]);
        }
        let id = match records.as_slice() {
            [(one, ..), (two, ..)] => format!("{one} and {two} in one batch"),
            _ => "every record in one batch".to_owned(),
        };
        let dotted = |(_, name, kind): &(String, String, &'static str)| {
            ("UPSERT", format!("{name}."), *kind)
        };
        let all: Vec<Change<'_>> = records.iter().map(dotted).collect();
        if all.len() > 1 {
            self.batch(&id, ALLOWED, &zone, &all);
        }
    }

    /// A name in the zone that nothing here speaks of.
    fn foreign_name(&self) -> String {
        let zone = &self.spec.zone.name;
        let taken = |name: &String| {
            let mut names = self.spec.record_names().iter().map(RecordName::to_string);
            names.any(|known| known == *name) || self.spec.origin.name.to_string() == *name
        };
        let labels = ["www", "other", "another", "foreign"].map(|label| format!("{label}.{zone}"));
        let free = labels.into_iter().find(|name| !taken(name));
        free.unwrap_or_else(|| format!("not-switched-here.{zone}"))
    }

    fn beyond(&mut self) {
        self.chapter("What it never does: other names, types, actions and zones.");
        let (zone, records, foreign) = (self.zone(), self.records(), self.foreign_name());
        let Some((word, name, kind)) = records.into_iter().next() else {
            return;
        };
        self.literal_star(&zone, kind);
        let upsert = |name: &str, kind| ("UPSERT", name.to_owned(), kind);
        let own = || upsert(&name, kind);
        let origin = self.spec.origin.name.to_string();
        self.batch("another name", DENIED, &zone, &[upsert(&foreign, kind)]);
        self.batch("the origin record", DENIED, &zone, &[upsert(&origin, kind)]);
        let id = format!("{word} and a foreign name in one batch");
        self.batch(&id, DENIED, &zone, &[own(), upsert(&foreign, kind)]);
        let types: Vec<&str> = self.spec.records.types.iter().map(|t| t.word()).collect();
        let mut others = ["AAAA", "A", "TXT"].into_iter();
        let other = others.find(|other| !types.contains(other));
        let other = other.unwrap_or("TXT");
        self.batch("another type", DENIED, &zone, &[upsert(&name, other)]);
        let id = format!("{word} and a foreign type in one batch");
        self.batch(&id, DENIED, &zone, &[own(), upsert(&name, "MX")]);
        let delete = ("DELETE", name.clone(), kind);
        self.batch("delete", DENIED, &zone, &[delete]);
        let create = ("CREATE", name.clone(), kind);
        self.batch("create", DENIED, &zone, &[create]);
        let elsewhere = self.other_zone();
        self.batch("another zone", DENIED, &elsewhere, &[own()]);
    }

    fn literal_star(&mut self, zone: &str, kind: &str) {
        let mut names = self.spec.record_names().iter().map(RecordName::iam);
        let star = names.find_map(|name| name.strip_prefix("\\052").map(|rest| format!("*{rest}")));
        if let Some(name) = star {
            let id = "literal star instead of the escape";
            self.begin(id, DENIED, None, route53::CHANGE_RECORDS, zone);
            self.context([Some(&name), Some(kind), Some("UPSERT")]);
        }
    }

    /// The three record keys, each with one value or absent.
    fn context(&mut self, values: [Option<&str>; 3]) {
        self.text.push_str("\n[cases.request.context]\n");
        for (key, value) in route53::RECORD_KEYS.into_iter().zip(values) {
            if let Some(value) = value {
                let _ = writeln!(self.text, "\"{key}\" = [{}]", json!(value));
            }
        }
    }

    fn without_a_key(&mut self) {
        self.chapter("A request without one of the keys: `ForAllValues` alone would let it pass.");
        let zone = self.zone();
        let names = self.spec.record_names();
        let name = names.first().map(RecordName::iam).unwrap_or_default();
        let kind = self.spec.records.types.first().map(|kind| kind.word());
        let keys = route53::RECORD_KEYS.into_iter();
        for (at, (key, what)) in keys.zip(["names", "types", "actions"]).enumerate() {
            let id = format!("without {what}");
            self.begin(&id, DENIED, Some(key), route53::CHANGE_RECORDS, &zone);
            let mut values = [Some(name.as_str()), kind, Some("UPSERT")];
            if let Some(value) = values.get_mut(at) {
                *value = None;
            }
            self.context(values);
        }
    }

    fn reads(&mut self) {
        self.chapter("What the switch reads.");
        let (zone, elsewhere) = (self.zone(), self.other_zone());
        let change = format!(
            "arn:{}:route53:::change/C0123456789EXAMPLE",
            self.spec.aws.partition
        );
        let (list, get) = (route53::LIST_RECORDS, route53::GET_CHANGE);
        self.begin("list the records", ALLOWED, None, list, &zone);
        self.begin("list another zone", DENIED, None, list, &elsewhere);
        self.begin("read a change", ALLOWED, None, get, &change);
        self.begin("read a zone as a change", DENIED, None, get, &zone);
    }
}
