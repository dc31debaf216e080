//! GitHub's tokens: which claims come together.
//!
//! A subject says what other claims say too. The default one has the repository, with the ids of both in the immutable
//! format, and then the ref, the environment or the word `pull_request`; a template has a claim's own value behind its key
//! (GitHub Docs, "OpenID Connect reference": "Example subject claims", "Customizing the token claims"). So subject and tied
//! claims are one dimension: the subjects fall into *forms*, and in a form what a pattern says of a tied claim is a
//! pattern of the subject, with what stands before the claim and behind it.
//!
//! Of the repository in question more is known: its ids are no other's, and its subjects are written by its own template.
//! A claim of a template is looked for among the first pairs; behind more pairs it is taken to be free.

use std::collections::BTreeMap;

use crate::model::spec::IssuerKind;
use crate::model::trust::{Repository, claim_keys};

use super::super::{Request, RequestPrincipal};
use super::words::{Step, Word};

/// Claims by name; `None` for one that is absent.
pub(super) type Told = BTreeMap<&'static str, Option<String>>;

/// The tokens of one issuer.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    /// The issuer, in lower case.
    pub(super) issuer: String,
    /// The repository in question, where it is this issuer's.
    home: Option<&'a Repository>,
    /// Whether AWS hands on more than subject and audience.
    pub(super) has_claim_keys: bool,
}

/// Where a claim stands in a subject.
pub(super) struct Place {
    pub(super) claim: &'static str,
    /// What may stand before it, and behind it.
    around: Vec<(Word, Word)>,
    /// Whether ids stand behind both parts of the repository.
    ids: bool,
}

/// Subjects of one form.
#[derive(Default)]
pub(super) struct Form {
    /// Of each of these, one at least matches.
    pub(super) required: Vec<Vec<Word>>,
    /// None of these does.
    pub(super) never: Vec<Word>,
    /// The claims that stand in the subject.
    pub(super) places: Vec<Place>,
    /// The claims that are known without it.
    pub(super) fixed: Told,
    /// What a claim that is neither never is.
    pub(super) barred: Vec<(&'static str, String)>,
}

const RUN: Step = Step::Run { colon: false };
const ONE: Step = Step::One { colon: false };
const ANY: Step = Step::Run { colon: true };
const DIGIT: Step = Step::In('0', '9');
const DIGITS: Step = Step::Many('0', '9');

/// How many pairs of a template are looked at before a claim.
const PAIRS: usize = 1;

/// What no ref holds (`git check-ref-format`); a colon ends a value.
const NO_REF: &str = " *?[~^\\";

fn text(text: &str) -> Word {
    text.chars().map(Step::Char).collect()
}

fn join(parts: &[&[Step]]) -> Word {
    parts.concat()
}

/// What the subject `sub` says of other claims.
pub(super) fn told(sub: &str) -> Told {
    let mut told = Told::new();
    let parts: Vec<&str> = sub.split(':').collect();
    let pairs = match parts.as_slice() {
        ["repo", repository, context @ ..] if !context.is_empty() => {
            repository_of(repository, &mut told);
            match context {
                ["ref", name] => {
                    told.insert("ref", Some((*name).to_owned()));
                    told.insert("environment", None);
                    &[]
                }
                ["environment", name] => {
                    told.insert("environment", Some(unescaped(name)));
                    &[]
                }
                ["pull_request"] => {
                    told.insert("environment", None);
                    &[]
                }
                pairs => pairs,
            }
        }
        pairs => pairs,
    };
    of_pairs(pairs, &mut told);
    told
}

fn repository_of(written: &str, told: &mut Told) {
    let Some((owner, name)) = written.split_once('/') else {
        return;
    };
    let ids = (owner.split_once('@'), name.split_once('@'));
    let (owner, name) = match ids {
        (Some((owner, owner_id)), Some((name, id))) => {
            told.insert("repository_owner_id", Some(owner_id.to_owned()));
            told.insert("repository_id", Some(id.to_owned()));
            (owner, name)
        }
        _ => (owner, name),
    };
    told.insert("repository", Some(format!("{owner}/{name}")));
}

fn of_pairs(mut parts: &[&str], told: &mut Told) {
    loop {
        parts = match parts {
            ["pull_request", rest @ ..] => rest,
            ["repo", value, rest @ ..] => {
                repository_of(value, told);
                rest
            }
            [key, value, rest @ ..] => {
                if let Some(claim) = tied(key) {
                    told.insert(claim, Some(unescaped(value)));
                }
                rest
            }
            [] | [_] => return,
        };
    }
}

/// The claim that AWS hands on under the name `key` of a template's pair.
fn tied(key: &str) -> Option<&'static str> {
    let known = claim_keys().iter().copied();
    known
        .filter(|claim| !matches!(*claim, "sub" | "aud"))
        .find(|claim| *claim == key)
}

