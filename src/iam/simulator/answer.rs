//! `SimulateCustomPolicy` and `GetContextKeysForCustomPolicy`, answered by the local evaluator in AWS's shapes. Where it is
//! known how the simulator differs from what AWS enforces, the answer is the simulator's: it leaves resource policies out
//! for `sts:Assume…`, and it lists missing keys of all statements, those of service control policies left out.

use std::collections::BTreeSet;

use crate::iam::catalog;
use crate::model::policy::{PolicyDocument, PolicyKind};

use super::super::{
    Compiled, ContextValue, Decision, NamedPolicy, Policies, Request, RequestPrincipal, Word,
};
use super::exchange::{
    ActionResult, Answer, CONTEXT_TYPES, MatchedStatement, Query, Refusal, ResourceResult,
};
use super::express::{RESOURCE_POLICY, arn_account, assumes, is_resource};
use super::keys::{asked_keys, once};
use super::place::PolicyText;

/// How many results a page has when it is not said.
const USUAL_PAGE: usize = 100;
/// How many decisions one page makes at most; AWS too may return fewer results than were asked for.
const MAX_DECISIONS: usize = 10_000;
/// How many characters of policies are walked for one page at most, each decision walking all of them.
const MAX_WORK: usize = 256 * 1024 * 1024;
/// The most characters of one document (IAM API Reference, `SimulateCustomPolicy`).
const MAX_DOCUMENT: usize = 131_072;
/// What a marker begins with.
const MARKER: &str = "after-";

/// Answers a request; one page.
///
/// # Errors
/// When a parameter or a policy is not what the API takes, or a policy leaves a decision open.
pub fn answer(query: &Query) -> Result<Answer, Refusal> {
    check(query)?;
    let texts = Texts::read(query)?;
    let simulation = Simulation::new(query, &texts)?;
    let total = query.action_names.len();
    let begin = begin(query, total)?;
    let resources = query.resource_arns.len().max(1);
    let most = MAX_DECISIONS.min(MAX_WORK / size(query).max(1)).max(1);
    if resources > most {
        return Err(Refusal::invalid_input(format!(
            "{resources} resources are too many; at most {most} are taken here with these policies"
        )));
    }
    let wanted = query.max_items.map_or(USUAL_PAGE, |items| items as usize);
    let count = wanted.min(most / resources).max(1);
    let actions = query.action_names.iter().skip(begin).take(count);
    let evaluation_results = actions
        .map(|action| simulation.action(action))
        .collect::<Result<Vec<_>, _>>()?;
    let end = begin + evaluation_results.len();
    Ok(Answer {
        evaluation_results,
        marker: (end < total).then(|| format!("{MARKER}{end}")),
    })
}

/// The keys that these policies ask for: those of conditions and those of variables, each once, in their order.
///
/// # Errors
/// When there is no policy, or one that is not a policy.
pub fn context_keys(policies: &[String]) -> Result<Vec<String>, Refusal> {
    if policies.is_empty() {
        return Err(missing_parameter("policyInputList"));
    }
    let read = list(policies, "PolicyInputList", PolicyKind::Identity)?;
    let keys: Vec<_> = read
        .iter()
        .flat_map(|(_, text)| asked_keys(&text.document))
        .collect();
    Ok(once(keys.iter()))
}

/// The bytes of all policies.
fn size(query: &Query) -> usize {
    let lists = [
        &query.policy_input_list,
        &query.permissions_boundary_policy_input_list,
    ];
    let levels = query.ordered_organization_policy_input_list.iter();
    let all = lists.into_iter().chain(levels).flatten();
    all.chain(&query.resource_policy).map(String::len).sum()
}

fn missing_parameter(name: &str) -> Refusal {
    Refusal::validation(format!(
        "1 validation error detected: Value null at '{name}' failed to satisfy constraint: Member must not be null"
    ))
}

fn begin(query: &Query, total: usize) -> Result<usize, Refusal> {
    let Some(marker) = &query.marker else {
        return Ok(0);
    };
    let count = marker.strip_prefix(MARKER);
    let count = count.and_then(|count| count.parse::<usize>().ok());
    count
        .filter(|count| *count < total)
        .ok_or_else(|| Refusal::invalid_input(format!("`{marker}` is no marker of these results")))
}

