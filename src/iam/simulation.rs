//! Requests that somebody puts to policies, and what AWS's simulator answered, as files beside the policies have them.
//!
//! Three forms: requests by name or in a list (`requests.json`), the parameters of `SimulateCustomPolicy`, and its
//! answer (IAM API Reference, 2010-05-08). A key that is absent is not in the request.

use crate::syntax::{Entry, Node};
use crate::text::{Span, Text};

use super::cases::{CaseFault, lone_request};
use super::{ContextValue, Request};

/// What one file says of a simulation.
#[derive(Debug, Clone, Default)]
pub struct Simulation {
    /// The path of the file.
    pub path: String,
    /// Whether the requests are the parameters of `SimulateCustomPolicy`.
    pub is_for_aws: bool,
    /// Paths of the policies that it names; empty for those that lie beside it.
    pub policies: Vec<String>,
    /// The requests.
    pub requests: Vec<Asked>,
    /// The key `ResourcePolicy`, where there is one.
    pub resource_policy: Option<Span>,
    /// The answers of AWS.
    pub answers: Vec<Answered>,
    /// Where it says that there is more than stands in the file.
    pub truncated: Option<Span>,
}

/// A request with its name.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The name in the file; the action where it has none.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// The request.
    pub request: Request,
}

/// What AWS answered for an action.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The action.
    pub action: Text,
    /// The decision.
    pub decision: Text,
    /// Keys that the policies ask for, for whatever action, and that were not given.
    pub missing: Vec<Text>,
}

impl Simulation {
    /// Whether a JSON text may hold one; far cheaper than reading it.
    #[must_use]
    pub fn looks_alike(text: &str) -> bool {
        let has = |word| text.contains(word);
        has("\"EvaluationResults\"")
            || has("\"ActionNames\"")
            || has("\"action\"") && has("\"resource\"")
    }

    /// Reads a document, which lies at `path`; `None` where it is another thing.
    #[must_use]
    pub fn read(path: &str, root: &Node) -> Option<Self> {
        let read = if root.get("EvaluationResults").is_some() {
            answers(root)
        } else if root.get("ActionNames").is_some() {
            parameters(path, root)
        } else {
            requests(root).ok()
        };
        read.map(|simulation| Self {
            path: path.to_owned(),
            ..simulation
        })
    }

    /// The folder that the file lies in, with the slash behind it; empty for the working directory.
    #[must_use]
    pub fn folder(&self) -> &str {
        folder(&self.path)
    }

    /// Whether the policy at `path` takes part: it is named, stands in the same file, or lies beside a file that names
    /// none.
    #[must_use]
    pub fn is_about(&self, path: &str) -> bool {
        path == self.path
            || self.policies.iter().any(|named| named == path)
            || self.policies.is_empty() && folder(path) == self.folder()
    }
}

fn folder(path: &str) -> &str {
    path.rfind('/')
        .and_then(|slash| path.get(..=slash))
        .unwrap_or_default()
}

/// Requests by name, or in a list.
///
/// # Errors
/// The first part that is no request.
fn requests(root: &Node) -> Result<Simulation, CaseFault> {
    let none = || CaseFault {
        at: root.span(),
        reason: "there is no request in it".to_owned(),
    };
    let mut found: Vec<(Option<&str>, &Node)> = Vec::new();
    if let Some(entries) = root.as_map() {
        found.extend(
            entries
                .iter()
                .map(|Entry { key, value }| (Some(key.as_str()), value)),
        );
    } else {
        let word = |item, key| Node::get(item, key).and_then(Node::as_str);
        let items = root.as_list().unwrap_or_default();
        found.extend(
            items
                .iter()
                .map(|item| (word(item, "name").or(word(item, "id")), item)),
        );
    }
    if found.is_empty() {
        return Err(none());
    }
    let asked = found.into_iter().map(|(name, node)| {
        let names_action = |word: &str| word.contains(':') && !word.contains('/');
        let action = node.get("action").and_then(Node::as_str);
        if !action.is_some_and(names_action) || node.get("resource").is_none() {
            return Err(none());
        }
        let request = lone_request(node)?;
        Ok(Asked {
            name: name.unwrap_or(request.action()).to_owned(),
            at: node.span(),
            request,
        })
    });
    Ok(Simulation {
        requests: asked.collect::<Result<_, _>>()?,
        ..Simulation::default()
    })
}

