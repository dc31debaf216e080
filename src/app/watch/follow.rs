//! One record at several servers, asked together as often as somebody wants.

use crate::failover::Moment;
use crate::model::dns::{RecordName, RecordType};
use crate::ports::{Asked, Cancelled, NameServers, QueryType, Told};
use crate::propagation::{Measured, Observation, Role, Rule, Server, Watch};

use super::find::Place;

/// A record that is followed.
#[derive(Debug)]
pub(in crate::app) struct Follow {
    watch: Watch,
    questions: Vec<Asked>,
    /// The number of the first question.
    first: usize,
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
            first: 0,
            began,
        }
    }

    /// The servers.
    pub(in crate::app) fn servers(&self) -> &[Server] {
        self.watch.servers()
    }

    /// The same with other numbers for its questions, where several records are followed together.
    pub(in crate::app) fn numbered_from(mut self, first: usize) -> Self {
        self.first = first;
        for (question, id) in self.questions.iter_mut().zip(first..) {
            question.id = id;
        }
        self
    }

    /// One for each server.
    pub(in crate::app) fn questions(&self) -> &[Asked] {
        &self.questions
    }

    /// Takes an answer in; gives it where it says something else than before. Answers to others' questions are passed over.
    pub(in crate::app) fn hears(&mut self, told: &Told) -> Option<Observation> {
        let server = told.id.checked_sub(self.first)?;
        let observation = Observation {
            at: told.at.since(self.began),
            server,
            answer: told.answer.clone(),
        };
        self.watch.see(&observation).then_some(observation)
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
        let told = servers.ask(&self.questions, until)?;
        Ok(told.iter().filter_map(|told| self.hears(told)).collect())
    }

    /// Whether every server has answered, or had its time to.
    pub(in crate::app) fn heard_all(&self) -> bool {
        self.watch.heard_all()
    }

    /// The several first values of the authorities.
    pub(in crate::app) fn disagreement(&self) -> Option<Vec<Vec<String>>> {
        self.watch.disagreement()
    }

    /// Resolvers that differ from the start.
    pub(in crate::app) fn strays(&self) -> Vec<(&Server, &[String])> {
        self.watch.strays()
    }

    /// How it stands.
    pub(in crate::app) fn measured(&self) -> Measured {
        self.watch.measured()
    }
}
