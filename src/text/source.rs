//! The files of a run.

use super::{FileId, LineIndex, Position, Span, Text};

/// The path of standard input, as it is shown: it can be read once, and is never written or listed.
pub const STDIN: &str = "<stdin>";

/// Bytes that are not all UTF-8, as a text of the same length, so that every place is that of the file: each byte that
/// belongs to no character becomes a `?`.
#[must_use]
pub fn byte_for_byte(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// One file: its path as it is shown, and its text.
#[derive(Debug)]
pub struct Source {
    path: String,
    text: Text,
    lines: LineIndex,
}

impl Source {
    /// The path, relative to the working directory and without `./`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_str()
    }

    /// Lines of this file.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }
}

/// All files of a run, by [`FileId`].
#[derive(Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Takes a file in. The same path may be added twice; it then has two ids.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let id = FileId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        let span = Span::new(id, 0, text.len());
        self.sources.push(Source {
            path: path.into(),
            lines: LineIndex::new(&text),
            text: Text::verbatim(text, span),
        });
        id
    }

    /// The file with this id.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.sources.get(file.0 as usize)
    }

    /// The file with this path, the newest if it was added more than once.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        let at = self
            .sources
            .iter()
            .rposition(|source| source.path == path)?;
        u32::try_from(at).ok().map(FileId)
    }

    /// The path of a file; empty for an unknown id.
    #[must_use]
    pub fn path(&self, file: FileId) -> &str {
        self.get(file).map_or("", Source::path)
    }

    /// The bytes of `span` as text; empty when the span does not fit the file.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|source| source.text().get(span.range()))
            .unwrap_or("")
    }

    /// Start and end of `span` as line and column.
    #[must_use]
    pub fn positions(&self, span: Span) -> Option<(Position, Position)> {
        let source = self.get(span.file)?;
        let place = |offset: u32| source.lines.position(source.text(), offset as usize);
        Some((place(span.start), place(span.end)))
    }

    /// The whole file as a text value that knows its bytes: what readers take.
    #[must_use]
    pub fn text(&self, file: FileId) -> Option<Text> {
        self.get(file).map(|source| source.text.clone())
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_wrong_bytes_is_as_long_as_they_are() {
        let bytes = b"caf\xe9 \xf0\x9f\x98 \xc3\xa9 \xff\xfe";
        assert_eq!(byte_for_byte(bytes).len(), bytes.len());
        assert_eq!(byte_for_byte(b"a\xe9b"), "a?b");
        assert_eq!(byte_for_byte("é".as_bytes()), "é");
    }
}
