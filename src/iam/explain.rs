//! Decisions in sentences: which statement decided, and where none did, which value failed and what was allowed.

use std::collections::BTreeSet;

use crate::model::dns::{RecordName, canonical_record_type};
use crate::model::policy::{
    BaseOperator, Effect, Family, Quantifier, glob_matches, has_wildcard, route53,
};

use super::compile::PolicyTest;
use super::condition::ConditionTest;
use super::evaluate::{Compiled, Decision, Matched, Word, World, allow, is_other_account, is_root};
use super::pattern::{Pattern, literal};
use super::principal::Naming;
use super::statement::{ElementTest, StatementTest, Truth};
use super::{ContextValue, Request, RequestPrincipal};

/// Decides and explains.
pub(super) fn decision(compiled: &Compiled, request: &Request) -> Decision {
    let word = compiled.word(request, World::Careful);
    let hopeful = compiled.word(request, World::Hopeful);
    let (matched, why) = match word {
        Word::ExplicitDeny => told(compiled, request, Effect::Deny),
        Word::Allowed => told(compiled, request, Effect::Allow),
        Word::ImplicitDeny => (Vec::new(), denials(compiled, request)),
    };
    Decision {
        word,
        matched,
        why,
        missing_context: missing(compiled, request),
        not_given: (word == Word::Allowed)
            .then(|| without_own_policy(compiled, request))
            .flatten(),
        undecided: if word == hopeful {
            Vec::new()
        } else {
            doubts(compiled, request, hopeful)
        },
    }
}

/// The statements with `effect` that apply, and a sentence for each.
fn told(compiled: &Compiled, request: &Request, effect: Effect) -> (Vec<Matched>, Vec<String>) {
    let mut matched = Vec::new();
    let mut why = Vec::new();
    for (policy, statement) in concerning(compiled, request) {
        let applies = World::Careful.takes(statement.applies(request).0, effect);
        if statement.effect != effect || !applies || statement.is_whole() {
            continue;
        }
        let verb = match effect {
            Effect::Allow => "allows",
            Effect::Deny => "denies",
        };
        let place = named(policy, statement);
        why.push(format!(
            "{place} {verb} `{}` on `{}`",
            request.action(),
            request.resource
        ));
        why.extend(by_absence(statement, request).map(|reason| format!("{place}: {reason}")));
        if effect == Effect::Deny {
            why.extend(by_value(statement, request).map(|reason| format!("{place}: {reason}")));
        }
        matched.push(Matched {
            policy: policy.name.to_string(),
            statement: statement.index,
            sid: statement.sid.as_deref().map(str::to_owned),
            effect,
        });
    }
    (matched, why)
}

/// What an Allow does not say of a role that is assumed or a KMS key, whose own policy was not given (AWS KMS Developer Guide,
/// "Key policies": no principal has rights to a key that the key policy does not give; IAM User Guide, "Granting a user
/// permissions to switch roles": the role's trust policy must name the user).
fn without_own_policy(compiled: &Compiled, request: &Request) -> Option<String> {
    let action = request.folded_action();
    let is_key = action.starts_with("kms:") && request.resource.contains(":key/");
    let is_role = action.starts_with("sts:assumerole") && request.resource.contains(":role/");
    let whose = match (is_key, is_role) {
        (true, _) => "the policy of the key",
        (_, true) => "the trust policy of the role",
        _ => return None,
    };
    let given = compiled.resource.is_some();
    (!given).then(|| format!("{whose} must allow it as well and was not given"))
}

/// The conditions that hold only because their key is absent.
fn by_absence(statement: &StatementTest, request: &Request) -> impl Iterator<Item = String> {
    let absent = |condition: &&ConditionTest| {
        condition.operator.base != BaseOperator::Null
            && request.value(&condition.folded_key).is_none()
    };
    statement.conditions.iter().filter(absent).map(|condition| {
        let (key, operator) = (&condition.key, condition.operator);
        format!("`{key}` is not in the request, and `{operator}` is true without it")
    })
}

