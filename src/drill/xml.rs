//! The XML of the two services: batches read, answers written.

use roxmltree::{Document, Node};

use crate::model::dns::RecordName;

use super::refusal::Refusal;
use super::zone::{Action, Alias, Edit, Page, Set};

/// The name space of Route 53's documents.
pub(super) const ROUTE53: &str = "https://route53.amazonaws.com/doc/2013-04-01/";

/// The name space of STS's documents.
pub(super) const STS: &str = "https://sts.amazonaws.com/doc/2011-06-15/";

/// A batch with its comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) comment: String,
    pub(super) edits: Vec<Edit>,
}

/// Reads the body of `ChangeResourceRecordSets`.
pub(super) fn batch(body: &str) -> Result<Batch, Refusal> {
    let invalid = |why: &str| Refusal::input(&format!("Invalid XML ; {why}"));
    let document = Document::parse(body).map_err(|error| invalid(&error.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "ChangeResourceRecordSetsRequest" {
        return Err(invalid("the root is no ChangeResourceRecordSetsRequest"));
    }
    let batch = child(root, "ChangeBatch").ok_or_else(|| invalid("there is no ChangeBatch"))?;
    let changes = child(batch, "Changes").ok_or_else(|| invalid("there are no Changes"))?;
    let edits = children(changes, "Change").map(edit);
    Ok(Batch {
        comment: text(batch, "Comment").unwrap_or_default(),
        edits: edits.collect::<Result<_, _>>()?,
    })
}

fn edit(change: Node<'_, '_>) -> Result<Edit, Refusal> {
    let missing = |what: &str| Refusal::input(&format!("Invalid XML ; a Change has no {what}"));
    let written = text(change, "Action").ok_or_else(|| missing("Action"))?;
    let action = Action::WORDS.iter().find(|(_, word)| *word == written);
    let (action, _) =
        action.ok_or_else(|| Refusal::input(&format!("Invalid XML ; '{written}' is no Action")))?;
    let set = child(change, "ResourceRecordSet").ok_or_else(|| missing("ResourceRecordSet"))?;
    let name = text(set, "Name").ok_or_else(|| missing("Name"))?;
    let name = RecordName::parse(&name).map_err(|error| {
        Refusal::batch(&[format!(
            "FATAL problem: DomainLabel encountered with '{name}': {error}"
        )])
    })?;
    let records = child(set, "ResourceRecords").into_iter();
    let records = records.flat_map(|records| children(records, "ResourceRecord"));
    Ok(Edit {
        action: *action,
        set: Set {
            name,
            kind: text(set, "Type").ok_or_else(|| missing("Type"))?,
            identifier: text(set, "SetIdentifier"),
            ttl: text(set, "TTL").and_then(|ttl| ttl.parse().ok()),
            values: records.filter_map(|record| text(record, "Value")).collect(),
            alias: child(set, "AliasTarget").map(|target| Alias {
                zone: text(target, "HostedZoneId").unwrap_or_default(),
                name: text(target, "DNSName").unwrap_or_default(),
            }),
        },
    })
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &'a str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children()
        .filter(move |child| child.tag_name().name() == name)
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &'a str) -> Option<Node<'a, 'i>> {
    children(node, name).next()
}

fn text(node: Node<'_, '_>, name: &str) -> Option<String> {
    child(node, name).map(|node| node.text().unwrap_or_default().to_owned())
}

/// An element that holds `inner`, which is XML already.
pub(super) fn element(name: &str, inner: &str) -> String {
    format!("<{name}>{inner}</{name}>")
}

/// An element that holds a text.
pub(super) fn leaf(name: &str, text: &str) -> String {
    element(name, &escaped(text))
}

/// A document whose root is in a name space.
pub(super) fn document(root: &str, space: &str, inner: &str) -> String {
    format!("<?xml version=\"1.0\"?>\n<{root} xmlns=\"{space}\">{inner}</{root}>")
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\'' => safe.push_str("&apos;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// The answer that says no.
pub(super) fn refusal(refusal: &Refusal, space: &str) -> String {
    let error = [
        leaf(
            "Type",
            if refusal.http < 500 {
                "Sender"
            } else {
                "Receiver"
            },
        ),
        leaf("Code", &refusal.code),
        leaf("Message", &refusal.message),
    ];
    let request = leaf("RequestId", "00000000-0000-4000-8000-000000000000");
    let inner = element("Error", &error.concat()) + &request;
    document("ErrorResponse", space, &inner)
}

/// A page of record sets.
pub(super) fn page(page: &Page<'_>, most: usize) -> String {
    let sets: String = page.sets.iter().map(|set| record_set(set)).collect();
    let mut inner = element("ResourceRecordSets", &sets);
    inner += &leaf(
        "IsTruncated",
        if page.next.is_some() { "true" } else { "false" },
    );
    if let Some(next) = page.next {
        inner += &leaf("NextRecordName", &next.name.route53());
        inner += &leaf("NextRecordType", &next.kind);
        if let Some(identifier) = &next.identifier {
            inner += &leaf("NextRecordIdentifier", identifier);
        }
    }
    inner += &leaf("MaxItems", &most.to_string());
    document("ListResourceRecordSetsResponse", ROUTE53, &inner)
}

/// An empty page that says another one follows. `!` is listed between a zone's own name and its wildcard.
pub(super) fn one_more_page(number: usize) -> String {
    let inner = [
        element("ResourceRecordSets", ""),
        leaf("IsTruncated", "true"),
        leaf("NextRecordName", &format!("!{number}.example.com.")),
        leaf("NextRecordType", "A"),
        leaf("MaxItems", "300"),
    ];
    document("ListResourceRecordSetsResponse", ROUTE53, &inner.concat())
}

fn record_set(set: &Set) -> String {
    let mut inner = leaf("Name", &set.name.route53()) + &leaf("Type", &set.kind);
    if let Some(identifier) = &set.identifier {
        inner += &leaf("SetIdentifier", identifier);
    }
    if let Some(ttl) = set.ttl {
        inner += &leaf("TTL", &ttl.to_string());
    }
    if let Some(alias) = &set.alias {
        let target = [
            leaf("HostedZoneId", &alias.zone),
            leaf("DNSName", &alias.name),
            leaf("EvaluateTargetHealth", "false"),
        ];
        inner += &element("AliasTarget", &target.concat());
    } else {
        let record = |value: &String| element("ResourceRecord", &leaf("Value", value));
        let records: String = set.values.iter().map(record).collect();
        inner += &element("ResourceRecords", &records);
    }
    element("ResourceRecordSet", &inner)
}

/// What became of a change; `root` is the answer's element.
pub(super) fn change(root: &str, id: &str, status: &str, at: &str, comment: &str) -> String {
    let mut info = leaf("Id", &format!("/change/{id}"));
    info += &leaf("Status", status);
    info += &leaf("SubmittedAt", at);
    if !comment.is_empty() {
        info += &leaf("Comment", comment);
    }
    document(root, ROUTE53, &element("ChangeInfo", &info))
}
