//! What a trust policy lets in: the legitimate token of one job, and tokens of everybody else, put before the evaluator.
//!
//! The verdicts are those of `validate trust`: *safe* the legitimate token and no other; *weak* only tokens that take
//! more than a GitHub account (see [`Threat::is_weak`]); *too broad* any other; *stale format* nobody but this
//! repository's job in another subject format or context; *never matches* nobody; *unresolved* not decidable here. A
//! statement that lets in others without a token of GitHub's makes a policy *too broad* where it asks nothing of them, and
//! *weak* where it names somebody.

mod attacks;
mod forge;
mod proof;
mod surroundings;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::policy::{Condition, PolicyDocument, Principal, Value};
use crate::model::trust::{
    ASSUME_WITH_WEB_IDENTITY, Claims, GitHubStatement, Repository, github_statements, issuer_of,
    statements_about_github,
};
use crate::syntax::pointer::Pointer;
use crate::text::{Span, Text};

use super::{Compiled, ContextValue, NamedPolicy, Policies, Request, RequestPrincipal, Word};

use surroundings::{Setting, Surroundings, decided, is_open, leaves_open};
use ways::Way;

pub use attacks::{Attack, Threat, attacks, stale_tokens};
pub use proof::intended;

/// The verdict on a trust policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The legitimate token is let in, and no other.
    Safe,
    /// The legitimate token is let in, and weak attacks are.
    Weak,
    /// Others are let in, whether or not the legitimate token is.
    TooBroad,
    /// Nobody is let in.
    NeverMatches,
    /// Only this repository's job in another subject format or context would be let in.
    StaleFormat,
    /// Parts of the policy are not known here.
    Unresolved,
}

impl Verdict {
    /// The word of the JSON form.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Weak => "weak",
            Self::TooBroad => "too_broad",
            Self::NeverMatches => "never_matches",
            Self::StaleFormat => "stale_format",
            Self::Unresolved => "unresolved",
        }
    }
}

/// The verdict on one trust policy for one job.
#[derive(Debug, Clone)]
pub struct TrustVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The statement that lets the job in, else the first one about GitHub's tokens.
    pub statement: usize,
    /// The statement that lets in the first of the others, else the same.
    pub lets_in: usize,
    /// Whether the job's own token is let in.
    pub legit_allowed: bool,
    /// The tokens of others that are let in.
    pub attackers: Vec<Attack>,
    /// Why, in a sentence.
    pub why: String,
}

/// The verdicts of one run on its policies for one job: each is found once, however many ask.
#[derive(Debug, Default)]
pub struct Verdicts {
    found: Mutex<BTreeMap<Identity, Option<Arc<TrustVerdict>>>>,
}

/// Where a policy stands, and its address: one text may make several.
type Identity = (Span, Option<String>);

impl Verdicts {
    /// What [`verdict`] says.
    pub fn of(
        &self,
        document: &PolicyDocument,
        repository: &Repository,
    ) -> Option<Arc<TrustVerdict>> {
        let identity = (document.span(), document.address.clone());
        let known =
            |found: &BTreeMap<Identity, Option<Arc<TrustVerdict>>>| found.get(&identity).cloned();
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        // Not held while it is sought, which takes a while.
        if let Some(known) = known(&found()) {
            return known;
        }
        let sought = verdict(document, repository).map(Arc::new);
        found().insert(identity, sought.clone());
        sought
    }
}

