//! Where the statements of a policy's text stand, as `MatchedStatements` tells it. Seen in the sample of the AWS CLI's
//! reference for `simulate-custom-policy`: the end is the column just behind the closing brace, the start the column just
//! behind the token before (a single statement: its own brace; the first of a list: the bracket).

use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::syntax::json;
use crate::text::{SourceMap, Span};

use super::exchange::Place;

/// A policy's text, read.
#[derive(Debug)]
pub(super) struct PolicyText {
    pub(super) document: PolicyDocument,
    /// The statements with their places, in order.
    pub(super) statements: Vec<StatementPlace>,
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatementPlace {
    /// Its place in the list, from 0.
    pub(super) index: usize,
    pub(super) start: Place,
    pub(super) end: Place,
}

impl PolicyText {
    /// Reads a policy; what is wrong with its JSON, if something is.
    pub(super) fn read(text: &str, kind: PolicyKind) -> Result<Self, String> {
        let mut sources = SourceMap::default();
        let file = sources.add("", text);
        let whole = sources.text(file).ok_or("it cannot be read")?;
        let mut parsed = json::read(&whole);
        if let Some(fault) = parsed.faults.first() {
            let at = place(&sources, fault.at, false);
            let (line, column) = (at.line, at.column);
            return Err(format!("{line}:{column}: {}", fault.reason));
        }
        let root = parsed.documents.pop().ok_or("it is empty")?;
        let document = PolicyDocument::read(root, Some(kind), None);
        let statements = places(&document, &sources);
        Ok(Self {
            document,
            statements,
        })
    }
}

fn places(document: &PolicyDocument, sources: &SourceMap) -> Vec<StatementPlace> {
    let node = document.root.get("Statement");
    let list = node
        .filter(|node| node.as_list().is_some())
        .map(|node| node.span());
    let mut before = list.map(|span| place(sources, span.slice(0, 1), true));
    let mut found = Vec::with_capacity(document.statements.len());
    for statement in &document.statements {
        let end = place(sources, statement.span, true);
        found.push(StatementPlace {
            index: statement.index,
            start: before.unwrap_or_else(|| place(sources, statement.span.slice(0, 1), true)),
            end,
        });
        before = Some(end);
    }
    found
}

fn place(sources: &SourceMap, span: Span, end: bool) -> Place {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let at = sources
        .positions(span)
        .map(|(first, last)| if end { last } else { first });
    Place {
        line: at.map_or(0, |at| number(at.line)),
        column: at.map_or(0, |at| number(at.column)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(u32, u32, u32, u32)> {
        let read = PolicyText::read(text, PolicyKind::Identity);
        let places = read.map(|read| read.statements).unwrap_or_default();
        places
            .iter()
            .map(|one| {
                (
                    one.start.line,
                    one.start.column,
                    one.end.line,
                    one.end.column,
                )
            })
            .collect()
    }

    #[test]
    fn places_are_those_of_the_cli_s_sample() {
        let one = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"*","Condition":{"DateGreaterThan":{"aws:CurrentTime":"2015-08-16T12:00:00Z"}}}}"#;
        assert_eq!(shown(one), [(1, 38, 1, 167)]);
        let list = "{\n  \"Version\": \"2012-10-17\",\n    \"Statement\": [\n  {\n \"Effect\": \"Allow\"\n } ,\n  {}]}";
        assert_eq!(shown(list), [(3, 19, 6, 3), (6, 3, 7, 5)]);
    }

    #[test]
    fn what_is_no_json_is_told_with_its_place() {
        let refused = PolicyText::read("{\n \"a\" 1}", PolicyKind::Identity);
        let told = refused.err();
        assert!(
            told.as_deref().is_some_and(|told| told.starts_with("2:")),
            "{told:?}"
        );
    }
}
