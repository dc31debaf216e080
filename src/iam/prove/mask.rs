//! Sets of statements.

/// A set of statements, by their place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mask(Box<[u64]>);

impl Mask {
    /// None of `count`.
    pub(super) fn none(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)].into_boxed_slice())
    }

    /// Those of `count` that `holds` says.
    pub(super) fn of(count: usize, mut holds: impl FnMut(usize) -> bool) -> Self {
        let mut mask = Self::none(count);
        for place in 0..count {
            if holds(place)
                && let Some(word) = mask.0.get_mut(place / 64)
            {
                *word |= 1 << (place % 64);
            }
        }
        mask
    }

    /// Those in both.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Those in either.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    /// Whether all of it that are in `among` are in `other` too.
    pub(super) fn is_within(&self, other: &Self, among: &Self) -> bool {
        let words = self.0.iter().zip(&other.0).zip(&among.0);
        words
            .into_iter()
            .all(|((own, other), among)| own & among & !other == 0)
    }

    /// Whether some are in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether `place` is in it.
    pub(super) fn has(&self, place: usize) -> bool {
        self.0
            .get(place / 64)
            .is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}
