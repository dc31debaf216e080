//! Names in two parts.

/// What stands before and behind the first colon of a name: an action, a key, the parts of an ARN. Such texts are too short
/// for a search that looks at many bytes at once to pay.
#[must_use]
pub fn cut_at_colon(text: &str) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == b':')?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_cuts_where_a_search_does(text in "[a:é]{0,6}") {
            prop_assert_eq!(cut_at_colon(&text), text.split_once(':'));
        }
    }
}
