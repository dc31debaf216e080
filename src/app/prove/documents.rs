//! Policy documents under the names that they are told by.

use serde_json::Value;

use crate::app::AppError;
use crate::iam::NamedPolicy;
use crate::iam::prove::Side;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::syntax::json as json_reader;
use crate::text::SourceMap;

/// A document and the name that it is told by.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) document: PolicyDocument,
    /// Where it can be read again, for cases.
    pub(super) source: Value,
}

pub(super) fn read(
    name: &str,
    text: String,
    kind: Option<PolicyKind>,
) -> Result<PolicyDocument, String> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let text = sources.text(file).ok_or("it is empty")?;
    let mut parsed = json_reader::read(&text);
    if let Some(fault) = parsed.faults.first() {
        return Err(fault.reason.clone());
    }
    let root = parsed.documents.pop().ok_or("it is empty")?;
    if !PolicyDocument::recognises(&root) {
        return Err("it has no `Statement`".to_owned());
    }
    Ok(PolicyDocument::read(root, kind, None))
}

pub(super) fn made(name: &str, value: &Value, kind: PolicyKind) -> Result<Named, AppError> {
    let document = read(name, value.to_string(), Some(kind))
        .map_err(|reason| AppError::usage(format!("{name}: {reason}"), "give other patterns"))?;
    Ok(Named {
        name: name.to_owned(),
        document,
        source: value.clone(),
    })
}

pub(super) fn side<'a>(policies: &[&'a Named]) -> Side<'a> {
    let named = |policy: &&'a Named| NamedPolicy {
        name: &policy.name,
        document: &policy.document,
    };
    Side {
        policies: policies.iter().map(named).collect(),
    }
}

pub(super) fn names(policies: &[&Named]) -> String {
    let mut names: Vec<&str> = policies.iter().map(|policy| policy.name.as_str()).collect();
    names.dedup();
    names.join(" with ")
}

pub(super) fn quoted(texts: &[String]) -> String {
    let quoted: Vec<String> = texts
        .iter()
        .map(|text| format!("`{}`", text.escape_debug()))
        .collect();
    quoted.join(", ")
}
