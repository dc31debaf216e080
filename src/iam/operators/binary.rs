//! `BinaryEquals`: bytes in base64 (RFC 4648, section 4), equal byte by byte.

/// The values of a binary condition; those that are no base64 are left out.
#[derive(Debug, Clone)]
pub(in crate::iam) struct Blobs {
    values: Box<[Box<[u8]>]>,
}

impl Blobs {
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        Self {
            values: values
                .filter_map(decode)
                .map(Vec::into_boxed_slice)
                .collect(),
        }
    }

    pub(super) fn match_one(&self, value: &str) -> bool {
        decode(value).is_some_and(|bytes| self.values.iter().any(|wanted| **wanted == *bytes))
    }
}

/// The bytes of `text`; padding may be missing.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    if text.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for letter in text.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(six)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xFF).ok()?);
        }
    }
    Some(bytes)
}

/// Whether `text` is base64.
pub(super) fn is_base64(text: &str) -> bool {
    decode(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn base64_is_decoded_and_anything_else_refused() {
        assert_eq!(decode("QUI="), Some(b"AB".to_vec()));
        assert_eq!(decode("QUJD"), Some(b"ABC".to_vec()));
        assert_eq!(decode("QQ=="), Some(b"A".to_vec()));
        assert_eq!(decode("Q"), None);
        assert_eq!(decode("Q-Q="), None);
    }
}