/// Judges `document` for the job of `repository`; `None` when no statement is about GitHub's tokens.
#[must_use]
pub fn verdict(document: &PolicyDocument, repository: &Repository) -> Option<TrustVerdict> {
    let first = github_statements(document).next();
    // One for another action lets in nobody, and that is a verdict too.
    let first = first.or_else(|| statements_about_github(document).next());
    let first = first?.statement.index;
    let judge = Judge::new(document, repository);
    let legit = judge.asks_of_job(document, repository);
    let mut open = legit.is_none();
    let mut let_in = Vec::new();
    for attack in attacks(document, repository) {
        let tokens = attack.tokens(document, repository);
        let mut answers = tokens
            .into_iter()
            .map(|claims| (judge.asks(&claims), claims));
        let found = answers.find(|(answer, _)| {
            open |= answer.is_none();
            *answer == Some(true)
        });
        let_in.extend(found.map(|(_, claims)| Attack { claims, ..attack }));
    }
    let mut attackers = widest_first(let_in.into_iter());
    let mut unproved = None;
    if attackers.is_empty() && !open && legit == Some(true) {
        let beyond = judge.beyond(document, repository);
        attackers = widest_first(beyond.attacks.into_iter());
        unproved = beyond.open.into_iter().next();
    }
    let strong = attackers.iter().find(|attack| !attack.threat.is_weak());
    let stale = || {
        stale_tokens(repository)
            .into_iter()
            .find(|stale| judge.asks(&stale.claims) == Some(true))
    };
    let (verdict, why) = match (strong, open, legit) {
        (Some(attack), ..) => (Verdict::TooBroad, is_let_in(attack)),
        (None, true, _) => (Verdict::Unresolved, judge.doubt(document, repository)),
        (None, false, Some(true)) => of_the_legit(&attackers, unproved),
        (None, false, _) => match stale() {
            Some(stale) => (
                Verdict::StaleFormat,
                format!(
                    "it is for {}, `{}`, but the job's subject is `{}`",
                    stale.name,
                    stale.claims.subject(),
                    repository.subject()
                ),
            ),
            None => (Verdict::NeverMatches, judge.denial(repository)),
        },
    };
    let statement = judge.statement(&repository.claims()).unwrap_or(first);
    let told = strong.or_else(|| attackers.first());
    let lets_in = told.and_then(|attack| judge.statement(&attack.claims));
    let found = TrustVerdict {
        verdict,
        statement,
        lets_in: lets_in.unwrap_or(statement),
        legit_allowed: legit == Some(true),
        attackers,
        why,
    };
    Some(found.with_other_ways(&ways::others(document, repository)))
}

impl TrustVerdict {
    /// The same, with who is let in without a token of GitHub's.
    fn with_other_ways(self, ways: &[Way]) -> Self {
        let Some(way) = ways.first() else {
            return self;
        };
        let verdict = match self.verdict {
            _ if way.is_open && self.verdict != Verdict::TooBroad => Verdict::TooBroad,
            Verdict::Safe => Verdict::Weak,
            Verdict::Weak
            | Verdict::TooBroad
            | Verdict::NeverMatches
            | Verdict::StaleFormat
            | Verdict::Unresolved => return self,
        };
        Self {
            verdict,
            lets_in: way.statement,
            why: way.why.clone(),
            ..self
        }
    }
}

/// The attacks by how many may make them; one that is told already, of the same people in the same words, is left out.
fn widest_first(attacks: impl Iterator<Item = Attack>) -> Vec<Attack> {
    let mut told = BTreeSet::new();
    let mut found: Vec<Attack> = attacks
        .filter(|attack| told.insert((attack.threat, attack.name.clone())))
        .collect();
    found.sort_by_key(|attack| attack.threat.narrowness());
    found
}

fn is_let_in(attack: &Attack) -> String {
    match attack.claims.subject() {
        "" => format!("{} is let in", attack.name),
        subject => format!("{} is let in with the subject `{subject}`", attack.name),
    }
}

fn of_the_legit(attackers: &[Attack], unproved: Option<String>) -> (Verdict, String) {
    match attackers.first() {
        None if unproved.is_some() => (Verdict::Unresolved, unproved.unwrap_or_default()),
        None => (
            Verdict::Safe,
            "the job's token is let in, and no other".to_owned(),
        ),
        Some(attack) => (
            Verdict::Weak,
            format!("beside the job, {}", is_let_in(attack)),
        ),
    }
}

