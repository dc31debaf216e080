//! One record at several servers, asked together as often as somebody wants.

use crate::failover::Moment;
use crate::model::dns::{RecordName, RecordType};
use crate::ports::{Asked, Cancelled, NameServers, QueryType};
use crate::propagation::{Measured, Observation, Role, Rule, Server, Watch};

use super::find::Place;

/// A record that is followed.
#[derive(Debug)]
pub(in crate::app) struct Follow {
    watch: Watch,
    questions: Vec<Asked>,
    began: Moment,
}

impl Follow {
    /// Nobody was asked yet; times count from `began`.
    pub(in crate::app) fn new(
        rule: Rule,
        name: &RecordName,
        kind: RecordType,
        places: Vec<Place>,
        began: Moment,
    ) -> Self {
        let kind = match kind {
            RecordType::A => QueryType::A,
            RecordType::Aaaa => QueryType::Aaaa,
        };
        let question = |(id, place): (usize, &Place)| Asked {
            id,
            sockets: place.sockets.clone(),
            name: name.clone(),
            kind,
            recursive: place.server.role == Role::Resolver,
        };
        Self {
            questions: places.iter().enumerate().map(question).collect(),
            watch: Watch::new(rule, places.into_iter().map(|place| place.server).collect()),
            began,
        }
    }

    /// The servers.
    pub(in crate::app) fn servers(&self) -> &[Server] {
        self.watch.servers()
    }

    /// Asks each server that owes no answer, and hears answers until `until`; gives those that say something else than before.
    ///
    /// # Errors
    /// When somebody ends it.
    pub(in crate::app) fn ask(
        &mut self,
        servers: &mut dyn NameServers,
        until: Moment,
    ) -> Result<Vec<Observation>, Cancelled> {
        let mut changes = Vec::new();
        for told in servers.ask(&self.questions, until)? {
            let observation = Observation {
                at: told.at.since(self.began),
                server: told.id,
                answer: told.answer,
            };
            if self.watch.see(&observation) {
                changes.push(observation);
            }
        }
        Ok(changes)
    }

    /// Whether every server has answered, or had its time to.
    pub(in crate::app) fn heard_all(&self) -> bool {
        self.watch.heard_all()
    }

    /// The several first values of the authorities.
    pub(in crate::app) fn disagreement(&self) -> Option<Vec<Vec<String>>> {
        self.watch.disagreement()
    }

    /// How it stands.
    pub(in crate::app) fn measured(&self) -> Measured {
        self.watch.measured()
    }
}
