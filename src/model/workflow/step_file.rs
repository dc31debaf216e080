//! What workflows and actions have in common: steps that use actions and run scripts.

use crate::syntax::Node;

use super::{ActionFile, Image, Malformed, Step, Uses, Workflow};

/// Why a file with a second document is not read; `is_action` says what it would be. GitHub reads one.
#[must_use]
pub fn second_document(is_action: bool) -> String {
    let what = if is_action { "an action" } else { "a workflow" };
    format!("{what} is one document, but a second one begins here")
}

/// A file with steps.
#[derive(Debug, Clone, Copy)]
pub enum StepFile<'a> {
    /// A workflow.
    Workflow(&'a Workflow),
    /// An action.
    Action(&'a ActionFile),
}

impl<'a> StepFile<'a> {
    /// The path of the file, as it is shown.
    #[must_use]
    pub fn path(self) -> &'a str {
        match self {
            Self::Workflow(workflow) => &workflow.path,
            Self::Action(action) => &action.path,
        }
    }

    /// The whole tree.
    #[must_use]
    pub fn root(self) -> &'a Node {
        match self {
            Self::Workflow(workflow) => &workflow.root,
            Self::Action(action) => &action.root,
        }
    }

    /// What has not the shape that GitHub asks for.
    #[must_use]
    pub fn malformed(self) -> &'a [Malformed] {
        match self {
            Self::Workflow(workflow) => &workflow.malformed,
            Self::Action(action) => &action.malformed,
        }
    }

    /// The steps, in written order.
    #[must_use]
    pub fn steps(self) -> Vec<&'a Step> {
        match self {
            Self::Workflow(workflow) => workflow.jobs.iter().flat_map(|job| &job.steps).collect(),
            Self::Action(action) => action.steps.iter().collect(),
        }
    }

    /// All `uses:`, reusable workflows and steps alike, in written order. What an alias stands for is there once, where
    /// it is written.
    #[must_use]
    pub fn uses(self) -> Vec<&'a Uses> {
        let mut all: Vec<&Uses> = match self {
            Self::Workflow(workflow) => workflow.uses().map(|(_, uses)| uses).collect(),
            Self::Action(action) => {
                let steps = action.steps.iter();
                steps.filter_map(|step| step.uses.as_ref()).collect()
            }
        };
        all.sort_by_key(|uses| uses.text.span());
        all.dedup_by_key(|uses| uses.text.span());
        all
    }

    /// All images: of jobs and services, or of a Docker action; those of `uses: docker://…` are not among them.
    #[must_use]
    pub fn images(self) -> Vec<&'a Image> {
        match self {
            Self::Workflow(workflow) => workflow.jobs.iter().flat_map(|job| &job.images).collect(),
            Self::Action(action) => action.image.iter().collect(),
        }
    }
}
