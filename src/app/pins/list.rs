//! `pointsman pins list`: every pin with what the lock says of it.

use std::io::Write;

use serde_json::{Value, json};

use crate::app::{AppError, Exit};
use crate::ports::Files;
use crate::report::Format;

use super::{Pin, Tree, in_words, write_pins};

/// Writes every pin below the working directory to `out`.
///
/// # Errors
/// When a folder or the lock cannot be read, or `out` cannot be written to.
pub fn run(format: Format, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let tree = Tree::read(files)?;
    let mut rows: Vec<(String, Value)> = tree.pins().iter().map(|pin| row(pin, &tree)).collect();
    rows.extend(tree.unpinned());
    write_pins(format, tree.has_lock, &rows, out)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MemoryFiles;

    #[test]
    fn what_names_a_tag_is_listed_with_the_commit_that_the_lock_knows() {
        let commit = "a".repeat(40);
        let workflow = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: o/r@v1\n      - uses: p/q@main\n";
        let files = MemoryFiles::new([(".github/workflows/a.yml", workflow), ("x.json", "")]);
        let json =
            format!(r#"{{"repos": {{"o/r": {{"tags": {{"v1": {{"commit": "{commit}"}}}}}}}}}}"#);
        files.put("x.json", json);
        let format = Format::Human { colour: false };
        let request = super::super::import::Request {
            path: "x.json".to_owned(),
            format,
        };
        super::super::import::run(&request, &files, &mut Vec::new()).unwrap();
        let mut out = Vec::new();
        run(format, &files, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            format!(
                ".github/workflows/a.yml:6: o/r@v1: no commit; the lock saw it at {commit}\n\
                 .github/workflows/a.yml:7: p/q@main: no commit; the lock does not know it\n"
            )
        );
    }
}