/// Whether the parameters are what the API takes.
fn check(query: &Query) -> Result<(), Refusal> {
    if query.policy_input_list.is_empty() {
        return Err(missing_parameter("policyInputList"));
    }
    if query.action_names.is_empty() {
        return Err(missing_parameter("actionNames"));
    }
    for action in &query.action_names {
        let length = action.chars().count();
        if !(3..=128).contains(&length) || !action.contains(':') || action.contains(['*', '?']) {
            return Err(Refusal::invalid_input(format!(
                "`{action}` is no action: one is expected with its service and without wildcards, such as `route53:ChangeResourceRecordSets`"
            )));
        }
    }
    if let Some(items) = query.max_items.filter(|items| !(1..=1000).contains(items)) {
        return Err(Refusal::validation(format!(
            "1 validation error detected: Value '{items}' at 'maxItems' failed to satisfy constraint: Member must be between 1 and 1000"
        )));
    }
    if let Some(resource) = query.resource_arns.iter().find(|one| !is_resource(one)) {
        return Err(Refusal::invalid_input(format!(
            "`{resource}` is no resource: an ARN of six parts is expected, such as `arn:aws:s3:::bucket/*`, or `*`"
        )));
    }
    for entry in &query.context_entries {
        let kind = entry.context_key_type.as_str();
        if !CONTEXT_TYPES.contains(&kind) {
            return Err(Refusal::invalid_input(format!(
                "`{kind}` is no ContextKeyType; allowed are {}",
                CONTEXT_TYPES.join(", ")
            )));
        }
    }
    check_layers(query)
}

fn check_layers(query: &Query) -> Result<(), Refusal> {
    let boundaries = query.permissions_boundary_policy_input_list.len();
    if boundaries > 1 {
        return Err(Refusal::invalid_input(format!(
            "PermissionsBoundaryPolicyInputList takes one policy, not {boundaries}"
        )));
    }
    let levels = query.ordered_organization_policy_input_list.len();
    if levels > 7 {
        return Err(Refusal::invalid_input(format!(
            "OrderedOrganizationPolicyInputList takes 7 levels, not {levels}"
        )));
    }
    match &query.caller_arn {
        None if query.resource_policy.is_some() => Err(Refusal::invalid_input(
            "CallerArn is required with a ResourcePolicy",
        )),
        Some(caller) if !is_iam_identity(caller) => Err(Refusal::invalid_input(format!(
            "CallerArn takes the ARN of a user, group or role, not `{caller}`"
        ))),
        _ => Ok(()),
    }
}

fn is_iam_identity(arn: &str) -> bool {
    let kinds = [":user/", ":group/", ":role/"];
    arn.contains(":iam::") && kinds.iter().any(|kind| arn.contains(kind))
}

/// Policies with the ids that answers name them by.
type Named = Vec<(String, PolicyText)>;

/// The policies of a request, read.
struct Texts {
    identity: Named,
    resource: Named,
    boundary: Named,
    levels: Vec<Named>,
}

impl Texts {
    fn read(query: &Query) -> Result<Self, Refusal> {
        let levels = query.ordered_organization_policy_input_list.iter().zip(1..);
        let resource = match &query.resource_policy {
            Some(policy) => vec![(
                RESOURCE_POLICY.to_owned(),
                read(policy, RESOURCE_POLICY, PolicyKind::Resource)?,
            )],
            None => Vec::new(),
        };
        Ok(Self {
            identity: list(
                &query.policy_input_list,
                "PolicyInputList",
                PolicyKind::Identity,
            )?,
            resource,
            boundary: list(
                &query.permissions_boundary_policy_input_list,
                "PermissionsBoundaryPolicyInputList",
                PolicyKind::Boundary,
            )?,
            levels: levels
                .map(|(level, at): (_, usize)| {
                    let name = format!("OrderedOrganizationPolicyInputList.{at}");
                    list(level, &name, PolicyKind::Scp)
                })
                .collect::<Result<_, _>>()?,
        })
    }

