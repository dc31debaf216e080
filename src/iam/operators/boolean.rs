//! `Bool` and `Null`: words `true` and `false`, in any case of letters.

/// The values of a `Bool` or `Null` condition; they join by OR.
#[derive(Debug, Clone, Copy)]
pub(in crate::iam) struct Words {
    truth: bool,
    falsehood: bool,
}

impl Words {
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let mut words = Self {
            truth: false,
            falsehood: false,
        };
        for value in values {
            words.truth |= value.eq_ignore_ascii_case("true");
            words.falsehood |= value.eq_ignore_ascii_case("false");
        }
        words
    }

    pub(super) fn match_one(self, value: &str) -> bool {
        (self.truth && value.eq_ignore_ascii_case("true"))
            || (self.falsehood && value.eq_ignore_ascii_case("false"))
    }
}
/// Whether `text` is a truth value.
pub(super) fn is_word(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}