fn unescaped(value: &str) -> String {
    value.replace("%3A", ":")
}

impl<'a> Tokens<'a> {
    /// Those that `principal` brings, if it is the provider of one of GitHub's issuers.
    pub(super) fn of(
        principal: Option<&RequestPrincipal>,
        home: Option<&'a Repository>,
    ) -> Option<Self> {
        let Some(RequestPrincipal::Federated(provider)) = principal else {
            return None;
        };
        let (_, issuer) = provider.split_once(":oidc-provider/")?;
        let kind = IssuerKind::of(issuer)?;
        Some(Self {
            issuer: issuer.to_ascii_lowercase(),
            home: home.filter(|home| home.issuer.eq_ignore_ascii_case(issuer)),
            has_claim_keys: kind.has_claim_keys(),
        })
    }

    /// The claim that `key` asks for, if it is one of these tokens'.
    pub(super) fn claim(&self, key: &str) -> Option<&'static str> {
        let (issuer, claim) = key.rsplit_once(':')?;
        let claim = claim_keys()
            .iter()
            .find(|known| known.eq_ignore_ascii_case(claim));
        claim
            .copied()
            .filter(|_| issuer.eq_ignore_ascii_case(&self.issuer))
    }

    /// Whether more is known of one repository.
    pub(super) fn has_home(&self) -> bool {
        self.home.is_some()
    }

    /// The key of a claim.
    pub(super) fn key(&self, claim: &str) -> String {
        format!("{}:{claim}", self.issuer)
    }

    /// Whether the claims of `request` can come together, as far as its subject says.
    pub(super) fn may_be(&self, request: &Request) -> bool {
        let value = |claim: &str| {
            let value = request.context(&self.key(claim));
            value.and_then(|value| value.values().first().map(String::as_str))
        };
        let Some(sub) = value("sub") else {
            return true;
        };
        let agrees = told(sub).into_iter().all(|(claim, told)| match told {
            Some(told) => value(claim).is_none_or(|own| own == told),
            None => value(claim).is_none(),
        });
        let Some(home) = self.home.filter(|_| agrees) else {
            return agrees;
        };
        let begins = home.subject_claims.first();
        if begins.is_some_and(|first| first != "repo") {
            return true;
        }
        let own = own_claims(home);
        let owner = told(sub).get("repository").cloned().flatten();
        let is_owners = owner.is_none_or(|name| name.split('/').next() == Some(&home.owner));
        let owner_id = own
            .iter()
            .find(|(claim, _)| *claim == "repository_owner_id");
        let by_owner = owner_id.is_some_and(|(claim, id)| value(claim) == Some(id));
        if by_owner && !is_owners {
            return false;
        }
        let mut own = own.iter();
        if is_of(home, sub) {
            own.all(|(claim, own)| value(claim).is_none_or(|value| value == own))
        } else {
            own.all(|(claim, own)| *claim != "repository_id" || value(claim) != Some(own))
        }
    }

    /// Every form of subject; `asked`: claims that conditions look at.
    pub(super) fn forms(&self, asked: &[&'static str]) -> Vec<Form> {
        let Some(home) = self.home else {
            let mut forms = by_default(asked);
            forms.extend(strange_templates(asked));
            return forms;
        };
        let mut forms = at_home(home, asked);
        let own = own_claims(home);
        let of = |claims: &[&str]| -> Vec<(&'static str, String)> {
            let known = own.iter().filter(|(claim, _)| claims.contains(claim));
            known.cloned().collect()
        };
        let (id, both) = (
            of(&["repository_id"]),
            of(&["repository_id", "repository_owner_id"]),
        );
        let mut others = Vec::new();
        if let Some(owner_id) = home.owner_id {
            let owner = text(&format!("repo:{}", home.owner));
            let with_id = text(&format!("repo:{}@{owner_id}", home.owner));
            for mut form in by_default(asked) {
                let head = if form.is_immutable() {
                    &with_id
                } else {
                    &owner
                };
                form.required.push(vec![join(&[head, &text("/"), &[ANY]])]);
                let own = Some(owner_id.to_string());
                form.fixed.insert("repository_owner_id", own);
                others.push((form, id.clone()));
            }
        }
        let strangers = by_default(asked).into_iter();
        others.extend(strangers.map(|form| (form, both.clone())));
        let templates = strange_templates(asked).into_iter();
        others.extend(templates.map(|form| (form, id.clone())));
        forms.extend(others.into_iter().map(|(mut form, barred)| {
            form.never.push(join(&[&home_prefix(home), &[ANY]]));
            for (claim, value) in &barred {
                let places = form.places.iter().filter(|place| place.claim == *claim);
                let words: Vec<Word> = places.flat_map(|one| one.words(&text(value))).collect();
                form.never.extend(words);
            }
            form.barred = barred;
            form
        }));
        forms
    }
}

