//! Policy documents inside other JSON: lists of documents, what the AWS CLI prints, and templates of `CloudFormation`.
//!
//! Source of the shapes: the IAM API Reference (`GetPolicyVersion`, `GetRolePolicy`, `GetRole`,
//! `GetAccountAuthorizationDetails`), where documents are percent-encoded (RFC 3986); the AWS CLI prints them decoded.
//! Organizations, S3, KMS and others hand their policies out as JSON in a string.

use crate::syntax::{Entry, Fault, Kind, Node, Unknown, json, percent, pointer};
use crate::text::{Origin, Span, Text, quoted};

use super::{PolicyDocument, PolicyKind};

/// A policy document, and where it stands.
#[derive(Debug)]
pub struct Enclosed {
    /// The document.
    pub root: Node,
    /// JSON pointer of the place at which it stands in its file; empty for a file that is the document.
    pub pointer: String,
    /// What kind of policy stands at such a place, where that is certain.
    pub kind: Option<PolicyKind>,
    /// Whether statements alone stand there; `root` is a policy of version 2012-10-17 around them.
    pub bare: bool,
}

/// What was found in a file.
#[derive(Debug, Default)]
pub struct Found {
    /// The documents, in order.
    pub documents: Vec<Enclosed>,
    /// Values that should be or hold a document and do not, or cannot be read.
    pub faults: Vec<Fault>,
    /// Documents of which nothing is known before they are filled in, each with its JSON pointer.
    pub unknown: Vec<(String, Unknown, Span)>,
}

/// Keys under which a document stands, in lower case and without `_`: in answers of AWS, in dumps made from them, in
/// templates.
const KEYS: [&str; 10] = [
    "accesspolicies",
    "assumerolepolicydocument",
    "content",
    "document",
    "inlinepolicy",
    "policy",
    "policydocument",
    "policyinjson",
    "policytext",
    "resourcepolicy",
];

/// Keys under which nothing else than a document stands, in the same spelling.
const CERTAIN: [&str; 2] = ["assumerolepolicydocument", "policydocument"];

/// What a value must be where a document must stand.
const EXPECTED: &str = "a policy is an object with `Version` and `Statement`";

/// How often a document may be JSON in a string in a string.
const MAX_STRINGS: usize = 4;

/// Every policy document in the JSON value `root`: itself, the elements of a list, and what stands under the keys that AWS
/// uses for documents, as an object, as JSON in a string, or percent-encoded.
#[must_use]
pub fn documents(root: Node) -> Found {
    let mut found = Found::default();
    if PolicyDocument::recognises(&root) {
        found.add(root, String::new(), None);
    } else if are_statements(&root) {
        found.add_bare(root, String::new());
    } else if let Kind::Text(text) = &root.kind {
        // What `--query Policy` prints of a bucket's or a key's policy.
        found.in_text(text, String::new(), None);
    } else {
        found.within(root, "");
    }
    found
}

/// Keys under which statements stand with no policy around them, in lower case and without `_`: in tables of policies, in
/// settings of the Serverless Framework.
const OF_STATEMENTS: [&str; 4] = [
    "iamrolestatements",
    "policystatements",
    "statement",
    "statements",
];

/// Whether it is a statement, or a list of nothing else.
fn are_statements(node: &Node) -> bool {
    let is_one = |node: &Node| {
        let effect = node.get("Effect").and_then(Node::as_str);
        let acts = node.get("Action").or_else(|| node.get("NotAction"));
        matches!(effect, Some("Allow" | "Deny")) && acts.is_some()
    };
    match node.as_list() {
        Some(items) => !items.is_empty() && items.iter().all(is_one),
        None => is_one(node),
    }
}

/// Statements as the policy that they would stand in. What is added has the place at which the statements begin.
fn around(statements: Node) -> Node {
    let span = statements.span();
    let added = |text: &str| Text::whole(text, Origin::Source(span.slice(0, 0)));
    let version = Entry {
        key: added("Version"),
        value: Node::text(added("2012-10-17")),
    };
    let statement = Entry {
        key: added("Statement"),
        value: statements,
    };
    Node::new(Kind::Map(vec![version, statement]), span)
}