/// The strings at `key`, alone or in lists.
fn texts<'a>(root: &'a Node, key: &str) -> Vec<&'a Text> {
    let mut found = Vec::new();
    let mut open: Vec<&Node> = root.get(key).into_iter().collect();
    while let Some(node) = open.pop() {
        found.extend(node.as_text());
        open.extend(node.as_list().unwrap_or_default().iter().rev());
    }
    found
}

/// The parameters under which policies stand, as JSON text or, in files that people keep, by their paths.
const POLICIES: [&str; 4] = [
    "PolicyInputList",
    "PermissionsBoundaryPolicyInputList",
    "OrderedOrganizationPolicyInputList",
    "ResourcePolicy",
];

fn parameters(path: &str, root: &Node) -> Option<Simulation> {
    let actions = texts(root, "ActionNames");
    let has_policies = POLICIES.iter().any(|key| root.get(key).is_some());
    if actions.is_empty() || !(has_policies || root.get("PolicySourceArn").is_some()) {
        return None;
    }
    let arns = texts(root, "ResourceArns");
    let mut resources: Vec<&str> = arns.iter().map(|arn| arn.as_str()).collect();
    if resources.is_empty() {
        resources.push("*");
    }
    let context = context(root);
    let mut requests = Vec::new();
    for action in actions {
        for resource in &resources {
            let with_key = |request: Request, (key, value): &(&str, ContextValue)| {
                request.with(key, value.clone())
            };
            let request = Request::new(action.as_str(), *resource);
            requests.push(Asked {
                name: action.as_str().to_owned(),
                at: action.span(),
                request: context.iter().fold(request, with_key),
            });
        }
    }
    let named = POLICIES.iter().flat_map(|key| organised(root, key));
    Some(Simulation {
        is_for_aws: true,
        policies: named.filter_map(|text| beside(path, text)).collect(),
        requests,
        resource_policy: root.entry("ResourcePolicy").map(|entry| entry.key.span()),
        ..Simulation::default()
    })
}

/// The strings of a parameter; organisations have theirs in objects, one a level.
fn organised<'a>(root: &'a Node, key: &str) -> Vec<&'a Text> {
    let levels = root.get(key).and_then(Node::as_list).unwrap_or_default();
    let inside = levels
        .iter()
        .flat_map(|level| texts(level, "ServiceControlPolicyInputList"));
    texts(root, key).into_iter().chain(inside).collect()
}

/// The path that a parameter names, counted from the file that holds it.
fn beside(path: &str, text: &Text) -> Option<String> {
    let named = text.as_str().trim();
    let named = named.strip_prefix("file://").unwrap_or(named);
    let named = named.strip_prefix("./").unwrap_or(named);
    let is_path = !named.is_empty() && !named.starts_with(['{', '[', '%']);
    is_path.then(|| format!("{}{named}", folder(path)))
}

fn context(root: &Node) -> Vec<(&str, ContextValue)> {
    let entries = root.get("ContextEntries").and_then(Node::as_list);
    let read = |entry: &'_ Node| {
        let values = texts(entry, "ContextKeyValues");
        let mut values: Vec<String> = values.iter().map(|text| text.as_str().to_owned()).collect();
        let kind = entry.get("ContextKeyType").and_then(Node::as_str);
        match kind.is_some_and(|kind| kind.ends_with("List")) {
            true => ContextValue::Multi(values),
            false => ContextValue::Single(values.pop().unwrap_or_default()),
        }
    };
    let entries = entries.unwrap_or_default().iter();
    entries
        .filter_map(|entry| Some((entry.get("ContextKeyName")?.as_str()?, read(entry))))
        .collect()
}

