//! Where a policy and the one that follows from the spec are not the same.

use std::collections::BTreeSet;

use serde_json::json;

use crate::diag::Label;
use crate::generate;
use crate::model::policy::{
    Condition, Effect, Elements, PolicyDocument, PolicyKind, Principals, Statement,
};
use crate::model::spec::Spec;
use crate::rules::{Role, Workspace};
use crate::syntax::json as json_text;
use crate::text::{Span, Text};

/// A place where they are not the same.
#[derive(Debug)]
pub(super) struct Difference {
    /// The place itself.
    pub(super) at: Span,
    /// What it is a part of: a rule that finds this unfit may point at any of it.
    pub(super) covers: Span,
    /// JSON pointer of it.
    pub(super) pointer: String,
    /// What differs.
    pub(super) message: String,
    /// The place of the policy's statement, if it has one for it.
    pub(super) found: Option<usize>,
    /// The place of the statement that follows from the spec, if one does.
    pub(super) wanted: Option<usize>,
}

/// A policy of the spec's that is there, and the one that follows from the spec.
pub(super) struct Compared<'a> {
    /// The policy that is there.
    pub(super) policy: &'a PolicyDocument,
    /// The one that follows from the spec; its places are those of the spec as a whole.
    pub(super) wanted: PolicyDocument,
    /// What of the spec it follows from.
    pub(super) spec: Label,
    /// Where they are not the same; never empty.
    pub(super) differences: Vec<Difference>,
}

/// The policies that differ from those that follow from the spec.
pub(super) fn compared<'a>(workspace: &'a Workspace, spec: &Spec) -> Vec<Compared<'a>> {
    let kinds = [
        (
            Role::ChangeRecords,
            generate::change_records(spec),
            "/records",
            PolicyKind::Identity,
        ),
        (
            Role::ReadZone,
            generate::read_zone(spec),
            "/zone/id",
            PolicyKind::Identity,
        ),
        (
            Role::Trust,
            generate::trust(spec, &json!(spec.oidc_provider_arn())),
            "/github",
            PolicyKind::Trust,
        ),
    ];
    let mut all = Vec::new();
    for (role, wanted, pointer, kind) in kinds {
        let Some(wanted) = read(&wanted.to_string(), spec, kind) else {
            continue;
        };
        for policy in workspace.policies_as(role) {
            let differences = Comparison { wanted: &wanted }.document(policy);
            if !differences.is_empty() {
                all.push(Compared {
                    policy,
                    wanted: wanted.clone(),
                    spec: spec.label(pointer),
                    differences,
                });
            }
        }
    }
    all
}

/// The policy that follows from the spec; its places are those of the spec as a whole.
fn read(text: &str, spec: &Spec, kind: PolicyKind) -> Option<PolicyDocument> {
    let root = json_text::read(&Text::verbatim(text, spec.at("")))
        .documents
        .pop()?;
    Some(PolicyDocument::read(root, Some(kind), None))
}

/// The policy that follows from the spec, beside those that should be it.
struct Comparison<'a> {
    wanted: &'a PolicyDocument,
}

