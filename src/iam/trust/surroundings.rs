//! What a call for a role carries beside its token, as far as a trust policy asks for it.
//!
//! Some keys have one value in every such call, some are for the caller to choose, and of some nothing is known here (IAM
//! User Guide, "AWS global condition context keys" and "Available keys for AWS STS"). What somebody may choose keeps
//! nobody out who could choose what the policy asks for; what is not known leaves open who is let in, the job too.

use crate::model::calendar::{Day, moment};
use crate::model::policy::{BaseOperator, Condition, Effect, PolicyDocument};

use super::super::ContextValue;

/// Keys whose value is for the caller to choose, with what a caller usually sends: a session's name and
/// length, the endpoint, what the client says of itself.
const CHOSEN: [(&str, Option<&str>); 5] = [
    ("aws:referer", None),
    // The region of the endpoint that is asked, of which there are as many as regions.
    ("aws:requestedregion", None),
    ("aws:useragent", Some("aws-sdk")),
    ("sts:durationseconds", Some("3600")),
    ("sts:rolesessionname", Some("GitHubActions")),
];

/// Keys that the call may carry with a value that is not known here: the network it comes from, whose the role is.
const OPEN: [&str; 13] = [
    "aws:federatedprovider",
    "aws:resourceaccount",
    "aws:resourceorgid",
    "aws:resourceorgpaths",
    "aws:sourceip",
    "aws:sourcevpc",
    "aws:sourcevpcarn",
    "aws:sourcevpce",
    "aws:tokenissuetime",
    "aws:vpceaccount",
    "aws:vpceorgid",
    "aws:vpceorgpaths",
    "aws:vpcsourceip",
];

/// The clock, which is open where the day is not known.
const CLOCK: [&str; 2] = ["aws:currenttime", "aws:epochtime"];

/// Calls that are tried at most: more ways to choose leave it open who is let in.
const MOST: usize = 64;

/// One way to make the call: keys with their values.
pub(super) type Setting = Vec<(String, ContextValue)>;

/// What comes beside the token.
pub(super) struct Surroundings {
    /// Each way to make the call, the usual one first.
    pub(super) ways: Vec<Setting>,
    /// Whether there are more ways than were looked at.
    pub(super) more: bool,
}

impl Surroundings {
    /// What calls that `document` judges may carry on that day.
    pub(super) fn of(document: &PolicyDocument, day: Option<Day>) -> Self {
        let mut sure = vec![
            (
                "aws:PrincipalIsAWSService".to_owned(),
                single("false".to_owned()),
            ),
            ("aws:SecureTransport".to_owned(), single("true".to_owned())),
            ("aws:ViaAWSService".to_owned(), single("false".to_owned())),
        ];
        if let Some(Day(day)) = day {
            let noon = day * 86_400 + 43_200;
            sure.push(("aws:CurrentTime".to_owned(), single(moment(noon))));
            sure.push(("aws:EpochTime".to_owned(), single(noon.to_string())));
        }
        let mut found = Self {
            ways: vec![sure],
            more: false,
        };
        for (key, usual) in CHOSEN {
            found.choose(document, key, usual.map(str::to_owned));
        }
        found
    }

    /// Each way once more for each value of `key` that the document tells apart.
    fn choose(&mut self, document: &PolicyDocument, key: &str, usual: Option<String>) {
        let asked: Vec<String> = conditions(document)
            .filter(|condition| condition.is_on(key))
            .flat_map(|condition| &condition.values)
            .map(|value| value.text.as_str().replace(['*', '?'], "x"))
            .collect();
        if asked.is_empty() {
            return;
        }
        let mut values: Vec<Option<String>> = vec![usual];
        values.extend(asked.into_iter().map(Some));
        let every = self.ways.iter().flat_map(|way| {
            values.iter().map(|value| {
                let mut way = way.clone();
                way.extend(value.clone().map(|value| (key.to_owned(), single(value))));
                way
            })
        });
        let ways: Vec<Setting> = every.take(MOST).collect();
        self.more |= self.ways.len() * values.len() > MOST;
        self.ways = ways;
    }
}

fn single(value: String) -> ContextValue {
    ContextValue::Single(value)
}

fn conditions(document: &PolicyDocument) -> impl Iterator<Item = &Condition> {
    document.statements.iter().flat_map(|one| &one.conditions)
}

/// Whether nothing is known of what the call carries under the key of a condition.
pub(super) fn is_open(condition: &Condition, day: Option<Day>) -> bool {
    let clock = CLOCK.iter().filter(|_| day.is_none());
    OPEN.iter().chain(clock).any(|key| condition.is_on(key))
}

/// Whether it may depend on such a condition who is let in: nothing is known of the key here, or the job's own choice is not.
pub(super) fn leaves_open(condition: &Condition, day: Option<Day>) -> bool {
    let is_null = condition
        .operator
        .is_some_and(|operator| operator.base == BaseOperator::Null);
    let mut chosen = CHOSEN.iter();
    is_open(condition, day) || !is_null && chosen.any(|(key, _)| condition.is_on(key))
}

/// The document as it is if each condition that is `open` turns out for those who ask (`hopeful`), or against them: the Allow
/// applies or does not, the Deny does not or applies. `None` where none is open.
pub(super) fn decided(
    document: &PolicyDocument,
    open: impl Fn(&Condition) -> bool,
    hopeful: bool,
) -> Option<PolicyDocument> {
    if !conditions(document).any(&open) {
        return None;
    }
    let mut decided = document.clone();
    decided.statements.retain(|statement| {
        let effect = statement.effect.as_ref().map(|effect| effect.value);
        let falls = match effect {
            Some(Effect::Allow) => !hopeful,
            Some(Effect::Deny) => hopeful,
            None => false,
        };
        !falls || !statement.conditions.iter().any(&open)
    });
    for statement in &mut decided.statements {
        statement.conditions.retain(|condition| !open(condition));
    }
    Some(decided)
}
