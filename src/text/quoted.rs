//! A value as a message shows it.

/// Longer values are cut in the middle of a message; the place in the file shows them whole.
const MAX_CHARACTERS: usize = 200;

/// `value` in back quotes, on one line: control characters escaped, cut when it is very long.
#[must_use]
pub fn quoted(value: &str) -> String {
    let mut text = String::from("`");
    for (index, character) in value.chars().enumerate() {
        if index == MAX_CHARACTERS {
            text.push('…');
            break;
        }
        if character.is_control() {
            text.extend(character.escape_default());
        } else {
            text.push(character);
        }
    }
    text.push('`');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_on_one_line_and_of_bearable_length() {
        assert_eq!(quoted("a\nb"), "`a\\nb`");
        assert_eq!(quoted("\\052.a"), "`\\052.a`");
        assert_eq!(quoted(&"x".repeat(5000)).chars().count(), 203);
    }
}
