//! A change of a policy as edits of its text, in that text's own manner: a list that stands line by line grows by a line.

use serde_json::{Map, Value as Json};

use crate::iam::advice::{Change, OwnCondition};
use crate::model::policy::{Condition, Operator, PolicyDocument, Statement, Value, has_wildcard};
use crate::syntax::json;
use crate::text::{SourceMap, Span};

use super::notation::{put_back, taken_out};

/// Bytes to replace, and what stands there then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) at: Span,
    pub(super) with: String,
}

/// The file's text with all `changes` made; `None` where a change has no certain place. A document that is text inside
/// the file is changed as what it stands for, and put back.
pub(super) fn changed(
    document: &PolicyDocument,
    sources: &SourceMap,
    changes: &[Change],
) -> Option<String> {
    let span = document.span();
    let (inner, notations) = taken_out(sources.slice(span))?;
    if notations.is_empty() {
        return spliced(document, sources, changes);
    }
    let mut alone = SourceMap::default();
    let file = alone.add("policy.json", inner);
    let parsed = json::read(&alone.text(file)?);
    let root = parsed.documents.into_iter().next()?;
    let document = PolicyDocument::read(root, Some(document.kind), None);
    let written = put_back(&spliced(&document, &alone, changes)?, &notations)?;
    let mut text = sources.get(span.file)?.text().to_owned();
    text.get(span.range())?;
    text.replace_range(span.range(), &written);
    Some(text)
}

fn spliced(document: &PolicyDocument, sources: &SourceMap, changes: &[Change]) -> Option<String> {
    let mut splices: Vec<Splice> = Vec::new();
    for change in changes {
        let splice = splice(document, sources, change)?;
        // Several values for one list go in one behind the other.
        match splices.iter_mut().find(|one| one.at == splice.at) {
            Some(one) if one.at.is_empty() => one.with.push_str(&splice.with),
            Some(_) => return None,
            None => splices.push(splice),
        }
    }
    splices.sort_by_key(|splice| splice.at);
    let source = sources.get(document.span().file)?;
    let mut text = String::with_capacity(source.text().len() + 256);
    let mut done = 0;
    for splice in &splices {
        let range = splice.at.range();
        text.push_str(source.text().get(done..range.start)?);
        text.push_str(&splice.with);
        done = range.end;
    }
    text.push_str(source.text().get(done..)?);
    Some(text)
}

fn splice(document: &PolicyDocument, sources: &SourceMap, change: &Change) -> Option<Splice> {
    let statement = |index: usize| -> Option<&Statement> {
        document.statements.iter().find(|one| one.index == index)
    };
    match change {
        Change::Resource {
            statement: index,
            value,
            instead,
        } => {
            let list = statement(*index)?.resources.as_ref()?;
            one(sources, list.span, &list.values, value, instead.as_deref())
        }
        Change::Value {
            statement: index,
            operator,
            key,
            value,
            instead,
        } => {
            let condition = condition(statement(*index)?, *operator, key)?;
            let values = &condition.values;
            one(sources, condition.span, values, value, instead.as_deref())
        }
        Change::Operator {
            statement: index,
            operator,
            key,
            to,
        } => another_operator(statement(*index)?, *operator, key, *to),
        Change::Statement {
            action,
            resource,
            conditions,
        } => one_more_statement(document, sources, &own(action, resource, conditions)?),
    }
}

fn condition<'a>(statement: &'a Statement, operator: Operator, key: &str) -> Option<&'a Condition> {
    let mut conditions = statement.conditions.iter();
    conditions.find(|one| one.operator == Some(operator) && one.key.as_str() == key)
}

/// Another name for the block of an operator, where that means the same to the other keys in it.
fn another_operator(
    statement: &Statement,
    operator: Operator,
    key: &str,
    to: Operator,
) -> Option<Splice> {
    let found = condition(statement, operator, key)?;
    let others = || {
        statement
            .conditions
            .iter()
            .filter(|one| one.key.as_str() != key)
    };
    let plain = |one: &Condition| {
        let mut values = one.values.iter();
        !one.incomplete && !values.any(|value| has_wildcard(value.text.as_str()))
    };
    let stands = others().any(|one| one.operator == Some(to));
    let in_block = others().filter(|one| one.block == found.block);
    (!stands && in_block.into_iter().all(plain)).then_some(())?;
    Some(Splice {
        at: found.operator_text.span(),
        with: quoted(&to.to_string())?,
    })
}