/// Whether a text may hold a policy document in one of these forms; far cheaper than reading it.
#[must_use]
pub fn looks_alike(text: &str) -> bool {
    text.match_indices("Statement").any(|(at, word)| {
        let behind = text.get(at + word.len()..).unwrap_or_default();
        ["\"", "\\\"", "%22"]
            .iter()
            .any(|quote| behind.starts_with(quote))
    }) || text.contains("\"Effect\"") && text.contains("Action\"")
}

/// The text of a file that is one percent-encoded document, as IAM's API answers it; `None` for any other.
///
/// # Errors
/// Where the encoding is broken.
#[must_use]
pub fn percent_encoded(text: &Text) -> Option<Result<Text, Fault>> {
    let start = text.as_str().trim_start();
    let encoded = start.starts_with("%7B") || start.starts_with("%7b");
    encoded.then(|| percent::decode(text))
}

impl Found {
    fn add(&mut self, root: Node, pointer: String, kind: Option<PolicyKind>) {
        self.documents.push(Enclosed {
            root,
            pointer,
            kind,
            bare: false,
        });
    }

    fn add_bare(&mut self, statements: Node, pointer: String) {
        self.documents.push(Enclosed {
            root: around(filled_in_later(statements)),
            pointer,
            kind: None,
            bare: true,
        });
    }

    fn within(&mut self, node: Node, at: &str) {
        match node.kind {
            Kind::List(items) => self.in_list(items, at),
            Kind::Map(entries) => self.in_map(entries, at),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {}
        }
    }

    /// How much was found, of whatever kind.
    fn count(&self) -> usize {
        self.documents.len() + self.faults.len() + self.unknown.len()
    }

    /// Where one item of a list is a document, all are to be; in the outermost list also where one holds a document.
    fn in_list(&mut self, items: Vec<Node>, at: &str) {
        let before = self.documents.len();
        let (mut of_documents, mut empty) = (false, Vec::new());
        for (index, item) in items.into_iter().enumerate() {
            let (place, found) = (pointer::join(at, index), self.count());
            let (span, is_filled_in) = (item.span(), as_intrinsic(&item).is_some());
            let what = described(&item);
            if PolicyDocument::recognises(&item) {
                of_documents = true;
                self.add(filled_in_later(item), place, None);
            } else if let Kind::Text(text) = &item.kind {
                self.in_text(text, place, None);
                of_documents |= self.documents.len() + self.faults.len() > found;
            } else {
                self.within(item, &place);
            }
            if self.count() == found && !is_filled_in {
                empty.push(Fault {
                    at: span,
                    reason: format!("{what} in a list of policies is none: {EXPECTED}"),
                });
            }
        }
        if of_documents || at.is_empty() && self.documents.len() > before {
            self.faults.extend(empty);
        }
    }

    fn in_map(&mut self, entries: Vec<Entry>, at: &str) {
        let place = Place::of(&entries);
        let in_policy = entries
            .iter()
            .any(|entry| entry.key.as_str() == "Statement");
        for Entry { key, value } in entries {
            let at = pointer::join(at, key.as_str());
            if is_key(key.as_str()) {
                self.under_a_key(value, at, (key.as_str(), &place));
            } else if !in_policy
                && is_one_of(key.as_str(), &OF_STATEMENTS)
                && are_statements(&value)
            {
                self.add_bare(value, at);
            } else {
                self.within(value, &at);
            }
        }
    }

    fn in_text(&mut self, text: &Text, at: String, kind: Option<PolicyKind>) {
        match in_a_string(text, MAX_STRINGS) {
            Some(Ok(root)) => self.add(root, at, kind),
            Some(Err(fault)) => self.faults.push(fault),
            None => {}
        }
    }

