//! How a command ends.

use std::io;

use crate::ports::{FileFault, SimulatorFault};

/// How a command ended: its exit status. If several hold, the order is usage, failed, findings, unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: all is well.
    Clean,
    /// 1: findings at or above the limit, or a failed expectation.
    Findings,
    /// 2: wrong usage or spec.
    Usage,
    /// 3: the work could not be done.
    Failed,
    /// 4: something was not read or not decided.
    Unread,
    /// 5: a run refused, or a change was needed and no site answers.
    Refused,
    /// 6: a run wrote, and its change is not confirmed.
    Unconfirmed,
}

impl Exit {
    /// The status.
    #[must_use]
    pub fn status(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Failed => 3,
            Self::Unread => 4,
            Self::Refused => 5,
            Self::Unconfirmed => 6,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// What was asked for makes no sense: exit status 2.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The outside failed: exit status 3.
    #[error(transparent)]
    Files(#[from] FileFault),
    /// Something else outside cannot be asked or opened: exit status 3.
    #[error("{message}")]
    Outside {
        /// What, and why.
        message: String,
        /// What to do, if there is something to say.
        hint: Option<&'static str>,
    },
    /// The result could not be written: exit status 3, but 0 for a closed pipe.
    #[error("the result could not be written: {0}")]
    Output(#[from] io::Error),
}

impl AppError {
    /// Wrong usage, with what to do.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The exit status that goes with it.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } => Exit::Usage,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Clean,
            Self::Files(_) | Self::Outside { .. } | Self::Output(_) => Exit::Failed,
        }
    }

    /// What to do about it, if there is something to say.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Usage { hint, .. } => Some(hint),
            Self::Outside { hint, .. } => *hint,
            Self::Files(_) | Self::Output(_) => None,
        }
    }
}

impl From<SimulatorFault> for AppError {
    fn from(fault: SimulatorFault) -> Self {
        let hint = match fault {
            SimulatorFault::Unreachable(_) => Some(
                "`--engine local` asks nobody; `--replay FILE` reads answers that `--record FILE` stored",
            ),
            SimulatorFault::Refused(_) | SimulatorFault::NotRecorded => None,
        };
        Self::Outside {
            message: fault.to_string(),
            hint,
        }
    }
}
