//! The journal of the run that moved what is watched: whether it plays again, and how long each part of the run took.

use crate::execution::report::Phases;
use crate::failover::journal::{replay, story};
use crate::report::JournalSeen;

/// What a journal says; why not, for a text that is none.
pub(in crate::app) fn journal_of(text: &str) -> Result<JournalSeen, String> {
    let played = replay(text).map_err(|fault| fault.to_string())?;
    let told = match (&played.difference, played.finished) {
        (Some(difference), _) => Err(format!(
            "this version does something else after line {}: see `pointsman failover replay`",
            difference.line
        )),
        (None, false) => Err("the journal stops before the end of its run".to_owned()),
        (None, true) => Ok(()),
    };
    let story = story(text).map_err(|fault| fault.to_string())?;
    let phases = Phases::of(&story).words();
    let phases = phases
        .into_iter()
        .filter_map(|(word, millis)| Some((word, millis?)));
    Ok(JournalSeen {
        phases: phases.collect(),
        played: told,
        path: None,
        text: text.to_owned(),
    })
}