    fn under_a_key(&mut self, value: Node, at: String, (key, place): (&str, &Place)) {
        let kind = place.kind(key, &value);
        let (before, span, what) = (self.count(), value.span(), described(&value));
        let must = place.is_certain(key) || resembles(&value);
        if let Kind::Text(text) = &value.kind {
            self.in_text(text, at, kind);
        } else if PolicyDocument::recognises(&value) {
            self.add(filled_in_later(value), at, kind);
        } else {
            let unknown = as_intrinsic(&value).filter(|_| must);
            self.within(value, &at);
            self.unknown
                .extend(unknown.map(|unknown| (at, unknown, span)));
        }
        if must && self.count() == before {
            self.faults.push(Fault {
                at: span,
                reason: format!("{what} under `{key}` is no policy: {EXPECTED}"),
            });
        }
    }
}

/// A value in the words of a fault: its keys say what was mistyped.
fn described(node: &Node) -> String {
    match node.as_map() {
        Some([]) => "the empty object".to_owned(),
        Some(entries) => {
            let keys = entries
                .iter()
                .take(4)
                .map(|entry| quoted(entry.key.as_str()));
            format!("the object with {}", keys.collect::<Vec<_>>().join(", "))
        }
        None => node.kind_name().to_owned(),
    }
}

