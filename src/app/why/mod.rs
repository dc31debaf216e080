//! `pointsman simulate why POLICY REQUEST`: one decision in plain words, and the smallest edit that would allow the request,
//! shown only when the evaluator allows the request with it; and what else that edit would allow.

mod edit;
mod layers;
mod notation;

use std::io::Write;

use similar::TextDiff;

use crate::check::{self, Input, Options, Standing};
use crate::iam::advice::{Change, advise, is_limit, reach};
use crate::iam::{
    Compiled, Decision, NamedPolicy, Policies, Request as Asked, Word, cases, catalog,
};
use crate::model::policy::PolicyDocument;
use crate::model::policy::enclosed::{self, Enclosed};
use crate::ports::Files;
use crate::report::{Edited, Explained, Format, render_explained};
use crate::rules::Subject;
use crate::syntax::{Node, Parsed, json, toml};
use crate::text::{STDIN, SourceMap, Text};

use super::exit::{AppError, Exit};
use layers::Around;

/// Larger files are refused, as in `validate`.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The policy, a JSON file.
    pub policy: String,
    /// The request.
    pub request: RequestSource,
    /// The case in a table of cases; without it the file is one request.
    pub case: Option<String>,
    /// The form of the output.
    pub format: Format,
}

/// Where the request stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestSource {
    /// In a JSON or TOML file.
    Path(String),
    /// In these bytes, which came from standard input.
    Input(Vec<u8>),
}

/// Explains the decision. Exit status: 0 explained, 4 undecided.
///
/// # Errors
/// When the policy or the request is not there, or is none.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let mut sources = SourceMap::default();
    let found = policy(&request.policy, files, &mut sources)?;
    let mut document = PolicyDocument::read(found.root.clone(), found.kind, None);
    let (table, node) = asked_node(request, files, &mut sources)?;
    let asked = asked(&table, &node, &sources)?;
    let unknown = unknown_action(asked.action())?;
    let about = (request.policy.as_str(), document.kind);
    let around = Around::of(&node, &table, about, files)?;
    let kind = around.as_ref().map(|around| around.kind(document.kind));
    if let Some(kind) = kind.filter(|kind| *kind != document.kind) {
        document = PolicyDocument::read(found.root, Some(kind), None);
    }
    let compiled = compiled(&request.policy, &document);
    let before = Before {
        path: &request.policy,
        document: &document,
        compiled: &compiled,
        around: around.as_ref(),
        sources: &sources,
    };
    let mut explained = Explained {
        policy: request.policy.clone(),
        action: asked.action().to_owned(),
        resource: asked.resource.clone(),
        decision: before.decision(&document, &asked),
        edit: None,
        alone: None,
        pattern: None,
        notes: Vec::new(),
    };
    explained.notes = to_mend_first(&request.policy, &document, &sources);
    explained.notes.extend(unknown);
    let is_open = !explained.decision.undecided.is_empty();
    if !is_open && explained.decision.word != Word::Allowed {
        before.advise(&asked, &mut explained);
    }
    render_explained(request.format, &explained, out)?;
    Ok(if explained.decision.undecided.is_empty() {
        Exit::Clean
    } else {
        Exit::Unread
    })
}

/// The faults of the policy that `validate --fix` mends: what a faulty value means to say is not what an edit of another
/// place should work around.
fn to_mend_first(path: &str, document: &PolicyDocument, sources: &SourceMap) -> Vec<String> {
    let text = sources
        .get(document.span().file)
        .map_or("", |source| source.text());
    let input = Input {
        path: path.to_owned(),
        bytes: Ok(text.as_bytes().to_vec()),
        standing: Standing::Named,
    };
    let options = Options {
        subject: Some(Subject::Policy),
        policy_kind: Some(document.kind),
        whole: false,
        today: None,
    };
    let loaded = check::load(SourceMap::default(), None, vec![input], options);
    let checked = check::run(loaded);
    let findings = checked.outcome.findings.iter();
    let certain = findings.filter(|finding| finding.fix.as_ref().is_some_and(|fix| fix.safe));
    let told = certain.filter_map(|finding| {
        let (at, _) = checked.sources.positions(finding.primary.at)?;
        Some(format!(
            "mend first, by `pointsman validate policy --fix {path}`: line {}, {}",
            at.line, finding.message
        ))
    });
    told.take(MOST_FAULTS).collect()
}

/// How many faults are told beside a decision.
const MOST_FAULTS: usize = 5;

fn compiled(name: &str, document: &PolicyDocument) -> Compiled {
    let policy = NamedPolicy { name, document };
    let mut policies = Policies::default();
    if layers::is_of_resource(document.kind) {
        policies.resource = Some(policy);
    } else {
        policies.identity.push(policy);
    }
    Compiled::new(&policies)
}