/// What came of all ways to call with one token.
struct Answers {
    /// Whether one gets the role.
    some: bool,
    /// Whether each does.
    all: bool,
    /// Whether one may get it that is not known to.
    open: bool,
}

fn compiled(document: &PolicyDocument) -> Compiled {
    Compiled::new(&Policies {
        resource: Some(NamedPolicy {
            name: "the trust policy",
            document,
        }),
        ..Policies::default()
    })
}

/// The evaluator, asked on behalf of tokens.
pub struct Judge {
    /// What is open in it counts against who asks.
    compiled: Compiled,
    /// The same where it counts for them; `None` where nothing is open.
    hopeful: Option<Compiled>,
    surroundings: Surroundings,
    providers: Vec<String>,
    issuer: String,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge")
            .field("providers", &self.providers)
            .finish_non_exhaustive()
    }
}

impl Judge {
    /// Compiles `document`. Tokens come through the repository's provider; where the account is not known, through each
    /// provider of GitHub's issuer that the document names rightly.
    #[must_use]
    pub fn new(document: &PolicyDocument, repository: &Repository) -> Self {
        let providers = match &repository.provider {
            Some(provider) => vec![provider.clone()],
            None => named_providers(document, &repository.issuer),
        };
        let assumed = match &repository.provider {
            Some(_) => None,
            None => with_provider(document, &providers),
        };
        let document = assumed.as_ref().unwrap_or(document);
        let open = |condition: &Condition| is_open(condition, repository.day);
        let careful = decided(document, open, false);
        Self {
            compiled: compiled(careful.as_ref().unwrap_or(document)),
            hopeful: decided(document, open, true).as_ref().map(compiled),
            surroundings: Surroundings::of(document, repository.day),
            providers,
            issuer: repository.issuer.clone(),
        }
    }

    /// Whether a token with these claims gets the role, whatever else the caller chooses; `None` when that is open.
    #[must_use]
    pub fn asks(&self, claims: &Claims) -> Option<bool> {
        let answers = self.answers(claims);
        if answers.some {
            Some(true)
        } else if answers.open {
            None
        } else {
            Some(false)
        }
    }

    /// Whether the job gets the role; `None` also when that turns on claims whose values are not known here, or on what else
    /// its call carries.
    #[must_use]
    pub fn asks_of_job(&self, document: &PolicyDocument, repository: &Repository) -> Option<bool> {
        let claims = repository.claims();
        let answer = self.whichever_way(&claims);
        let mut fitting = claims.clone();
        for (claim, condition) in unknown_claims(document, repository) {
            let value = condition.values.first().map(|value| value.text.as_str());
            let value = value.unwrap_or_default().replace(['*', '?'], "x");
            fitting = fitting.with(claim, value);
        }
        if fitting == claims || self.whichever_way(&fitting) == answer {
            answer
        } else {
            None
        }
    }

    /// Whether a token with these claims gets the role in every call, or in none.
    fn whichever_way(&self, claims: &Claims) -> Option<bool> {
        let answers = self.answers(claims);
        match (answers.some, answers.all, answers.open) {
            (true, true, false) => Some(true),
            (false, _, false) => Some(false),
            _ => None,
        }
    }

    fn answers(&self, claims: &Claims) -> Answers {
        let mut answers = Answers {
            some: false,
            all: !self.providers.is_empty(),
            open: self.surroundings.more,
        };
        for way in &self.surroundings.ways {
            // A token comes through one of the providers.
            let (mut through, mut open) = (false, false);
            for request in self.requests_in(way, claims) {
                match self.compiled.decide(&request) {
                    Some(Word::Allowed) => through = true,
                    Some(Word::ImplicitDeny | Word::ExplicitDeny) => {
                        let hope = self.hopeful.as_ref();
                        open |= hope.is_some_and(|hope| {
                            !matches!(
                                hope.decide(&request),
                                Some(Word::ImplicitDeny | Word::ExplicitDeny)
                            )
                        });
                    }
                    None => open = true,
                }
            }
            answers.some |= through;
            answers.all &= through;
            answers.open |= open && !through;
        }
        answers
    }