impl Comparison<'_> {
    fn document(&self, policy: &PolicyDocument) -> Vec<Difference> {
        let mut all = Vec::new();
        let mut taken = vec![false; self.wanted.statements.len()];
        for statement in &policy.statements {
            let mut told = Vec::new();
            let partner = self.partner(statement, &taken);
            match partner {
                Some((at, wanted)) => {
                    if let Some(taken) = taken.get_mut(at) {
                        *taken = true;
                    }
                    self.effect(wanted, statement, &mut told);
                    self.statement(wanted, statement, &mut told);
                }
                None => self.surplus(statement, &mut told),
            }
            all.extend(told.into_iter().map(|one| Difference {
                found: Some(statement.index),
                wanted: partner.map(|(at, _)| at),
                ..one
            }));
        }
        for (at, wanted) in self.wanted.statements.iter().enumerate() {
            if taken.get(at).is_some_and(|taken| !taken) {
                let actions = listed(wanted.actions.iter().flat_map(Elements::strings));
                all.push(Difference {
                    at: policy.span().slice(0, 1),
                    covers: policy.span(),
                    pointer: String::new(),
                    message: format!("the statement about {actions} is missing"),
                    found: None,
                    wanted: Some(at),
                });
            }
        }
        all
    }

    /// The statement that is meant by this one, and its place: one of the same effect rather than of the other.
    fn partner(&self, statement: &Statement, taken: &[bool]) -> Option<(usize, &Statement)> {
        let all = self.wanted.statements.iter().zip(taken).enumerate();
        let free = all.filter(|(_, (wanted, taken))| !**taken && shares_action(wanted, statement));
        let alike: Vec<(usize, &Statement)> = free.map(|(at, (wanted, _))| (at, wanted)).collect();
        let same = |(_, wanted): &&(usize, &Statement)| {
            effect_of(wanted).is_some() && effect_of(wanted) == effect_of(statement)
        };
        alike.iter().find(same).or(alike.first()).copied()
    }

    fn effect(&self, wanted: &Statement, found: &Statement, told: &mut Vec<Difference>) {
        if let Some(effect) = &found.effect
            && effect_of(wanted) != effect_of(found)
        {
            let message = "`Effect` is not `Allow`, as the spec has it".to_owned();
            let pointer = format!("{}/Effect", found.pointer);
            tell(effect.span(), effect.span(), &pointer, message, told);
        }
    }

    fn surplus(&self, statement: &Statement, told: &mut Vec<Difference>) {
        if statement.incomplete {
            return;
        }
        let actions = statement.actions.iter().flat_map(Elements::strings);
        let at = statement
            .actions
            .as_ref()
            .map_or(statement.span.slice(0, 1), |actions| actions.span);
        let message = format!(
            "no statement about {} follows from the spec",
            listed(actions)
        );
        tell(at, statement.span, &statement.pointer, message, told);
    }

    fn statement(&self, wanted: &Statement, found: &Statement, told: &mut Vec<Difference>) {
        let place = Place { statement: found };
        place.elements(
            wanted.actions.as_ref(),
            found.actions.as_ref(),
            "Action",
            str::to_ascii_lowercase,
            told,
        );
        place.elements(
            wanted.resources.as_ref(),
            found.resources.as_ref(),
            "Resource",
            str::to_owned,
            told,
        );
        place.principals(wanted.principals.as_ref(), found.principals.as_ref(), told);
        for condition in &found.conditions {
            match wanted
                .conditions
                .iter()
                .find(|wanted| is_same_key(wanted, condition))
            {
                Some(wanted) => place.values(wanted, condition, told),
                None => {
                    let written = (condition.operator_text.as_str(), condition.key.as_str());
                    let message = format!(
                        "`{}` on `{}` does not follow from the spec",
                        written.0, written.1
                    );
                    tell(
                        condition.key.span(),
                        condition.operator_text.span().cover(condition.block),
                        &condition.pointer,
                        message,
                        told,
                    );
                }
            }
        }
        for wanted in &wanted.conditions {
            if !found
                .conditions
                .iter()
                .any(|condition| is_same_key(wanted, condition))
            {
                let at = found
                    .condition_key
                    .as_ref()
                    .map_or(found.span.slice(0, 1), Text::span);
                let message = format!(
                    "`{}` on `{}` is missing",
                    wanted.operator_text.as_str(),
                    wanted.key.as_str()
                );
                tell(at, found.span, &found.pointer, message, told);
            }
        }
    }
}

fn tell(at: Span, covers: Span, pointer: &str, message: String, told: &mut Vec<Difference>) {
    told.push(Difference {
        at,
        covers,
        pointer: pointer.to_owned(),
        message,
        found: None,
        wanted: None,
    });
}

/// A statement that is compared.
struct Place<'a> {
    statement: &'a Statement,
}