    fn policies(&self, with_resource: bool) -> Policies<'_> {
        Policies {
            identity: named(&self.identity),
            resource: named(&self.resource).pop().filter(|_| with_resource),
            permissions_boundary: Some(named(&self.boundary)).filter(|list| !list.is_empty()),
            scps: self.levels.iter().map(named).collect(),
            rcps: Vec::new(),
            session: None,
        }
    }
}

fn list(policies: &[String], name: &str, kind: PolicyKind) -> Result<Named, Refusal> {
    policies
        .iter()
        .zip(1..)
        .map(|(policy, at): (_, usize)| {
            let id = format!("{name}.{at}");
            let text = read(policy, &id, kind)?;
            Ok((id, text))
        })
        .collect()
}

fn read(policy: &str, id: &str, kind: PolicyKind) -> Result<PolicyText, Refusal> {
    let refused = |why: &str| Refusal::invalid_input(format!("{id}: {why}"));
    let length = policy.chars().count();
    if length > MAX_DOCUMENT {
        return Err(Refusal::validation(format!(
            "{id}: the document has {length} characters; at most {MAX_DOCUMENT} are allowed"
        )));
    }
    let foreign = |one: &char| !matches!(one, '\t' | '\n' | '\r' | ' '..='\u{ff}');
    if let Some(foreign) = policy.chars().find(foreign) {
        return Err(Refusal::validation(format!(
            "{id}: U+{:04X} is not allowed; a document has tab, line feed, carriage return and U+0020 to U+00FF",
            u32::from(foreign)
        )));
    }
    let text = PolicyText::read(policy, kind).map_err(|why| refused(&why))?;
    let document: &PolicyDocument = &text.document;
    if let Some(part) = document.malformed.first() {
        return Err(refused(&format!("{}: {}", part.pointer, part.message)));
    }
    Ok(text)
}

fn named(policies: &Named) -> Vec<NamedPolicy<'_>> {
    policies
        .iter()
        .map(|(name, text)| NamedPolicy {
            name,
            document: &text.document,
        })
        .collect()
}

/// A request, ready to be decided.
struct Simulation<'a> {
    query: &'a Query,
    texts: &'a Texts,
    compiled: Compiled,
    /// The same without the resource policy, for the actions for which the simulator leaves it out.
    without_resource: Compiled,
    context: Vec<(&'a str, ContextValue)>,
    missing: Vec<String>,
}

