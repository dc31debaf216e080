//! A policy that is text inside its file, as JSON in a string or percent-encoded (RFC 3986): taken out, and put back in the
//! file's own manner.

/// How often a document may be text inside a text.
const MOST: usize = 4;

/// A way in which a text is written inside another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// In a JSON string.
    InString,
    /// In a JSON string of ASCII alone.
    InAscii,
    /// Percent-encoded, all but letters, digits and `-._~`.
    Encoded,
    /// The same, and slashes as they are.
    EncodedButSlashes,
}

/// The text that `written` stands for, and the notations from the outermost to the innermost; none for plain JSON.
/// `None` where putting the text back as it is would give other bytes.
pub(super) fn taken_out(written: &str) -> Option<(String, Vec<Notation>)> {
    let (mut text, mut notations) = (written.to_owned(), Vec::new());
    while notations.len() < MOST {
        let Some(inner) = read(&text).filter(|inner| *inner != text) else {
            return Some((text, notations));
        };
        let all = [
            Notation::InString,
            Notation::InAscii,
            Notation::Encoded,
            Notation::EncodedButSlashes,
        ];
        let mut fitting = all.into_iter();
        notations.push(fitting.find(|one| one.write(&inner).as_ref() == Some(&text))?);
        text = inner;
    }
    None
}

/// `text` written in `notations`.
pub(super) fn put_back(text: &str, notations: &[Notation]) -> Option<String> {
    let mut inner = notations.iter().rev();
    inner.try_fold(text.to_owned(), |text, notation| notation.write(&text))
}

/// What a text stands for that is no document itself.
fn read(text: &str) -> Option<String> {
    if text.starts_with("%7B") || text.starts_with("%7b") {
        return decoded(text);
    }
    // A document as it stands has quotes that end the string.
    serde_json::from_str(&format!("\"{text}\"")).ok()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(after.get(..2)?, 16).ok()?);
        rest = after.get(2..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

impl Notation {
    fn write(self, text: &str) -> Option<String> {
        match self {
            Self::InString => in_string(text),
            Self::InAscii => Some(in_string(text)?.chars().map(ascii).collect()),
            Self::Encoded => Some(text.bytes().map(|byte| encoded(byte, b"-._~")).collect()),
            Self::EncodedButSlashes => {
                Some(text.bytes().map(|byte| encoded(byte, b"-._~/")).collect())
            }
        }
    }
}

fn in_string(text: &str) -> Option<String> {
    let quoted = serde_json::to_string(text).ok()?;
    let inside = quoted.strip_prefix('"')?.strip_suffix('"')?;
    Some(inside.to_owned())
}

fn ascii(letter: char) -> String {
    if letter.is_ascii() {
        return letter.to_string();
    }
    let mut units = [0; 2];
    let units = letter.encode_utf16(&mut units).iter();
    units.map(|unit| format!("\\u{unit:04x}")).collect()
}

fn encoded(byte: u8, plain: &[u8]) -> String {
    if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_json_stands_for_itself() {
        for text in [r#"{"a": "b\n"}"#, "{}"] {
            let plain = taken_out(text);
            assert!(plain.is_some_and(|(inner, _)| inner == text), "{text}");
        }
    }

    #[test]
    fn each_notation_is_found_and_put_back() {
        let policy = "{\"Sid\": \"a/é\\\\052\",\n\t\"b\": \"😀\"}";
        for notation in [
            Notation::InString,
            Notation::InAscii,
            Notation::Encoded,
            Notation::EncodedButSlashes,
        ] {
            let written = put_back(policy, &[notation]).unwrap();
            let (inner, notations) = taken_out(&written).unwrap();
            assert_eq!(
                (inner.as_str(), notations.as_slice()),
                (policy, [notation].as_slice())
            );
        }
        let twice = put_back(policy, &[Notation::InString, Notation::InString]).unwrap();
        assert_eq!(taken_out(&twice).unwrap().1.len(), 2);
    }

    #[test]
    fn what_would_not_come_back_as_it_was_is_left_alone() {
        assert_eq!(taken_out(r#"{\u0022a\u0022: 1}"#), None);
        assert_eq!(taken_out("%7b%22a%22%3a1%7d"), None);
    }
}