/// The one policy of the file, be it alone or in what the AWS CLI prints; `-` is standard input.
fn policy(path: &str, files: &dyn Files, sources: &mut SourceMap) -> Result<Enclosed, AppError> {
    let bytes = files.read(if path == "-" { STDIN } else { path })?;
    let hint = "an IAM policy in JSON is expected";
    let root = read(path, bytes, json::read, hint, sources)?;
    let mut found = enclosed::documents(root);
    let (many, fault) = (found.documents.len(), found.faults.first());
    if let Some(fault) = fault.filter(|_| many == 0) {
        let message = format!("the policy in `{path}` cannot be read: {}", fault.reason);
        return Err(AppError::usage(message, hint));
    }
    if many > 1 {
        let message = format!("`{path}` holds {many} policies, and one decision is about one");
        return Err(AppError::usage(message, "give a file that holds the one"));
    }
    found.documents.pop().ok_or_else(|| {
        let message = format!("`{path}` is no policy: it has no `Statement` with an `Effect`");
        AppError::usage(message, hint)
    })
}

const REQUEST_HINT: &str = "write for example `{\"action\": \"route53:GetChange\", \"resource\": \"arn:aws:route53:::change/C1\"}`, with `context` or `change_batch`, or a case";

/// The node of the request or case, with the name of its file.
fn asked_node(
    request: &Request,
    files: &dyn Files,
    sources: &mut SourceMap,
) -> Result<(String, Node), AppError> {
    let (name, bytes) = match &request.request {
        RequestSource::Path(path) => (path.as_str(), files.read(path)?),
        RequestSource::Input(bytes) => ("<stdin>", bytes.clone()),
    };
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let reader = if name.ends_with(".json")
        || matches!(first, None | Some(b'{' | b'[')) && !name.ends_with(".toml")
    {
        json::read
    } else {
        toml::read
    };
    let root = read(name, bytes, reader, REQUEST_HINT, sources)?;
    let node = match &request.case {
        Some(id) => cases::named(&root, id).cloned().ok_or_else(|| {
            AppError::usage(
                format!("`{name}` has no case `{id}`"),
                "a table is a list of cases, each with its `id`",
            )
        })?,
        None if root.get("cases").is_some() || root.as_list().is_some() => {
            return Err(AppError::usage(
                format!("`{name}` is a table of cases"),
                "name one with `--case ID`",
            ));
        }
        None => root,
    };
    Ok((name.to_owned(), node))
}

fn asked(name: &str, node: &Node, sources: &SourceMap) -> Result<Asked, AppError> {
    cases::lone_request(node).map_err(|fault| {
        let place = sources.positions(fault.at);
        let place = place.map_or_else(String::new, |(at, _)| format!(":{}:{}", at.line, at.column));
        AppError::usage(format!("{name}{place}: {}", fault.reason), REQUEST_HINT)
    })
}