impl Place<'_> {
    fn elements(
        &self,
        wanted: Option<&Elements>,
        found: Option<&Elements>,
        name: &str,
        folded: fn(&str) -> String,
        told: &mut Vec<Difference>,
    ) {
        let set = |elements: &Elements| elements.strings().map(folded).collect::<BTreeSet<_>>();
        let (Some(wanted), Some(found)) = (wanted, found) else {
            if let (None, Some(found)) = (wanted, found) {
                let message = format!("`{}` does not follow from the spec", found.key.as_str());
                let covers = self.around(found);
                tell(found.key.span(), covers, &found.pointer, message, told);
            }
            return;
        };
        if found.incomplete || (wanted.negated == found.negated && set(wanted) == set(found)) {
            return;
        }
        let message = format!(
            "`{name}` is not {}, as the spec has it",
            listed(wanted.strings())
        );
        let wanted = set(wanted);
        let surplus = found
            .values
            .iter()
            .filter(|value| !wanted.contains(&folded(value.text.as_str())));
        let at = only(surplus.map(|value| value.text.span())).unwrap_or(found.span);
        tell(at, self.around(found), &found.pointer, message, told);
    }

    /// An element with its key, and the actions with it: a rule that finds a resource unfit may point at either.
    fn around(&self, found: &Elements) -> Span {
        let own = found.key.span().cover(found.span);
        let actions = self.statement.actions.as_ref();
        actions.map_or(own, |actions| own.cover(actions.span))
    }

    fn principals(
        &self,
        wanted: Option<&Principals>,
        found: Option<&Principals>,
        told: &mut Vec<Difference>,
    ) {
        let set = |principals: &Principals| {
            let entries = principals.entries.iter();
            let pair = |kind: Option<&Text>, value: &Text| {
                (
                    kind.map(|kind| kind.as_str().to_owned()),
                    value.as_str().to_owned(),
                )
            };
            entries
                .map(|entry| pair(entry.kind.as_ref(), &entry.value.text))
                .collect::<BTreeSet<_>>()
        };
        let (Some(wanted), Some(found)) = (wanted, found) else {
            return;
        };
        if !found.incomplete && (wanted.negated != found.negated || set(wanted) != set(found)) {
            let values = wanted.entries.iter().map(|entry| entry.value.text.as_str());
            let message = format!(
                "the principal is not {}, as the spec has it",
                listed(values)
            );
            let wanted = set(wanted);
            let surplus = found.entries.iter().filter(|entry| {
                let kind = entry.kind.as_ref().map(|kind| kind.as_str().to_owned());
                !wanted.contains(&(kind, entry.value.text.as_str().to_owned()))
            });
            let at = only(surplus.map(|entry| entry.value.text.span())).unwrap_or(found.span);
            tell(
                at,
                found.span,
                &format!("{}/{}", self.statement.pointer, found.key.as_str()),
                message,
                told,
            );
        }
    }

    fn values(&self, wanted: &Condition, found: &Condition, told: &mut Vec<Difference>) {
        let set = |condition: &Condition| {
            condition
                .values
                .iter()
                .map(|value| value.text.as_str().to_owned())
                .collect::<BTreeSet<_>>()
        };
        if !found.incomplete && set(wanted) != set(found) {
            let values = wanted.values.iter().map(|value| value.text.as_str());
            let message = format!(
                "`{}` is not {}, as the spec has it",
                found.key.as_str(),
                listed(values)
            );
            let wanted = set(wanted);
            let surplus = found
                .values
                .iter()
                .filter(|value| !wanted.contains(value.text.as_str()));
            let at = only(surplus.map(|value| value.text.span())).unwrap_or(found.span);
            tell(at, found.span, &found.pointer, message, told);
        }
    }
}

/// The place of what is too much, if it is one alone.
fn only(mut surplus: impl Iterator<Item = Span>) -> Option<Span> {
    surplus.next().filter(|_| surplus.next().is_none())
}

/// Same operator and key; the case of keys does not count.
fn is_same_key(a: &Condition, b: &Condition) -> bool {
    a.operator_text == b.operator_text && a.is_on(b.key.as_str())
}

fn effect_of(statement: &Statement) -> Option<Effect> {
    statement.effect.as_ref().map(|effect| effect.value)
}

fn shares_action(a: &Statement, b: &Statement) -> bool {
    a.actions
        .iter()
        .flat_map(Elements::strings)
        .any(|action| b.covers_action(action))
}

fn listed<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<String> = values.map(|value| format!("`{value}`")).collect();
    values.join(", ")
}
