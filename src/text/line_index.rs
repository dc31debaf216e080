//! Byte offsets to lines and columns.

/// A place as people write it: line and column from 1; a column is one Unicode character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode characters, from 1.
    pub column: usize,
    /// Byte offset, from 0.
    pub offset: usize,
}

/// Where each line of a text begins.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    /// Whether every character is one byte, so that columns need no counting: a minified document is one long line.
    ascii: bool,
}

impl LineIndex {
    /// Indexes `text`; a line ends with `\n`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at + 1),
        );
        let ascii = text.is_ascii();
        Self { starts, ascii }
    }

    /// The position of byte `offset` of `text`, the text that this index was made from. An offset inside a character
    /// or behind the end is moved back to the nearest border.
    #[must_use]
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        let before = if self.ascii {
            offset - start.min(offset)
        } else {
            text.get(start..offset)
                .map_or(0, |before| before.chars().count())
        };
        let column = before + 1;
        Position {
            line,
            column,
            offset,
        }
    }

    /// The offset at which line `line` (from 1) begins.
    #[must_use]
    pub fn line_start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).copied()
    }

    /// Number of lines.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_bytes() {
        let text = "a\n한글 x\r\n";
        let index = LineIndex::new(text);
        let at = text.find('x').unwrap();
        assert_eq!(
            index.position(text, at),
            Position {
                line: 2,
                column: 4,
                offset: at
            }
        );
        assert_eq!(
            index.position(text, 3),
            Position {
                line: 2,
                column: 1,
                offset: 2
            }
        );
        assert_eq!(index.position(text, 999).line, 3);
        let ascii = "ab\ncd";
        let place = LineIndex::new(ascii).position(ascii, 4);
        assert_eq!((place.line, place.column), (2, 2));
    }
}
