//! The packed table: records of fixed size in one block of bytes, found by binary search where they lie.
//!
//! The form is told in `README.md` beside `services.bin`. Nothing is unpacked or copied; a table that is cut short reads
//! as empty names and zeroes, never as a panic.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::LazyLock;

const TABLE: &[u8] = include_bytes!("services.bin");

/// Bytes before the first record: a mark of eight bytes and seven counts.
const HEAD: usize = 36;

const SERVICE_COUNT: usize = count(0);
const ACTION_COUNT: usize = count(1);
const TYPE_COUNT: usize = count(2);
const KEY_COUNT: usize = count(3);
const LIST_COUNT: usize = count(4);
const SLOT_COUNT: usize = count(5);
const TEXT_COUNT: usize = count(6);

/// A part of the table: where it begins, how long a record is, how many there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    start: usize,
    size: usize,
    /// Number of records.
    pub(super) len: usize,
}

/// Services, by name.
pub(super) const SERVICES: Part = Part {
    start: HEAD,
    size: 16,
    len: SERVICE_COUNT,
};
/// Actions, by service and name.
pub(super) const ACTIONS: Part = SERVICES.followed_by(10, ACTION_COUNT);
/// Resource types, by service and name.
pub(super) const TYPES: Part = ACTIONS.followed_by(10, TYPE_COUNT);
/// Condition keys, by name.
pub(super) const KEYS: Part = TYPES.followed_by(6, KEY_COUNT);
const LISTS: Part = KEYS.followed_by(2, LIST_COUNT);
/// Actions by the sum that [`spread`] makes of their names.
const SLOTS: Part = LISTS.followed_by(2, SLOT_COUNT);
const TEXTS: Part = SLOTS.followed_by(1, TEXT_COUNT);

/// All texts, looked through once for what is no UTF-8, not each time that one of them is asked for.
static TEXT: LazyLock<&str> = LazyLock::new(|| {
    let bytes = TABLE.get(TEXTS.start..).unwrap_or_default();
    std::str::from_utf8(bytes).unwrap_or_default()
});

const fn count(index: usize) -> usize {
    match TABLE.split_at_checked(8 + 4 * index) {
        Some((_, rest)) => match rest.first_chunk::<4>() {
            Some(bytes) => u32::from_le_bytes(*bytes) as usize,
            None => 0,
        },
        None => 0,
    }
}

fn two(at: usize) -> usize {
    let bytes = TABLE.get(at..).and_then(<[u8]>::first_chunk::<2>);
    bytes.map_or(0, |bytes| usize::from(u16::from_le_bytes(*bytes)))
}

fn four(at: usize) -> usize {
    let bytes = TABLE.get(at..).and_then(<[u8]>::first_chunk::<4>);
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
}

impl Part {
    const fn followed_by(self, size: usize, len: usize) -> Self {
        Self {
            start: self.start + self.size * self.len,
            size,
            len,
        }
    }

    /// The 16-bit number at byte `offset` of a record.
    pub(super) fn number(self, record: usize, offset: usize) -> usize {
        two(self.start + record * self.size + offset)
    }

