//! Encodings and digests of bytes: Base64 (RFC 4648), URLs, CSV (RFC 4180), names of RFC 4122.

use sha2::{Digest as _, Sha256, Sha512};

use super::digest::{hex, md5, sha1};
use super::{Arguments, Signature, takes};
use crate::terraform::Eval;
use crate::terraform::evaluate::text_at;
use crate::terraform::failure::fault;
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind};
use crate::text::{Text, quoted};

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "base64encode" => takes(1, 1, |given| given.digest(base64)),
        "base64decode" => takes(1, 1, |given| given.decoded("UTF-8")),
        "textencodebase64" => takes(2, 2, text_encode),
        "textdecodebase64" => takes(2, 2, |given| {
            let encoding = given.text(1)?;
            given.decoded(encoding.as_str())
        }),
        "urlencode" => takes(1, 1, |given| given.digest(url)),
        "md5" => takes(1, 1, |given| given.digest(|bytes| hex(&md5(bytes)))),
        "sha1" => takes(1, 1, |given| given.digest(|bytes| hex(&sha1(bytes)))),
        "sha256" => takes(1, 1, |given| {
            given.digest(|bytes| hex(&Sha256::digest(bytes)))
        }),
        "sha512" => takes(1, 1, |given| {
            given.digest(|bytes| hex(&Sha512::digest(bytes)))
        }),
        "base64sha256" => takes(1, 1, |given| {
            given.digest(|bytes| base64(&Sha256::digest(bytes)))
        }),
        "base64sha512" => takes(1, 1, |given| {
            given.digest(|bytes| base64(&Sha512::digest(bytes)))
        }),
        "uuidv5" => takes(2, 2, uuid_of_name),
        "csvdecode" => takes(1, 1, csv),
        _ => return None,
    })
}

impl Arguments {
    /// A string that stands nowhere, made of this call.
    pub(super) fn made(&self, written: &str) -> Value {
        Value::text(text_at(written, self.span))
    }

    fn digest(&self, make: fn(&[u8]) -> String) -> Eval<Value> {
        let text = self.text(0)?;
        self.afford(1, text.as_str().len().saturating_mul(3))?;
        Ok(self.made(&make(text.as_str().as_bytes())))
    }