/// The conditions that hold by what the request carries, with it.
fn by_value(statement: &StatementTest, request: &Request) -> impl Iterator<Item = String> {
    let told = |condition: &ConditionTest| {
        let value = request.value(&condition.folded_key)?;
        let (key, operator) = (&condition.key, condition.operator);
        let carried = quoted(value.values().iter().map(String::as_str));
        let listed = quoted(condition.written.iter().map(|text| &**text));
        Some(if operator.base == BaseOperator::Null {
            format!("`{key}` is in the request ({carried})")
        } else {
            format!("`{key}` is {carried}, for which `{operator}` holds ({listed})")
        })
    };
    let all = statement.conditions.iter();
    all.filter_map(told)
}

/// The statements of all policies that concern whoever asks.
fn concerning<'a>(
    compiled: &'a Compiled,
    request: &Request,
) -> impl Iterator<Item = (&'a PolicyTest, &'a StatementTest)> {
    let policies: Vec<&PolicyTest> = compiled.policies_for(request).collect();
    policies
        .into_iter()
        .flat_map(|policy| policy.statements.iter().map(move |one| (policy, one)))
}

pub(super) fn statements(
    compiled: &Compiled,
) -> impl Iterator<Item = (&PolicyTest, &StatementTest)> {
    compiled
        .policies()
        .flat_map(|policy| policy.statements.iter().map(move |one| (policy, one)))
}

pub(super) fn named(policy: &PolicyTest, statement: &StatementTest) -> String {
    if statement.is_whole() {
        return format!("`{}`", policy.name);
    }
    match &statement.sid {
        Some(sid) => format!(
            "statement {} (`{sid}`) of `{}`",
            statement.index, policy.name
        ),
        None => format!("statement {} of `{}`", statement.index, policy.name),
    }
}

/// Why nothing allows: every layer that had to and did not.
fn denials(compiled: &Compiled, request: &Request) -> Vec<String> {
    let mut why = Vec::new();
    for (level, scps) in compiled.scps.iter().enumerate() {
        if !compiled.spared_by_scps(request) && !allow(scps, request, World::Careful) {
            why.push(format!(
                "no service control policy of level {level} allows it"
            ));
            why.extend(near_misses(scps.iter(), request));
        }
    }
    let naming = compiled.resource_naming(request, World::Careful);
    let needs_resource = is_other_account(request) || compiled.needs_resource_policy(request);
    let identity = is_root(request) || allow(&compiled.identity, request, World::Careful);
    if naming.is_none() && (needs_resource || !identity) {
        match &compiled.resource {
            Some(policy) => why.extend(near_misses(std::iter::once(policy), request)),
            None if needs_resource => {
                why.push(
                    "the resource is in another account and has no policy that allows it"
                        .to_owned(),
                );
            }
            None => {}
        }
    }
    let identity_counts = match naming {
        Some(Naming::Account) => true,
        Some(Naming::Itself | Naming::Role | Naming::Everyone) => is_other_account(request),
        None => !compiled.needs_resource_policy(request),
    };
    if !identity && identity_counts {
        why.extend(delegated(naming, request));
        why.extend(identity_denials(compiled, request));
    }
    why.extend(limit_denials(compiled, request));
    if why.is_empty() {
        why.push(format!("no policy allows `{}`", request.action()));
    }
    why
}

/// What the resource policy's Allow leaves to the identity policies of whoever asks.
fn delegated(naming: Option<Naming>, request: &Request) -> Option<String> {
    let account = request.principal.as_ref()?.account()?;
    let other = is_other_account(request);
    match naming? {
        _ if other => Some(format!(
            "the policy of the resource allows it; across accounts an identity policy in `{account}`, the account of who asks, must allow it too"
        )),
        Naming::Account => Some(format!(
            "the policy of the resource names the account `{account}`, which only lets that account's own policies allow it"
        )),
        Naming::Itself | Naming::Role | Naming::Everyone => None,
    }
}

fn identity_denials(compiled: &Compiled, request: &Request) -> Vec<String> {
    let federated = matches!(
        request.principal,
        Some(RequestPrincipal::Federated(_) | RequestPrincipal::Service(_))
    );
    if compiled.identity.is_empty() && (federated || compiled.resource.is_some()) {
        return Vec::new();
    }
    near_misses(compiled.identity.iter(), request)
}

