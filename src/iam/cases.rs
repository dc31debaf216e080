//! Tables of simulation cases, from JSON or TOML alike: a list, or a map with `cases`.
//!
//! The form is that of the tables in `policies/cases.toml`: `id`, `policies`, `request`, `expected`; further keys are
//! ignored, so that a table may carry its own notes. A request may give Route 53's own `change_batch` in place of
//! `context`.

use std::collections::BTreeSet;

use crate::model::dns::{CHANGE_ACTIONS, RecordName, canonical_record_type};
use crate::model::policy::route53;
use crate::syntax::{Entry, Kind, Node};
use crate::text::{Span, Text, nearest};

use super::{ContextValue, Request, RequestPrincipal, Word};

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name in the output.
    pub id: Text,
    /// The policies, not yet read.
    pub policies: CasePolicies,
    /// The request.
    pub request: Request,
    /// The decision that must come out.
    pub expected: Word,
    /// Keys whose absence is planned, for `--strict-context`.
    pub absent: Vec<String>,
    /// Whether it gives `context`, and so has planned which keys are absent.
    pub gives_context: bool,
}

/// Where a policy of a case stands.
#[derive(Debug, Clone)]
pub enum PolicySource {
    /// In the case itself.
    Inline(Node),
    /// In a file, by path.
    Path(Text),
}

/// The policies of a case, layer by layer.
#[derive(Debug, Clone, Default)]
pub struct CasePolicies {
    /// Identity policies.
    pub identity: Vec<PolicySource>,
    /// The policy of the resource.
    pub resource: Option<PolicySource>,
    /// The permissions boundary, if one is set.
    pub permissions_boundary: Option<Vec<PolicySource>>,
    /// Service control policies by level.
    pub scps: Vec<Vec<PolicySource>>,
    /// Resource control policies by level.
    pub rcps: Vec<Vec<PolicySource>>,
    /// The session policy.
    pub session: Option<PolicySource>,
}

/// A case, or a part of the table, that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFault {
    /// Where.
    pub at: Span,
    /// What is wrong, with the failing value, and what is allowed.
    pub reason: String,
}

type Read<T> = Result<T, CaseFault>;

/// Reads a table. Cases that can be read are there also when others cannot.
#[must_use]
pub fn read(root: &Node) -> (Vec<Case>, Vec<CaseFault>) {
    let mut faults = Vec::new();
    let items = match table(root) {
        Ok(items) => items,
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let mut cases: Vec<Case> = Vec::with_capacity(items.len());
    let mut ids = BTreeSet::new();
    for item in items {
        match case(item) {
            Ok(case) if ids.contains(case.id.as_str()) => faults.push(CaseFault {
                at: case.id.span(),
                reason: format!(
                    "the id `{}` is there twice; each case needs its own",
                    case.id.as_str()
                ),
            }),
            Ok(case) => {
                ids.insert(case.id.as_str().to_owned());
                cases.push(case);
            }
            Err(fault) => faults.push(fault),
        }
    }
    if items.is_empty() {
        faults.push(fault(root, "the table has no case"));
    }
    (cases, faults)
}

fn table(root: &Node) -> Read<&[Node]> {
    let list = if root.as_map().is_some() {
        root.get("cases").ok_or_else(|| {
            fault(
                root,
                "the table has no `cases`; it is a list of cases, or has them under `cases`",
            )
        })?
    } else {
        root
    };
    list.as_list().ok_or_else(|| {
        let kind = list.kind_name();
        fault(list, &format!("a table of cases is a list, not {kind}"))
    })
}

fn fault(node: &Node, reason: &str) -> CaseFault {
    CaseFault {
        at: node.span(),
        reason: reason.to_owned(),
    }
}

fn case(node: &Node) -> Read<Case> {
    map(node, "a case")?;
    let id = text(required(node, "id", "a case")?, "`id`")?.clone();
    let about = format!("case `{}`", id.as_str());
    let policies = policies(required(node, "policies", &about)?)?;
    let request_node = required(node, "request", &about)?;
    let (request, gives_context) = request_of(request_node, node, &about)?;
    Ok(Case {
        policies,
        request,
        gives_context,
        expected: expected(required(node, "expected", &about)?)?,
        absent: match node.get("absent").or_else(|| request_node.get("absent")) {
            Some(list) => strings(list, "`absent`")?,
            None => Vec::new(),
        },
        id,
    })
}

/// A request by itself: an object with `action`, or a case, whose other parts are not looked at.
///
/// # Errors
/// When it is none.
pub fn lone_request(node: &Node) -> Result<Request, CaseFault> {
    let inner = node.get("request").filter(|value| !is_null(value));
    let (request, _) = request_of(inner.unwrap_or(node), node, "the file")?;
    Ok(request)
}

/// The policies that stand beside such a request; `None` where it gives none.
///
/// # Errors
/// When a layer has another shape.
pub fn lone_policies(node: &Node) -> Result<Option<CasePolicies>, CaseFault> {
    let given = node.get("policies").filter(|value| !is_null(value));
    given.map(policies).transpose()
}

/// The case with this id in a table.
#[must_use]
pub fn named<'a>(root: &'a Node, id: &str) -> Option<&'a Node> {
    let mut items = table(root).ok()?.iter();
    items.find(|item| item.get("id").and_then(Node::as_str) == Some(id))
}

