//! What came of a watch: a table for people, and the stable JSON form.

mod human;
mod json;

use std::io::{self, Write};
use std::net::IpAddr;
use std::time::Duration;

use crate::model::dns::RecordType;
use crate::model::spec::Spec;
use crate::propagation::Measured;

use super::Format;
use super::exercise::JournalSeen;

/// A watch that has ended.
#[derive(Debug)]
pub struct Propagation {
    /// The record's name.
    pub name: String,
    /// Its type.
    pub kind: RecordType,
    /// When it began, in milliseconds since 1970.
    pub began_millis: u64,
    /// How long it lasted.
    pub lasted: Duration,
    /// Whether somebody ended it.
    pub interrupted: bool,
    /// Which address is which site's.
    pub sites: SiteNames,
    /// What was measured.
    pub measured: Measured,
    /// The run that made the change, by its journal, or why that is not had; `None` where none was named.
    pub run: Option<Result<JournalSeen, String>>,
}

/// The addresses of sites; empty without a spec.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteNames {
    sites: Vec<(String, String)>,
}

impl SiteNames {
    /// Those of the spec's sites for records of this type.
    #[must_use]
    pub fn of(spec: Option<&Spec>, kind: RecordType) -> Self {
        let sites = spec.map(|spec| spec.sites.as_slice()).unwrap_or_default();
        let named = sites.iter().filter_map(|site| {
            let address = site.address(kind)?;
            Some((site.name.clone(), address.to_string()))
        });
        Self {
            sites: named.collect(),
        }
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.sites.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Their addresses.
    #[must_use]
    pub fn addresses(&self) -> Vec<String> {
        self.sites.iter().map(|(_, it)| it.clone()).collect()
    }

    /// The address that `word` is, or that the site of this name has.
    #[must_use]
    pub fn address(&self, word: &str, kind: RecordType) -> Option<String> {
        if let Some((_, address)) = self.sites.iter().find(|(name, _)| name == word) {
            return Some(address.clone());
        }
        let address: IpAddr = word.parse().ok()?;
        let fits = address.is_ipv4() == (kind == RecordType::A);
        fits.then(|| address.to_string())
    }

    /// The site that has exactly these values.
    #[must_use]
    pub fn site(&self, values: &[String]) -> Option<&str> {
        let [value] = values else { return None };
        let site = self.sites.iter().find(|(_, address)| address == value)?;
        Some(&site.0)
    }

    /// ` (hub)` behind the address of hub; what no site has is said to be nobody's.
    #[must_use]
    pub fn suffix(&self, values: &[String]) -> String {
        match self.site(values) {
            Some(site) => format!(" ({site})"),
            None if self.sites.is_empty() || values.is_empty() => String::new(),
            None => " (no site's)".to_owned(),
        }
    }

    /// Values with their site.
    #[must_use]
    pub fn told(&self, values: &[String]) -> String {
        if values.is_empty() {
            return "no record".to_owned();
        }
        format!("{}{}", values.join(", "), self.suffix(values))
    }
}

/// Writes what came of it; annotations are the lines for people.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_propagation(
    format: Format,
    told: &Propagation,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => writeln!(out, "{:#}", json::value(told)),
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            human::render(told, out)
        }
    }
}