/// Whether it was meant for a document, by its keys or by what stands in the string.
fn resembles(node: &Node) -> bool {
    let is_close =
        |key: &str| ["statement", "statements"].contains(&key.to_ascii_lowercase().as_str());
    match &node.kind {
        Kind::Map(entries) => entries.iter().any(|entry| is_close(entry.key.as_str())),
        Kind::Text(text) => {
            let written = text.as_str().trim_start();
            let begins = ["{", "\"", "%7b", "%7B"];
            begins.iter().any(|begin| written.starts_with(begin))
                && written.to_ascii_lowercase().contains("statement")
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::List(_) | Kind::Unknown(_) => false,
    }
}

/// What `CloudFormation` fills in, if the value is that.
fn as_intrinsic(node: &Node) -> Option<Unknown> {
    node.as_map().and_then(intrinsic)
}

fn is_key(written: &str) -> bool {
    is_one_of(written, &KEYS)
}

fn is_one_of(written: &str, keys: &[&str]) -> bool {
    let folded = written.to_ascii_lowercase().replace('_', "");
    keys.contains(&folded.as_str())
}

/// The document in a string, which may be JSON in a string again, `depth` times at most; `None` for a string that is none.
fn in_a_string(text: &Text, depth: usize) -> Option<Result<Node, Fault>> {
    if !text.as_str().contains("Statement") || depth == 0 {
        return None;
    }
    let decoded = match percent_encoded(text) {
        Some(Ok(decoded)) => decoded,
        Some(Err(fault)) => return Some(Err(fault)),
        None if encoded_nowhere(text) => text.clone(),
        None => return None,
    };
    let mut parsed = json::read(&decoded);
    match (parsed.documents.pop(), parsed.faults.pop()) {
        (_, Some(fault)) => Some(Err(fault)),
        (Some(root), None) if PolicyDocument::recognises(&root) => Some(Ok(root)),
        (Some(root), None) => in_a_string(root.as_text()?, depth - 1),
        (None, None) => None,
    }
}

/// Whether it is JSON as it stands.
fn encoded_nowhere(text: &Text) -> bool {
    text.as_str().trim_start().starts_with(['{', '"'])
}

/// What stands beside a document.
struct Place {
    of_version: bool,
    of_inline_policy: bool,
    of_endpoint: bool,
    organizations: Option<PolicyKind>,
}

impl Place {
    fn of(entries: &[Entry]) -> Self {
        let get = |name: &str| entries.iter().find(|entry| entry.key.as_str() == name);
        let has = |name| get(name).is_some();
        let summary = get("PolicySummary").and_then(|entry| entry.value.get("Type"));
        Self {
            of_version: has("VersionId") && has("IsDefaultVersion"),
            of_inline_policy: has("PolicyName"),
            of_endpoint: has("VpcEndpointId"),
            organizations: match summary.and_then(Node::as_str) {
                Some("SERVICE_CONTROL_POLICY") => Some(PolicyKind::Scp),
                Some("RESOURCE_CONTROL_POLICY") => Some(PolicyKind::Rcp),
                _ => None,
            },
        }
    }

    /// Whether nothing else than a document stands under `key` here.
    fn is_certain(&self, key: &str) -> bool {
        is_one_of(key, &CERTAIN)
            || key == "Document" && self.of_version
            || key == "Content" && self.organizations.is_some()
    }

    /// What kind of policy stands under `key` here, where AWS says it.
    fn kind(&self, key: &str, value: &Node) -> Option<PolicyKind> {
        match key {
            "AssumeRolePolicyDocument" => Some(PolicyKind::Trust),
            "Document" if self.of_version => Some(PolicyKind::ManagedIdentity),
            "PolicyDocument" if self.of_endpoint => Some(PolicyKind::Endpoint),
            "PolicyDocument" if self.of_inline_policy => Some(PolicyKind::Identity),
            "Content" => self.organizations,
            // A bucket, a key, a function: such policies come as a string.
            "InlinePolicy" if value.as_text().is_some() => Some(PolicyKind::Identity),
            "Policy" | "PolicyInJson" | "policyText" | "ResourcePolicy"
                if value.as_text().is_some() =>
            {
                Some(PolicyKind::Resource)
            }
            _ => None,
        }
    }
}

/// The document with what `CloudFormation` fills in (`{"Ref": …}`, `{"Fn::Sub": …}`) as unknown.
fn filled_in_later(mut node: Node) -> Node {
    leave_open(&mut node);
    node
}

fn leave_open(node: &mut Node) {
    match &mut node.kind {
        Kind::Map(entries) => match intrinsic(entries) {
            Some(unknown) => node.kind = Kind::unknown(unknown),
            None => entries
                .iter_mut()
                .for_each(|entry| leave_open(&mut entry.value)),
        },
        Kind::List(items) => items.iter_mut().for_each(leave_open),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {}
    }
}

/// The function of `CloudFormation` that an object is, if it is one.
fn intrinsic(entries: &[Entry]) -> Option<Unknown> {
    let [Entry { key, value }] = entries else {
        return None;
    };
    let function = key.as_str();
    (function == "Ref" || function.starts_with("Fn::")).then(|| Unknown {
        why: format!("CloudFormation fills `{function}` in"),
        missing: value.as_str().map(str::to_owned).into_iter().collect(),
        ..Unknown::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::Statement;
    use super::*;
    use crate::text::SourceMap;

    const DOCUMENT: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject","Resource":"*"}]}"#;

    fn found(input: &str) -> (SourceMap, Found) {
        let mut sources = SourceMap::default();
        let file = sources.add("x.json", input);
        let text = sources.text(file).unwrap();
        let root = json::read(&text).documents.pop().unwrap();
        (sources, documents(root))
    }

    fn places(input: &str) -> Vec<(String, Option<PolicyKind>)> {
        let documents = found(input).1.documents;
        documents
            .into_iter()
            .map(|document| (document.pointer, document.kind))
            .collect()
    }

    #[test]
    fn what_the_aws_cli_prints_tells_the_kind() {
        let detail = format!(
            r#"{{"RoleDetailList":[{{"AssumeRolePolicyDocument":{DOCUMENT},"RolePolicyList":[{{"PolicyName":"p","PolicyDocument":{DOCUMENT}}}]}}],
            "Policies":[{{"PolicyVersionList":[{{"Document":{DOCUMENT},"VersionId":"v1","IsDefaultVersion":true}}]}}]}}"#
        );
        let expected = [
            (
                "/RoleDetailList/0/AssumeRolePolicyDocument",
                PolicyKind::Trust,
            ),
            (
                "/RoleDetailList/0/RolePolicyList/0/PolicyDocument",
                PolicyKind::Identity,
            ),
            (
                "/Policies/0/PolicyVersionList/0/Document",
                PolicyKind::ManagedIdentity,
            ),
        ];
        let expected = expected.map(|(pointer, kind)| (pointer.to_owned(), Some(kind)));
        assert_eq!(places(&detail), expected);
        let scp = format!(
            r#"{{"Policy":{{"PolicySummary":{{"Type":"SERVICE_CONTROL_POLICY"}},"Content":{DOCUMENT:?}}}}}"#
        );
        assert_eq!(
            places(&scp),
            [("/Policy/Content".to_owned(), Some(PolicyKind::Scp))]
        );
    }

    #[test]
    fn inline_policies_and_those_of_glue_are_read() {
        for (key, kind) in [
            ("InlinePolicy", PolicyKind::Identity),
            ("PolicyInJson", PolicyKind::Resource),
        ] {
            let answer = format!(r#"{{"{key}":{DOCUMENT:?}}}"#);
            assert_eq!(places(&answer), [(format!("/{key}"), Some(kind))]);
        }
    }

    #[test]
    fn a_list_of_documents_is_read_and_a_table_of_cases_is_not() {
        let list = format!("[{DOCUMENT},{{\"document\":{DOCUMENT}}}]");
        let pointers: Vec<String> = places(&list).into_iter().map(|(at, _)| at).collect();
        assert_eq!(pointers, ["/0", "/1/document"]);
        let table = format!(r#"[{{"id":"a","policies":{{"identity":{DOCUMENT}}}}}]"#);
        assert_eq!(places(&table), []);
    }

    #[test]
    fn statements_alone_are_read_as_a_policy() {
        let statement = r#"{"Effect":"Allow","Action":"s3:GetObject","Resource":"*"}"#;
        let lines = format!(r#"{{"id":"a","statement":{statement},"note":"x"}}"#);
        for (input, at) in [
            (statement.to_owned(), ""),
            (format!("[{statement},{statement}]"), ""),
            (lines, "/statement"),
            (
                format!(r#"{{"iamRoleStatements":[{statement}]}}"#),
                "/iamRoleStatements",
            ),
        ] {
            let (_, found) = found(&input);
            let [document] = found.documents.as_slice() else {
                panic!("{input}");
            };
            assert!(document.bare && document.pointer == at, "{input}");
            let policy = PolicyDocument::read(document.root.clone(), None, None);
            assert!(policy.statements.iter().all(Statement::allows), "{input}");
            assert_eq!(policy.malformed, []);
        }
        for other in [
            r#"{"Effect":"NoSchedule","Action":"x"}"#,
            r#"{"Effect":"Allow"}"#,
        ] {
            assert_eq!(places(other), []);
        }
    }

    #[test]
    fn a_document_in_a_string_knows_the_bytes_of_the_file() {
        for inside in [
            DOCUMENT.replace('"', "\\\""),
            DOCUMENT.replace('"', "%22").replace('{', "%7B"),
        ] {
            let (sources, found) = found(&format!(r#"{{"PolicyDocument":"{inside}"}}"#));
            let document = found.documents.first().unwrap();
            let action = pointer::find(&document.root, "/Statement/0/Action").unwrap();
            let text = action.as_text().unwrap();
            assert_eq!(sources.slice(text.span_of(0..2)), "s3", "{inside}");
        }
    }

    #[test]
    fn a_string_that_should_be_a_document_and_is_not_is_a_fault() {
        let (sources, found) =
            found(r#"{"Document":"{\"Statement\": [}","Content":"see Statement"}"#);
        assert!(found.documents.is_empty());
        assert_eq!(sources.slice(found.faults.first().unwrap().at), "}");
    }

    #[test]
    fn what_cloudformation_fills_in_is_unknown() {
        let template = DOCUMENT.replace("\"*\"", r#"{"Fn::GetAtt":["Zone","Arn"]}"#);
        let (_, found) = found(&format!(
            r#"{{"Properties":{{"PolicyDocument":{template}}}}}"#
        ));
        let root = &found.documents.first().unwrap().root;
        assert_eq!(root.unknowns().len(), 1);
    }
}