fn answers(root: &Node) -> Option<Simulation> {
    let results = root.get("EvaluationResults")?.as_list()?;
    let mut found = Vec::new();
    for result in results {
        let action = result.get("EvalActionName")?.as_text()?;
        let answer = |node: &Node, decision: &str| {
            Some(Answered {
                action: action.clone(),
                decision: node.get(decision)?.as_text()?.clone(),
                missing: texts(node, "MissingContextValues")
                    .into_iter()
                    .cloned()
                    .collect(),
            })
        };
        found.push(answer(result, "EvalDecision")?);
        let each = result
            .get("ResourceSpecificResults")
            .and_then(Node::as_list);
        let each = each.unwrap_or_default().iter();
        found.extend(each.filter_map(|node| answer(node, "EvalResourceDecision")));
    }
    let truncated = root.get("IsTruncated");
    Some(Simulation {
        answers: found,
        truncated: truncated
            .filter(|node| node.as_bool() == Some(true))
            .map(Node::span),
        ..Simulation::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::json;
    use crate::text::SourceMap;

    fn read(source: &str) -> Option<Simulation> {
        let mut sources = SourceMap::default();
        let file = sources.add("a/x.json", source);
        let parsed = json::read(&sources.text(file)?);
        assert!(Simulation::looks_alike(source), "{source}");
        Simulation::read("a/x.json", parsed.documents.first()?)
    }

    #[test]
    fn requests_stand_by_name_or_in_a_list() {
        let request = r#"{"action":"route53:GetChange","resource":"*","context":{"aws:RequestedRegion":"us-east-1"}}"#;
        let named = read(&format!(r#"{{"wait":{request}}}"#)).unwrap();
        assert_eq!(named.requests.first().unwrap().name, "wait");
        assert!(named.is_about("a/policy.json") && !named.is_about("b/policy.json"));
        let listed = read(&format!("[{request}]")).unwrap();
        let asked = listed.requests.first().unwrap();
        assert_eq!(asked.name, "route53:GetChange");
        assert!(asked.request.context("aws:requestedregion").is_some());
    }

    #[test]
    fn parameters_name_policies_and_give_context() {
        let read = read(
            r#"{"PolicyInputList":["policy.json","{\"Version\":\"2012-10-17\"}"],
            "OrderedOrganizationPolicyInputList":[{"ServiceControlPolicyInputList":["file://scp.json"]}],
            "ActionNames":["a:B","a:C"],"ResourceArns":["x","y"],
            "ContextEntries":[{"ContextKeyName":"k:v","ContextKeyValues":["1"],"ContextKeyType":"stringList"}]}"#,
        )
        .unwrap();
        assert_eq!(read.policies, ["a/policy.json", "a/scp.json"]);
        assert_eq!(read.requests.len(), 4);
        let first = &read.requests.first().unwrap().request;
        let one = ContextValue::Multi(vec!["1".to_owned()]);
        assert_eq!(first.context("k:v"), Some(&one));
        assert!(read.is_about("a/scp.json") && !read.is_about("a/other.json"));
    }

    #[test]
    fn an_answer_has_a_decision_for_each_resource_too() {
        let read = read(
            r#"{"EvaluationResults":[{"EvalActionName":"a:B","EvalDecision":"implicitDeny","ResourceSpecificResults":[
            {"EvalResourceName":"x","EvalResourceDecision":"allowed","MissingContextValues":["k:v"]}]}],"IsTruncated":true}"#,
        )
        .unwrap();
        let words: Vec<&str> = read
            .answers
            .iter()
            .map(|one| one.decision.as_str())
            .collect();
        assert_eq!(words, ["implicitDeny", "allowed"]);
        assert_eq!(read.answers[1].missing[0].as_str(), "k:v");
        assert!(read.truncated.is_some());
    }

    #[test]
    fn other_json_is_no_simulation() {
        for other in [
            r#"{"a":{"action":"click","resource":"x"}}"#,
            r#"{"action":"s3:GetObject","resource":"x"}"#,
            r#"[{"id":"a","request":{"action":"s3:GetObject","resource":"x"}}]"#,
            r#"{"ActionNames":["a:B"]}"#,
            r#"{"EvaluationResults":[{}]}"#,
        ] {
            assert!(read(other).is_none(), "{other}");
        }
    }
}
