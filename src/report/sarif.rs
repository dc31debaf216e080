//! SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"), for code scanning. Columns count Unicode characters
//! (`columnKind`, section 3.14.17); fingerprints hold no line numbers (section 3.27.17), so that a finding stays the same
//! one when lines are put above it. What was not read or not decided is a notification of the invocation (section 3.20).

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::diag::{Edit, Finding, Fix, Label, Outcome, RuleCard, Severity, Suppressed};
use crate::text::{SourceMap, Span};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name of the fingerprint; another way to make it gets another version.
const FINGERPRINT: &str = "pointsmanFinding/v1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<Res<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<Descriptor<'a>>,
    notifications: [Notice; 2],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    id: &'a str,
    short_description: Message,
    help: Help<'a>,
    default_configuration: Configuration,
    properties: Tags,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notice {
    id: &'static str,
    short_description: Message,
}

#[derive(Serialize)]
struct Help<'a> {
    text: &'a str,
    markdown: &'a str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Tags {
    tags: [&'static str; 1],
}

#[derive(Serialize)]
struct Message {
    text: String,
}

impl Message {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    descriptor: Reference,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
}

#[derive(Serialize)]
struct Reference {
    id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Res<'a> {
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Mend>,
    /// Present in every result as soon as one is suppressed: absent would mean "not known" (section 3.27.23).
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Vec<Suppression<'a>>>,
}

#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    status: &'static str,
    justification: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
    physical_location: Physical,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Logical>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mend {
    description: Message,
    artifact_changes: Vec<Change>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    artifact_location: Artifact,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Message,
}

/// Longer marked texts are left out; the region says where they are.
const MAX_SNIPPET: usize = 400;

pub(super) fn render(
    outcome: &Outcome,
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    let view = View { outcome, sources };
    let version = env!("CARGO_PKG_VERSION");
    let driver = Driver {
        name: env!("CARGO_PKG_NAME"),
        version,
        semantic_version: version,
        rules: outcome.rules.iter().map(descriptor).collect(),
        notifications: notices(),
    };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            invocations: [view.invocation()],
            column_kind: "unicodeCodePoints",
            results: view.results(),
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn descriptor(card: &RuleCard) -> Descriptor<'_> {
    Descriptor {
        id: card.id,
        short_description: Message::of(card.summary),
        help: Help {
            text: &card.page,
            markdown: &card.page,
        },
        default_configuration: Configuration {
            level: card.severity.word(),
        },
        properties: Tags { tags: [card.kind] },
    }
}

fn notices() -> [Notice; 2] {
    let notice = |id, text| Notice {
        id,
        short_description: Message::of(text),
    };
    [
        notice(
            "unread",
            "a file, or a part of one, could not be read and is not checked",
        ),
        notice(
            "undecided",
            "a check could not be made, because a value is not known here",
        ),
    ]
}

struct View<'a> {
    outcome: &'a Outcome,
    sources: &'a SourceMap,
}

