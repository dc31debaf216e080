//! Edits inside string values, in the notation of the language that the bytes stand in.

use std::ops::Range;

use crate::diag::Edit;
use crate::model::policy::PolicyDocument;
use crate::rules::{Draft, Sink};
use crate::text::Text;

/// The edit that makes the bytes `range` of the value of `text` read `with`. JSON strings and quoted strings of HCL, YAML
/// and TOML double the backslash, strings in single quotes do not. `None` where the bytes do not stand as they are (an
/// inserted value, another escape), or where `with` has a backslash and the notation is not known.
pub(in crate::rules) fn edit(
    sink: &Sink<'_>,
    text: &Text,
    range: Range<usize>,
    with: &str,
) -> Option<Edit> {
    let meant = text.as_str().get(range.clone())?;
    let at = text.span_of(range);
    let token = sink.written(text.span());
    let doubles = token.starts_with('"') && text.span().contains(at);
    let in_notation = |value: &str| {
        if doubles {
            value.replace('\\', "\\\\")
        } else {
            value.to_owned()
        }
    };
    let single = token.starts_with('\'');
    let safe = doubles || single || !with.contains('\\');
    let stands_there = sink.written(at) == in_notation(meant) && !meant.is_empty();
    (safe && stands_there).then(|| Edit {
        at,
        with: in_notation(with),
    })
}

/// The edit that replaces the whole value of `text`.
pub(in crate::rules) fn replace(sink: &Sink<'_>, text: &Text, with: &str) -> Option<Edit> {
    edit(sink, text, 0..text.as_str().len(), with)
}

/// Puts a fix of these edits into `draft`, if all of them could be made. It is safe where they lie inside the policy; a
/// value that stands elsewhere and is referred to may be right for what else uses it.
pub(in crate::rules) fn offer(
    draft: Draft<'_>,
    policy: &PolicyDocument,
    title: &str,
    edits: Vec<Option<Edit>>,
) {
    offer_as(draft, policy, title, edits, true);
}

/// The same for edits of which it is not `certain` that they are what was meant: such a fix is never safe.
pub(in crate::rules) fn offer_as(
    draft: Draft<'_>,
    policy: &PolicyDocument,
    title: &str,
    edits: Vec<Option<Edit>>,
    certain: bool,
) {
    let edits: Option<Vec<Edit>> = edits.into_iter().collect();
    if let Some(edits) = edits.filter(|edits| !edits.is_empty()) {
        let inside = edits.iter().all(|edit| policy.span().contains(edit.at));
        draft.fix(title, inside && certain, edits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::policy::malformed_policy::RULE;
    use crate::syntax::{Node, Parsed, json, yaml};
    use crate::text::SourceMap;

    /// The edit that writes `with` for the first character of the value of `k`.
    fn first_character(
        path: &str,
        file: &str,
        read: fn(&Text) -> Parsed,
        with: &str,
    ) -> Option<String> {
        let mut sources = SourceMap::default();
        let id = sources.add(path, file);
        let root = read(&sources.text(id)?).documents.pop()?;
        let text = root.get("k").and_then(Node::as_text)?;
        let (mut findings, mut undecided) = (Vec::new(), Vec::new());
        let sink = Sink::new(&RULE, None, &sources, &mut findings, &mut undecided);
        let edit = edit(&sink, text, 0..1, with)?;
        let mut mended = file.to_owned();
        mended.replace_range(edit.at.range(), &edit.with);
        Some(mended)
    }

    #[test]
    fn each_notation_gets_its_own_backslashes() {
        let star = "\\052";
        let json = first_character("p.json", r#"{"k": "*.a"}"#, json::read, star);
        assert_eq!(json.as_deref(), Some(r#"{"k": "\\052.a"}"#));
        let double = first_character("p.yml", r#"k: "*.a""#, yaml::read, star);
        assert_eq!(double.as_deref(), Some(r#"k: "\\052.a""#));
        let single = first_character("p.yml", "k: '*.a'", yaml::read, star);
        assert_eq!(single.as_deref(), Some("k: '\\052.a'"));
    }

    #[test]
    fn what_does_not_stand_as_it_is_gets_no_edit() {
        let unicode = first_character("p.json", r#"{"k": "\u002a.a"}"#, json::read, "x");
        assert_eq!(unicode, None);
        let plain = first_character("p.yml", "k: A.a", yaml::read, "\\052");
        assert_eq!(plain, None);
        let letter = first_character("p.yml", "k: A.a", yaml::read, "a");
        assert_eq!(letter.as_deref(), Some("k: a.a"));
    }
}