/// Templates that do not begin with the repository.
fn strange_templates(asked: &[&'static str]) -> Vec<Form> {
    let mut forms = by_template(&[], asked);
    for form in &mut forms {
        form.never.push(join(&[&text("repo:"), &[ANY]]));
    }
    forms
}

impl Form {
    fn is_immutable(&self) -> bool {
        self.places.iter().any(|place| place.ids)
    }

    /// Whether the claim is settled here, by the subject or without it.
    pub(super) fn settles(&self, claim: &str) -> bool {
        claim == "sub"
            || self.fixed.contains_key(claim)
            || self.places.iter().any(|place| place.claim == claim)
    }
}

impl Place {
    /// What `pattern` of the claim is as a pattern of the subject; in a value a colon is written `%3A`.
    pub(super) fn words(&self, pattern: &[Step]) -> Vec<Word> {
        let written = if self.ids {
            with_ids(pattern)
        } else {
            escaped(pattern)
        };
        let around = self.around.iter();
        around
            .flat_map(|(before, behind)| {
                written
                    .iter()
                    .map(move |pattern| join(&[before, pattern, behind]))
            })
            .collect()
    }
}

/// The pattern of a value with `%3A` for each colon; one for every choice of what a `?` stands for.
fn escaped(pattern: &[Step]) -> Vec<Word> {
    let colon = text("%3A");
    let mut all = vec![Word::new()];
    for step in pattern {
        let choices: Vec<Word> = match step {
            Step::Char(':') | Step::Folded(':') => vec![colon.clone()],
            Step::One { .. } if all.len() < 64 => vec![vec![ONE], colon.clone()],
            Step::Char(_)
            | Step::Folded(_)
            | Step::One { .. }
            | Step::Run { .. }
            | Step::In(..)
            | Step::Out(..)
            | Step::Many(..) => vec![vec![*step]],
        };
        all = all
            .iter()
            .flat_map(|before| choices.iter().map(move |next| join(&[before, next])))
            .collect();
    }
    all
}

/// The pattern of `OWNER/NAME` with an id behind each part, for every place at which its slash can be.
fn with_ids(pattern: &[Step]) -> Vec<Word> {
    let at = |place: usize, step: &Step| -> Option<Word> {
        let (before, rest) = pattern.split_at_checked(place)?;
        let behind = rest.get(1..)?;
        let run: &[Step] = match step {
            Step::Char('/') | Step::Folded('/') | Step::One { .. } => &[],
            Step::Run { .. } => &[RUN],
            Step::Char(_) | Step::Folded(_) | Step::In(..) | Step::Out(..) | Step::Many(..) => {
                return None;
            }
        };
        let (id, slash) = ([Step::Char('@'), DIGIT, DIGITS], [Step::Char('/')]);
        Some(join(&[before, run, &id, &slash, run, behind, &id]))
    };
    let steps = pattern.iter().enumerate();
    steps.filter_map(|(place, step)| at(place, step)).collect()
}

fn is_of(home: &Repository, sub: &str) -> bool {
    sub.strip_prefix("repo:")
        .and_then(|rest| rest.split(':').next())
        .is_some_and(|own| own == home.subject_repository(home.format).to_string())
}

fn home_prefix(home: &Repository) -> Word {
    text(&format!("repo:{}:", home.subject_repository(home.format)))
}

/// What is known of every token of the repository.
fn own_claims(home: &Repository) -> Vec<(&'static str, String)> {
    let name = format!("{}/{}", home.owner, home.repository);
    let ids = [
        ("repository_id", home.repository_id),
        ("repository_owner_id", home.owner_id),
    ];
    let ids = ids
        .into_iter()
        .filter_map(|(claim, id)| Some((claim, id?.to_string())));
    std::iter::once(("repository", name)).chain(ids).collect()
}

/// The tokens of the repository in question, by its own template.
fn at_home(home: &Repository, asked: &[&'static str]) -> Vec<Form> {
    let own = own_claims(home);
    let known = own
        .iter()
        .map(|(claim, value)| (*claim, Some(value.clone())));
    let known: Told = known.collect();
    let mut forms = if home.subject_claims.is_empty() {
        contexts(&home_prefix(home))
    } else {
        by_own_template(home, asked)
    };
    for form in &mut forms {
        form.fixed.extend(known.clone());
    }
    forms
}

/// The three contexts behind a prefix that ends in a colon.
fn contexts(prefix: &[Step]) -> Vec<Form> {
    let of = |head: &str, claim: Option<&'static str>| {
        let before = join(&[prefix, &text(head)]);
        let tail: &[Step] = if claim.is_some() { &[ONE, RUN] } else { &[] };
        let mut form = Form {
            required: vec![vec![join(&[&before, tail])]],
            ..Form::default()
        };
        form.places.extend(claim.map(|claim| Place {
            claim,
            around: vec![(before, Word::new())],
            ids: false,
        }));
        form
    };
    let mut on_ref = of("ref:", Some("ref"));
    let heads = ["heads/", "tags/"];
    on_ref.required.push(
        heads
            .map(|kind| {
                let head = text(&format!("ref:refs/{kind}"));
                join(&[prefix, &head, &[ONE, RUN]])
            })
            .to_vec(),
    );
    let no_ref = NO_REF.chars();
    on_ref
        .never
        .extend(no_ref.map(|letter| vec![ANY, Step::Char(letter), ANY]));
    let mut pull = of("pull_request", None);
    for form in [&mut on_ref, &mut pull] {
        form.fixed.insert("environment", None);
    }
    vec![on_ref, of("environment:", Some("environment")), pull]
}

/// Default subjects of any repository in both formats, and those that go on as a template.
fn by_default(asked: &[&'static str]) -> Vec<Form> {
    let id = [Step::Char('@'), DIGIT, DIGITS];
    let part = [ONE, RUN];
    let (repo, slash, colon) = (text("repo:"), text("/"), text(":"));
    let classic = join(&[&repo, &part, &slash, &part, &colon]);
    let immutable = join(&[&repo, &part, &id, &slash, &part, &id, &colon]);
    let run = [RUN];
    let behind = |before: &[&[Step]]| join(&[&join(before), &[ANY]]);
    let two_slashes = behind(&[&repo, &run, &slash, &run, &slash, &run, &colon]);
    let at = text("@");
    let one_id = behind(&[&repo, &run, &at, &run, &colon]);
    let in_owner = behind(&[&repo, &run, &at, &run, &at, &run, &slash, &run, &colon]);
    let in_name = behind(&[&repo, &run, &slash, &run, &at, &run, &at, &run, &colon]);
    let any = [ANY];
    let mut forms = Vec::new();
    for (prefix, ids) in [(classic, false), (immutable, true)] {
        let mut found = contexts(&prefix);
        found.extend(by_template(&prefix, asked));
        for mut form in found {
            form.never.push(two_slashes.clone());
            if ids {
                form.never.extend([in_owner.clone(), in_name.clone()]);
                let owner = (
                    join(&[&repo, &run, &at]),
                    join(&[&slash, &run, &colon, &any]),
                );
                let name = join(&[&repo, &run, &slash, &run, &at]);
                form.places.push(place("repository_owner_id", owner));
                form.places
                    .push(place("repository_id", (name, behind(&[&colon]))));
            } else {
                form.never.push(one_id.clone());
            }
            let around = vec![(repo.clone(), behind(&[&colon]))];
            form.places.push(Place {
                claim: "repository",
                around,
                ids,
            });
            forms.push(form);
        }
    }
    forms
}

fn place(claim: &'static str, around: (Word, Word)) -> Place {
    Place {
        claim,
        around: vec![around],
        ids: false,
    }
}

/// Subjects by a template behind `prefix`: of the claims that are asked for, every choice of those that stand in it.
fn by_template(prefix: &[Step], asked: &[&'static str]) -> Vec<Form> {
    let default = contexts(prefix);
    let default = default.into_iter().flat_map(|form| form.required);
    let default: Vec<Word> = default.flatten().collect();
    let of_repository = ["repository", "repository_id", "repository_owner_id"];
    let open = asked.iter().copied().filter(|claim| {
        tied(claim).is_some() && (prefix.is_empty() || !of_repository.contains(claim))
    });
    let open: Vec<&'static str> = open.collect();
    let pair = [ONE, RUN, Step::Char(':'), ONE, RUN];
    let any = [ANY];
    let whole = join(&[prefix, &[Step::In('a', 'z'), RUN], &text(":"), &[ONE], &any]);
    let pull = join(&[prefix, &text("pull_request:"), &[ONE], &any]);
    let mut forms = Vec::new();
    for set in 0..1_usize << open.len().min(MOST) {
        let mut form = Form {
            required: vec![vec![whole.clone(), pull.clone()]],
            never: default.clone(),
            ..Form::default()
        };
        form.never.push(vec![ANY, Step::Char(':')]);
        for (number, claim) in open.iter().enumerate() {
            let heads = heads(prefix, &pair, claim);
            let with = |head: &Word, tail: &[Step]| join(&[head, &[ONE, RUN], tail]);
            let behind = join(&[&text(":"), &any]);
            let alone = heads.iter().map(|head| with(head, &[]));
            let more = heads.iter().map(|head| with(head, &behind));
            let words: Vec<Word> = alone.chain(more).collect();
            if number < MOST && set >> number & 1 == 1 {
                form.required.push(words);
                let tails = [Word::new(), behind.clone()];
                let around = heads.iter().flat_map(|head| {
                    let tails = tails.clone();
                    tails.map(|tail| (head.clone(), tail))
                });
                form.places.push(Place {
                    claim,
                    around: around.collect(),
                    ids: false,
                });
            } else {
                form.never.extend(words);
            }
        }
        forms.push(form);
    }
    forms
}

/// How many claims are looked for in templates in every combination.
const MOST: usize = 6;

/// What may stand before a claim's value in a template behind `prefix`: pairs, and its own key.
fn heads(prefix: &[Step], pair: &[Step], claim: &str) -> Vec<Word> {
    let key = text(&format!("{claim}:"));
    let pull = text("pull_request:");
    let colon = text(":");
    let mut heads = Vec::new();
    for before in [&[][..], &pull] {
        for count in 0..=PAIRS {
            let pairs = join(&[pair, &colon]).repeat(count);
            heads.push(join(&[prefix, before, &pairs, &key]));
        }
    }
    heads
}

/// The subjects of a repository with a template of its own.
fn by_own_template(home: &Repository, asked: &[&'static str]) -> Vec<Form> {
    let own = own_claims(home);
    let repository = home.subject_repository(home.format).to_string();
    let contexts: &[&str] = if home.subject_claims.iter().any(|key| key == "context") {
        &["ref:", "environment:", "pull_request"]
    } else {
        &[""]
    };
    let mut forms = Vec::new();
    for context in contexts {
        let mut whole = Word::new();
        let mut at: Vec<(&'static str, Word, usize)> = Vec::new();
        for key in &home.subject_claims {
            if !whole.is_empty() {
                whole.push(Step::Char(':'));
            }
            let (head, value) = match key.as_str() {
                "repo" => (format!("repo:{repository}"), false),
                "context" => ((*context).to_owned(), *context != "pull_request"),
                "repository_owner" => (format!("{key}:{}", home.owner), false),
                key => match own.iter().find(|(claim, _)| *claim == key) {
                    Some((_, value)) => (format!("{key}:{value}"), false),
                    None => (format!("{key}:"), true),
                },
            };
            whole.extend(text(&head));
            if value {
                let claim = head.trim_end_matches(':');
                let claim = tied(claim).filter(|claim| asked.contains(claim));
                at.extend(claim.map(|claim| (claim, whole.clone(), whole.len() + 2)));
                whole.extend([ONE, RUN]);
            }
        }
        let mut form = Form {
            required: vec![vec![whole.clone()]],
            ..Form::default()
        };
        for (claim, before, end) in at {
            let behind = whole.get(end..).unwrap_or_default().to_vec();
            form.places.push(place(claim, (before, behind)));
        }
        if matches!(*context, "ref:" | "pull_request") {
            form.fixed.insert("environment", None);
        }
        forms.push(form);
    }
    forms
}
