//! A policy says something else than the one that follows from the spec.

use std::collections::BTreeSet;

use serde_json::json;

use crate::diag::{Label, Severity};
use crate::generate;
use crate::model::policy::{
    Condition, Effect, Elements, PolicyDocument, PolicyKind, Principals, Statement,
};
use crate::model::spec::Spec;
use crate::rules::{Check, Role, Rule, Sink, Tier, Workspace};
use crate::syntax::json as json_text;
use crate::text::{Span, Text};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-differs-from-spec",
    aliases: &[],
    summary: "a policy says something else than the one that follows from the spec",
    severity: Severity::Error,
    tier: Tier::Remainder,
    page: include_str!("policy_differs_from_spec.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
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
    for (role, wanted, pointer, kind) in kinds {
        let Some(wanted) = read(&wanted.to_string(), spec, kind) else {
            continue;
        };
        let comparison = Comparison {
            wanted: &wanted,
            spec: spec.label(pointer),
        };
        for policy in workspace.policies_as(role) {
            comparison.document(policy, sink);
        }
    }
}

/// The policy that follows from the spec; its places are those of the spec as a whole.
fn read(text: &str, spec: &Spec, kind: PolicyKind) -> Option<PolicyDocument> {
    let root = json_text::read(&Text::verbatim(text, spec.at("")))
        .documents
        .pop()?;
    Some(PolicyDocument::read(root, Some(kind), None))
}

struct Comparison<'a> {
    wanted: &'a PolicyDocument,
    spec: Label,
}

impl Comparison<'_> {
    fn document(&self, policy: &PolicyDocument, sink: &mut Sink<'_>) {
        let mut taken = vec![false; self.wanted.statements.len()];
        for statement in &policy.statements {
            let partner = self.partner(statement, &taken);
            match partner {
                Some((at, wanted)) => {
                    if let Some(taken) = taken.get_mut(at) {
                        *taken = true;
                    }
                    self.effect(wanted, statement, sink);
                    self.statement(wanted, statement, sink);
                }
                None => self.surplus(statement, sink),
            }
        }
        for (wanted, _) in self
            .wanted
            .statements
            .iter()
            .zip(taken)
            .filter(|(_, taken)| !taken)
        {
            let actions = listed(wanted.actions.iter().flat_map(Elements::strings));
            let at = policy.span().slice(0, 1);
            self.tell(
                at,
                policy.span(),
                "",
                format!("the statement about {actions} is missing"),
                sink,
            );
        }
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

    fn effect(&self, wanted: &Statement, found: &Statement, sink: &mut Sink<'_>) {
        if let Some(effect) = &found.effect
            && effect_of(wanted) != effect_of(found)
        {
            let message = "`Effect` is not `Allow`, as the spec has it".to_owned();
            let pointer = format!("{}/Effect", found.pointer);
            self.tell(effect.span(), effect.span(), &pointer, message, sink);
        }
    }

    fn surplus(&self, statement: &Statement, sink: &mut Sink<'_>) {
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
        self.tell(at, statement.span, &statement.pointer, message, sink);
    }

    fn statement(&self, wanted: &Statement, found: &Statement, sink: &mut Sink<'_>) {
        let place = Place {
            statement: found,
            comparison: self,
        };
        place.elements(
            wanted.actions.as_ref(),
            found.actions.as_ref(),
            "Action",
            str::to_ascii_lowercase,
            sink,
        );
        place.elements(
            wanted.resources.as_ref(),
            found.resources.as_ref(),
            "Resource",
            str::to_owned,
            sink,
        );
        place.principals(wanted.principals.as_ref(), found.principals.as_ref(), sink);
        for condition in &found.conditions {
            match wanted
                .conditions
                .iter()
                .find(|wanted| is_same_key(wanted, condition))
            {
                Some(wanted) => place.values(wanted, condition, sink),
                None => {
                    let written = (condition.operator_text.as_str(), condition.key.as_str());
                    let message = format!(
                        "`{}` on `{}` does not follow from the spec",
                        written.0, written.1
                    );
                    self.tell(
                        condition.key.span(),
                        condition.operator_text.span().cover(condition.block),
                        &condition.pointer,
                        message,
                        sink,
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
                self.tell(at, found.span, &found.pointer, message, sink);
            }
        }
    }

    fn tell(&self, at: Span, covers: Span, pointer: &str, message: String, sink: &mut Sink<'_>) {
        sink.report(at, message)
            .related(self.spec.at, self.spec.text.clone())
            .pointer(pointer)
            .covers(covers)
            .help("`pointsman generate --check` shows the whole difference");
    }
}

struct Place<'a> {
    statement: &'a Statement,
    comparison: &'a Comparison<'a>,
}

impl Place<'_> {
    fn elements(
        &self,
        wanted: Option<&Elements>,
        found: Option<&Elements>,
        name: &str,
        folded: fn(&str) -> String,
        sink: &mut Sink<'_>,
    ) {
        let set = |elements: &Elements| elements.strings().map(folded).collect::<BTreeSet<_>>();
        let (Some(wanted), Some(found)) = (wanted, found) else {
            if let (None, Some(found)) = (wanted, found) {
                let message = format!("`{}` does not follow from the spec", found.key.as_str());
                let covers = self.around(found);
                self.tell(found.key.span(), covers, &found.pointer, message, sink);
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
        self.tell(at, self.around(found), &found.pointer, message, sink);
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
        sink: &mut Sink<'_>,
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
            self.tell(
                at,
                found.span,
                &format!("{}/{}", self.statement.pointer, found.key.as_str()),
                message,
                sink,
            );
        }
    }

    fn values(&self, wanted: &Condition, found: &Condition, sink: &mut Sink<'_>) {
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
            self.tell(at, found.span, &found.pointer, message, sink);
        }
    }

    fn tell(&self, at: Span, covers: Span, pointer: &str, message: String, sink: &mut Sink<'_>) {
        self.comparison.tell(at, covers, pointer, message, sink);
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