    /// The calls with a token, made in the usual way first.
    fn requests(&self, claims: &Claims) -> impl Iterator<Item = Request> {
        let ways = self.surroundings.ways.iter();
        ways.flat_map(move |way| self.requests_in(way, claims))
    }

    fn requests_in(&self, way: &Setting, claims: &Claims) -> impl Iterator<Item = Request> {
        self.providers.iter().map(move |provider| {
            let principal = RequestPrincipal::Federated(provider.clone());
            let mut request = Request::new(ASSUME_WITH_WEB_IDENTITY, "*").by(principal);
            for (key, value) in way {
                request.set(key, value.clone());
            }
            for (claim, value) in claims.iter() {
                let key = format!("{}:{claim}", self.issuer);
                request.set(&key, ContextValue::Single(value.to_owned()));
            }
            request
        })
    }

    /// Who else is let in, over all tokens: no list of attacks says that nobody is.
    fn beyond(&self, document: &PolicyDocument, repository: &Repository) -> proof::Beyond {
        let assumed = match &repository.provider {
            Some(_) => None,
            None => with_provider(document, &self.providers),
        };
        proof::beyond(
            assumed.as_ref().unwrap_or(document),
            repository,
            &self.providers,
        )
    }

    /// The statement that lets in a token with these claims.
    fn statement(&self, claims: &Claims) -> Option<usize> {
        self.requests(claims)
            .find_map(|request| Some(self.compiled.evaluate(&request).matched.first()?.statement))
    }

    /// The Deny that keeps a token out.
    #[must_use]
    pub fn denied_by(&self, claims: &Claims) -> Option<usize> {
        self.requests(claims).find_map(|request| {
            let decision = self.compiled.evaluate(&request);
            let first = decision.matched.first()?.statement;
            (decision.word == Word::ExplicitDeny).then_some(first)
        })
    }

    /// Why the job is not let in.
    #[must_use]
    pub fn denial(&self, repository: &Repository) -> String {
        let why = self
            .requests(&repository.claims())
            .next()
            .map(|request| self.compiled.evaluate(&request).why)
            .unwrap_or_default();
        why.join("; ")
    }

    /// What leaves it open whether the job is let in.
    fn doubt(&self, document: &PolicyDocument, repository: &Repository) -> String {
        let way = self.whichever_way(&repository.claims());
        if let Some(condition) = open_surroundings(document, repository).first()
            && way.is_none()
        {
            return unknown_surrounding(condition);
        }
        if way.is_some()
            && let Some((claim, condition)) = unknown_claims(document, repository).first()
        {
            return unknown_claim(claim, condition);
        }
        let open = self
            .requests(&repository.claims())
            .next()
            .map(|request| self.compiled.evaluate(&request).undecided)
            .unwrap_or_default();
        if open.is_empty() {
            "parts of the policy are not known here".to_owned()
        } else {
            open.join("; ")
        }
    }
}

/// Why it is open whether the job's token passes a condition.
#[must_use]
pub fn unknown_claim(claim: &str, condition: &Condition) -> String {
    let listed: Vec<&str> = condition
        .values
        .iter()
        .map(|value| value.text.as_str())
        .collect();
    format!(
        "what the job's token carries in `{claim}` is not known here, and the policy asks for `{}`",
        listed.join("` or `")
    )
}

/// Why it is open whether the job's call passes a condition on what comes beside its token.
#[must_use]
pub fn unknown_surrounding(condition: &Condition) -> String {
    let listed: Vec<&str> = condition
        .values
        .iter()
        .map(|value| value.text.as_str())
        .collect();
    format!(
        "what the job's call carries in `{}` is not known here, and the policy asks for `{}`",
        condition.key.as_str(),
        listed.join("` or `")
    )
}

