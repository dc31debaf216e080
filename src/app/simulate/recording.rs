//! Requests to AWS's simulator with their answers, kept in a file and read again. A recording is JSON: `version` and
//! `exchanges`, each a `request` with an `answer` or a `refusal`, in AWS's names.

use serde::{Deserialize, Serialize};

use crate::iam::simulator::{Answer, Query, Refusal};
use crate::ports::{Files, PolicySimulator, SimulatorFault};

use super::super::exit::AppError;

/// The form of recordings.
const VERSION: u32 = 1;

/// A recording, as it stands in its file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    version: u32,
    exchanges: Vec<Exchange>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    request: Query,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    answer: Option<Answer>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    refusal: Option<Refusal>,
}

/// A simulator whose answers are kept.
pub(super) struct Recorder<'a> {
    simulator: &'a mut dyn PolicySimulator,
    exchanges: Vec<Exchange>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(simulator: &'a mut dyn PolicySimulator) -> Self {
        Self {
            simulator,
            exchanges: Vec::new(),
        }
    }

    /// Writes what was kept.
    pub(super) fn write(self, path: &str, files: &dyn Files) -> Result<(), AppError> {
        let recording = Recording {
            version: VERSION,
            exchanges: self.exchanges,
        };
        let mut text = serde_json::to_string_pretty(&recording).map_err(std::io::Error::from)?;
        text.push('\n');
        files.write_atomically(path, text.as_bytes())?;
        Ok(())
    }
}

impl PolicySimulator for Recorder<'_> {
    fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault> {
        let result = self.simulator.simulate(query);
        let (answer, refusal) = match &result {
            Ok(answer) => (Some(answer.clone()), None),
            Err(SimulatorFault::Refused(refusal)) => (None, Some(refusal.clone())),
            Err(SimulatorFault::NotRecorded | SimulatorFault::Unreachable(_)) => return result,
        };
        if !self.exchanges.iter().any(|known| known.request == *query) {
            self.exchanges.push(Exchange {
                request: query.clone(),
                answer,
                refusal,
            });
        }
        result
    }
}

/// A recording that answers.
#[derive(Debug)]
pub(super) struct Replayed {
    exchanges: Vec<Exchange>,
}

impl Replayed {
    /// Reads a recording.
    pub(super) fn read(path: &str, files: &dyn Files) -> Result<Self, AppError> {
        let bytes = files.read(path)?;
        let wrong = |why: String| {
            AppError::usage(
                format!("`{path}` is no recording of AWS's answers: {why}"),
                "`pointsman simulate --engine aws --record FILE` writes one",
            )
        };
        let recording: Recording =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if recording.version != VERSION {
            let version = recording.version;
            return Err(wrong(format!(
                "its version is {version}, and this program reads version {VERSION}"
            )));
        }
        Ok(Self {
            exchanges: recording.exchanges,
        })
    }
}

impl PolicySimulator for Replayed {
    fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault> {
        let found = self.exchanges.iter().find(|known| known.request == *query);
        match found {
            Some(Exchange {
                answer: Some(answer),
                ..
            }) => Ok(answer.clone()),
            Some(Exchange {
                refusal: Some(refusal),
                ..
            }) => Err(SimulatorFault::Refused(refusal.clone())),
            _ => Err(SimulatorFault::NotRecorded),
        }
    }
}
