//! Nothing ends in silence: a panic, in whatever library, becomes a fault that is told like any other.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::failover::{Fault, FaultKind};

/// What `work` gives, or the fault that its panic is. Whoever goes on after a panic looks at nothing that `work` left half
/// done but the story, which is only ever added to.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Fault {
        kind: FaultKind::Rejected,
        code: "ProgramFault".to_owned(),
        message: format!("a fault of the program itself: {}", words(&*payload)),
    })
}

/// The words of a panic, if it has any.
fn words(payload: &(dyn Any + Send)) -> String {
    let fixed = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let made = payload.downcast_ref::<String>().cloned();
    fixed
        .or(made)
        .unwrap_or_else(|| "it says nothing of itself".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_with_its_words() {
        assert_eq!(caught(|| 5), Ok(5));
        let fixed = caught(|| panic!("broken")).unwrap_err();
        let made = caught(|| panic!("broken at {}", 5)).unwrap_err();
        let mute = caught(|| std::panic::resume_unwind(Box::new(5))).unwrap_err();
        assert_eq!(fixed.message, "a fault of the program itself: broken");
        assert_eq!(made.message, "a fault of the program itself: broken at 5");
        assert_eq!(mute.kind, FaultKind::Rejected);
    }
}