/// What is to be said of an action that the catalog does not have.
///
/// # Errors
/// When the catalog has all actions of its service: then there is no such request.
fn unknown_action(action: &str) -> Result<Option<String>, AppError> {
    if action.contains(['*', '?']) || catalog::action(action).is_some() {
        return Ok(None);
    }
    let prefix = action.split_once(':').map_or("", |(prefix, _)| prefix);
    let near = catalog::nearest_action(action);
    match catalog::service(prefix) {
        Some(service) if service.is_complete() => {
            let hint = near.map_or_else(
                || format!("the Service Authorization Reference lists the actions of `{prefix}`"),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("`{action}` is no action of `{prefix}`");
            Err(AppError::usage(message, hint))
        }
        _ => {
            let meant = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Ok(Some(format!(
                "AWS documents no action `{action}` as far as the catalog knows{meant}"
            )))
        }
    }
}

fn read(
    name: &str,
    bytes: Vec<u8>,
    reader: fn(&Text) -> Parsed,
    hint: &str,
    sources: &mut SourceMap,
) -> Result<Node, AppError> {
    let wrong = |why: String| AppError::usage(format!("`{name}` cannot be read: {why}"), hint);
    if bytes.len() > MAX_BYTES {
        return Err(wrong(format!("it has more than {MAX_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        wrong(format!("byte {at} is not UTF-8"))
    })?;
    let file = sources.add(name, text);
    let whole = sources
        .text(file)
        .ok_or_else(|| wrong("it is not there".to_owned()))?;
    let mut parsed = reader(&whole);
    if let Some(fault) = parsed.faults.first() {
        let place = sources.positions(fault.at);
        let place = place.map_or_else(String::new, |(at, _)| {
            format!("{}:{}: ", at.line, at.column)
        });
        return Err(wrong(format!("{place}{}", fault.reason)));
    }
    parsed
        .documents
        .pop()
        .ok_or_else(|| wrong("it is empty".to_owned()))
}

/// The policy as it stands.
struct Before<'a> {
    path: &'a str,
    document: &'a PolicyDocument,
    /// The policy alone.
    compiled: &'a Compiled,
    around: Option<&'a Around>,
    sources: &'a SourceMap,
}

impl Before<'_> {
    /// The decision with `document` for the policy, and the layers around it.
    fn decision(&self, document: &PolicyDocument, asked: &Asked) -> Decision {
        let policy = NamedPolicy {
            name: self.path,
            document,
        };
        match self.around {
            Some(around) => around.compiled(policy).evaluate(asked),
            None => compiled(self.path, document).evaluate(asked),
        }
    }

    fn advise(&self, asked: &Asked, explained: &mut Explained) {
        let whole = asked;
        let mut alone = asked.clone();
        if let Some(around) = self.around {
            // Alone it is asked whether it gives what is its own to give.
            alone.resource_account = None;
            if around.replaced > 0 {
                explained.notes.push(format!(
                    "`{}` stands for the {} identity policies of the case",
                    self.path, around.replaced
                ));
            }
            if self.compiled.decide(&alone) == Some(Word::Allowed) {
                explained.notes.push(format!(
                    "`{}` itself allows it, and another layer does not; no edit of this file changes that",
                    self.path
                ));
                return;
            }
        }
        let asked = &alone;
        let advice = advise(self.compiled, asked);
        explained.notes.extend(advice.notes);
        if advice.changes.is_empty() {
            explained.pattern = self.edited(&advice.pattern, asked, whole);
            return;
        }
        explained.edit = self.edited(&advice.changes, asked, whole);
        if explained.edit.is_none() {
            explained.notes.push(
                "no single edit of this file is certain to allow it; see the reasons above"
                    .to_owned(),
            );
        }
        explained.pattern = self.edited(&advice.pattern, asked, whole);
        let wide = explained.edit.as_ref().map(|edit| &edit.reach);
        let wide = wide.filter(|reach| !reach.is_narrow());
        explained.alone = wide.and_then(|wide| {
            let alone = self.edited(&[advice.alone?], asked, whole)?;
            alone.reach.is_narrower_than(wide).then_some(alone)
        });
    }

    /// The text with the changes, when the policy then allows the request; and what still denies it, of the `whole`.
    fn edited(&self, changes: &[Change], asked: &Asked, whole: &Asked) -> Option<Edited> {
        let text = edit::changed(self.document, self.sources, changes)?;
        let mut sources = SourceMap::default();
        let file = sources.add(self.path, text.as_str());
        let parsed = json::read(&sources.text(file)?);
        let root = parsed.documents.into_iter().next()?;
        let found = enclosed::documents(root).documents.pop()?;
        let document = PolicyDocument::read(found.root, Some(self.document.kind), None);
        let after = compiled(self.path, &document);
        if after.decide(asked) != Some(Word::Allowed) {
            return None;
        }
        let statement = match changes.first()? {
            Change::Resource { statement, .. }
            | Change::Value { statement, .. }
            | Change::Operator { statement, .. } => *statement,
            Change::Statement { .. } => document.statements.last()?.index,
        };
        let before = self.sources.get(self.document.span().file)?.text();
        let diff = TextDiff::from_lines(before, &text);
        // The same name twice: `patch -p0` takes it.
        let diff = diff.unified_diff().header(self.path, self.path).to_string();
        Some(Edited {
            what: changes.iter().map(sentence).collect(),
            diff,
            reach: reach(self.compiled, &after, statement, asked),
            still: self.still(&document, whole),
        })
    }

    /// Why the layers around still deny it.
    fn still(&self, document: &PolicyDocument, whole: &Asked) -> Vec<String> {
        let around = self.around.map(|_| self.decision(document, whole));
        let denied = around.filter(|decision| decision.word != Word::Allowed);
        denied.map(|decision| decision.why).unwrap_or_default()
    }
}

fn sentence(change: &Change) -> String {
    let limit = matches!(change, Change::Value { operator, .. } if is_limit(operator.base));
    let into = |value: &str, instead: &Option<String>| match instead {
        Some(limited) if limit => format!("write `{value}` instead of `{limited}` in"),
        Some(broken) => format!("write `{value}` instead of `{broken}`, which never matches, in"),
        None => format!("add `{value}` to"),
    };
    match change {
        Change::Resource {
            statement,
            value,
            instead,
        } => {
            let what = into(value, instead);
            format!("{what} the resources that statement {statement} lists")
        }
        Change::Value {
            statement,
            operator,
            key,
            value,
            instead,
        } => {
            let what = into(value, instead);
            format!("{what} `{operator}` of `{key}` in statement {statement}")
        }
        Change::Operator {
            statement,
            operator,
            key,
            to,
        } => format!(
            "write `{to}` instead of `{operator}` for `{key}` in statement {statement}, so that `*` and `?` in its values stand for other characters"
        ),
        Change::Statement { action, .. } => format!("add a statement that allows `{action}`"),
    }
}
