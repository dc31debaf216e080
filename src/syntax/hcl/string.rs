//! Literal text of strings and heredocs: escapes, and which bytes made which.

use crate::syntax::Fault;
use crate::text::TextBuilder;

use super::reader::{Read, Reader};
use super::tree::MistakeKind;

impl Reader<'_> {
    /// Takes the bytes from `start` to here as they are.
    pub(super) fn take_plain(&self, start: usize, literal: &mut TextBuilder) {
        if start < self.at {
            // The text may itself come out of a string with escapes, as in `*.tf.json`.
            literal.push_text(self.text, start..self.at);
        }
    }

    /// Reads `$${` or `%%{`, which stand for `${` and `%{`.
    pub(super) fn doubled(&mut self, literal: &mut TextBuilder) {
        let meaning = self.input.get(self.at + 1..self.at + 3);
        let span = self.span(self.at, self.at + 3);
        literal.push_escape(meaning.unwrap_or_default(), span);
        self.at += 3;
    }

    /// Reads the escape that begins here with a backslash.
    pub(super) fn escape(&mut self, literal: &mut TextBuilder) -> Read<()> {
        let start = self.at;
        self.at += 1;
        let meaning = match self.peek() {
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'u') => self.code_point(start, 4)?,
            Some(b'U') => self.code_point(start, 8)?,
            Some(b'0'..=b'7') if octal(self.rest()) => {
                // Meant is the backslash itself, as DNS names are written.
                self.at += 3;
                self.mistake(MistakeKind::OctalEscape, start, self.at);
                let written = self.input.get(start..self.at).unwrap_or_default();
                literal.push_plain(written, self.span(start, self.at));
                return Ok(());
            }
            _ => return Err(self.bad_escape(start)),
        };
        self.at += 1;
        let mut buffer = [0; 4];
        let span = self.span(start, self.at);
        literal.push_escape(meaning.encode_utf8(&mut buffer), span);
        Ok(())
    }

    /// Reads the digits behind `\u`; stands on the last one afterwards.
    fn code_point(&mut self, start: usize, digits: usize) -> Read<char> {
        let written = self.input.get(self.at + 1..self.at + 1 + digits);
        let written = written.filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(written) = written else {
            let mark = self.input.get(start..start + 2).unwrap_or_default();
            let reason = format!("{digits} hexadecimal digits are expected behind `{mark}`");
            return Err(self.fault_over(start, start + 2, reason));
        };
        self.at += digits;
        let code = u32::from_str_radix(written, 16).unwrap_or(u32::MAX);
        char::from_u32(code).ok_or_else(|| {
            let reason = format!("`{written}` is no Unicode character");
            self.fault_over(start, self.at + 1, reason)
        })
    }

    fn bad_escape(&self, start: usize) -> Box<Fault> {
        let rest = self.input.get(start + 1..).unwrap_or_default();
        let allowed = r#"allowed are `\n`, `\r`, `\t`, `\"`, `\\`, `\uXXXX` and `\UXXXXXXXX`"#;
        let Some(found) = rest.chars().next().filter(|found| !found.is_control()) else {
            return self.fault(start, format!("a backslash alone is no escape; {allowed}"));
        };
        let end = start + 1 + found.len_utf8();
        let reason = format!("`\\{found}` is no escape of Terraform; {allowed}");
        self.fault_over(start, end, reason)
    }
}

/// Whether three octal digits stand here.
fn octal(rest: &str) -> bool {
    let digits = rest.get(..3);
    digits.is_some_and(|digits| digits.chars().all(|digit| digit.is_digit(8)))
}

/// The length of a policy variable of IAM that begins here (IAM User Guide, "IAM policy elements: Variables and tags"):
/// `${aws:username}`, with a default perhaps, or `${*}`, `${?}`, `${$}`. None of them is an insertion of HCL.
pub(super) fn policy_variable(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("${")?;
    let end = inner.find(['}', '\n', '"'])?;
    let inner = inner.get(..end).filter(|_| {
        rest.get(end + 2..)
            .is_some_and(|rest| rest.starts_with('}'))
    })?;
    let length = end + 3;
    if matches!(inner, "*" | "?" | "$") {
        return Some(length);
    }
    let (key, default) = match inner.split_once(',') {
        Some((key, default)) => (key.trim_end(), Some(default.trim())),
        None => (inner, None),
    };
    let quoted = |text: &str| text.len() > 1 && text.starts_with('\'') && text.ends_with('\'');
    let (service, name) = key.split_once(':')?;
    let of_service = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let of_name = |c: char| of_service(c) || matches!(c, '/' | ':' | '@' | '=' | '+');
    let is_key = service.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && service.chars().all(of_service)
        && name.chars().all(of_name);
    (is_key && default.is_none_or(quoted)).then_some(length)
}

/// A character as it is shown in a message.
pub(super) fn shown(character: char) -> String {
    if character.is_control() || character.is_whitespace() && character != ' ' {
        format!("the character U+{:04X}", u32::from(character))
    } else {
        format!("`{character}`")
    }
}
