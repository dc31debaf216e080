//! Floor 0: work on many alike, part by part, on two threads.

use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// What `work` makes of each `size` of the items, in order. Two threads take one part after the other, so that neither
/// waits long for the other; what fits into one part, or finds no second thread, is worked on here alone.
pub(crate) fn in_parts<T: Send, R: Send>(
    items: impl ExactSizeIterator<Item = T> + Send,
    size: usize,
    work: impl Fn(Vec<T>) -> R + Sync,
) -> Vec<R> {
    let alone = items.len() <= size;
    let left = Mutex::new((0_usize, items));
    let next = || {
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        let (taken, items) = &mut *left;
        *taken += 1;
        let part: Vec<T> = items.by_ref().take(size.max(1)).collect();
        (!part.is_empty()).then_some((*taken, part))
    };
    let take = || -> Vec<(usize, R)> {
        std::iter::from_fn(next)
            .map(|(number, part)| (number, work(part)))
            .collect()
    };
    let mut made = std::thread::scope(|scope| {
        let other = (!alone).then(|| Builder::new().spawn_scoped(scope, take));
        let mut made = take();
        match other.and_then(Result::ok).map(|other| other.join()) {
            Some(Ok(more)) => made.extend(more),
            // What stopped a thread stops the run too: it is not taken for a part without results.
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => {}
        }
        made
    });
    made.sort_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_and_everything_in_order(count in 0_usize..300, size in 0_usize..40) {
            let items: Vec<usize> = (0..count).collect();
            let parts = in_parts(items.iter().copied(), size, |part| part);
            prop_assert!(parts.iter().all(|part| part.len() <= size.max(1)));
            prop_assert_eq!(parts.concat(), items);
        }
    }
}