    fn decoded(&self, encoding: &str) -> Eval<Value> {
        let text = self.text(0)?;
        let reason = || {
            fault(
                text.span(),
                format!("{} is no Base64", quoted(text.as_str())),
            )
        };
        let bytes = from_base64(text.as_str()).ok_or_else(reason)?;
        let decoded = match encoding.to_ascii_uppercase().as_str() {
            "UTF-8" => String::from_utf8(bytes).ok(),
            "US-ASCII" | "ASCII" => String::from_utf8(bytes).ok().filter(|text| text.is_ascii()),
            "ISO-8859-1" | "LATIN1" => Some(bytes.into_iter().map(char::from).collect()),
            "UTF-16LE" => utf16(&bytes, u16::from_le_bytes),
            "UTF-16BE" => utf16(&bytes, u16::from_be_bytes),
            _ => return Ok(self.not_evaluated("this encoding")),
        };
        match decoded {
            Some(decoded) => Ok(self.made(&decoded)),
            None => {
                let reason = format!("these bytes are no text in {encoding}");
                Err(fault(text.span(), reason))
            }
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

fn text_encode(given: &Arguments) -> Eval<Value> {
    let (text, encoding) = (given.text(0)?, given.text(1)?);
    let units = || text.as_str().encode_utf16();
    let bytes: Option<Vec<u8>> = match encoding.as_str().to_ascii_uppercase().as_str() {
        "UTF-8" => Some(text.as_str().as_bytes().to_vec()),
        "UTF-16LE" => Some(units().flat_map(u16::to_le_bytes).collect()),
        "UTF-16BE" => Some(units().flat_map(u16::to_be_bytes).collect()),
        "US-ASCII" | "ASCII" | "ISO-8859-1" | "LATIN1" => {
            let bytes = text
                .as_str()
                .chars()
                .map(|c| u8::try_from(u32::from(c)).ok());
            bytes.collect()
        }
        _ => return Ok(given.not_evaluated("this encoding")),
    };
    match bytes {
        Some(bytes) => Ok(given.made(&base64(&bytes))),
        None => Err(fault(
            text.span(),
            "a character of this text is not in the encoding",
        )),
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in Base64, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_usize {
            let digit = DIGITS.get((bits >> (18 - 6 * place)) as usize & 63);
            let digit = digit.filter(|_| place <= chunk.len());
            out.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    out
}

/// The bytes that are written in Base64 with padding; line breaks do not count.
fn from_base64(written: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = written
        .bytes()
        .filter(|byte| !matches!(byte, b'\n' | b'\r'))
        .collect();
    let padding = digits
        .iter()
        .rev()
        .take_while(|byte| **byte == b'=')
        .count();
    if !digits.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut out = Vec::new();
    let (groups, _) = digits.as_chunks::<4>();
    for (at, group) in groups.iter().enumerate() {
        let last = at + 1 == groups.len();
        let kept = if last { 4 - padding } else { 4 };
        let mut bits = 0_u32;
        for (place, digit) in group.iter().enumerate() {
            let value = match DIGITS.iter().position(|known| known == digit) {
                Some(value) => u32::try_from(value).ok()?,
                None if place >= kept => 0,
                None => return None,
            };
            bits = bits << 6 | value;
        }
        let [_, a, b, c] = bits.to_be_bytes();
        out.extend([a, b, c].into_iter().take(kept - 1));
    }
    Some(out)
}

fn url(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b' ' => out.push('+'),
            b'-' | b'_' | b'.' | b'~' => out.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(*byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn uuid_of_name(given: &Arguments) -> Eval<Value> {
    let (space, name) = (given.text(0)?, given.text(1)?);
    let known = match space.as_str() {
        "dns" => "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "url" => "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
        "oid" => "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
        "x500" => "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
        other => other,
    };
    let digits: String = known.chars().filter(|c| *c != '-').collect();
    let value = u128::from_str_radix(&digits, 16)
        .ok()
        .filter(|_| digits.len() == 32);
    let Some(value) = value else {
        let reason = "a namespace is `dns`, `url`, `oid`, `x500` or a UUID";
        return Err(fault(space.span(), reason));
    };
    let mut message = value.to_be_bytes().to_vec();
    message.extend_from_slice(name.as_str().as_bytes());
    let mut bytes = sha1(&message);
    bytes.truncate(16);
    if let Some(version) = bytes.get_mut(6) {
        *version = *version & 0x0f | 0x50;
    }
    if let Some(variant) = bytes.get_mut(8) {
        *variant = *variant & 0x3f | 0x80;
    }
    let digits = hex(&bytes);
    let parts =
        [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| digits.get(range).unwrap_or_default());
    Ok(given.made(&parts.join("-")))
}

/// The first line names the columns; every cell keeps its place where it is not in quotes.
fn csv(given: &Arguments) -> Eval<Value> {
    let text = given.text(0)?;
    let cells = text.as_str().matches([',', '\n']).count();
    given.afford(cells.saturating_mul(2), text.as_str().len())?;
    let mut rows = records(given, &text)?.into_iter();
    let Some(header) = rows.next() else {
        return Err(fault(
            text.span(),
            "there is no line that names the columns",
        ));
    };
    for (at, name) in header.iter().enumerate() {
        let before = header.iter().take(at);
        if before
            .into_iter()
            .any(|other| other.as_str() == name.as_str())
        {
            let reason = format!("the column {} stands twice", quoted(name.as_str()));
            return Err(fault(name.span(), reason));
        }
    }
    let mut objects = Vec::new();
    for row in rows {
        if row.len() != header.len() {
            let reason = format!(
                "a line has {} cells, the first one has {}",
                row.len(),
                header.len()
            );
            return Err(fault(text.span(), reason));
        }
        let entries = header.iter().cloned().zip(row.into_iter().map(Value::text));
        let kind = ValueKind::Mapping(Mapping::Object, entries.collect());
        objects.push(given.result(kind));
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, objects)))
}

fn records(given: &Arguments, text: &Text) -> Eval<Vec<Vec<Text>>> {
    let input = text.as_str();
    let bytes = input.as_bytes();
    let mut rows: Vec<Vec<Text>> = Vec::new();
    let mut row: Vec<Text> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let line_start = row.is_empty();
        if line_start && bytes.get(at) == Some(&b'\n') {
            at += 1;
            continue;
        }
        if line_start && input.get(at..).is_some_and(|rest| rest.starts_with("\r\n")) {
            at += 2;
            continue;
        }
        let (cell, end) = cell(given, text, at)?;
        row.push(cell);
        at = end;
        match bytes.get(at) {
            Some(b',') => {
                at += 1;
                if at == bytes.len() {
                    row.push(text_at("", given.span));
                }
                continue;
            }
            Some(b'\r') => at += 2,
            Some(_) => at += 1,
            None => {}
        }
        rows.push(std::mem::take(&mut row));
    }
    if !row.is_empty() {
        rows.push(row);
    }
    Ok(rows)
}

/// The cell that begins at `at`, and where it ends.
fn cell(given: &Arguments, text: &Text, at: usize) -> Eval<(Text, usize)> {
    let rest = text.as_str().get(at..).unwrap_or_default();
    let Some(inner) = rest.strip_prefix('"') else {
        let length = rest.find([',', '\n']).unwrap_or(rest.len());
        let content = rest.get(..length).unwrap_or_default();
        let shown = content.strip_suffix('\r').unwrap_or(content);
        if shown.contains('"') {
            return Err(fault(
                text.span(),
                "a quote stands in a cell without quotes",
            ));
        }
        let end = at + shown.len();
        return Ok((given.cut(text, at, end), end));
    };
    let mut value = String::new();
    let mut from = 0;
    while let Some(quote) = inner.get(from..).and_then(|rest| rest.find('"')) {
        value.push_str(inner.get(from..from + quote).unwrap_or_default());
        from += quote + 1;
        if inner.get(from..).is_some_and(|rest| rest.starts_with('"')) {
            value.push('"');
            from += 1;
            continue;
        }
        let end = at + 1 + from;
        let behind = text.as_str().get(end..).unwrap_or_default();
        let ends =
            behind.is_empty() || behind.starts_with([',', '\n']) || behind.starts_with("\r\n");
        if !ends {
            break;
        }
        return Ok((text_at(&value, text.span_of(at..end)), end));
    }
    Err(fault(text.span(), "a cell in quotes is not closed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_back_as_it_was_written() {
        for length in 0..20_u8 {
            let bytes: Vec<u8> = (0..length).map(|at| at.wrapping_mul(37)).collect();
            assert_eq!(from_base64(&base64(&bytes)), Some(bytes));
        }
        for wrong in ["aGk", "a===", "=aaa", "a b="] {
            assert_eq!(from_base64(wrong), None, "{wrong}");
        }
    }
}