/// The conditions on what comes beside the token, of which it is not known here whether the job's call passes them.
#[must_use]
pub fn open_surroundings<'a>(
    document: &'a PolicyDocument,
    repository: &Repository,
) -> Vec<&'a Condition> {
    let day = repository.day;
    let statements = document.statements.iter();
    statements
        .filter(|statement| statement.covers_action(ASSUME_WITH_WEB_IDENTITY))
        .flat_map(|statement| &statement.conditions)
        .filter(|condition| leaves_open(condition, day))
        .collect()
}

/// Whether `document` would allow `request` if what is not known of the job's call were as it asks.
#[must_use]
pub fn turns_on_the_call(
    document: &PolicyDocument,
    repository: &Repository,
    request: &Request,
) -> bool {
    let open = |condition: &Condition| leaves_open(condition, repository.day);
    decided(document, open, true)
        .is_some_and(|hopeful| compiled(&hopeful).decide(request) != Some(Word::ImplicitDeny))
}

/// The conditions on claims of the job's token whose values are not known here.
pub fn unknown_claims<'a>(
    document: &'a PolicyDocument,
    repository: &Repository,
) -> Vec<(&'static str, &'a Condition)> {
    let unknown = repository.unknown_claims();
    let of = |one: GitHubStatement<'a>| {
        let asked = unknown.iter().flat_map(move |claim| {
            let conditions = one.claim(claim);
            conditions.map(move |condition| (*claim, condition))
        });
        asked.collect::<Vec<_>>()
    };
    github_statements(document).flat_map(of).collect()
}

/// The same document, with a provider of the issuer where a `Federated` principal is not known (mostly for its account)
/// beside conditions on claims of GitHub's tokens, which the tokens of no other provider have. That the principal is not
/// known is told elsewhere; `None` where all are known.
fn with_provider(document: &PolicyDocument, providers: &[String]) -> Option<PolicyDocument> {
    let about_claims: BTreeSet<usize> = github_statements(document)
        .filter(|one| one.claims().next().is_some())
        .map(|one| one.statement.index)
        .collect();
    let mut assumed = document.clone();
    let mut any = false;
    for statement in &mut assumed.statements {
        let Some(principals) = &mut statement.principals else {
            continue;
        };
        let element = format!("{}/Principal", statement.pointer);
        let federated = format!("{element}/Federated");
        let below = |pointer: &str, of: &str| {
            let rest = pointer.strip_prefix(of);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let open = assumed.unknown.iter().map(|part| part.pointer.as_str());
        let mut open = open.filter(|pointer| below(pointer, &element)).peekable();
        let some = open.peek().is_some();
        let fits = some && open.all(|pointer| below(pointer, &federated));
        if !fits || principals.negated || !about_claims.contains(&statement.index) {
            continue;
        }
        let origin = principals.key.origin();
        let kind = Text::whole("Federated", origin.clone());
        principals
            .entries
            .extend(providers.iter().map(|provider| Principal {
                kind: Some(kind.clone()),
                value: Value {
                    text: Text::whole(provider.clone(), origin.clone()),
                    pointer: Pointer::to(federated.as_str()),
                },
            }));
        principals.incomplete = false;
        assumed
            .unknown
            .retain(|part| !below(&part.pointer, &federated));
        any = true;
    }
    any.then_some(assumed)
}

fn named_providers(document: &PolicyDocument, issuer: &str) -> Vec<String> {
    let named: BTreeSet<String> = github_statements(document)
        .flat_map(|one| one.providers())
        .map(|principal| principal.value.text.as_str())
        .filter(|arn| issuer_of(arn) == Some(issuer))
        .map(str::to_owned)
        .collect();
    if named.is_empty() {
        // For `Principal: "*"`: some provider of the issuer, in an account that no policy names.
        vec![format!("arn:aws:iam::000000000000:oidc-provider/{issuer}")]
    } else {
        named.into_iter().collect()
    }
}
