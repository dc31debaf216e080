//! A statement of its own for one request: what the statement beside it asks for is asked for here too, so that it allows no
//! more than that statement would with the missing values in its lists.

use crate::model::policy::{BaseOperator, Operator, Quantifier, route53};

use super::super::Request;
use super::super::condition::ConditionTest;
use super::super::statement::{StatementTest, Truth};
use super::{Change, values};

/// A condition of an added statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCondition {
    /// The operator.
    pub operator: Operator,
    /// The key.
    pub key: String,
    /// The values.
    pub values: Vec<String>,
}

/// A statement for this request alone, with the conditions of `like`. One that also depended on other keys would be
/// guessed at.
pub(super) fn statement(like: Option<&StatementTest>, request: &Request) -> Option<Change> {
    let pattern = request.resource != "*" && request.resource.contains(['*', '?', '$']);
    if pattern || request.action().contains(['*', '?']) {
        return None;
    }
    let changes_records = request
        .action()
        .eq_ignore_ascii_case(route53::CHANGE_RECORDS);
    let mut conditions = if changes_records {
        // A right to change records that no key narrows is nobody's smallest edit.
        records(request)?
    } else {
        Vec::new()
    };
    for test in like.iter().flat_map(|like| like.conditions.iter()) {
        if !(changes_records && is_record_key(&test.folded_key)) {
            conditions.push(carried(test, request)?);
        }
    }
    Some(Change::Statement {
        action: request.action().to_owned(),
        resource: request.resource.clone(),
        conditions,
    })
}

/// Whether a key says what a change of records changes.
pub(super) fn is_record_key(key: &str) -> bool {
    let mut keys = route53::RECORD_KEYS.iter();
    keys.any(|known| known.eq_ignore_ascii_case(key))
}

/// The record keys of the request, each held to what it carries.
fn records(request: &Request) -> Option<Vec<OwnCondition>> {
    let all_of = Operator {
        quantifier: Some(Quantifier::ForAllValues),
        base: BaseOperator::StringEquals,
        if_exists: false,
    };
    let absent = Operator {
        quantifier: None,
        base: BaseOperator::Null,
        if_exists: false,
    };
    let listed = route53::RECORD_KEYS.into_iter().map(|key| {
        Some(OwnCondition {
            operator: all_of,
            key: key.to_owned(),
            values: request.context(key)?.values().to_vec(),
        })
    });
    let guards = route53::RECORD_KEYS.into_iter().map(|key| {
        Some(OwnCondition {
            operator: absent,
            key: key.to_owned(),
            values: vec!["false".to_owned()],
        })
    });
    listed.chain(guards).collect()
}

/// A condition that holds as it stands, of an exact list what the request carries; one that does not, with what it lacks
/// alone. `None` where neither is certain.
fn carried(test: &ConditionTest, request: &Request) -> Option<OwnCondition> {
    let written: Vec<String> = test.written.iter().map(ToString::to_string).collect();
    let exact = test.operator.base == BaseOperator::StringEquals;
    let carries = request
        .value(&test.folded_key)
        .map_or(&[][..], |value| value.values());
    let plain = |value: &String| !value.contains("${");
    let values = if test.doubt.is_some() {
        return None;
    } else if exact && !carries.is_empty() && carries.iter().all(plain) && written.iter().all(plain)
    {
        match test.operator.quantifier {
            Some(Quantifier::ForAnyValue) => {
                let listed = carries.iter().find(|value| written.contains(value));
                vec![listed.or(carries.first())?.clone()]
            }
            Some(Quantifier::ForAllValues) | None => carries.to_vec(),
        }
    } else if test.truth(request) == Truth::Yes {
        written
    } else {
        let lacking = values::missing(test, request).ok()?;
        match test.operator.quantifier {
            Some(Quantifier::ForAllValues) => written.into_iter().chain(lacking).collect(),
            Some(Quantifier::ForAnyValue) | None => lacking,
        }
    };
    Some(OwnCondition {
        operator: test.operator,
        key: test.key.to_string(),
        values,
    })
}

#[cfg(test)]
mod tests {
    use super::super::advise;
    use super::*;
    use crate::iam::{Compiled, ContextValue, NamedPolicy, Policies};
    use crate::model::policy::{PolicyDocument, PolicyKind};
    use crate::syntax::json;
    use crate::text::SourceMap;

    fn own(policy: &str, request: &Request) -> Option<Change> {
        let mut sources = SourceMap::default();
        let file = sources.add("p.json", policy);
        let root = json::read(&sources.text(file)?).documents.pop()?;
        let document = PolicyDocument::read(root, Some(PolicyKind::Identity), None);
        let mut policies = Policies::default();
        policies.identity.push(NamedPolicy {
            name: "p.json",
            document: &document,
        });
        advise(&Compiled::new(&policies), request).alone
    }

    #[test]
    fn what_the_statement_beside_it_asks_for_is_asked_for_too() {
        let policy = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject",
            "Resource": "arn:aws:s3:::a/*", "Condition": {
                "Bool": {"aws:MultiFactorAuthPresent": "true"},
                "IpAddress": {"aws:SourceIp": ["203.0.113.0/24", "198.51.100.0/24"]},
                "StringNotEquals": {"aws:PrincipalTag/team": "guests"},
                "StringEquals": {"aws:PrincipalOrgID": ["o-aaaaaaaaaa", "o-bbbbbbbbbb"]}}}]}"#;
        let single = |value: &str| ContextValue::Single(value.to_owned());
        let request = Request::new("s3:GetObject", "arn:aws:s3:::b/k")
            .with("aws:MultiFactorAuthPresent", single("true"))
            .with("aws:SourceIp", single("203.0.113.5"))
            .with("aws:PrincipalOrgID", single("o-aaaaaaaaaa"));
        let Some(Change::Statement { conditions, .. }) = own(policy, &request) else {
            panic!("no statement");
        };
        let told: Vec<String> = conditions
            .iter()
            .map(|one| format!("{} {} {:?}", one.operator, one.key, one.values))
            .collect();
        assert_eq!(
            told,
            [
                r#"Bool aws:MultiFactorAuthPresent ["true"]"#,
                r#"IpAddress aws:SourceIp ["203.0.113.0/24", "198.51.100.0/24"]"#,
                r#"StringNotEquals aws:PrincipalTag/team ["guests"]"#,
                r#"StringEquals aws:PrincipalOrgID ["o-aaaaaaaaaa"]"#,
            ]
        );
    }
}