fn limit_denials(compiled: &Compiled, request: &Request) -> Vec<String> {
    let mut why = Vec::new();
    if let Some(list) = &compiled.boundary
        && !allow(list, request, World::Careful)
    {
        why.push("the permissions boundary does not allow it".to_owned());
        why.extend(near_misses(list.iter(), request));
    }
    if let Some(policy) = &compiled.session
        && !allow(std::slice::from_ref(policy), request, World::Careful)
    {
        why.push("the session policy does not allow it".to_owned());
        why.extend(near_misses(std::iter::once(policy), request));
    }
    why
}

/// What kept each Allow for this action from applying; one sentence when no Allow is for this action.
fn near_misses<'a>(
    policies: impl Iterator<Item = &'a PolicyTest>,
    request: &Request,
) -> Vec<String> {
    let mut why = Vec::new();
    let mut names = Vec::new();
    for policy in policies {
        names.push(format!("`{}`", policy.name));
        for statement in &policy.statements {
            let concerns = statement.covers_action(request) != Truth::No;
            if statement.effect == Effect::Allow && concerns {
                why.extend(statement_misses(policy, statement, request));
            }
        }
    }
    if why.is_empty() && !names.is_empty() {
        why.push(format!(
            "no statement of {} allows `{}`",
            names.join(", "),
            request.action()
        ));
    }
    why
}

fn statement_misses(
    policy: &PolicyTest,
    statement: &StatementTest,
    request: &Request,
) -> Vec<String> {
    let place = named(policy, statement);
    let mut why = Vec::new();
    if statement.names_principal(request).0 == Truth::No {
        let who = request
            .principal
            .as_ref()
            .map_or("nobody", |who| who.as_str());
        why.push(format!("{place} does not name the principal `{who}`"));
    }
    if statement.covers_resource(request) == Truth::No {
        why.extend(
            statement
                .resources
                .as_ref()
                .map(|list| format!("{place} {}", resource_miss(list, request))),
        );
    }
    for condition in &statement.conditions {
        if condition.truth(request) == Truth::No {
            let reasons = condition_miss(condition, request);
            why.extend(
                reasons
                    .into_iter()
                    .map(|reason| format!("{place}: {reason}")),
            );
        }
    }
    why
}

fn resource_miss(list: &ElementTest, request: &Request) -> String {
    let shown = |(written, pattern): (&str, &Pattern)| {
        if pattern.variables().next().is_none() {
            return format!("`{written}`");
        }
        match pattern.glyphs(request) {
            Some(glyphs) => format!("`{written}`, here `{}`", literal(&glyphs)),
            None => format!("`{written}`, whose variable has no value here"),
        }
    };
    let written = list.written.iter().map(|text| &**text);
    let listed: Vec<String> = if list.written.len() == list.patterns.len() {
        written.zip(&list.patterns).map(shown).collect()
    } else {
        written.map(|written| format!("`{written}`")).collect()
    };
    let listed = listed.join(", ");
    if list.negated {
        format!(
            "is not for `{}`, which `NotResource` lists ({listed})",
            request.resource
        )
    } else {
        format!("is for {listed}, not for `{}`", request.resource)
    }
}

/// Why a condition does not hold.
fn condition_miss(condition: &ConditionTest, request: &Request) -> Vec<String> {
    let (key, operator) = (&condition.key, condition.operator);
    let value = request.value(&condition.folded_key);
    if operator.base == BaseOperator::Null {
        return vec![match value {
            _ if operator.quantifier.is_some() => format!("`{operator}` is never true"),
            None => format!("`{key}` is not in the request, and `Null` asks that it is"),
            Some(value) if value.is_null() => {
                format!("`{key}` is empty, and `Null` asks that it is not")
            }
            Some(_) => format!("`{key}` is in the request, and `Null` asks that it is not"),
        }];
    }
    let Some(value) = value else {
        return vec![format!(
            "`{key}` is not in the request, and `{operator}` needs it"
        )];
    };
    match (operator.quantifier, value) {
        (None, ContextValue::Multi(values)) => vec![format!(
            "`{key}` has a list of values ({}), and `{operator}` compares a single one; write `ForAllValues:` or `ForAnyValue:`",
            quoted(values.iter().map(String::as_str))
        )],
        (Some(Quantifier::ForAnyValue), value) if value.is_null() => {
            vec![format!("`{key}` is empty, and `{operator}` needs a value")]
        }
        (_, value) => value
            .values()
            .iter()
            .filter(|value| !condition.passes(value, request))
            .map(|value| value_miss(condition, value))
            .collect(),
    }
}

