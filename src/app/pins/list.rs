//! `pointsman pins list`: every pin with what the lock says of it.

use std::io::Write;

use serde_json::{Value, json};

use crate::app::{AppError, Exit};
use crate::ports::Files;
use crate::report::Format;

use super::{Pin, Tree, in_words, write_rows};

/// Writes every pin below the working directory to `out`.
///
/// # Errors
/// When a folder or the lock cannot be read, or `out` cannot be written to.
pub fn run(format: Format, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let tree = Tree::read(files)?;
    let rows: Vec<(String, Value)> = tree.pins().iter().map(|pin| row(pin, &tree)).collect();
    write_rows(format, "pins", &rows, out)?;
    Ok(if tree.loaded.unread.is_empty() {
        Exit::Clean
    } else {
        Exit::Unread
    })
}

/// A pin as a line, and as JSON.
pub(super) fn row(pin: &Pin<'_>, tree: &Tree) -> (String, Value) {
    let (word, words) = in_words(tree.standing(pin).as_ref());
    let Pin {
        path,
        line,
        repository,
        commit,
        uses,
    } = pin;
    let comment = uses.comment.as_ref().map(|comment| comment.text.trim());
    let shown = comment.map_or_else(String::new, |comment| format!(" # {comment}"));
    (
        format!("{path}:{line}: {repository}@{commit}{shown}: {words}"),
        json!({
            "path": path,
            "line": line,
            "repository": repository,
            "commit": commit,
            "comment": comment,
            "standing": word,
        }),
    )
}
