//! A text from outside, cut to a bearable length.

use std::borrow::Cow;

/// The beginning of `text`, of at most `most` bytes, with a word on how long it is; all of it when it is no longer.
#[must_use]
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(most);
    let start = text.get(..end).unwrap_or_default();
    Cow::Owned(format!("{start}… (cut; {} bytes in all)", text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "longe… (cut; 6 bytes in all)");
        assert_eq!(
            cut("\u{d55c}\u{ae00}", 4),
            "\u{d55c}… (cut; 6 bytes in all)"
        );
        assert_eq!(cut("\u{d55c}", 0), "… (cut; 3 bytes in all)");
    }
}