impl<'a> View<'a> {
    fn results(&self) -> Vec<Res<'a>> {
        let mut seen = BTreeMap::new();
        let listed = !self.outcome.suppressed.is_empty();
        let open = self.outcome.findings.iter().map(|finding| (finding, None));
        let meant = self.outcome.suppressed.iter();
        let meant = meant.map(|meant| (&meant.finding, Some(meant)));
        open.chain(meant)
            .map(|(finding, meant)| {
                let mut result = self.result(finding, &mut seen);
                let suppressions = meant.into_iter().map(suppression);
                result.suppressions = listed.then(|| suppressions.collect());
                result
            })
            .collect()
    }

    fn result(&self, finding: &'a Finding, seen: &mut BTreeMap<String, usize>) -> Res<'a> {
        let help = finding.help.as_deref().unwrap_or_default();
        let message = match help {
            "" => finding.message.clone(),
            help => format!("{}\nhelp: {help}", finding.message),
        };
        let mut primary = self.location(finding.primary.at);
        primary.logical_locations = self.logical(finding);
        let related = finding.related.iter().enumerate();
        let fix = finding.fix.as_ref().filter(|fix| fix.safe);
        let index = self
            .outcome
            .rules
            .iter()
            .position(|card| card.id == finding.rule);
        Res {
            rule_id: finding.rule,
            rule_index: index,
            level: level(finding.severity),
            message: Message::of(message),
            locations: [primary],
            related_locations: related
                .map(|(index, label)| self.related(index, label))
                .collect(),
            partial_fingerprints: BTreeMap::from([(FINGERPRINT, self.fingerprint(finding, seen))]),
            fixes: fix.map(|fix| self.mend(fix)).into_iter().collect(),
            suppressions: None,
        }
    }

    /// What makes a finding the same one in the next run: rule, file, pointer and marked text, and which of several
    /// alike it is.
    fn fingerprint(&self, finding: &Finding, seen: &mut BTreeMap<String, usize>) -> String {
        let at = finding.primary.at;
        let parts = [
            finding.rule,
            self.sources.path(at.file),
            finding.pointer.as_deref().unwrap_or_default(),
            self.sources.slice(at),
        ];
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part.as_bytes());
            digest.update([0]);
        }
        let hash: String = digest
            .finalize()
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let before = seen.entry(hash.clone()).or_default();
        *before += 1;
        format!("{hash}:{before}")
    }

    fn logical(&self, finding: &Finding) -> Vec<Logical> {
        let path = self.sources.path(finding.primary.at.file);
        let named = |pointer: &String| Logical {
            fully_qualified_name: format!("{path}#{pointer}"),
            kind: "member",
        };
        finding.pointer.iter().map(named).collect()
    }

    fn related(&self, index: usize, label: &Label) -> Location {
        let mut location = self.location(label.at);
        location.id = Some(index + 1);
        location.message =
            Some(Message::of(label.text.clone())).filter(|text| !text.text.is_empty());
        location
    }

    fn location(&self, at: Span) -> Location {
        let snippet = self.sources.slice(at);
        let short = !snippet.is_empty() && snippet.len() <= MAX_SNIPPET;
        Location {
            id: None,
            message: None,
            physical_location: Physical {
                artifact_location: self.artifact(at),
                region: self.region(at).map(|region| Region {
                    snippet: short.then(|| Message::of(snippet)),
                    ..region
                }),
            },
            logical_locations: Vec::new(),
        }
    }

    fn artifact(&self, at: Span) -> Artifact {
        Artifact {
            uri: uri(self.sources.path(at.file)),
        }
    }

    fn region(&self, at: Span) -> Option<Region> {
        let (start, end) = self.sources.positions(at)?;
        Some(Region {
            start_line: start.line,
            start_column: start.column,
            end_line: end.line,
            end_column: end.column,
            snippet: None,
        })
    }

    fn mend(&self, fix: &Fix) -> Mend {
        let mut by_file: BTreeMap<String, Vec<Replacement>> = BTreeMap::new();
        for Edit { at, with } in &fix.edits {
            let Some(deleted_region) = self.region(*at) else {
                continue;
            };
            let replacements = by_file.entry(self.artifact(*at).uri).or_default();
            replacements.push(Replacement {
                deleted_region,
                inserted_content: Message::of(with.clone()),
            });
        }
        let change = |(uri, replacements)| Change {
            artifact_location: Artifact { uri },
            replacements,
        };
        Mend {
            description: Message::of(fix.title.clone()),
            artifact_changes: by_file.into_iter().map(change).collect(),
        }
    }

    fn invocation(&self) -> Invocation {
        let unread = self.outcome.unread.iter().map(|unread| Notification {
            descriptor: Reference { id: "unread" },
            level: "error",
            message: Message::of(unread.reason.clone()),
            locations: vec![match unread.at {
                Some(at) => self.location(at),
                None => whole_file(&unread.path),
            }],
        });
        let undecided = self.outcome.undecided.iter().map(|undecided| {
            let mut text = format!("{}: {}", undecided.what, undecided.why);
            if !undecided.missing.is_empty() {
                let missing = undecided.missing.join("`, `");
                text.push_str(&format!("; what would decide it: `{missing}`"));
            }
            Notification {
                descriptor: Reference { id: "undecided" },
                level: "warning",
                message: Message::of(text),
                locations: vec![self.location(undecided.at)],
            }
        });
        Invocation {
            execution_successful: self.outcome.unread.is_empty(),
            tool_execution_notifications: unread.chain(undecided).collect(),
        }
    }
}

fn whole_file(path: &str) -> Location {
    Location {
        id: None,
        message: None,
        physical_location: Physical {
            artifact_location: Artifact { uri: uri(path) },
            region: None,
        },
        logical_locations: Vec::new(),
    }
}

fn suppression(meant: &Suppressed) -> Suppression<'_> {
    Suppression {
        kind: if meant.in_source {
            "inSource"
        } else {
            "external"
        },
        status: "accepted",
        justification: &meant.reason,
    }
}

/// SARIF's word; it has the same three.
fn level(severity: Severity) -> &'static str {
    severity.word()
}

/// A path as a relative reference (RFC 3986, section 4.2), an absolute one with the scheme `file`.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encoded: String = path
        .bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    if path.starts_with('/') {
        format!("file://{encoded}")
    } else {
        encoded
    }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_path_is_a_reference_that_every_reader_takes() {
        assert_eq!(uri("policies/a b.json"), "policies/a%20b.json");
        assert_eq!(uri("/x/한.json"), "file:///x/%ED%95%9C.json");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("a:b.json"), "a%3Ab.json");
    }
}
