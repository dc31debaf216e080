//! Where rules put what they found.

use std::sync::Arc;

use crate::diag::{Edit, Finding, Fix, Label, Severity, Undecided};
use crate::iam::trust::{TrustVerdict, Verdicts};
use crate::model::policy::PolicyDocument;
use crate::model::spec::Spec;
use crate::model::trust::Repository;
use crate::text::{SourceMap, Span};

use super::{Rule, Workspace};

/// Takes the findings of one rule.
#[derive(Debug)]
pub struct Sink<'a> {
    rule: &'static Rule,
    spec: Option<&'a Spec>,
    repository: Option<&'a Repository>,
    verdicts: Option<&'a Verdicts>,
    sources: &'a SourceMap,
    findings: &'a mut Vec<Finding>,
    undecided: &'a mut Vec<Undecided>,
}

impl<'a> Sink<'a> {
    /// A sink for `rule`.
    pub fn new(
        rule: &'static Rule,
        spec: Option<&'a Spec>,
        sources: &'a SourceMap,
        findings: &'a mut Vec<Finding>,
        undecided: &'a mut Vec<Undecided>,
    ) -> Self {
        Self {
            rule,
            spec,
            repository: None,
            verdicts: None,
            sources,
            findings,
            undecided,
        }
    }

    /// The spec, if the run has one.
    #[must_use]
    pub fn spec(&self) -> Option<&'a Spec> {
        self.spec
    }

    /// The bytes at `at` as they are written, for edits that must fit what stands around them.
    #[must_use]
    pub fn written(&self, at: Span) -> &'a str {
        self.sources.slice(at)
    }

    /// The path of the file that holds `at`.
    #[must_use]
    pub fn path(&self, at: Span) -> &'a str {
        self.sources.path(at.file)
    }

    /// The same for a run that may know whose job borrows the role, and what was found of its policies for that.
    #[must_use]
    pub fn within(mut self, workspace: &'a Workspace) -> Self {
        self.repository = workspace.repository.as_ref();
        self.verdicts = Some(&workspace.verdicts);
        self
    }

    /// The verdict on a trust policy for the job that borrows the role; `None` where nobody said whose job that is, or
    /// nothing in the policy is about its tokens.
    #[must_use]
    pub fn verdict(&self, policy: &PolicyDocument) -> Option<Arc<TrustVerdict>> {
        let job = self.repository.filter(|job| job.asked)?;
        self.verdicts?.of(policy, job)
    }

    /// Whose job borrows the role, if the spec or a flag says so.
    #[must_use]
    pub fn repository(&self) -> Option<&'a Repository> {
        self.repository
    }

    /// Reports a fault at `at`, with the rule's severity. `message`: what is wrong, with the failing value; lower case,
    /// one line, no full stop.
    pub fn report(&mut self, at: Span, message: impl Into<String>) -> Draft<'_> {
        self.findings.push(Finding {
            rule: self.rule.id,
            severity: self.rule.severity,
            message: shown(message.into()),
            primary: Label {
                at,
                text: String::new(),
            },
            related: Vec::new(),
            pointer: None,
            help: None,
            fix: None,
            covers: at,
            about: None,
        });
        Draft {
            finding: self.findings.last_mut(),
        }
    }

    /// Says that `what` could not be decided at `at`, why, and which addresses or facts would decide it.
    pub fn undecided(
        &mut self,
        at: Span,
        what: impl Into<String>,
        why: impl Into<String>,
        missing: Vec<String>,
    ) {
        self.undecided.push(Undecided {
            what: what.into(),
            why: why.into(),
            at,
            missing,
        });
    }
}

/// The text with control characters as escapes: what stands in a file must neither colour a terminal nor begin a line of
/// its own in a log.
fn shown(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let escaped = |character: char| {
        let control = character.is_control();
        let escape = control.then(|| character.escape_default().to_string());
        escape.unwrap_or_else(|| character.to_string())
    };
    text.chars().map(escaped).collect()
}

/// A finding in the making.
#[derive(Debug)]
pub struct Draft<'a> {
    finding: Option<&'a mut Finding>,
}

impl Draft<'_> {
    fn with(mut self, change: impl FnOnce(&mut Finding)) -> Self {
        if let Some(finding) = self.finding.as_deref_mut() {
            change(finding);
        }
        self
    }

    /// A word at the place itself.
    pub fn label(self, text: impl Into<String>) -> Self {
        self.with(|finding| finding.primary.text = text.into())
    }

    /// A further place that explains it.
    pub fn related(self, at: Span, text: impl Into<String>) -> Self {
        self.with(|finding| {
            finding.related.push(Label {
                at,
                text: shown(text.into()),
            });
        })
    }

    /// JSON pointer into the policy.
    pub fn pointer(self, pointer: impl Into<String>) -> Self {
        self.with(|finding| finding.pointer = Some(pointer.into()))
    }

    /// What is allowed, and what to do.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.with(|finding| finding.help = Some(shown(help.into())))
    }

    /// Another severity than the rule's own.
    pub fn severity(self, severity: Severity) -> Self {
        self.with(|finding| finding.severity = severity)
    }

    /// The bytes that the finding speaks of, where they are more than those it points at: there it gives way to more
    /// specific rules.
    pub fn covers(self, span: Span) -> Self {
        self.with(|finding| finding.covers = span)
    }

    /// What of the deployment it is about, where the place does not say it: a duty or an artefact, by its name.
    pub fn about(self, name: &'static str) -> Self {
        self.with(|finding| finding.about = Some(name))
    }

    /// An edit that mends it; `safe` when it may be applied unseen.
    pub fn fix(self, title: impl Into<String>, safe: bool, edits: Vec<Edit>) -> Self {
        self.with(|finding| {
            finding.fix = Some(Fix {
                title: title.into(),
                safe,
                edits,
            });
        })
    }
}
