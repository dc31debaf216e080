//! Rights over roles (`iam:PassRole`, `iam:CreateServiceLinkedRole`) in an Allow that says neither which role nor which service.

use crate::model::policy::{
    Elements, PolicyDocument, Statement, Value, glob_matches_ignoring_case, has_wildcard,
};
use crate::rules::Sink;
use crate::text::quoted;

use super::grant;

/// A right, and how it is limited to a service.
pub(super) struct RoleRight {
    /// The action.
    pub(super) action: &'static str,
    /// The condition key that names the service.
    pub(super) key: &'static str,
    /// What an unlimited Allow does, in words.
    pub(super) does: &'static str,
}

impl RoleRight {
    /// Reports each Allow that gives the right without a limit.
    pub(super) fn check(&self, policy: &PolicyDocument, sink: &mut Sink<'_>) {
        if !grant::gives_rights(policy.kind) {
            return;
        }
        for statement in policy.statements.iter().filter(|one| one.allows()) {
            let actions = statement.actions.as_ref();
            let Some(actions) = actions.filter(|actions| !actions.negated) else {
                continue;
            };
            let covering = actions.values.iter().find(|value| self.covers(value));
            if let Some(action) = covering.filter(|_| self.is_unlimited(statement)) {
                self.report(statement, action, sink);
            }
        }
    }

    /// Whether a value of `Action` covers the action. `*`, every action of every service, is told by `action-wildcard`.
    fn covers(&self, value: &Value) -> bool {
        let text = value.text.as_str();
        text != "*" && glob_matches_ignoring_case(text, self.action)
    }

    fn is_unlimited(&self, statement: &Statement) -> bool {
        statement.resources.as_ref().is_some_and(is_open)
            && statement.conditions_on(self.key).next().is_none()
            && !statement.incomplete
    }

    fn report(&self, statement: &Statement, action: &Value, sink: &mut Sink<'_>) {
        let Self {
            action: right,
            key,
            does,
        } = self;
        let text = action.text.as_str();
        let covering = if has_wildcard(text) {
            format!(", which covers `{right}`,")
        } else {
            String::new()
        };
        let message = format!(
            "{}{covering} {does}: no `Resource` and no condition limits it",
            quoted(text)
        );
        let draft = sink
            .report(action.text.span(), message)
            .pointer(action.pointer.clone())
            .help(format!(
                "name the roles under `Resource`, or the service by a condition on `{key}`"
            ));
        if let Some(resources) = &statement.resources {
            draft.related(resources.span, "every role");
        }
    }
}

fn is_open(resources: &Elements) -> bool {
    let every = |text: &str| {
        let resource = text.rsplit(':').next().unwrap_or_default();
        text.chars().all(|letter| letter == '*') || matches!(resource, "*" | "role/*")
    };
    resources.negated || resources.strings().any(every)
}
