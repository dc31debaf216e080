//! What the token of a job may do.
//!
//! Source: GitHub Docs, "Assigning permissions to jobs": scopes that are not named are `none` as soon as one is.

use crate::syntax::{Entry, Node};
use crate::text::{Span, Text};

use super::Malformed;
use super::reader::Reader;

/// `permissions` of a workflow or a job.
#[derive(Debug, Clone)]
pub struct Permissions {
    /// The key `permissions`.
    pub key: Text,
    /// The value.
    pub span: Span,
    /// What it grants.
    pub grant: Grant,
}

/// What `permissions` grants.
#[derive(Debug, Clone)]
pub enum Grant {
    /// `read-all`.
    ReadAll(Text),
    /// `write-all`.
    WriteAll(Text),
    /// Scope by scope; empty for `{}`.
    Scopes(Vec<Scope>),
    /// An expression or another value that is not known.
    Unknown,
}

/// One scope with its access.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The scope's name.
    pub name: Text,
    /// The access as it is written.
    pub written: Text,
    /// The access.
    pub access: Access,
}

/// The scopes that GitHub knows (GitHub Docs, "Workflow syntax", `permissions`, with those that were taken back; looked up on
/// 2026-11-30).
const SCOPES: [&str; 20] = [
    "actions",
    "artifact-metadata",
    "attestations",
    "checks",
    "code-quality",
    "contents",
    "copilot-requests",
    "deployments",
    "discussions",
    "id-token",
    "issues",
    "metadata",
    "models",
    "packages",
    "pages",
    "pull-requests",
    "repository-projects",
    "security-events",
    "statuses",
    "vulnerability-alerts",
];

/// How much a scope may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Nothing.
    None,
    /// Read.
    Read,
    /// Read and write.
    Write,
}

impl Access {
    /// The access of a word, if it is one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "read" => Some(Self::Read),
            "write" => Some(Self::Write),
            _ => None,
        }
    }
}

impl Permissions {
    /// The access that is granted for `scope`; `None` when it is not known.
    #[must_use]
    pub fn access(&self, scope: &str) -> Option<Access> {
        match &self.grant {
            // `read-all` knows no read of `id-token`: the scope has `write` and `none` alone.
            Grant::ReadAll(_) if scope == "id-token" => Some(Access::None),
            Grant::ReadAll(_) => Some(Access::Read),
            Grant::WriteAll(_) => Some(Access::Write),
            Grant::Scopes(scopes) => Some(
                scopes
                    .iter()
                    .rev()
                    .find(|found| found.name.as_str() == scope)
                    .map_or(Access::None, |found| found.access),
            ),
            Grant::Unknown => None,
        }
    }

    /// The scopes that are named; empty for `{}` and for the words that name all at once.
    #[must_use]
    pub fn scopes(&self) -> &[Scope] {
        if let Grant::Scopes(scopes) = &self.grant {
            scopes
        } else {
            &[]
        }
    }
}

impl Reader<'_> {
    pub(super) fn permissions(&mut self, key: &Text, value: &Node) -> Permissions {
        let grant = if let Some(entries) = value.as_map() {
            let scopes = entries.iter().filter_map(|entry| self.scope(entry));
            Grant::Scopes(scopes.collect())
        } else {
            match value.as_text() {
                Some(word) if word.as_str() == "read-all" => Grant::ReadAll(word.clone()),
                Some(word) if word.as_str() == "write-all" => Grant::WriteAll(word.clone()),
                _ if value.as_unknown().is_some() => Grant::Unknown,
                _ => {
                    self.wrong(
                        value,
                        "`permissions` is a map of scopes, `read-all` or `write-all`",
                    );
                    Grant::Unknown
                }
            }
        };
        Permissions {
            key: key.clone(),
            span: value.span(),
            grant,
        }
    }

    pub(super) fn scope(&mut self, entry: &Entry) -> Option<Scope> {
        let name = entry.key.as_str();
        if name != "<<" && !SCOPES.contains(&name) {
            self.malformed.push(Malformed {
                at: entry.key.span(),
                reason: format!(
                    "`{name}` is no scope that GitHub knows; it knows {}",
                    SCOPES.map(|scope| format!("`{scope}`")).join(", ")
                ),
            });
        }
        let written = self.string(&entry.value, "the access of a scope")?;
        let access = Access::from_word(written.as_str());
        if access.is_none() {
            let reason = format!(
                "`{}` is no access of `{}`; allowed are `read`, `write` and `none`",
                written.as_str(),
                entry.key.as_str()
            );
            self.wrong(&entry.value, reason);
        }
        Some(Scope {
            name: entry.key.clone(),
            written,
            access: access?,
        })
    }
}
