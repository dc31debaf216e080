//! Requests that a policy allows and the one that follows from the spec does not, or the other way round.
//!
//! What is the same is not asked about, so that a deployment without a fault pays nothing for it.

use crate::iam::NamedPolicy;
use crate::iam::prove::{Answer, Bounds, Question, Realm, Side, Witness, ask};
use crate::iam::trust::turns_on_the_call;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Sink, Workspace};

use super::policy_difference::{Compared, Difference, compared};

/// Which way is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// What the policy allows beyond the spec.
    More,
    /// What the spec needs and the policy does not allow.
    Less,
}

impl Way {
    fn message(self, request: &str) -> String {
        match self {
            Self::More => format!("{request} is allowed, and the spec does not need it"),
            Self::Less => format!("{request} is not allowed, and the spec needs it"),
        }
    }

    fn is_about(self, difference: &Difference, statement: usize) -> bool {
        let place = match self {
            Self::More => difference.found,
            Self::Less => difference.wanted,
        };
        place == Some(statement)
    }
}

/// Reports one request for each statement that `way` leads to.
pub(super) fn report(way: Way, workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for one in compared(workspace, spec) {
        let mut told = Vec::new();
        for witness in answer(way, &one).witnesses {
            let statement = witness.allowed_by.first().map(|one| one.statement);
            if told.contains(&statement) {
                continue;
            }
            // What a trust policy asks of the call beside the token is undecided, and told as that.
            let job = workspace.repository.as_ref().filter(|_| way == Way::Less);
            let is_trust = one.policy.kind == PolicyKind::Trust;
            // A claim beside the subject keeps others out; that the job itself gets in, the verdict says.
            let verdict = workspace.verdict(one.policy);
            if way == Way::Less && is_trust && verdict.is_some_and(|verdict| verdict.legit_allowed)
            {
                continue;
            }
            if job
                .is_some_and(|job| is_trust && turns_on_the_call(one.policy, job, &witness.request))
            {
                continue;
            }
            told.push(statement);
            let is_about = |difference: &&Difference| {
                statement.is_some_and(|place| way.is_about(difference, place))
            };
            let differences = &one.differences;
            let place = differences.iter().find(is_about).or(differences.first());
            if let Some(place) = place {
                sink.report(place.at, way.message(&named(&witness)))
                    .related(one.spec.at, one.spec.text.clone())
                    .pointer(place.pointer.clone())
                    .covers(place.covers)
                    .help(help(&witness, place));
            }
        }
    }
}

/// Policies of the same role add up, but each copy, in a file of its own or in Terraform, must be right by itself.
fn answer(way: Way, one: &Compared<'_>) -> Answer {
    let (granted, not_granted) = match way {
        Way::More => (side(one.policy), side(&one.wanted)),
        Way::Less => (side(&one.wanted), side(one.policy)),
    };
    let question = Question {
        granted: vec![granted],
        not_granted: vec![not_granted],
        realm: Realm::Documented,
        principal: None,
        home: None,
        aside: Vec::new(),
    };
    ask(&question, Bounds::default())
}

fn side(document: &PolicyDocument) -> Side<'_> {
    let policy = NamedPolicy {
        name: "policy",
        document,
    };
    Side {
        policies: vec![policy],
    }
}

fn named(witness: &Witness) -> String {
    let request = &witness.request;
    let by = request.principal.as_ref().map_or_else(String::new, |who| {
        format!(" by `{}`", who.as_str().escape_debug())
    });
    let (action, resource) = (request.action(), &request.resource);
    if resource == "*" {
        return format!("`{}`{by}", action.escape_debug());
    }
    format!(
        "`{}` on `{}`{by}",
        action.escape_debug(),
        resource.escape_debug()
    )
}

fn help(witness: &Witness, place: &Difference) -> String {
    let keys: Vec<String> = witness
        .request
        .keys()
        .map(|(key, value)| {
            let values = value.values().iter();
            let values: Vec<String> = values
                .map(|value| format!("`{}`", value.escape_debug()))
                .collect();
            format!("`{key}` = {}", values.join(", "))
        })
        .collect();
    let with = if keys.is_empty() {
        String::new()
    } else {
        format!("; the request has {}", keys.join(" and "))
    };
    format!(
        "{}{with}; `pointsman prove` shows all such requests, `pointsman generate` writes the policy anew",
        place.message
    )
}