impl<'a> Simulation<'a> {
    fn new(query: &'a Query, texts: &'a Texts) -> Result<Self, Refusal> {
        let mut context: Vec<(&str, ContextValue)> = Vec::new();
        for entry in &query.context_entries {
            let key = entry.context_key_name.as_str();
            if context
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(key))
            {
                return Err(Refusal::invalid_input(format!(
                    "the context key `{key}` is there twice; letter case does not count"
                )));
            }
            let mut values = entry.context_key_values.clone();
            let single = values.len() == 1 && !entry.context_key_type.ends_with("List");
            let value = match values.pop() {
                Some(value) if single => ContextValue::Single(value),
                Some(value) => {
                    values.push(value);
                    ContextValue::Multi(values)
                }
                None => continue,
            };
            context.push((key, value));
        }
        let asked = [&texts.identity, &texts.resource, &texts.boundary];
        let keys: Vec<_> = asked
            .into_iter()
            .flatten()
            .flat_map(|(_, text)| asked_keys(&text.document))
            .filter(|key| !key.has_default)
            .collect();
        let given: BTreeSet<String> = context
            .iter()
            .map(|(key, _)| key.to_ascii_lowercase())
            .collect();
        let missing = once(keys.iter())
            .into_iter()
            .filter(|key| !given.contains(&key.to_ascii_lowercase()))
            .collect();
        Ok(Self {
            query,
            texts,
            compiled: Compiled::new(&texts.policies(true)),
            without_resource: Compiled::new(&texts.policies(false)),
            context,
            missing,
        })
    }

    fn action(&self, action: &str) -> Result<ActionResult, Refusal> {
        let name = eval_resource_name(action, &self.query.resource_arns);
        let everything = ["*".to_owned()];
        let resources = if self.query.resource_arns.is_empty() {
            &everything[..]
        } else {
            &self.query.resource_arns
        };
        let mut result = ActionResult {
            eval_action_name: action.to_owned(),
            eval_resource_name: Some(name),
            missing_context_values: self.missing.clone(),
            ..ActionResult::default()
        };
        let mut worst = Word::Allowed;
        let mut found: Vec<(Word, ResourceResult)> = Vec::with_capacity(resources.len());
        for resource in resources {
            let request = self.request(action, resource);
            let compiled = self.compiled(&request);
            let decision = compiled.evaluate(&request);
            if let Some(why) = decision.undecided.first() {
                return Err(Refusal::policy_evaluation(why.as_str()));
            }
            worst = worst.max(decision.word);
            let organizations = compiled.organizations_allow(&request);
            let boundary = compiled.boundary_allows(&request);
            result.allowed_by_organizations = both(result.allowed_by_organizations, organizations);
            result.allowed_by_permissions_boundary =
                both(result.allowed_by_permissions_boundary, boundary);
            found.push((decision.word, self.resource(resource, &decision, boundary)));
        }
        result.eval_decision = worst.word().to_owned();
        let deciding = found.iter().filter(|(word, _)| *word == worst);
        for statement in deciding.flat_map(|(_, one)| &one.matched_statements) {
            if !result.matched_statements.contains(statement) {
                result.matched_statements.push(statement.clone());
            }
        }
        let mut arns = self.query.resource_arns.iter();
        if !arns.all(|resource| resource == "*") {
            result.resource_specific_results = found.into_iter().map(|(_, one)| one).collect();
            // With resources, AWS lists them there alone.
            result.missing_context_values.clear();
        }
        Ok(result)
    }

    fn compiled(&self, request: &Request) -> &Compiled {
        if assumes(request) {
            &self.without_resource
        } else {
            &self.compiled
        }
    }

    fn request(&self, action: &str, resource: &str) -> Request {
        let mut request = Request::new(action, resource);
        if let Some(caller) = &self.query.caller_arn {
            request = request.by(RequestPrincipal::Arn(caller.clone()));
        }
        let owner = self.query.resource_owner.as_deref().and_then(arn_account);
        let account = arn_account(resource).or(owner).map(str::to_owned);
        if self.query.resource_policy.is_some() {
            request.resource_account = account;
        }
        for (key, value) in &self.context {
            request.set(key, value.clone());
        }
        request
    }

    fn resource(
        &self,
        resource: &str,
        decision: &Decision,
        boundary: Option<bool>,
    ) -> ResourceResult {
        let all = self.texts.identity.iter().chain(&self.texts.resource);
        let matched = decision.matched.iter().filter_map(|matched| {
            let (id, text) = all.clone().find(|(id, _)| *id == matched.policy)?;
            let mut places = text.statements.iter();
            let place = places.find(|place| place.index == matched.statement)?;
            let kind = if id == RESOURCE_POLICY {
                "resource"
            } else {
                "none"
            };
            Some(MatchedStatement {
                source_policy_id: id.clone(),
                source_policy_type: Some(kind.to_owned()),
                start_position: Some(place.start),
                end_position: Some(place.end),
            })
        });
        ResourceResult {
            eval_resource_name: resource.to_owned(),
            eval_resource_decision: decision.word.word().to_owned(),
            matched_statements: matched.collect(),
            missing_context_values: self.missing.clone(),
            allowed_by_permissions_boundary: boundary,
        }
    }
}

/// The more restrictive of two details.
fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        (one, other) => one.or(other),
    }
}

/// The form of the ARN of what the action is for, where that is known here: for the actions of Route 53 with one type of
/// resource. Else `*`.
fn eval_resource_name(action: &str, resources: &[String]) -> String {
    let route53 = action.to_ascii_lowercase().starts_with("route53:");
    let known = catalog::action(action).filter(|_| route53 && !resources.is_empty());
    let mut types = known.into_iter().flat_map(catalog::Action::resource_types);
    match (types.next(), types.next()) {
        (Some(kind), None) => kind.arn().to_owned(),
        _ => "*".to_owned(),
    }
}
