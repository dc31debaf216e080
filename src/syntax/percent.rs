//! Percent-encoded text (RFC 3986, section 2.1), in which IAM's API hands out policy documents; a `+` is a plus.

use crate::text::{Span, Text, TextBuilder};

use super::Fault;

/// The text that `text` is the percent-encoding of. Every decoded character knows the bytes that encode it.
///
/// # Errors
/// A `%` without two hexadecimal digits behind it, or bytes that are not UTF-8, with their place.
pub fn decode(text: &Text) -> Result<Text, Fault> {
    let written = text.as_str();
    let mut builder = TextBuilder::default();
    let mut at = 0;
    while at < written.len() {
        let rest = written.get(at..).unwrap_or_default();
        let plain = rest.find('%').unwrap_or(rest.len());
        builder.push_text(text, at..at + plain);
        at += plain;
        if at < written.len() {
            let (character, length) = character(written, at).map_err(|(length, reason)| {
                let end = (at + length).min(written.len());
                fault(text.span_of(at..end), reason)
            })?;
            let span = text.span_of(at..at + length);
            builder.push_escape(character.encode_utf8(&mut [0; 4]), span);
            at += length;
        }
    }
    Ok(builder.finish(text.origin()))
}

/// The character encoded from byte `at` on and the length of its encoding; or the length of what is wrong, and why.
fn character(written: &str, at: usize) -> Result<(char, usize), (usize, &'static str)> {
    let no_digits = (1, "two hexadecimal digits are expected behind `%`");
    let first = byte(written, at).ok_or(no_digits)?;
    let count = match first {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Err((3, "the encoded bytes are not UTF-8")),
    };
    let bytes: Vec<u8> = (0..count)
        .map_while(|index| byte(written, at + 3 * index))
        .collect();
    std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| text.chars().next())
        .map(|character| (character, 3 * count))
        .ok_or((3 * bytes.len(), "the encoded bytes are not UTF-8"))
}

/// The byte that `%XX` at byte `at` stands for.
fn byte(written: &str, at: usize) -> Option<u8> {
    let digits = written.get(at..at + 3)?.strip_prefix('%')?;
    let hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hexadecimal
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
}

fn fault(at: Span, reason: &str) -> Fault {
    Fault {
        at,
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;
    use proptest::prelude::*;

    fn decoded(input: &str) -> Result<(SourceMap, Text), Fault> {
        let mut sources = SourceMap::default();
        let file = sources.add("x", input);
        let text = sources
            .text(file)
            .unwrap_or_else(|| Text::verbatim("", Span::at(file, 0)));
        decode(&text).map(|text| (sources, text))
    }

    #[test]
    fn each_character_knows_the_bytes_that_encode_it() {
        let (sources, text) = decoded("a%20%ED%95%9C+%7b").unwrap();
        assert_eq!(text.as_str(), "a 한+{");
        assert_eq!(sources.slice(text.span_of(2..5)), "%ED%95%9C");
        assert_eq!(sources.slice(text.span_of(5..6)), "+");
    }

    #[test]
    fn what_encodes_nothing_is_pointed_at() {
        assert_eq!(decoded("ab%zz").unwrap_err().at.range(), 2..3);
        assert_eq!(decoded("ab%4").unwrap_err().at.range(), 2..3);
        assert_eq!(decoded("%ff%20").unwrap_err().at.range(), 0..3);
        assert_eq!(decoded("%e2%82").unwrap_err().at.range(), 0..6);
    }

    proptest! {
        #[test]
        fn every_text_comes_back(input in "\\PC{0,40}") {
            let encoded: String = input.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let (_, text) = decoded(&encoded).unwrap();
            prop_assert_eq!(text.as_str(), &input);
        }

        #[test]
        fn any_text_is_decoded_or_refused_inside_the_file(input in "[%a-f0-9한 ]{0,24}") {
            match decoded(&input) {
                Ok((_, text)) => prop_assert!(text.as_str().len() <= input.len()),
                Err(fault) => prop_assert!(input.get(fault.at.range()).is_some()),
            }
        }
    }
}