fn value_miss(condition: &ConditionTest, value: &str) -> String {
    let (key, operator) = (&condition.key, condition.operator);
    let listed = quoted(condition.written.iter().map(|text| &**text));
    let hint = spelling(condition, value);
    if operator.base.is_negated() {
        return format!(
            "`{value}` is one of the values of `{key}` that `{operator}` excludes ({listed}){hint}"
        );
    }
    match (operator.base.family(), operator.base.is_pattern()) {
        (Family::String, false) => {
            format!("`{value}` is not in the list of `{key}` ({listed}){hint}")
        }
        (Family::String | Family::Arn, true) => {
            format!("`{value}` matches none of the patterns of `{key}` ({listed}){hint}")
        }
        _ => format!("`{value}` does not pass `{operator}` of `{key}` ({listed})"),
    }
}

/// What is wrong with the spelling of `value`, or of the value in the list that was meant.
fn spelling(condition: &ConditionTest, value: &str) -> String {
    misspelt(condition, value)
        .or_else(|| unmatched(condition, value))
        .unwrap_or_default()
}

/// The value in the list that would match `value` if the operator took its star for a wildcard.
fn unmatched(condition: &ConditionTest, value: &str) -> Option<String> {
    let like = like(condition)?;
    let operator = condition.operator;
    let pattern = condition
        .written
        .iter()
        .find(|written| has_wildcard(written) && glob_matches(written, value))?;
    Some(format!(
        "; `{pattern}` there is a pattern under `{like}` alone, and would match it; `{operator}` takes the wildcard as it is"
    ))
}

/// The operator that compares by pattern, where this one compares strings exactly; `None` for a negated one, whose
/// patterns would deny more.
fn like(condition: &ConditionTest) -> Option<String> {
    let base = condition.operator.base;
    let exact = base.family() == Family::String && !base.is_pattern() && !base.is_negated();
    let written = condition.operator.to_string();
    exact.then(|| {
        written
            .replace("EqualsIgnoreCase", "Like")
            .replace("Equals", "Like")
    })
}

/// What keeps `value` and a value in the list apart that mean the same.
fn misspelt(condition: &ConditionTest, value: &str) -> Option<String> {
    let key = &condition.key;
    if let Some(seen) = seen_as(key, value) {
        let what = if key.eq_ignore_ascii_case(route53::NAMES_KEY) {
            "that record"
        } else {
            "it"
        };
        return Some(format!("; IAM sees {what} as `{seen}`"));
    }
    let written = condition
        .written
        .iter()
        .find(|written| seen_as(key, written).is_some_and(|seen| seen == value))?;
    let below = like(condition).filter(|_| written.starts_with("*."));
    let below = below.map(|like| {
        format!(
            " for the wildcard record alone, or `{written}` under `{like}` for every name below"
        )
    });
    Some(format!(
        "; `{written}` there is never sent, write `{value}`{}",
        below.unwrap_or_default()
    ))
}

/// How Route 53 would have sent a value that a request spells otherwise.
pub(super) fn seen_as(key: &str, value: &str) -> Option<String> {
    let seen = if key.eq_ignore_ascii_case(route53::NAMES_KEY) {
        RecordName::parse(value).ok()?.iam()
    } else if key.eq_ignore_ascii_case(route53::TYPES_KEY) {
        canonical_record_type(value)?.to_owned()
    } else if key.eq_ignore_ascii_case(route53::ACTIONS_KEY) {
        value.to_ascii_uppercase()
    } else {
        return None;
    };
    (seen != value).then_some(seen)
}

fn quoted<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = values.map(|value| format!("`{value}`")).collect();
    quoted.join(", ")
}

/// Keys that statements for this action ask for, in conditions and in variables, and that are not there; each once, in
/// the order of the policies.
fn missing(compiled: &Compiled, request: &Request) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (_, statement) in concerning(compiled, request) {
        if statement.covers_action(request) == Truth::No {
            continue;
        }
        for key in asked(statement) {
            let folded = key.to_ascii_lowercase();
            if request.value(&folded).is_none() && seen.insert(folded) {
                found.push(key.to_owned());
            }
        }
    }
    found
}

