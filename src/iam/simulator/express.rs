//! A case as a request to `SimulateCustomPolicy`, or the reasons why that API cannot be asked (IAM API Reference,
//! `SimulateCustomPolicy`; IAM User Guide, "Testing IAM policies with the IAM policy simulator").

use crate::model::policy::{PolicyDocument, PolicyKind};

use super::super::evaluate::is_other_account;
use super::super::{ContextValue, NamedPolicy, Policies, Request, RequestPrincipal};
use super::context_type::context_type;
use super::exchange::{ContextEntry, Place, Query};
use super::place::PolicyText;

/// The most characters that one document may have.
const MAX_DOCUMENT: usize = 131_072;
/// The most levels of an organisation.
const MAX_LEVELS: usize = 7;
/// The id of the resource policy in answers.
pub(super) const RESOURCE_POLICY: &str = "ResourcePolicy";

/// A request with what is needed to read its answer.
#[derive(Debug, Clone)]
pub struct Question {
    /// The request.
    pub query: Query,
    /// The policies whose statements an answer can name.
    pub(super) sources: Vec<SourcePolicy>,
}

/// A policy as answers name it.
#[derive(Debug, Clone)]
pub(super) struct SourcePolicy {
    /// `PolicyInputList.1`.
    pub(super) id: String,
    /// The name it is told by here.
    pub(super) name: String,
    /// Its statements: index, `Sid`, end.
    pub(super) statements: Vec<(usize, Option<String>, Place)>,
}

/// The request for a case.
///
/// # Errors
/// Why the API cannot be asked: each reason a sentence.
pub fn express(policies: &Policies<'_>, request: &Request) -> Result<Question, Vec<String>> {
    let mut writer = Writer {
        reasons: layers(policies),
        sources: Vec::new(),
    };
    writer.reasons.extend(caller(policies, request));
    writer.reasons.extend(form(request));
    let query = writer.query(policies, request);
    if writer.reasons.is_empty() {
        Ok(Question {
            query,
            sources: writer.sources,
        })
    } else {
        Err(writer.reasons)
    }
}

/// What the API takes of the layers.
fn layers(policies: &Policies<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut say = |reason: &str| reasons.push(format!("`SimulateCustomPolicy` {reason}"));
    if policies.identity.is_empty() {
        say("needs at least one identity policy");
    }
    if policies.session.is_some() {
        say("takes no session policy");
    }
    if policies.rcps.iter().any(|level| !level.is_empty()) {
        say("takes no resource control policies");
    }
    if let Some(boundary) = &policies.permissions_boundary
        && boundary.len() != 1
    {
        say(&format!(
            "takes one permissions boundary, not {}",
            boundary.len()
        ));
    }
    if policies.scps.len() > MAX_LEVELS {
        say(&format!(
            "takes service control policies of {MAX_LEVELS} levels, not {}",
            policies.scps.len()
        ));
    }
    if policies.scps.iter().any(Vec::is_empty) {
        say("takes no level without a service control policy");
    }
    reasons
}

/// What the API takes of who asks, and of whose the resource is.
fn caller(policies: &Policies<'_>, request: &Request) -> Vec<String> {
    let mut reasons = Vec::new();
    let who = request.principal.as_ref();
    if let Some(who) = who.filter(|who| !policies.scps.is_empty() && who.is_spared_by_scps()) {
        reasons.push(format!(
            "`SimulateCustomPolicy` is not told that service control policies do not concern `{}`, and would hold it to them",
            who.as_str()
        ));
    }
    if policies.resource.is_none() {
        if is_other_account(request) {
            reasons.push(
                "`SimulateCustomPolicy` looks at the resource's account only together with a resource policy"
                    .to_owned(),
            );
        }
        return reasons;
    }
    if assumes(request) {
        reasons.push(format!(
            "`SimulateCustomPolicy` ignores resource policies for `{}`, and so a role's trust policy; `pointsman validate trust` and the local engine look at it",
            request.action()
        ));
    }
    match &request.principal {
        None => reasons.push(
            "`SimulateCustomPolicy` needs a `principal` beside a resource policy".to_owned(),
        ),
        Some(RequestPrincipal::Arn(arn)) if is_user_or_group(arn) => {}
        Some(RequestPrincipal::Arn(arn)) if arn.contains(":role/") => reasons.push(format!(
            "`SimulateCustomPolicy` does not simulate resource policies for roles, and `{arn}` is one"
        )),
        Some(other) => reasons.push(format!(
            "`SimulateCustomPolicy` takes a user or a group as caller, not `{}`",
            other.as_str()
        )),
    }
    let own = arn_account(&request.resource);
    let said = request.resource_account.as_deref().or_else(|| {
        let principal = request.principal.as_ref()?;
        principal.account()
    });
    if let (Some(own), Some(said)) = (own, said)
        && own != said
    {
        reasons.push(format!(
            "the ARN puts the resource into account `{own}`, the case into `{said}`; `SimulateCustomPolicy` takes the ARN's"
        ));
    }
    reasons
}

/// What the API takes of action, resource and context.
fn form(request: &Request) -> Vec<String> {
    let mut reasons = Vec::new();
    let action = request.action();
    if !(3..=128).contains(&action.chars().count()) {
        reasons.push(format!(
            "`SimulateCustomPolicy` takes an action of 3 to 128 characters, not `{action}`"
        ));
    }
    for (key, _) in request.entries() {
        if !(5..=256).contains(&key.chars().count()) {
            reasons.push(format!(
                "`SimulateCustomPolicy` takes context keys of 5 to 256 characters, not `{key}`"
            ));
        }
    }
    if !is_resource(&request.resource) {
        reasons.push(format!(
            "`SimulateCustomPolicy` takes an ARN of six parts or `*` as resource, not `{}`",
            request.resource
        ));
    }
    reasons
}

