//! `ownership.json`: which records and attributes somebody other than Terraform writes.

use crate::syntax::{Fault, Kind, Node, Unknown};
use crate::text::{Span, nearest};

use super::Record;
use crate::terraform::block_address;

/// What a file says that others write.
#[derive(Debug, Clone)]
pub struct Ownership {
    /// Who writes, in the file's own words.
    pub writer: Option<String>,
    /// The records.
    pub records: Vec<OwnedRecord>,
    /// The attributes of them; the value of a record where the file names none.
    pub changes: Vec<String>,
}

/// A record that somebody other than Terraform writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedRecord {
    /// Its name, in lower case and without a dot at the end; or the address of its resource.
    pub name: String,
    /// Its type, where the file gives one.
    pub record_type: Option<String>,
    /// Where the file says so.
    pub at: Span,
}

/// Whether a record is one that somebody else writes.
#[derive(Debug, Clone)]
pub enum Claim<'a> {
    /// It is.
    Owned(&'a OwnedRecord),
    /// It is not.
    Free,
    /// Its name or type cannot be known, so neither can this.
    Unknown(Unknown),
}

impl Ownership {
    /// The name of the file.
    pub const FILE: &'static str = "ownership.json";

    /// What the file at `root` says.
    ///
    /// # Errors
    /// Where it is no such file.
    pub fn read(root: &Node) -> Result<Self, Fault> {
        let fault = |at, reason: &str| Fault {
            at,
            reason: reason.to_owned(),
        };
        let expected =
            "an object with `records`, a list such as `[\"example.com A\"]`, is expected";
        let records = root.get("records");
        let records = records.ok_or_else(|| fault(root.span(), expected))?;
        let records = records
            .as_list()
            .ok_or_else(|| fault(records.span(), expected))?;
        let owned: Result<Vec<OwnedRecord>, Fault> =
            records.iter().map(OwnedRecord::read).collect();
        let words = |node: &Node| -> Vec<String> {
            let items = node.as_list().unwrap_or_default();
            items
                .iter()
                .filter_map(Node::as_str)
                .map(str::to_owned)
                .collect()
        };
        let changes = root.get("changes").map(words).unwrap_or_default();
        let known = |name: &String| {
            let attribute = name.split(['.', '[']).next().unwrap_or_default();
            Record::SCHEMA.contains(&attribute)
        };
        if let (Some(wrong), Some(at)) = (
            changes.iter().find(|name| !known(name)),
            root.get("changes"),
        ) {
            let near = nearest(wrong, Record::SCHEMA.iter().copied());
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let reason = format!("`{wrong}` is no attribute of an `aws_route53_record`{near}");
            return Err(fault(at.span(), &reason));
        }
        Ok(Self {
            writer: root
                .get("external_writer")
                .and_then(Node::as_str)
                .map(str::to_owned),
            records: owned?,
            changes: if changes.is_empty() {
                vec!["records".to_owned()]
            } else {
                changes
            },
        })
    }

    /// The attributes of `record` that others write and that it does not ignore, as they are called there: an alias has its
    /// value in the `alias` block.
    #[must_use]
    pub fn left_open<'a>(&'a self, record: &Record) -> Vec<&'a str> {
        let named = self.changes.iter().map(|name| match name.as_str() {
            "records" if record.alias.is_some() => "alias",
            name => name,
        });
        let open = named.filter(|name| !record.ignore_changes.ignores_within(name));
        open.collect()
    }

    /// Whether `record` is one of these.
    #[must_use]
    pub fn claim(&self, record: &Record) -> Claim<'_> {
        let mut open = None;
        for owned in &self.records {
            if owned.is_at(record) {
                return Claim::Owned(owned);
            }
            match owned.is(record) {
                Ok(true) => return Claim::Owned(owned),
                Ok(false) => {}
                Err(unknown) => open = Some(unknown),
            }
        }
        open.map_or(Claim::Free, Claim::Unknown)
    }
}

impl OwnedRecord {
    fn read(record: &Node) -> Result<Self, Fault> {
        let written = record.as_str().ok_or_else(|| Fault {
            at: record.span(),
            reason: "a string is expected, such as `\"example.com A\"`".to_owned(),
        })?;
        let (name, record_type) = match written.split_once(' ') {
            Some((name, kind)) => (name, Some(kind.trim().to_ascii_uppercase())),
            None => (written, None),
        };
        Ok(Self {
            name: canonical(name),
            record_type,
            at: record.span(),
        })
    }

    /// Whether `record` is, or may be, the one that is meant.
    #[must_use]
    pub fn may_be(&self, record: &Record) -> bool {
        self.is_at(record) || self.is(record) != Ok(false)
    }

    /// Whether it names the record by its address.
    fn is_at(&self, record: &Record) -> bool {
        self.name == record.address.to_ascii_lowercase()
            || self.name == block_address(&record.address).to_ascii_lowercase()
    }

    fn is(&self, record: &Record) -> Result<bool, Unknown> {
        if let (Some(wanted), Some(found)) = (&self.record_type, &record.record_type) {
            if let Some(unknown) = found.as_unknown() {
                return Err(unknown.clone());
            }
            if found.as_str() != Some(wanted) {
                return Ok(false);
            }
        }
        let Some(name) = &record.name else {
            return Ok(false);
        };
        if let Kind::Unknown(unknown) = &name.kind {
            return Err((**unknown).clone());
        }
        let written = canonical(name.as_str().unwrap_or_default());
        if written == self.name {
            return Ok(true);
        }
        if record.zone_name.is_some() {
            let full = record.told_name().map(|full| canonical(&full));
            return Ok(full.as_ref() == Some(&self.name));
        }
        // The provider puts the zone's name behind a name that does not end with it; the zone is known by its id alone.
        let behind = self.name.strip_prefix(&written);
        let may_be = written.is_empty() || behind.is_some_and(|rest| rest.starts_with('.'));
        if !may_be {
            return Ok(false);
        }
        let shown = if written.is_empty() { "@" } else { &written };
        Err(Unknown {
            why: format!("`{shown}` is counted from the zone, whose name is not here"),
            missing: vec![format!("{}.zone_id", record.address)],
            ..Unknown::default()
        })
    }
}

/// A name as Terraform writes it; Route 53 itself shows the `*` as `\052`.
fn canonical(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.replace("\\052", "*").to_ascii_lowercase()
}
