//! `pointsman pins import`: facts about refs that another tool wrote down, taken into the lock.

use std::io::Write;

use serde_json::json;

use crate::app::{AppError, Exit};
use crate::model::pins::LOCK_FILE;
use crate::ports::Files;
use crate::report::Format;
use crate::text::SourceMap;

use super::{lock, lock_at, write_rows};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file: JSON with `repos`, or another lock.
    pub path: String,
    /// The form of the output.
    pub format: Format,
}

/// Takes the file into the lock of the working directory, and says to `out` what changed: a tag that is at another commit
/// now has moved, and its former commit is kept.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let mut sources = SourceMap::default();
    let mut own = lock(files, &mut sources)?;
    let other = lock_at(&request.path, files, &mut sources)?;
    let mut rows = Vec::new();
    for (key, upstream) in other.repositories {
        let (name, count) = (upstream.name.clone(), upstream.tags.len());
        let moved = match own.repositories.remove(&key) {
            Some(before) => {
                let (merged, moved) = before.renewed(upstream);
                own.repositories.insert(key, merged);
                moved
            }
            None => {
                own.repositories.insert(key, upstream);
                Vec::new()
            }
        };
        let told = match moved.as_slice() {
            [] => String::new(),
            tags => format!("; moved since: {}", tags.join(", ")),
        };
        let row = json!({ "repository": name, "tags": count, "moved": moved });
        rows.push((format!("{name}: {count} tags{told}"), row));
    }
    files.write_atomically(LOCK_FILE, own.to_toml().as_bytes())?;
    write_rows(request.format, "repositories", &rows, out)?;
    Ok(Exit::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MemoryFiles;

    #[test]
    fn a_tag_that_is_elsewhere_now_has_moved_and_its_former_commit_is_kept() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let json = |commit: &str| {
            format!(r#"{{"repos": {{"o/r": {{"tags": {{"v1": {{"commit": "{commit}"}}}}}}}}}}"#)
        };
        let files =
            MemoryFiles::new([("x.json", json(&a).as_str()), ("y.json", json(&b).as_str())]);
        let mut out = Vec::new();
        for path in ["x.json", "y.json"] {
            let request = Request {
                path: path.to_owned(),
                format: Format::Human { colour: false },
            };
            run(&request, &files, &mut out).unwrap();
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "o/r: 1 tags\no/r: 1 tags; moved since: v1\n"
        );
        let written = files.text(LOCK_FILE).unwrap();
        assert!(written.contains(&format!("former_commits = [\n  \"{a}\",\n]")));
    }
}