    fn bytes(self, record: usize, offset: usize) -> &'static [u8] {
        let reference = four(self.start + record * self.size + offset);
        let start = TEXTS.start + (reference >> 9);
        TABLE
            .get(start..start + (reference & 511))
            .unwrap_or_default()
    }

    /// The text that the reference at byte `offset` of a record stands for.
    pub(super) fn text(self, record: usize, offset: usize) -> &'static str {
        let reference = four(self.start + record * self.size + offset);
        let start = reference >> 9;
        let text = TEXT.get(start..start + (reference & 511));
        text.unwrap_or_default()
    }

    /// The name of a record.
    pub(super) fn name(self, record: usize) -> &'static str {
        self.text(record, 0)
    }

    /// The first record of `range` whose name does not stand before `name`.
    pub(super) fn first_from(self, range: Range<usize>, name: &str) -> usize {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if folded(self.bytes(middle, 0), name.as_bytes()) == Ordering::Less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The action of this name, whose case does not count, among those of a service: `actions`.
pub(super) fn find_action(service: usize, actions: &Range<usize>, name: &str) -> Option<usize> {
    let first = spread(service, name.as_bytes()) as usize;
    for step in 0..SLOTS.len {
        let record = SLOTS.number((first + step) % SLOTS.len, 0).checked_sub(1)?;
        let same = || {
            ACTIONS
                .bytes(record, 0)
                .eq_ignore_ascii_case(name.as_bytes())
        };
        if actions.contains(&record) && same() {
            return Some(record);
        }
    }
    None
}

/// The service of this name; case does not count.
pub(super) fn find_service(name: &str) -> Option<usize> {
    static INDEX: LazyLock<Index> = LazyLock::new(|| Index::of(SERVICES));
    INDEX.find(name)
}

/// The condition key of this name; case does not count.
pub(super) fn find_key(name: &str) -> Option<usize> {
    static INDEX: LazyLock<Index> = LazyLock::new(|| Index::of(KEYS));
    INDEX.find(name)
}

/// The records of a part by the sum of their names, made where it is first asked for: a few microseconds.
struct Index {
    part: Part,
    /// The number of a record and one more, or 0; who finds another there looks at the next.
    slots: Box<[u16]>,
}

impl Index {
    fn of(part: Part) -> Self {
        let mut slots = vec![0; (2 * part.len).next_power_of_two()].into_boxed_slice();
        for record in 0..part.len {
            let mut way = way(slots.len(), part.bytes(record, 0));
            let free = way.find(|at| slots.get(*at) == Some(&0));
            let slot = free.and_then(|at| slots.get_mut(at));
            if let (Some(slot), Ok(number)) = (slot, u16::try_from(record + 1)) {
                *slot = number;
            }
        }
        Self { part, slots }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let name = name.as_bytes();
        for at in way(self.slots.len(), name) {
            let record = usize::from(*self.slots.get(at)?).checked_sub(1)?;
            if self.part.bytes(record, 0).eq_ignore_ascii_case(name) {
                return Some(record);
            }
        }
        None
    }
}

/// Where a name may stand among so many slots, a power of two, one place after the other.
fn way(slots: usize, name: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let first = spread(0, name) as usize;
    (0..slots).map(move |step| first.wrapping_add(step) & (slots - 1))
}

/// A sum over the number of a service and a name, four bytes at a time, by which actions lie spread over the index. The
/// bit that tells capitals from small letters is set in all.
fn spread(service: usize, name: &[u8]) -> u32 {
    let service = u32::try_from(service).unwrap_or_default();
    let start = service.wrapping_add(1).wrapping_mul(0x9e37_79b1);
    name.chunks(4).fold(start, |sum, chunk| {
        let mut four = [0; 4];
        for (to, from) in four.iter_mut().zip(chunk) {
            *to = *from;
        }
        let mixed = (sum ^ (u32::from_le_bytes(four) | 0x2020_2020)).wrapping_mul(0x85eb_ca6b);
        mixed ^ (mixed >> 15)
    })
}

/// How many bytes at the start are the same in both, in steps of eight: names beside each other often begin alike, and
/// most are written as the table has them.
fn alike(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.chunks_exact(8).zip(other.chunks_exact(8));
    8 * pairs.take_while(|(a, b)| a == b).count()
}

/// The order of two names without regard to case.
pub(super) fn folded(one: &[u8], other: &[u8]) -> Ordering {
    let alike = alike(one, other);
    let rest = |name| <[u8]>::get(name, alike..).unwrap_or_default();
    let mut pairs = rest(one).iter().zip(rest(other));
    let differs = pairs.find_map(|(a, b)| {
        let order = a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase());
        (order != Ordering::Equal).then_some(order)
    });
    differs.unwrap_or_else(|| one.len().cmp(&other.len()))
}

/// The members of a list.
pub(super) fn list(at: usize) -> impl Iterator<Item = usize> + Clone {
    let length = LISTS.number(at, 0);
    (at + 1..=at + length).map(|member| LISTS.number(member, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_its_mark_and_exactly_its_parts() {
        assert!(TABLE.starts_with(b"PMIAM002"));
        assert_eq!(TABLE.len(), TEXTS.start + TEXTS.len);
        assert!(TABLE.len() < 1_000_000, "{} bytes", TABLE.len());
        let text = TABLE.get(TEXTS.start..).unwrap_or_default();
        assert!(!text.is_empty() && text.iter().all(|byte| (b' '..=b'~').contains(byte)));
    }

    #[test]
    fn every_reference_lies_in_its_part() {
        for (part, references) in [(SERVICES, 1), (ACTIONS, 1), (TYPES, 2), (KEYS, 1)] {
            for record in 0..part.len {
                for index in 0..references {
                    assert!(!part.text(record, 4 * index).is_empty(), "{record}");
                }
            }
        }
        for (part, at, of) in [
            (SERVICES, 12, KEYS),
            (ACTIONS, 4, TYPES),
            (ACTIONS, 6, KEYS),
            (TYPES, 8, KEYS),
        ] {
            for record in 0..part.len {
                let start = part.number(record, at);
                assert!(start + LISTS.number(start, 0) < LISTS.len);
                assert!(list(start).all(|member| member & 0x7fff < of.len));
            }
        }
    }

    #[test]
    fn every_service_and_key_is_found_in_any_case_and_nothing_else() {
        for (part, find) in [
            (SERVICES, find_service as fn(&str) -> Option<usize>),
            (KEYS, find_key),
        ] {
            for record in 0..part.len {
                let name = part.name(record);
                assert_eq!(find(name), Some(record));
                assert_eq!(find(&name.to_ascii_uppercase()), Some(record));
                assert_eq!(find(&format!("{name}x:")), None);
            }
            assert_eq!(find(""), None);
        }
    }

    #[test]
    fn services_and_keys_are_in_order_and_no_name_stands_twice() {
        for part in [SERVICES, KEYS] {
            for record in 1..part.len {
                let (before, name) = (part.name(record - 1), part.name(record));
                assert!(
                    before.to_ascii_lowercase() < name.to_ascii_lowercase(),
                    "{before}, {name}"
                );
            }
        }
    }
}