/// The request at `request_node` of the case at `node`, and whether it gives its context key by key.
fn request_of(request_node: &Node, node: &Node, about: &str) -> Read<(Request, bool)> {
    let mut request = request(request_node, about)?;
    nothing_else(request_node, "a request has", OF_A_REQUEST)?;
    let batch = request_node
        .get("change_batch")
        .or_else(|| node.get("change_batch"));
    let context = request_node.get("context").or_else(|| node.get("context"));
    match (batch, context) {
        (Some(batch), Some(_)) => {
            return Err(fault(
                batch,
                &format!(
                    "{about} gives `change_batch` and `context`; only one of the two is allowed"
                ),
            ));
        }
        (Some(batch), None) => change_batch(batch, &mut request)?,
        (None, Some(entries)) => context_entries(entries, &mut request)?,
        (None, None) => {}
    }
    Ok((request, context.is_some()))
}

fn is_null(node: &Node) -> bool {
    matches!(node.kind, Kind::Null)
}

fn required<'a>(node: &'a Node, key: &str, of: &str) -> Read<&'a Node> {
    node.get(key)
        .filter(|value| !is_null(value))
        .ok_or_else(|| fault(node, &format!("{of} has no `{key}`")))
}

fn map<'a>(node: &'a Node, what: &str) -> Read<&'a [Entry]> {
    node.as_map().ok_or_else(|| {
        fault(
            node,
            &format!("{what} is an object, not {}", node.kind_name()),
        )
    })
}

fn text<'a>(node: &'a Node, what: &str) -> Read<&'a Text> {
    node.as_text().ok_or_else(|| {
        fault(
            node,
            &format!("{what} is a string, not {}", node.kind_name()),
        )
    })
}

fn strings(node: &Node, what: &str) -> Read<Vec<String>> {
    let Some(items) = node.as_list() else {
        return Ok(vec![text(node, what)?.as_str().to_owned()]);
    };
    items
        .iter()
        .map(|item| Ok(scalar(item, what)?.to_owned()))
        .collect()
}

fn scalar<'a>(node: &'a Node, what: &str) -> Read<&'a str> {
    match &node.kind {
        Kind::Text(text) => Ok(text.as_str()),
        Kind::Number(digits) => Ok(digits),
        Kind::Bool(true) => Ok("true"),
        Kind::Bool(false) => Ok("false"),
        Kind::Null | Kind::List(_) | Kind::Map(_) | Kind::Unknown(_) => Err(fault(
            node,
            &format!("{what} holds strings, not {}", node.kind_name()),
        )),
    }
}

