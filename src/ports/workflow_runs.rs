//! Runs of a workflow, looked at and never touched.

use super::Cancelled;

/// A run of the workflow, as GitHub tells it (REST API, "List workflow runs for a workflow").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowRun {
    /// Its id.
    pub id: u64,
    /// `queued`, `in_progress`, `completed` and the like.
    pub status: String,
    /// `success`, `failure`, `cancelled` and the like, once it is completed.
    pub conclusion: Option<String>,
    /// Where a person sees it.
    pub url: String,
}

impl WorkflowRun {
    /// Whether it has come to its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status == "completed"
    }
}

/// The runs of the deployment's own workflow.
pub trait WorkflowRuns {
    /// The latest of them, newest first; or why they are not known, in words.
    ///
    /// # Errors
    /// When the job is ended before.
    fn latest(&mut self) -> Result<Result<Vec<WorkflowRun>, String>, Cancelled>;

    /// The log of a run's jobs, one behind the other; or why it is not had, in words.
    ///
    /// # Errors
    /// When the job is ended before.
    fn log(&mut self, run: u64) -> Result<Result<String, String>, Cancelled>;
}
