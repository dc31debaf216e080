//! The script of a rehearsal: what is done to the world, what is waited for, what must then be seen.

use std::time::Duration;

use crate::ports::Cancelled;
use crate::report::drill::Expectation;

use super::condition::Condition;
use super::deed::Deed;
use super::stage::Stage;

/// One line of the script.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Time passes.
    Wait(Duration),
    /// Something is done to the world.
    Do(Deed),
    /// This must come about within that time; else the script ends here.
    Until(Condition, Duration),
    /// This must be so.
    See(Condition),
}

impl Stage<'_> {
    /// Plays a script; says whether it came to its end.
    ///
    /// # Errors
    /// When the program is ended.
    pub(super) fn perform(&mut self, script: Vec<Act>) -> Result<bool, Cancelled> {
        for act in script {
            match act {
                Act::Wait(time) => {
                    let until = self.now() + time;
                    self.until(until)?;
                }
                Act::Do(deed) => self.deed(deed),
                Act::Until(condition, within) => {
                    if !self.comes_about(&condition, within)? {
                        return Ok(false);
                    }
                }
                Act::See(condition) => {
                    let held = condition.holds(self);
                    self.expect(&condition, held);
                }
            }
        }
        Ok(true)
    }

    fn comes_about(&mut self, condition: &Condition, within: Duration) -> Result<bool, Cancelled> {
        let deadline = self.now() + within;
        loop {
            let held = condition.holds(self);
            let over = self.now() >= deadline;
            if held.is_ok() || over || self.is_hopeless(condition) {
                let met = held.is_ok();
                self.expect(condition, held);
                return Ok(met);
            }
            self.step(deadline)?;
        }
    }

    fn expect(&mut self, condition: &Condition, held: Result<(), String>) {
        let expectation = Expectation {
            at: self.now(),
            link: condition.link(),
            what: condition.words(self),
            met: held.is_ok(),
            found: held.err().unwrap_or_default(),
        };
        self.facts.expected.push(expectation);
    }

    /// Whether it cannot come about any more: a run that had to move visitors has failed, for a reason that stays.
    fn is_hopeless(&self, condition: &Condition) -> bool {
        let moves = matches!(
            condition,
            Condition::VisitorsAt(_) | Condition::ExecutorRuns
        );
        moves
            && self.gives_up
            && self
                .facts
                .runs
                .values()
                .any(|run| run.ended.is_some() && !run.cancelled && run.status() != Some(0))
    }

    /// The name of a site.
    pub(super) fn site_name(&self, place: usize) -> String {
        let site = self.world.sites.get(place);
        site.map_or("nowhere", |site| site.name.as_str()).to_owned()
    }
}