fn expected(node: &Node) -> Read<Word> {
    map(node, "`expected`")?;
    let decision = required(node, "decision", "`expected`")?;
    let word = text(decision, "`decision`")?.as_str();
    Word::parse(word).ok_or_else(|| {
        fault(
            decision,
            &format!(
                "`{word}` is no decision; allowed are `allowed`, `implicitDeny` and `explicitDeny`"
            ),
        )
    })
}

fn policies(node: &Node) -> Read<CasePolicies> {
    map(node, "`policies`")?;
    nothing_else(node, "`policies` have", LAYERS)?;
    let given = |key: &str| node.get(key).filter(|value| !is_null(value));
    let list = |key: &str| given(key).map_or(Ok(Vec::new()), |node| sources(node, key));
    let levels = |key: &str| -> Read<Vec<Vec<PolicySource>>> {
        let Some(node) = given(key) else {
            return Ok(Vec::new());
        };
        let shape = || {
            fault(
                node,
                &format!("`{key}` is a list of levels, each a list of policies"),
            )
        };
        let items = node.as_list().ok_or_else(shape)?;
        items.iter().map(|level| sources(level, key)).collect()
    };
    let boundary = list("permissions_boundary")?;
    let set = given("boundary_set").and_then(Node::as_bool) == Some(true);
    Ok(CasePolicies {
        identity: list("identity")?,
        resource: given("resource")
            .map(|node| source(node, "resource"))
            .transpose()?,
        permissions_boundary: (set || !boundary.is_empty()).then_some(boundary),
        scps: levels("scps")?,
        rcps: levels("rcps")?,
        session: given("session")
            .map(|node| source(node, "session"))
            .transpose()?,
    })
}

fn sources(node: &Node, key: &str) -> Read<Vec<PolicySource>> {
    match node.as_list() {
        Some(items) => items.iter().map(|item| source(item, key)).collect(),
        None => Ok(vec![source(node, key)?]),
    }
}

fn source(node: &Node, key: &str) -> Read<PolicySource> {
    match &node.kind {
        Kind::Map(_) => Ok(PolicySource::Inline(node.clone())),
        Kind::Text(path) => Ok(PolicySource::Path(path.clone())),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::List(_) | Kind::Unknown(_) => {
            Err(fault(
                node,
                &format!(
                    "a policy of `{key}` is a document or a path, not {}",
                    node.kind_name()
                ),
            ))
        }
    }
}

/// What a request can say. A case may carry notes of its own; inside a request a mistyped key would leave out what it was
/// to say, and the decision would be that of another request.
const OF_A_REQUEST: [&str; 7] = [
    "action",
    "resource",
    "context",
    "change_batch",
    "principal",
    "resource_account",
    "absent",
];

/// The layers of a case, and `boundary_set`: there is a boundary, also where none of its policies is given.
const LAYERS: [&str; 7] = [
    "identity",
    "resource",
    "permissions_boundary",
    "boundary_set",
    "scps",
    "rcps",
    "session",
];

/// Refuses keys that `what` cannot have: a layer or a part that is left out unseen makes another case of it.
fn nothing_else(node: &Node, what: &str, allowed: [&str; 7]) -> Read<()> {
    for Entry { key, .. } in node.as_map().unwrap_or_default() {
        let word = key.as_str();
        if allowed.contains(&word) {
            continue;
        }
        let meant = nearest(word, allowed);
        let meant = meant.map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
        return Err(CaseFault {
            at: key.span(),
            reason: format!(
                "{what} no `{word}`{meant}, known are `{}`",
                allowed.join("`, `")
            ),
        });
    }
    Ok(())
}

