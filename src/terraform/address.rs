//! Addresses of resources, with and without the keys of their instances.

/// The address of the block that an instance comes from: `module.m["a"].aws_iam_role.r[0].policy` without the keys.
#[must_use]
pub fn block_address(address: &str) -> String {
    let mut kept = String::new();
    let mut rest = address;
    while let Some((before, behind)) = rest.split_once('[') {
        kept.push_str(before);
        rest = behind_key(behind);
    }
    kept.push_str(rest);
    kept
}

/// What stands behind the `]` of a key: a number, or a string in quotes with escapes.
fn behind_key(key: &str) -> &str {
    let mut quoted = false;
    let mut escaped = false;
    for (at, character) in key.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return key.get(at + 1..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::block_address;

    #[test]
    fn keys_with_brackets_and_quotes_are_taken_away_whole() {
        for (address, block) in [
            ("aws_iam_role.r.policy", "aws_iam_role.r.policy"),
            ("module.m[\"a]\\\"b\"].x.y[0].policy", "module.m.x.y.policy"),
        ] {
            assert_eq!(block_address(address), block);
        }
    }
}
