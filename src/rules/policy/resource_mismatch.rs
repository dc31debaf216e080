//! A resource that fits no action of its statement, or an ARN of Route 53 of no form that a resource has.

use std::collections::BTreeMap;

use crate::diag::Severity;
use crate::iam::catalog::{self, Action, Resource, ResourceType, Service, Services};
use crate::model::policy::{
    Elements, PolicyDocument, PolicyVersion, Value, has_wildcard, route53_types,
};
use crate::rules::{Check, Draft, Rule, Sink, Tier};
use crate::text::{cut_at_colon, quoted};

use super::mend;
use super::resource_placeholder::placeholder;
use super::variable_in_arn_head::early;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resource-mismatch",
    aliases: &[],
    summary: "a resource that the action never applies to",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("resource_mismatch.md"),
    check: Check::Policy(check),
};

/// How many pairs of an action and a resource are compared in a statement.
const MOST: usize = 1_000_000;

/// Services, beside those whose data is complete, of which it is known that what the reference has on `*` alone is asked
/// on `*` alone.
const KNOWN_WELL: [&str; 4] = ["ec2", "kms", "lambda", "sqs"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let Some(resources) = &statement.resources else {
            continue;
        };
        let mut all_fit = true;
        for value in &resources.values {
            let text = value.text.as_str();
            // What is no ARN is told as that, or is the short form that a service takes in its own policies.
            all_fit &= text.starts_with(['*', '?']) || text.starts_with("arn");
            // A variable where none is filled in is told by a rule of its own.
            all_fit &= policy.grammar() != PolicyVersion::V2012 || early(text).is_none();
            all_fit &= placeholder(text).is_some() || fits_a_form(policy, value, sink);
        }
        let actions = statement
            .actions
            .as_ref()
            .filter(|actions| !actions.negated);
        // A faulty or unknown resource may be the one that an action was given for.
        // A star fits every action.
        let closed = !resources.incomplete && !resources.strings().any(is_star);
        let known = all_fit && !resources.negated && closed;
        let count = actions.map_or(0, |actions| actions.values.len());
        if !known || count.saturating_mul(resources.values.len()) > MOST {
            continue;
        }
        let named = actions.into_iter().flat_map(|actions| &actions.values);
        let mut fits = Fits::new(resources);
        let unfit: Vec<Unfit<'_>> = named
            .filter_map(|action| Unfit::of(action, &mut fits))
            .collect();
        let (ours, others): (Vec<_>, Vec<_>) = unfit
            .into_iter()
            .partition(|unfit| unfit.service.name() == "route53");
        for unfit in &ours {
            report(unfit, resources, sink);
        }
        // Of other services the first is told for all; what is not in the data of some may exist all the same.
        if let Some((first, rest)) = others.split_first() {
            let complete = first.service.is_complete();
            let severity = if complete {
                Severity::Error
            } else {
                Severity::Warning
            };
            let mut draft = report(first, resources, sink).severity(severity);
            for other in rest.iter().take(9) {
                draft = draft.related(other.action.text.span(), "nor does any fit this action");
            }
        }
    }
}

/// An action that none of its statement's resources fits.
struct Unfit<'a> {
    action: &'a Value,
    service: Service,
    known: Action,
}

/// Reports an ARN of Route 53 that no resource has; whether it is none.
fn fits_a_form(policy: &PolicyDocument, value: &Value, sink: &mut Sink<'_>) -> bool {
    let arn = value.text.as_str();
    let Err(fault) = route53_types(arn) else {
        return true;
    };
    let edit = fault
        .instead
        .as_ref()
        .map(|instead| mend::edit(sink, &value.text, fault.at.clone(), instead));
    let draft = sink
        .report(value.text.span_of(fault.at), format!("{} {}", quoted(arn), fault.why))
        .pointer(value.pointer.clone())
        .help("an ARN of Route 53 is `arn:aws:route53:::<type>/<id>`, such as `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`");
    mend::offer(
        draft,
        policy,
        "write the ARN as Route 53 has it",
        edit.into_iter().collect(),
    );
    false
}

