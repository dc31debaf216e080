//! What a scalar means: the core schema of YAML 1.2 (<https://yaml.org/spec/1.2.2/#103-core-schema>).

use granit_parser::{ScalarStyle, Tag};

use crate::text::{Origin, Text};

use super::super::{Kind, Node, Unknown};

/// The node of a scalar.
pub(super) fn typed(text: &Text, style: ScalarStyle, tag: Option<&Tag>) -> Node {
    let kind = match tag {
        None if style == ScalarStyle::Plain => core(text.as_str()),
        None => None,
        Some(tag) if !tag.is_custom() => match tag.core_suffix() {
            Some("null") => Some(Kind::Null),
            Some("bool" | "int" | "float") => core(text.as_str()),
            _ => None,
        },
        // The tag `!` alone says: a string.
        Some(tag) if tag.suffix() == "!" || tag.original() == "!" => None,
        Some(tag) => Some(unknown_tag(&tag.original())),
    };
    match kind {
        Some(kind) => Node {
            origin: text.origin(),
            kind,
        },
        None => Node::text(text.clone()),
    }
}

/// What a value with a tag of its own is.
pub(super) fn unknown_tag(tag: &str) -> Kind {
    Kind::unknown(Unknown {
        why: format!("what the tag `{tag}` makes of its value is not known here"),
        ..Unknown::default()
    })
}

/// A plain scalar that is no string.
fn core(value: &str) -> Option<Kind> {
    match value {
        "" | "~" | "null" | "Null" | "NULL" => Some(Kind::Null),
        "true" | "True" | "TRUE" => Some(Kind::Bool(true)),
        "false" | "False" | "FALSE" => Some(Kind::Bool(false)),
        _ if is_number(value) => Some(Kind::Number(value.to_owned())),
        _ => None,
    }
}

fn is_number(value: &str) -> bool {
    let digits = |text: &str, radix: u32| {
        !text.is_empty() && text.chars().all(|digit| digit.is_digit(radix))
    };
    if let Some(octal) = value.strip_prefix("0o") {
        return digits(octal, 8);
    }
    if let Some(hex) = value.strip_prefix("0x") {
        return digits(hex, 16);
    }
    if matches!(value, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = value.strip_prefix(['-', '+']).unwrap_or(value);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let exponent_fits =
        exponent.is_none_or(|power| digits(power.strip_prefix(['-', '+']).unwrap_or(power), 10));
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction, 10),
        Some((whole, fraction)) => {
            digits(whole, 10) && (fraction.is_empty() || digits(fraction, 10))
        }
        None => digits(mantissa, 10),
    };
    exponent_fits && mantissa_fits
}

/// A string, number or boolean as the text it is written with: for places that take any of them for a string, such as
/// the inputs of an action. `None` for lists, maps, null and unknown values.
#[must_use]
pub fn as_written(node: &Node) -> Option<Text> {
    let written = match &node.kind {
        Kind::Text(text) => return Some(text.clone()),
        Kind::Number(digits) => digits.as_str(),
        Kind::Bool(true) => "true",
        Kind::Bool(false) => "false",
        Kind::Null | Kind::List(_) | Kind::Map(_) | Kind::Unknown(_) => return None,
    };
    Some(match &node.origin {
        Origin::Source(span) => Text::verbatim(written, *span),
        Origin::Derived(_) => Text::whole(written, node.origin.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_of_the_core_schema_are_no_strings() {
        for word in [
            "on", "off", "yes", "no", "NO", "y", "1_000", "0b1", "12:30:45", "1.2.3", "e5", ".",
        ] {
            assert_eq!(core(word), None, "{word}");
        }
        for number in [
            "0", "-1", "+2", "0o17", "0xfF", "1.", ".5", "1e3", "1.5E-3", "-.inf", ".NaN",
        ] {
            assert_eq!(
                core(number),
                Some(Kind::Number(number.to_owned())),
                "{number}"
            );
        }
    }
}
