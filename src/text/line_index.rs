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
    /// How many characters begin before each so many bytes, so that a column takes no count of a whole line: a minified
    /// document is one. Empty where every character is one byte.
    marks: Vec<usize>,
}

/// How many bytes lie between two marks.
const STEP: usize = 512;

/// How many characters begin in some bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

impl LineIndex {
    /// Indexes `text`; a line ends with `\n`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let mut before = 0;
            for part in text.as_bytes().chunks(STEP) {
                marks.push(before);
                before += characters(part);
            }
            marks.push(before);
        }
        Self { starts, marks }
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
        let before = self.before(text, offset) - self.before(text, start.min(offset));
        let column = before + 1;
        Position {
            line,
            column,
            offset,
        }
    }

    /// How many characters begin before byte `offset`.
    fn before(&self, text: &str, offset: usize) -> usize {
        let Some(before) = self.marks.get(offset / STEP) else {
            return offset;
        };
        let rest = text.as_bytes().get(offset - offset % STEP..offset);
        before + rest.map_or(0, characters)
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
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn columns_are_what_counting_gives(text in "([ab한é]{0,300}\n?){0,8}", index in 0_usize..2000) {
            let middle = text.char_indices().map(|(at, _)| at).nth(index).unwrap_or(text.len());
            for offset in [middle, text.len()] {
                let before = text.get(..offset).unwrap_or_default();
                let line = before.rsplit('\n').next().unwrap_or_default();
                let place = LineIndex::new(&text).position(&text, offset);
                prop_assert_eq!(place.column, line.chars().count() + 1);
                prop_assert_eq!(place.line, before.matches('\n').count() + 1);
            }
        }
    }
}