impl<'a> Unfit<'a> {
    /// The action, if it is named in full and none of the resources fits it.
    fn of(action: &'a Value, fits: &mut Fits<'a>) -> Option<Self> {
        let named = action.text.as_str();
        if fits.values.is_empty() || has_wildcard(named) {
            return None;
        }
        let (prefix, name) = cut_at_colon(named)?;
        let service = fits.of.find(prefix)?;
        if service.has_partial_types() {
            return None;
        }
        let known = service.action(name)?;
        let has_types = known.resource_types().next().is_some();
        let fitting = known.has_open_types()
            || if has_types {
                fits.placeholder || known.resource_types().any(|kind| fits.kind(kind))
            } else {
                fits.variable || fits.service(service) || fits.documented(named)
            };
        (!fitting).then_some(Self {
            action,
            service,
            known,
        })
    }
}

/// What the resources of a statement fit: asked once for each type, whatever the number of actions.
struct Fits<'a> {
    written: &'a Elements,
    values: Vec<Resource<'a>>,
    /// Those of them that are patterns.
    patterns: Vec<Resource<'a>>,
    /// One has a variable.
    variable: bool,
    /// One is still to be filled in.
    placeholder: bool,
    kinds: BTreeMap<ResourceType, bool>,
    services: BTreeMap<Service, bool>,
    /// The services of the actions.
    of: Services<'a>,
}

impl<'a> Fits<'a> {
    fn new(resources: &'a Elements) -> Self {
        let some = |is: fn(&str) -> bool| resources.strings().any(is);
        let patterns = resources.strings().filter(|arn| has_wildcard(arn));
        Self {
            written: resources,
            values: resources.strings().map(Resource::of).collect(),
            patterns: patterns.map(Resource::of).collect(),
            variable: some(|arn| arn.contains("${")),
            placeholder: some(|arn| placeholder(arn).is_some()),
            kinds: BTreeMap::new(),
            services: BTreeMap::new(),
            of: Services::default(),
        }
    }

    /// Whether one can be of this type.
    fn kind(&mut self, kind: ResourceType) -> bool {
        let values = &self.values;
        let any = || values.iter().any(|value| kind.may_be(value));
        *self.kinds.entry(kind).or_insert_with(any)
    }

    /// Whether a guide has the action on one.
    fn documented(&self, action: &str) -> bool {
        let mut written = self.written.strings();
        written.any(|arn| catalog::is_documented_on(action, arn))
    }

    /// Whether one is a pattern that can be resources of the service; where the service is known well, of several kinds.
    /// Services ask about a list call under one of their own ARNs more often than the reference says; Route 53 does not.
    fn service(&mut self, service: Service) -> bool {
        let settled = service.is_complete() || KNOWN_WELL.contains(&service.name());
        let enough = if settled { 2 } else { 1 };
        let patterns = &self.patterns;
        let own = |arn: &Resource<'_>| {
            let kinds = service.resource_types().filter(|kind| kind.may_be(arn));
            kinds.take(enough).count() == enough
        };
        let any = || service.name() != "route53" && patterns.iter().any(own);
        *self.services.entry(service).or_insert_with(any)
    }
}

fn report<'s>(unfit: &Unfit<'_>, resources: &Elements, sink: &'s mut Sink<'_>) -> Draft<'s> {
    let &Unfit { action, known, .. } = unfit;
    let has_types = known.resource_types().next().is_some();
    let name = quoted(action.text.as_str());
    let (message, help) = if has_types {
        (
            format!(
                "{name} applies to {}, and no `Resource` here is such",
                forms(known)
            ),
            "add the resource that the action needs, or take the action out of this statement",
        )
    } else {
        (
            format!(
                "{name} applies to no single resource: AWS asks for `*`, which no `Resource` here matches"
            ),
            "give the action a statement of its own with \"Resource\": \"*\"",
        )
    };
    let mut draft = sink
        .report(action.text.span(), message)
        .pointer(action.pointer.clone())
        .help(help);
    for value in resources.values.iter().take(3) {
        draft = draft.related(value.text.span(), "does not fit");
    }
    draft
}

fn is_star(arn: &str) -> bool {
    !arn.is_empty() && arn.chars().all(|character| character == '*')
}

/// The forms of ARN that the action applies to, at most three.
fn forms(action: Action) -> String {
    let mut shown: Vec<String> = action
        .resource_types()
        .take(4)
        .map(|kind| format!("`{}`", kind.arn().replace("${Partition}", "aws")))
        .collect();
    if shown.len() > 3 {
        shown.truncate(3);
        shown.push("others".to_owned());
    }
    shown.join(" or ")
}
