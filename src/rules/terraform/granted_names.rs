//! The record names that the policies of a module let somebody change.

use crate::model::dns::RecordName;
use crate::model::policy::{
    Condition, Elements, Family, PolicyDocument, Statement, glob_matches, route53,
};
use crate::rules::Workspace;
use crate::terraform::{Declarations, Record};
use crate::text::Span;

/// What one statement lets somebody change.
pub(super) struct Granted {
    /// The names as IAM sees them, each with its place.
    names: Vec<(String, Span)>,
    /// Patterns of names, each with its place.
    patterns: Vec<(String, Span)>,
    /// The record types; `None` for all, or where they are not known.
    types: Option<Vec<String>>,
    /// The hosted zones; `None` for all, or where they are not known.
    zones: Option<Vec<String>>,
    /// Whether the names are all that it lets through.
    pub(super) complete: bool,
}

/// What the policies of `module` let somebody change.
pub(super) fn of(workspace: &Workspace, module: &Declarations) -> Vec<Granted> {
    let own = |policy: &&PolicyDocument| module.files.contains(&policy.span().file);
    let policies = workspace.policies.iter().map(|artefact| &artefact.model);
    let statements = policies.filter(own).flat_map(|policy| &policy.statements);
    let grants = statements
        .filter(|statement| statement.allows() && statement.covers_action(route53::CHANGE_RECORDS));
    grants.map(Granted::of).collect()
}

/// The values that a condition demands, where it demands that they be equal.
fn exact<'a>(statement: &'a Statement, key: &'a str) -> Option<Vec<(&'a str, Span)>> {
    let demands = |condition: &&Condition| {
        condition.operator.is_some_and(|operator| {
            let base = operator.base;
            base.family() == Family::String && !base.is_pattern() && !base.is_negated()
        })
    };
    let condition = statement.conditions_on(key).find(demands)?;
    let values = condition.values.iter();
    let known = values.map(|value| (value.text.as_str(), value.text.span()));
    Some(known.collect())
}

/// The patterns that a condition lets names have.
fn patterns(statement: &Statement) -> Vec<(String, Span)> {
    let demands = |condition: &&Condition| {
        condition.operator.is_some_and(|operator| {
            let base = operator.base;
            base.family() == Family::String && base.is_pattern() && !base.is_negated()
        })
    };
    let conditions = statement.conditions_on(route53::NAMES_KEY).filter(demands);
    let values = conditions.flat_map(|condition| &condition.values);
    let known = values.map(|value| (value.text.as_str().to_owned(), value.text.span()));
    known.collect()
}

impl Granted {
    fn of(statement: &Statement) -> Self {
        let names = exact(statement, route53::NAMES_KEY);
        let complete = names.is_some() && !statement.incomplete;
        let iam = |(name, at): (&str, Span)| {
            let parsed = RecordName::parse(name).map(|name| name.iam());
            (parsed.unwrap_or_else(|_| name.to_ascii_lowercase()), at)
        };
        let owned = |values: Vec<(&str, Span)>| -> Vec<String> {
            values
                .into_iter()
                .map(|(value, _)| value.to_owned())
                .collect()
        };
        Self {
            names: names.unwrap_or_default().into_iter().map(iam).collect(),
            patterns: patterns(statement),
            types: exact(statement, route53::TYPES_KEY).map(owned),
            zones: statement.resources.as_ref().and_then(zones),
            complete,
        }
    }

    /// Where the statement names `record`, if it does.
    pub(super) fn names(&self, record: &Record) -> Option<Span> {
        let kind = record.record_type.as_ref()?.as_str()?;
        if self
            .types
            .as_ref()
            .is_some_and(|types| !types.iter().any(|found| found == kind))
        {
            return None;
        }
        if !self.may_be_of(record) {
            return None;
        }
        let name = RecordName::parse(&record.told_name()?).ok()?.iam();
        let mut listed = self.names.iter();
        let found = listed.find(|(granted, _)| *granted == name);
        // Of a name that is counted from the zone it is not known what a pattern takes.
        let whole = record.zone_name.is_some() || name.contains('.');
        let mut patterns = self.patterns.iter().filter(|_| whole);
        let found = found.or_else(|| patterns.find(|(pattern, _)| glob_matches(pattern, &name)));
        found.map(|(_, at)| *at)
    }

    /// Whether one of its names may be that of `record`, whose name may be counted from its zone.
    pub(super) fn may_name(&self, record: &Record) -> bool {
        let written = record.told_name();
        let Some(name) = written.and_then(|name| RecordName::parse(&name).ok()) else {
            return true;
        };
        let iam = name.iam();
        if record.zone_name.is_some() {
            return self.names.iter().any(|(granted, _)| *granted == iam);
        }
        let below = format!("{iam}.");
        self.names
            .iter()
            .any(|(granted, _)| *granted == iam || granted.starts_with(&below))
    }

    /// Whether it may be about the zone of `record`.
    pub(super) fn may_be_of(&self, record: &Record) -> bool {
        match (&self.zones, record.zone()) {
            (Some(zones), Some(zone)) => zones.iter().any(|found| found == zone),
            (None, _) | (_, None) => true,
        }
    }
}

/// The ids of the zones that resources name; `None` where a pattern or something unknown stands among them.
fn zones(resources: &Elements) -> Option<Vec<String>> {
    if resources.negated || resources.incomplete {
        return None;
    }
    let id = |arn: &str| {
        let (_, id) = arn.split_once(":hostedzone/")?;
        (!id.contains(['*', '?'])).then(|| id.to_owned())
    };
    let of_zones = resources
        .strings()
        .filter(|arn| !arn.contains(":::change/"));
    of_zones.map(id).collect()
}
