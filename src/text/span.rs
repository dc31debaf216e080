//! A place in a file: half-open byte ranges with the file they belong to.

/// A file of a [`SourceMap`](crate::text::SourceMap); opaque, its path is asked for only when rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A half-open range of bytes in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte, from 0.
    pub start: u32,
    /// Offset just behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from byte `start` to just before byte `end`. Offsets beyond 4 GiB are clamped; no reader lets such a file in.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let end = u32::try_from(end).unwrap_or(u32::MAX).max(start);
        Self { file, start, end }
    }

    /// The empty span at `offset`.
    #[must_use]
    pub fn at(file: FileId, offset: usize) -> Self {
        Self::new(file, offset, offset)
    }

    /// Number of bytes.
    #[must_use]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies wholly inside.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Whether the two share a byte, or one is empty and lies within or at the border of the other.
    #[must_use]
    pub fn touches(self, other: Self) -> bool {
        if self.file != other.file {
            return false;
        }
        if self.is_empty() || other.is_empty() {
            return self.start <= other.end && other.start <= self.end;
        }
        self.start < other.end && other.start < self.end
    }

    /// The smallest span that holds both; `self` when they lie in different files.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        Self {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The part of this span from byte `from` to byte `to`, both counted from its start and clamped to it.
    #[must_use]
    pub fn slice(self, from: usize, to: usize) -> Self {
        let start = (self.start as usize)
            .saturating_add(from)
            .min(self.end as usize);
        let end = (self.start as usize)
            .saturating_add(to)
            .min(self.end as usize);
        Self::new(self.file, start, end)
    }

    /// As a range into the file's text.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: FileId = FileId(0);

    #[test]
    fn touching_needs_a_shared_byte_unless_one_is_empty() {
        let left = Span::new(A, 0, 4);
        assert!(!left.touches(Span::new(A, 4, 6)));
        assert!(left.touches(Span::new(A, 3, 6)));
        assert!(left.touches(Span::at(A, 4)));
        assert!(!left.touches(Span::new(FileId(1), 0, 4)));
    }

    #[test]
    fn a_slice_never_leaves_its_span() {
        let whole = Span::new(A, 10, 20);
        assert_eq!(whole.slice(2, 5), Span::new(A, 12, 15));
        assert_eq!(whole.slice(8, 50), Span::new(A, 18, 20));
    }
}