/// The keys that a statement asks for.
fn asked(statement: &StatementTest) -> impl Iterator<Item = &str> {
    let of_conditions = statement.conditions.iter().flat_map(|condition| {
        let variables = condition.patterns().flat_map(|one| one.variables());
        let needed = variables.filter(|variable| variable.default.is_none());
        std::iter::once(&*condition.key).chain(needed.map(|variable| &*variable.key))
    });
    let of_resources = statement.resources.iter().flat_map(|list| {
        let variables = list.patterns.iter().flat_map(|one| one.variables());
        variables
            .filter(|variable| variable.default.is_none())
            .map(|variable| &*variable.key)
    });
    of_resources.chain(of_conditions)
}

/// Which statements leave the decision open.
fn doubts(compiled: &Compiled, request: &Request, hopeful: Word) -> Vec<String> {
    let mut found = Vec::new();
    for (policy, statement) in concerning(compiled, request) {
        if statement.applies(request).0 != Truth::Maybe {
            continue;
        }
        let place = named(policy, statement);
        let of_conditions = statement
            .conditions
            .iter()
            .filter(|condition| condition.truth(request) == Truth::Maybe);
        let mut reasons: Vec<String> = of_conditions
            .filter_map(|condition| {
                let doubt = condition.doubt.as_deref().map(str::to_owned);
                doubt.or_else(|| condition.open_for(request))
            })
            .collect();
        reasons.extend(statement.doubt.as_deref().map(str::to_owned));
        if statement.covers_action(request) == Truth::Maybe {
            reasons.push("an action is not known".to_owned());
        }
        if statement.covers_resource(request) == Truth::Maybe {
            let resources = statement.resources.as_ref();
            let variable = resources.and_then(|it| it.open_variable(request));
            reasons.push(variable.map_or_else(
                || "a resource is not known".to_owned(),
                |variable| format!("what `${{{variable}}}` stands for is not known"),
            ));
        }
        if statement.names_principal(request).0 == Truth::Maybe {
            reasons.push("a principal is not known".to_owned());
        }
        for reason in reasons {
            let told = format!("{place}: {reason}");
            if !found.contains(&told) {
                found.push(told);
            }
        }
    }
    found.push(format!(
        "if it were known, the decision could be {}",
        hopeful.word()
    ));
    found
}

#[cfg(test)]
mod tests {
    use super::super::{NamedPolicy, Policies};
    use super::*;
    use crate::model::policy::{PolicyDocument, PolicyKind};
    use crate::syntax::json;
    use crate::text::SourceMap;

