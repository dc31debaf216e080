//! Edits inside string values, in the notation of the language that the bytes stand in.

use std::ops::Range;

use crate::diag::Edit;
use crate::rules::{Draft, Sink};
use crate::text::Text;

/// The edit that makes the bytes `range` of the value of `text` read `with`. JSON strings and quoted strings of HCL, YAML
/// and TOML double the backslash, strings in single quotes do not. `None` where the bytes do not stand as they are (an
/// inserted value, another escape), or where `with` has a backslash and the notation is not known.
pub(super) fn edit(sink: &Sink<'_>, text: &Text, range: Range<usize>, with: &str) -> Option<Edit> {
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
pub(super) fn replace(sink: &Sink<'_>, text: &Text, with: &str) -> Option<Edit> {
    edit(sink, text, 0..text.as_str().len(), with)
}

/// Puts a safe fix of these edits into `draft`, if all of them could be made.
pub(super) fn offer(draft: Draft<'_>, title: &str, edits: Vec<Option<Edit>>) {
    let edits: Option<Vec<Edit>> = edits.into_iter().collect();
    if let Some(edits) = edits.filter(|edits| !edits.is_empty()) {
        draft.fix(title, true, edits);
    }
}
