//! git's index: which files are committed next, and whether they can be run (Git documentation, `gitformat-index`).

/// What the index says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracked {
    /// It is not there, so that a commit does not have it.
    Absent,
    /// It is there, with or without the bit that lets it be run.
    There {
        /// Whether its mode is `100755`.
        executable: bool,
    },
}

/// Bytes of an entry before its flags.
const FIXED: usize = 60;

/// What the index, as bytes, says of `path`, counted from the top of the work tree.
///
/// # Errors
/// When the bytes are no index, or one whose form is not known here: why, in words.
pub fn tracked(index: &[u8], path: &str) -> Result<Tracked, String> {
    let number = |at: usize| -> Option<u32> {
        let bytes = index.get(at..at.checked_add(4)?)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    let cut = || "the index ends in the middle of an entry".to_owned();
    let version = number(4).filter(|version| (2..=4).contains(version));
    let version = version.filter(|_| index.starts_with(b"DIRC"));
    let version = version.ok_or("it is no index of version 2, 3 or 4")?;
    let count = number(8).ok_or_else(cut)?;
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    let mut found = Tracked::Absent;
    for _ in 0..count {
        let mode = number(at + 24).ok_or_else(cut)?;
        let flags = index.get(at + FIXED).ok_or_else(cut)?;
        let extended = version > 2 && flags & 0x40 != 0;
        let mut next = at + FIXED + if extended { 4 } else { 2 };
        if version == 4 {
            let (dropped, behind) = offset(index, next).ok_or_else(cut)?;
            name.truncate(name.len().saturating_sub(dropped));
            next = behind;
        } else {
            name.clear();
        }
        let rest = index.get(next..).ok_or_else(cut)?;
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(cut)?;
        name.extend(rest.get(..end).unwrap_or_default());
        next += end;
        // Up to version 3 an entry is filled up to a multiple of eight bytes, with one zero at least.
        at = if version == 4 {
            next + 1
        } else {
            at + ((next - at) / 8 + 1) * 8
        };
        if !matches!(mode >> 12, 0o10 | 0o12 | 0o16 | 0o4) {
            return Err("its entries are not those of a repository with SHA-1".to_owned());
        }
        if name == path.as_bytes() {
            let executable = mode == 0o100_755;
            found = Tracked::There { executable };
        }
    }
    let is_split = index.get(at..at + 4) == Some(b"link");
    if is_split && found == Tracked::Absent {
        return Err("it is a split index, of which the other part is not looked at".to_owned());
    }
    Ok(found)
}

/// A number of variable width, and where it ends (`gitformat-pack`, offset encoding).
fn offset(index: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *index.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *index.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn index(entries: &[(&str, u32)]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02".to_vec();
        bytes.extend(
            u32::try_from(entries.len())
                .unwrap_or_default()
                .to_be_bytes(),
        );
        for (path, mode) in entries {
            let start = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 34]);
            bytes.extend(path.as_bytes());
            bytes.push(0);
            while !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes
    }

    #[test]
    fn a_file_is_found_with_its_mode() {
        let index = index(&[
            ("bin/a", 0o100_644),
            ("bin/ab", 0o100_755),
            ("bin/abcdef", 0o100_755),
        ]);
        let there = |executable| Ok(Tracked::There { executable });
        assert_eq!(tracked(&index, "bin/a"), there(false));
        assert_eq!(tracked(&index, "bin/ab"), there(true));
        assert_eq!(tracked(&index, "bin/abcdef"), there(true));
        assert_eq!(tracked(&index, "bin"), Ok(Tracked::Absent));
        assert!(tracked(b"DIRC", "a").is_err() && tracked(b"", "a").is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer_or_a_reason(
            version in 2_u8..5, rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let head = [b'D', b'I', b'R', b'C', 0, 0, 0, version];
            let bytes = [head.as_slice(), rest.as_slice()].concat();
            prop_assert!(tracked(&bytes, "a").is_ok_and(|found| found == Tracked::Absent) || tracked(&bytes, "a").is_err() || !rest.is_empty());
        }
    }
}
