//! MD5 (RFC 1321) and SHA-1 (RFC 3174): what `md5`, `sha1`, `filemd5` and `uuidv5` are made of, and nothing that protects
//! anything here.

/// The message with its padding and length, as blocks of sixteen words.
fn blocks(message: &[u8], word: fn([u8; 4]) -> u32, length: fn(u64) -> [u8; 8]) -> Vec<[u32; 16]> {
    let bits = (message.len() as u64).wrapping_mul(8);
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&length(bits));
    let (blocks, _) = padded.as_chunks::<64>();
    let words = |block: &[u8; 64]| {
        let (words, _) = block.as_chunks::<4>();
        let mut out = [0; 16];
        for (into, from) in out.iter_mut().zip(words) {
            *into = word(*from);
        }
        out
    };
    blocks.iter().map(words).collect()
}

const TURNS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

/// The MD5 of a message.
pub(super) fn md5(message: &[u8]) -> Vec<u8> {
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in blocks(message, u32::from_le_bytes, u64::to_le_bytes) {
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0_u32..64 {
            let (mixed, at) = match step / 16 {
                0 => ((b & c) | (!b & d), step),
                1 => ((d & b) | (!d & c), 5 * step + 1),
                2 => (b ^ c ^ d, 3 * step + 5),
                _ => (c ^ (b | !d), 7 * step),
            };
            let word = block.get(at as usize % 16).copied().unwrap_or_default();
            let turns = TURNS
                .get(step as usize / 16)
                .and_then(|row| row.get(step as usize % 4));
            let sum = a
                .wrapping_add(mixed)
                .wrapping_add(word)
                .wrapping_add(sine(step));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(turns.copied().unwrap_or_default()));
        }
        for (into, add) in state.iter_mut().zip([a, b, c, d]) {
            *into = into.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The whole part of 2^32 × |sin(step + 1)|.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value lies between 0 and 2^32"
)]
fn sine(step: u32) -> u32 {
    (f64::from(step + 1).sin().abs() * 4_294_967_296.0) as u32
}

/// The SHA-1 of a message.
pub(super) fn sha1(message: &[u8]) -> Vec<u8> {
    let mut state: [u32; 5] = [
        0x6745_2301,
        0xefcd_ab89,
        0x98ba_dcfe,
        0x1032_5476,
        0xc3d2_e1f0,
    ];
    for block in blocks(message, u32::from_be_bytes, u64::to_be_bytes) {
        let mut words: Vec<u32> = block.to_vec();
        for at in 16..80 {
            let of = |back: usize| words.get(at - back).copied().unwrap_or_default();
            words.push((of(3) ^ of(8) ^ of(14) ^ of(16)).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (mixed, constant) = match at / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999_u32),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(mixed)
                .wrapping_add(e)
                .wrapping_add(*word)
                .wrapping_add(constant);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (into, add) in state.iter_mut().zip([a, b, c, d, e]) {
            *into = into.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfcs_come_out() {
        for (message, md, sha) in [
            (
                "",
                "d41d8cd98f00b204e9800998ecf8427e",
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            ),
            (
                "abc",
                "900150983cd24fb0d6963f7d28e17f72",
                "a9993e364706816aba3e25717850c26c9cd0d89d",
            ),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a",
                "50abf5706a150990a08b2c5ea40fa0e585554732",
            ),
        ] {
            assert_eq!(hex(&md5(message.as_bytes())), md, "{message}");
            assert_eq!(hex(&sha1(message.as_bytes())), sha, "{message}");
        }
    }
}
