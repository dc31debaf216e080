//! Changes of records as Route 53 takes them, listings of records, and health checks, in Route 53's own JSON.
//!
//! Source: Route 53 API, `ChangeBatch`, `ResourceRecordSet`, `HealthCheckConfig` (2013-04-01).

use crate::model::dns::RecordName;
use crate::syntax::{Node, yaml};
use crate::text::{Span, Text};

/// Record sets that are to be changed or that there are, and health checks.
#[derive(Debug, Clone, Default)]
pub struct ChangeBatch {
    /// The changes, in written order; of a listing the record sets, without an action.
    pub changes: Vec<Change>,
    /// The health checks.
    pub health_checks: Vec<Node>,
    /// Names of records that somebody means to have, in a list of his own: `{"zone": …, "records": [{"name": …}]}`.
    pub meant: Vec<Text>,
}

/// One record set, and what is to be done with it.
#[derive(Debug, Clone)]
pub struct Change {
    /// `CREATE`, `DELETE` or `UPSERT`; `None` in a listing.
    pub action: Option<Text>,
    /// The record set.
    pub set: Node,
}

impl ChangeBatch {
    /// Whether a JSON text may hold one.
    #[must_use]
    pub fn looks_alike(text: &str) -> bool {
        text.contains("\"ResourceRecordSet")
            || text.contains("\"HealthCheckConfig\"")
            || text.contains("\"FailureThreshold\"")
            || text.contains("\"zone\"") && text.contains("\"records\"")
    }

    /// Reads a document; `None` where it is another thing.
    #[must_use]
    pub fn read(root: &Node) -> Option<Self> {
        let inner = root.get("ChangeBatch").unwrap_or(root);
        let mut batch = Self::default();
        for change in inner
            .get("Changes")
            .and_then(Node::as_list)
            .unwrap_or_default()
        {
            if let Some(set) = change.get("ResourceRecordSet") {
                batch.changes.push(Change {
                    action: change.get("Action").and_then(Node::as_text).cloned(),
                    set: set.clone(),
                });
            }
        }
        let listed = inner.get("ResourceRecordSets").and_then(Node::as_list);
        for set in listed.unwrap_or_default() {
            let action = None;
            let set = set.clone();
            batch.changes.push(Change { action, set });
        }
        let checks = inner.get("HealthChecks").and_then(Node::as_list);
        for node in checks.unwrap_or_default().iter().chain([inner]) {
            let wrapped = node.get("HealthCheck").unwrap_or(node);
            let config = wrapped.get("HealthCheckConfig");
            let alone = || {
                let is_check = wrapped.get("FailureThreshold").is_some()
                    && wrapped
                        .get("Type")
                        .is_some_and(|kind| kind.as_str().is_some());
                is_check.then_some(wrapped)
            };
            batch.health_checks.extend(config.or_else(alone).cloned());
        }
        batch.meant = meant(root).unwrap_or_default();
        let empty = batch.changes.is_empty() && batch.health_checks.is_empty();
        (!empty || !batch.meant.is_empty()).then_some(batch)
    }
}

/// The names of a list of records of a zone, each with a name and a type.
fn meant(root: &Node) -> Option<Vec<Text>> {
    root.get("zone")?.as_str()?;
    let records = root.get("records")?.as_list()?;
    let name = |record: &Node| {
        record.get("type")?.as_str()?;
        record.get("name")?.as_text().cloned()
    };
    records.iter().map(name).collect()
}

impl Change {
    /// The name as Route 53 keeps it; as it is written where it is none.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let written = self.set.get("Name")?.as_str()?;
        Some(RecordName::parse(written).map_or_else(|_| written.to_owned(), |name| name.route53()))
    }

    /// A part of the record set as it is written.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<Text> {
        self.set.get(key).and_then(yaml::as_written)
    }

    /// The bytes of a key and its value.
    #[must_use]
    pub fn entry_span(&self, key: &str) -> Option<Span> {
        let entry = self.set.entry(key)?;
        Some(entry.key.span().cover(entry.value.span()))
    }

    /// Where it is written.
    #[must_use]
    pub fn span(&self) -> Span {
        self.set.span()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::json;
    use crate::text::SourceMap;

    fn read(source: &str) -> Option<ChangeBatch> {
        let mut sources = SourceMap::default();
        let file = sources.add("x.json", source);
        ChangeBatch::read(json::read(&sources.text(file)?).documents.first()?)
    }

    #[test]
    fn a_batch_is_read_alone_and_inside_a_request() {
        let change = r#"{"Changes":[{"Action":"UPSERT","ResourceRecordSet":{"Name":"*.Example.com","Type":"A"}}]}"#;
        for source in [
            change.to_owned(),
            format!(r#"{{"HostedZoneId":"Z0","ChangeBatch":{change}}}"#),
        ] {
            let batch = read(&source).unwrap();
            let change = batch.changes.first().unwrap();
            assert_eq!(change.name().unwrap(), "\\052.example.com.");
            assert_eq!(change.action.as_ref().unwrap().as_str(), "UPSERT");
        }
    }

    #[test]
    fn a_health_check_is_read_and_other_json_is_not() {
        let check = read(
            r#"{"HealthCheck":{"Id":"x","HealthCheckConfig":{"Type":"HTTPS","Disabled":true}}}"#,
        );
        assert_eq!(check.unwrap().health_checks.len(), 1);
        assert!(read(r#"{"Changes":[{"file":"a"}]}"#).is_none());
        assert!(read("[]").is_none());
    }

    #[test]
    fn a_list_of_records_that_are_meant_has_names() {
        let source = r#"{"zone":"example.com","records":[{"name":"www","type":"A"}]}"#;
        let meant = read(source).unwrap().meant;
        assert_eq!(meant.first().unwrap().as_str(), "www");
        assert!(read(&source.replace("type", "kind")).is_none());
    }
}