/// A value in the place of a broken one, or one more.
fn one(
    sources: &SourceMap,
    whole: Span,
    values: &[Value],
    value: &str,
    instead: Option<&str>,
) -> Option<Splice> {
    let Some(broken) = instead else {
        return one_more(sources, whole, values, value);
    };
    let found = values.iter().find(|one| one.text.as_str() == broken)?;
    Some(Splice {
        at: found.text.span(),
        with: quoted(value)?,
    })
}

/// A value behind the last of a list, or a list in place of a single value.
fn one_more(sources: &SourceMap, whole: Span, values: &[Value], value: &str) -> Option<Splice> {
    let written = quoted(value)?;
    let text = sources.slice(whole);
    let last = values.last();
    if text.starts_with('[') {
        let Some(last) = last else {
            return Some(Splice {
                at: whole,
                with: format!("[{written}]"),
            });
        };
        let end = last.text.span().end;
        let before = values.iter().rev().nth(1);
        let gap_from = before.map_or(whole.start + 1, |one| one.text.span().end);
        let gap = Span::new(
            whole.file,
            gap_from as usize,
            last.text.span().start as usize,
        );
        let gap = sources.slice(gap).trim_start_matches([',']);
        let gap = if before.is_none() && !gap.contains('\n') {
            " "
        } else {
            gap
        };
        return Some(Splice {
            at: Span::at(whole.file, end as usize),
            with: format!(",{gap}{written}"),
        });
    }
    text.starts_with('"').then(|| Splice {
        at: whole,
        with: format!("[{text}, {written}]"),
    })
}

fn quoted(value: &str) -> Option<String> {
    serde_json::to_string(value).ok()
}

/// A statement behind the last.
fn one_more_statement(
    document: &PolicyDocument,
    sources: &SourceMap,
    statement: &Json,
) -> Option<Splice> {
    let last = document.statements.last()?.span;
    let margin = margin(sources, last);
    let pretty = serde_json::to_string_pretty(statement).ok()?;
    let list = document.root.get("Statement")?.as_list().is_some();
    let (line, depth) = match &margin {
        Some(margin) => (format!("\n{margin}"), margin.as_str()),
        None => (" ".to_owned(), ""),
    };
    let statement = if margin.is_some() {
        pretty.replace('\n', &format!("\n{depth}"))
    } else {
        serde_json::to_string(statement).ok()?
    };
    if list {
        return Some(Splice {
            at: Span::at(last.file, last.end as usize),
            with: format!(",{line}{statement}"),
        });
    }
    Some(Splice {
        at: last,
        with: format!("[{}, {statement}]", sources.slice(last)),
    })
}

/// The white space before what stands at `at`, when nothing else is before it on its line.
fn margin(sources: &SourceMap, at: Span) -> Option<String> {
    let text = sources.get(at.file)?.text();
    let before = text.get(..at.start as usize)?;
    let line = before.rsplit_once('\n').map(|(_, line)| line)?;
    line.chars()
        .all(char::is_whitespace)
        .then(|| line.to_owned())
}

/// A statement; `None` where two of its conditions would have one name.
fn own(action: &str, resource: &str, conditions: &[OwnCondition]) -> Option<Json> {
    let mut statement = Map::new();
    statement.insert("Effect".to_owned(), Json::from("Allow"));
    statement.insert("Action".to_owned(), Json::from(action));
    statement.insert("Resource".to_owned(), Json::from(resource));
    let mut blocks = Map::new();
    for OwnCondition {
        operator,
        key,
        values,
    } in conditions
    {
        let name = operator.to_string();
        let is_list = values.len() != 1 || operator.quantifier.is_some();
        let value = match values.first() {
            Some(one) if !is_list => Json::from(one.as_str()),
            _ => Json::from(values.clone()),
        };
        let block = blocks.entry(name).or_insert_with(|| Json::from(Map::new()));
        let block = block.as_object_mut()?;
        if block.keys().any(|known| known.eq_ignore_ascii_case(key)) {
            return None;
        }
        block.insert(key.clone(), value);
    }
    if !blocks.is_empty() {
        statement.insert("Condition".to_owned(), Json::from(blocks));
    }
    Some(Json::from(statement))
}