/// Whether the simulator leaves resource policies out for this action.
pub(super) fn assumes(request: &Request) -> bool {
    request.folded_action().starts_with("sts:assume")
}

fn is_user_or_group(arn: &str) -> bool {
    arn.contains(":iam::") && (arn.contains(":user/") || arn.contains(":group/"))
}

/// Whether this is what `ResourceArns` takes: `*` or an ARN (IAM API Reference, `SimulateCustomPolicy`; IAM User Guide, "IAM
/// ARNs").
pub(super) fn is_resource(text: &str) -> bool {
    let mut parts = text.splitn(6, ':');
    text == "*" || parts.next() == Some("arn") && parts.nth(4).is_some_and(|last| !last.is_empty())
}

/// The account in an ARN, if it has one.
pub(super) fn arn_account(arn: &str) -> Option<&str> {
    arn.split(':').nth(4).filter(|account| !account.is_empty())
}

struct Writer {
    reasons: Vec<String>,
    sources: Vec<SourcePolicy>,
}

impl Writer {
    fn query(&mut self, policies: &Policies<'_>, request: &Request) -> Query {
        let identity = policies.identity.iter().zip(1..);
        let policy_input_list = identity
            .filter_map(|(policy, at)| {
                self.named(
                    policy,
                    &format!("PolicyInputList.{at}"),
                    PolicyKind::Identity,
                )
            })
            .collect();
        let resource_policy = policies
            .resource
            .as_ref()
            .and_then(|policy| self.named(policy, RESOURCE_POLICY, PolicyKind::Resource));
        let boundary = policies.permissions_boundary.iter().flatten();
        let levels = policies.scps.iter();
        Query {
            policy_input_list,
            permissions_boundary_policy_input_list: boundary
                .filter_map(|policy| self.text(policy))
                .collect(),
            ordered_organization_policy_input_list: levels
                .map(|level| level.iter().filter_map(|one| self.text(one)).collect())
                .collect(),
            action_names: vec![request.action().to_owned()],
            resource_arns: Some(request.resource.clone())
                .filter(|resource| resource != "*")
                .into_iter()
                .collect(),
            resource_owner: owner(policies, request),
            caller_arn: request
                .principal
                .as_ref()
                .filter(|_| resource_policy.is_some())
                .map(|principal| principal.as_str().to_owned()),
            resource_policy,
            context_entries: entries(policies, request),
            max_items: None,
            marker: None,
        }
    }

    /// The text of a policy that answers can name.
    fn named(&mut self, policy: &NamedPolicy<'_>, id: &str, kind: PolicyKind) -> Option<String> {
        let text = self.text(policy)?;
        let read = PolicyText::read(&text, kind).ok()?;
        let sid = |index: usize| {
            let mut statements = read.document.statements.iter();
            let statement = statements.find(|statement| statement.index == index)?;
            Some(statement.sid.as_ref()?.as_str().to_owned())
        };
        self.sources.push(SourcePolicy {
            id: id.to_owned(),
            name: policy.name.to_owned(),
            statements: read
                .statements
                .iter()
                .map(|place| (place.index, sid(place.index), place.end))
                .collect(),
        });
        Some(text)
    }

    /// The text of a policy, without white space, so that a recording does not depend on it.
    fn text(&mut self, policy: &NamedPolicy<'_>) -> Option<String> {
        let name = policy.name;
        let Some(text) = policy.document.root.json() else {
            self.reasons
                .push(format!("`{name}` holds a value that is not known"));
            return None;
        };
        let length = text.chars().count();
        if length > MAX_DOCUMENT {
            self.reasons.push(format!(
                "`{name}` has {length} characters; `SimulateCustomPolicy` takes {MAX_DOCUMENT}"
            ));
            return None;
        }
        Some(text)
    }
}

/// The account of the resource, where it is another than the caller's.
fn owner(policies: &Policies<'_>, request: &Request) -> Option<String> {
    policies.resource.as_ref()?;
    let account = request.resource_account.as_deref()?;
    Some(format!("arn:aws:iam::{account}:root"))
}

fn entries(policies: &Policies<'_>, request: &Request) -> Vec<ContextEntry> {
    let boundary = policies.permissions_boundary.iter().flatten();
    let all = policies
        .identity
        .iter()
        .chain(policies.resource.iter())
        .chain(boundary)
        .chain(policies.scps.iter().flatten());
    let documents: Vec<&PolicyDocument> = all.map(|policy| policy.document).collect();
    // As the policies write it, since a request keeps no letter case.
    let spelled = |key: &str| {
        let mut conditions = documents.iter().flat_map(|document| document.conditions());
        let found = conditions.find(|condition| condition.is_on(key));
        found.map_or_else(
            || key.to_owned(),
            |condition| condition.key.as_str().to_owned(),
        )
    };
    let entry = |(key, value): (&str, &ContextValue)| ContextEntry {
        context_key_name: spelled(key),
        context_key_values: value.values().to_vec(),
        context_key_type: context_type(key, value, &documents).to_owned(),
    };
    request.entries().map(entry).collect()
}