fn request(node: &Node, about: &str) -> Read<Request> {
    map(node, "`request`")?;
    let of = format!("the request of {about}");
    let action = required(node, "action", &of)?;
    let name = text(action, "`action`")?.as_str();
    if !name.contains(':') || name.contains(['*', '?']) {
        return Err(fault(
            action,
            &format!(
                "`{name}` is no action; one is expected, with its service, such as `{}`",
                route53::CHANGE_RECORDS
            ),
        ));
    }
    let resource = match node.get("resource").filter(|value| !is_null(value)) {
        Some(resource) => text(resource, "`resource`")?.as_str(),
        None => "*",
    };
    let mut request = Request::new(name, resource);
    if let Some(principal) = node.get("principal").filter(|value| !is_null(value)) {
        let written = text(principal, "`principal`")?.as_str();
        request.principal = Some(RequestPrincipal::parse(written));
    }
    if let Some(account) = node.get("resource_account").filter(|value| !is_null(value)) {
        request.resource_account = Some(scalar(account, "`resource_account`")?.to_owned());
    }
    Ok(request)
}

fn context_entries(node: &Node, request: &mut Request) -> Read<()> {
    for Entry { key, value } in map(node, "`context`")? {
        let what = format!("`{}`", key.as_str());
        let value = if value.as_list().is_some() {
            ContextValue::Multi(strings(value, &what)?)
        } else {
            ContextValue::Single(scalar(value, &what)?.to_owned())
        };
        if request.set(key.as_str(), value).is_some() {
            return Err(CaseFault {
                at: key.span(),
                reason: format!(
                    "the context key {what} is there twice; letter case does not count"
                ),
            });
        }
    }
    Ok(())
}

/// Gives `request` the three record keys as Route 53 derives them from a batch: names normalised, types and actions in
/// upper case, each value once, in the order of the batch.
///
/// # Errors
/// When the batch is none that Route 53 would take.
pub fn change_batch(node: &Node, request: &mut Request) -> Result<(), CaseFault> {
    let batch = node.get("ChangeBatch").unwrap_or(node);
    map(batch, "`change_batch`")?;
    let changes = required(batch, "Changes", "`change_batch`")?;
    let items = changes.as_list().unwrap_or_default();
    if items.is_empty() {
        return Err(fault(
            changes,
            "`Changes` is a list with at least one change",
        ));
    }
    let (mut names, mut types, mut actions) = (Vec::new(), Vec::new(), Vec::new());
    for change in items {
        let record = required(change, "ResourceRecordSet", "a change")?;
        push(
            &mut actions,
            action(required(change, "Action", "a change")?)?,
        );
        push(&mut names, name(required(record, "Name", "a record set")?)?);
        push(
            &mut types,
            record_type(required(record, "Type", "a record set")?)?,
        );
    }
    for (key, values) in route53::RECORD_KEYS
        .into_iter()
        .zip([names, types, actions])
    {
        request.set(key, ContextValue::Multi(values));
    }
    Ok(())
}

fn push(values: &mut Vec<String>, value: String) {
    if !values.contains(&value) {
        values.push(value);
    }
}

fn name(node: &Node) -> Read<String> {
    let written = text(node, "`Name`")?.as_str();
    let name = RecordName::parse(written)
        .map_err(|error| fault(node, &format!("`{written}` is no record name: {error}")))?;
    Ok(name.iam())
}

fn record_type(node: &Node) -> Read<String> {
    let written = text(node, "`Type`")?.as_str();
    canonical_record_type(written)
        .map(str::to_owned)
        .ok_or_else(|| fault(node, &format!("`{written}` is no record type of Route 53")))
}

fn action(node: &Node) -> Read<String> {
    let written = text(node, "`Action`")?.as_str();
    CHANGE_ACTIONS
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(written))
        .map(str::to_owned)
        .ok_or_else(|| {
            let allowed = CHANGE_ACTIONS.join("`, `");
            fault(
                node,
                &format!("`{written}` is no change action; allowed are `{allowed}`"),
            )
        })
}