    const POLICY: &str = r#"{"Version": "2012-10-17", "Statement": {
        "Sid": "Move", "Effect": "Allow", "Action": "route53:ChangeResourceRecordSets",
        "Resource": "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE",
        "Condition": {"ForAllValues:StringEquals": {
            "route53:ChangeResourceRecordSetsNormalizedRecordNames": ["example.com", "\\052.example.com"],
            "route53:ChangeResourceRecordSetsRecordTypes": ["A"]
        }}
    }}"#;

    fn explained(policy: &str, request: &Request) -> Option<Decision> {
        let mut sources = SourceMap::default();
        let file = sources.add("p.json", policy);
        let root = json::read(&sources.text(file)?).documents.pop()?;
        let document = PolicyDocument::read(root, Some(PolicyKind::Identity), None);
        let policies = Policies {
            identity: vec![NamedPolicy {
                name: "p.json",
                document: &document,
            }],
            ..Policies::default()
        };
        Some(Compiled::new(&policies).evaluate(request))
    }

    fn change(zone: &str) -> Request {
        Request::new(
            route53::CHANGE_RECORDS,
            format!("arn:aws:route53:::hostedzone/{zone}"),
        )
    }

    fn many(value: &str) -> ContextValue {
        ContextValue::Multi(vec![value.to_owned()])
    }

    #[test]
    fn a_denial_names_the_failing_value_and_how_iam_sees_it() {
        let request = change("Z0123456789EXAMPLE")
            .with(route53::NAMES_KEY, many("*.example.com"))
            .with(route53::TYPES_KEY, many("a"));
        let decision = explained(POLICY, &request).unwrap();
        assert_eq!(
            decision.why,
            [
                r"statement 0 (`Move`) of `p.json`: `*.example.com` is not in the list of `route53:ChangeResourceRecordSetsNormalizedRecordNames` (`example.com`, `\052.example.com`); IAM sees that record as `\052.example.com`",
                "statement 0 (`Move`) of `p.json`: `a` is not in the list of `route53:ChangeResourceRecordSetsRecordTypes` (`A`); IAM sees it as `A`",
            ]
        );
        assert!(decision.matched.is_empty() && decision.missing_context.is_empty());
    }

    #[test]
    fn a_listed_star_that_was_meant_as_a_pattern_is_told() {
        let policy = POLICY.replace(r"\\052.example.com", "*.example.com");
        let why = |name: &str| {
            let request = change("Z0123456789EXAMPLE").with(route53::NAMES_KEY, many(name));
            explained(&policy, &request)?.why.pop()
        };
        assert!(why("www.example.com").unwrap().ends_with("; `*.example.com` there is a pattern under `ForAllValues:StringLike` alone, and would match it; `ForAllValues:StringEquals` takes the wildcard as it is"));
        assert!(why(r"\052.example.com").unwrap().ends_with(r"; `*.example.com` there is never sent, write `\052.example.com` for the wildcard record alone, or `*.example.com` under `ForAllValues:StringLike` for every name below"));
        assert!(!why("example.org").unwrap().contains("StringLike"));
    }

    #[test]
    fn another_resource_and_another_action_are_told() {
        let decision = explained(POLICY, &change("Z0987654321EXAMPLE")).unwrap();
        assert_eq!(
            decision.why,
            [
                "statement 0 (`Move`) of `p.json` is for `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`, not for `arn:aws:route53:::hostedzone/Z0987654321EXAMPLE`"
            ]
        );
        let decision = explained(POLICY, &Request::new(route53::GET_CHANGE, "*")).unwrap();
        assert_eq!(
            decision.why,
            ["no statement of `p.json` allows `route53:GetChange`"]
        );
        assert!(decision.missing_context.is_empty());
    }

    /// The decision on a bucket's object of account 123456789012, by policies of each layer.
    fn layered(
        identity: Option<&str>,
        resource: Option<&str>,
        scp: Option<&str>,
        request: &Request,
    ) -> Option<Decision> {
        let mut sources = SourceMap::default();
        let mut read = |policy: &str, kind| {
            let file = sources.add("p.json", policy);
            let root = json::read(&sources.text(file)?).documents.pop()?;
            Some(PolicyDocument::read(root, Some(kind), None))
        };
        let identity = identity.and_then(|policy| read(policy, PolicyKind::Identity));
        let resource = resource.and_then(|policy| read(policy, PolicyKind::Resource));
        let scp = scp.and_then(|policy| read(policy, PolicyKind::Scp));
        let name = "p.json";
        let list = |document| vec![NamedPolicy { name, document }];
        let policies = Policies {
            identity: identity.as_ref().map(list).unwrap_or_default(),
            resource: resource
                .as_ref()
                .map(|document| NamedPolicy { name, document }),
            scps: scp
                .as_ref()
                .map(|document| vec![list(document)])
                .unwrap_or_default(),
            ..Policies::default()
        };
        Some(Compiled::new(&policies).evaluate(request))
    }

    fn get(who: &str) -> Request {
        let mut request =
            Request::new("s3:GetObject", "arn:aws:s3:::example/a").by(RequestPrincipal::parse(who));
        request.resource_account = Some("123456789012".to_owned());
        request
    }

    const BUCKET: &str = r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow",
        "Principal": {"AWS": ["123456789012", "arn:aws:iam::210987654321:role/reader"]},
        "Action": "s3:GetObject", "Resource": "*"}}"#;

    #[test]
    fn what_a_resource_policy_alone_does_not_allow_is_told() {
        let other = get("arn:aws:iam::210987654321:role/reader");
        let decision = layered(None, Some(BUCKET), None, &other).unwrap();
        assert_eq!(decision.word, Word::ImplicitDeny);
        let why = decision.why.join("\n");
        assert!(
            why.contains("across accounts an identity policy in `210987654321`"),
            "{why}"
        );
        let own = get("arn:aws:iam::123456789012:role/reader");
        let decision = layered(None, Some(BUCKET), None, &own).unwrap();
        let why = decision.why.join("\n");
        assert!(
            why.contains("which only lets that account's own policies allow it"),
            "{why}"
        );
    }

    #[test]
    fn a_key_and_a_role_whose_own_policy_was_not_given_are_told() {
        let policy =
            r#"{"Statement": {"Effect": "Allow", "Action": ["kms:*", "sts:*"], "Resource": "*"}}"#;
        let own = r#"{"Statement": {"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "*", "Resource": "*"}}"#;
        for (action, resource, told) in [
            (
                "kms:Decrypt",
                "arn:aws:kms:eu-west-1:123456789012:key/1234",
                Some("the policy of the key"),
            ),
            (
                "sts:AssumeRole",
                "arn:aws:iam::123456789012:role/reader",
                Some("the trust policy of the role"),
            ),
            ("kms:ListKeys", "*", None),
            ("sts:GetCallerIdentity", "*", None),
        ] {
            let request = Request::new(action, resource).by(RequestPrincipal::parse(
                "arn:aws:iam::123456789012:user/alice",
            ));
            let not_given = |resource_policy| {
                let decision = layered(Some(policy), resource_policy, None, &request).unwrap();
                assert_eq!(decision.word, Word::Allowed, "{action}");
                decision.not_given
            };
            let alone = not_given(None);
            assert_eq!(alone.is_some(), told.is_some(), "{action}");
            assert!(
                alone
                    .unwrap_or_default()
                    .starts_with(told.unwrap_or_default())
            );
            assert_eq!(not_given(Some(own)), None, "{action}");
        }
    }

    #[test]
    fn a_deny_names_the_values_that_it_holds_for_and_a_variable_what_it_stands_for() {
        let policy = r#"{"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::example/${aws:username}/*"},
            {"Effect": "Deny", "Action": "s3:*", "Resource": "*", "Condition": {"StringNotEquals": {"aws:RequestedRegion": "eu-west-1"}}}]}"#;
        let single = |value: &str| ContextValue::Single(value.to_owned());
        let request =
            get("arn:aws:iam::123456789012:user/alice").with("aws:username", single("alice"));
        let elsewhere = request
            .clone()
            .with("aws:RequestedRegion", single("us-east-1"));
        let decision = layered(Some(policy), None, None, &elsewhere).unwrap();
        assert_eq!(decision.word, Word::ExplicitDeny);
        let why = decision.why.join("\n");
        assert!(why.contains("`aws:RequestedRegion` is `us-east-1`, for which `StringNotEquals` holds (`eu-west-1`)"), "{why}");
        let here = request.with("aws:RequestedRegion", single("eu-west-1"));
        let why = layered(Some(policy), None, None, &here)
            .unwrap()
            .why
            .join("\n");
        assert!(
            why.contains(
                "`arn:aws:s3:::example/${aws:username}/*`, here `arn:aws:s3:::example/alice/*`"
            ),
            "{why}"
        );
    }

    #[test]
    fn service_linked_roles_and_the_root_user_are_judged_as_aws_judges_them() {
        let all = r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}"#;
        let none = all.replace("Allow", "Deny");
        let word = |who: &str, identity: Option<&str>, scp: Option<&str>| {
            layered(identity, None, scp, &get(who)).map(|decision| decision.word)
        };
        let linked = "arn:aws:iam::123456789012:role/aws-service-role/ecs.amazonaws.com/AWSServiceRoleForECS";
        let session = "arn:aws:sts::123456789012:assumed-role/AWSServiceRoleForECS/run";
        for who in [linked, session] {
            assert_eq!(
                word(who, Some(all), Some(&none)),
                Some(Word::Allowed),
                "{who}"
            );
        }
        let resource = r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}}"#;
        for who in ["cloudtrail.amazonaws.com", "accounts.google.com"] {
            let decision = layered(None, Some(resource), Some(&none), &get(who));
            let word = decision.map(|decision| decision.word);
            assert_eq!(word, Some(Word::Allowed), "{who}");
        }
        let role = "arn:aws:iam::123456789012:role/reader";
        assert_eq!(word(role, Some(all), Some(&none)), Some(Word::ExplicitDeny));
        let root = "arn:aws:iam::123456789012:root";
        assert_eq!(word(root, None, None), Some(Word::Allowed));
        assert_eq!(word(root, None, Some(&none)), Some(Word::ExplicitDeny));
        assert_eq!(word(role, None, None), Some(Word::ImplicitDeny));
    }

    #[test]
    fn absent_keys_are_listed_and_what_holds_only_without_them_is_told() {
        let request = change("Z0123456789EXAMPLE").with(route53::NAMES_KEY, many("example.com"));
        let decision = explained(POLICY, &request).unwrap();
        assert_eq!(decision.word, Word::Allowed);
        assert_eq!(decision.missing_context, [route53::TYPES_KEY]);
        assert_eq!(decision.matched.len(), 1);
        assert!(decision.why.iter().any(|why| why.ends_with("`route53:ChangeResourceRecordSetsRecordTypes` is not in the request, and `ForAllValues:StringEquals` is true without it")));
    }

    #[test]
    fn an_open_part_is_told_where_it_matters_and_only_there() {
        let policy = POLICY.replace("\"Effect\": \"Allow\"", "\"Effect\": \"allow\"");
        let request = change("Z0123456789EXAMPLE").with(route53::NAMES_KEY, many("example.com"));
        let decision = explained(&policy, &request).unwrap();
        assert_eq!(decision.word, Word::ExplicitDeny);
        assert!(
            decision
                .undecided
                .iter()
                .any(|why| why.contains("`Effect` is missing or not known")),
            "{decision:?}"
        );
        let elsewhere = explained(&policy, &change("Z0987654321EXAMPLE")).unwrap();
        assert_eq!(
            (elsewhere.word, elsewhere.undecided.len()),
            (Word::ImplicitDeny, 0)
        );
    }

    #[test]
    fn what_is_not_known_of_a_request_is_told_where_it_matters_and_only_there() {
        let open = |key: &str| key.starts_with("aws:");
        let request = || change("Z0123456789EXAMPLE").leaving_open(open);
        let asks = |operator: &str, values: &str| {
            let of = format!("\"Condition\": {{\"{operator}\": {values},");
            POLICY.replace("\"Condition\": {", &of)
        };
        let network = r#"{"aws:SourceIp": "203.0.113.0/24"}"#;
        for operator in ["IpAddress", "NotIpAddress", "IpAddressIfExists"] {
            let decision = explained(&asks(operator, network), &request()).unwrap();
            assert_eq!(decision.word, Word::ImplicitDeny, "{operator}");
            let told = "it asks for `203.0.113.0/24` in `aws:SourceIp`";
            assert!(
                decision.undecided.iter().any(|why| why.contains(told)),
                "{decision:?}"
            );
        }
        // What is given is known, and so is what a set operator makes of any value at all.
        let given = request().with(
            "aws:SourceIp",
            ContextValue::Single("203.0.113.9".to_owned()),
        );
        let decision = explained(&asks("IpAddress", network), &given).unwrap();
        assert_eq!(
            (decision.word, decision.undecided.len()),
            (Word::Allowed, 0)
        );
        let null = asks("ForAllValues:Null", r#"{"aws:SourceIp": "true"}"#);
        let decision = explained(&null, &request()).unwrap();
        assert_eq!(
            (decision.word, decision.undecided.len()),
            (Word::Allowed, 0)
        );
        // Another zone is another one whatever stands there; a variable may stand for this one.
        let elsewhere = change("Z0987654321EXAMPLE").leaving_open(open);
        let decision = explained(&asks("IpAddress", network), &elsewhere).unwrap();
        assert!(decision.undecided.is_empty(), "{decision:?}");
        for (resource, is_open) in [
            ("hostedzone/${aws:PrincipalTag/zone}", true),
            ("hostedzone/Z${aws:userid}E", true),
            ("change/${aws:PrincipalTag/zone}", false),
        ] {
            let policy = POLICY.replace("hostedzone/Z0123456789EXAMPLE", resource);
            let decision = explained(&policy, &request()).unwrap();
            assert_eq!(!decision.undecided.is_empty(), is_open, "{resource}");
        }
    }
}
