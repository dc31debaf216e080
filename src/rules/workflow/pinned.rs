//! A pin as the spec or the lock has it: the edits that write its commit, and its version as the comment behind.

use crate::diag::Edit;
use crate::model::workflow::Uses;
use crate::rules::Sink;
use crate::text::Span;

/// Writes the commit `written` and `version` in place of what stands there. Where the line goes on behind the value, as it does
/// in a map in braces, no comment can stand.
pub(super) fn edits(uses: &Uses, written: &str, version: &str, sink: &Sink<'_>) -> Vec<Edit> {
    let at = uses.reference_span();
    let comment = format!("# {version}");
    let mut commit = Edit {
        at,
        with: written.to_owned(),
    };
    if let Some(there) = uses.any_comment() {
        let at = there.span;
        return vec![commit, Edit { at, with: comment }];
    }
    let next = |at: u32| {
        sink.written(Span {
            start: at,
            end: at + 1,
            ..uses.value_span()
        })
    };
    let is_quoted = matches!(next(at.end), "\"" | "'");
    let end = at.end + u32::from(is_quoted);
    let mut behind = end;
    while next(behind) == " " {
        behind += 1;
    }
    if !matches!(next(behind), "" | "\n" | "\r") {
        return vec![commit];
    }
    if is_quoted {
        let at = Span {
            start: end,
            end,
            ..at
        };
        let with = format!(" {comment}");
        return vec![commit, Edit { at, with }];
    }
    commit.with = format!("{written} {comment}");
    vec![commit]
}
