//! The texts of a workflow that reach a run: values of `env`, `with` and `outputs`, and scripts.

use crate::text::Text;

use super::{Expression, Job, Step, Variable, Workflow, embedded, variable};

impl Step {
    fn texts(&self) -> impl Iterator<Item = &Text> {
        let values = values(&self.env).chain(values(&self.with));
        values.chain(self.run.as_ref())
    }
}

impl Job {
    /// Its own values and scripts, those of its steps included, in no written order.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let own = values(&self.env).chain(values(&self.with));
        let own = own.chain(values(&self.outputs));
        own.chain(self.steps.iter().flat_map(Step::texts))
    }

    /// What a value of `step` says when it is nothing but a reference to a variable of the workflow itself (`${{ env.ROLE }}`):
    /// that variable's value. The value itself where it is something else.
    #[must_use]
    pub fn through_env<'a>(
        &'a self,
        workflow: &'a Workflow,
        step: &'a Step,
        value: &'a Text,
    ) -> &'a Text {
        let mut value = value;
        // A variable of a job may refer to one of the workflow.
        for _ in 0..3 {
            let Some(name) = only_variable(value.as_str()) else {
                return value;
            };
            let levels = [&step.env, &self.env, &workflow.env];
            let found = levels.into_iter().find_map(|level| variable(level, &name));
            match found.and_then(|found| found.value.as_ref()) {
                Some(next) if next.span() != value.span() => value = next,
                _ => return value,
            }
        }
        value
    }
}

fn values(variables: &[Variable]) -> impl Iterator<Item = &Text> {
    variables
        .iter()
        .filter_map(|variable| variable.value.as_ref())
}

/// `NAME` of a text that is `${{ env.NAME }}` and nothing else.
fn only_variable(text: &str) -> Option<String> {
    let text = text.trim();
    let found = embedded(text);
    let [one] = found.as_slice() else {
        return None;
    };
    let Expression::Reference(path) = Expression::read(text.get(one.inner.clone())?)? else {
        return None;
    };
    let name = path.strip_prefix("env.")?;
    (one.whole == (0..text.len())).then(|| name.to_owned())
}
