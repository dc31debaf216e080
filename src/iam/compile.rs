//! Policy documents to matchers, once.
//!
//! What AWS would refuse is not guessed at: a statement with a part that is malformed or unknown is compiled with a
//! doubt, and evaluation tells when the doubt could change the decision.

use std::collections::BTreeMap;

use crate::model::policy::{
    BaseOperator, Condition, Effect, Elements, Operator, PolicyDocument, PolicyVersion, Statement,
};
use crate::text::Text;

use super::condition::ConditionTest;
use super::pattern::{Glyph, Pattern, Syntax, Token, tokens};
use super::principal::PrincipalTest;
use super::statement::{ElementTest, StatementTest};

/// A document with the name it is told by.
#[derive(Debug, Clone, Copy)]
pub struct NamedPolicy<'a> {
    /// A path, or a place such as `identity 1`.
    pub name: &'a str,
    /// The document.
    pub document: &'a PolicyDocument,
}

/// Everything that takes part in a decision, layer by layer (IAM User Guide, "Policy evaluation logic").
#[derive(Debug, Clone, Default)]
pub struct Policies<'a> {
    /// Identity policies of the principal.
    pub identity: Vec<NamedPolicy<'a>>,
    /// The policy of the resource; for `sts:AssumeRole…` the trust policy of the role.
    pub resource: Option<NamedPolicy<'a>>,
    /// The permissions boundary; `Some` of an empty list is a boundary that allows nothing.
    pub permissions_boundary: Option<Vec<NamedPolicy<'a>>>,
    /// Service control policies, one list a level, root to account; none at all outside an organisation.
    pub scps: Vec<Vec<NamedPolicy<'a>>>,
    /// Resource control policies, one list a level; AWS's full-access policy stands beside them on each level.
    pub rcps: Vec<Vec<NamedPolicy<'a>>>,
    /// The session policy.
    pub session: Option<NamedPolicy<'a>>,
}

/// Which elements the policies of a layer must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// No principals, a resource.
    Identity,
    /// Principals; the resource may be left out.
    Resource,
}

/// A compiled document.
#[derive(Debug, Clone)]
pub(super) struct PolicyTest {
    pub(super) name: Box<str>,
    pub(super) statements: Box<[StatementTest]>,
}

impl PolicyTest {
    pub(super) fn new(policy: NamedPolicy<'_>, slot: Slot) -> Self {
        let document = policy.document;
        let compiler = Compiler {
            doubts: Doubts::of(document),
            variables: document.grammar() == PolicyVersion::V2012,
            slot,
        };
        let mut statements = Vec::with_capacity(document.statements.len());
        for statement in &document.statements {
            compiler.statement(statement, &mut statements);
        }
        if let Some(doubt) = &compiler.doubts.whole {
            statements.extend([Effect::Allow, Effect::Deny].map(|effect| anything(effect, doubt)));
        }
        Self {
            name: policy.name.into(),
            statements: statements.into_boxed_slice(),
        }
    }
}

impl PolicyTest {
    /// Takes in that who asks has a permissions boundary.
    pub(super) fn meet_boundary(&mut self) {
        for statement in &mut self.statements {
            if let Some(principals) = &mut statement.principals {
                principals.bounded = true;
            }
        }
    }
}

/// A statement that could be anything.
fn anything(effect: Effect, doubt: &str) -> StatementTest {
    StatementTest {
        index: 0,
        sid: None,
        effect,
        actions: None,
        resources: None,
        principals: None,
        conditions: Box::default(),
        doubt: Some(doubt.into()),
    }
}

struct Compiler {
    doubts: Doubts,
    variables: bool,
    slot: Slot,
}

impl Compiler {
    fn statement(&self, statement: &Statement, compiled: &mut Vec<StatementTest>) {
        let mut doubt = self.doubt(statement);
        let mut conditions = Vec::with_capacity(statement.conditions.len());
        for condition in &statement.conditions {
            match operator(condition) {
                Ok(operator) => {
                    conditions.push(ConditionTest::new(condition, operator, self.variables));
                }
                Err(reason) => doubt = doubt.or(Some(reason)),
            }
        }
        let effects: &[Effect] = match &statement.effect {
            Some(effect) if effect.value == Effect::Allow => &[Effect::Allow],
            Some(_) => &[Effect::Deny],
            None => &[Effect::Allow, Effect::Deny],
        };
        for effect in effects {
            compiled.push(StatementTest {
                index: statement.index,
                sid: statement.sid.as_ref().map(|sid| sid.as_str().into()),
                effect: *effect,
                actions: statement.actions.as_ref().map(actions),
                resources: statement
                    .resources
                    .as_ref()
                    .map(|list| self.resources(list)),
                principals: statement.principals.as_ref().map(PrincipalTest::new),
                conditions: conditions.clone().into_boxed_slice(),
                doubt: doubt.as_deref().map(Into::into),
            });
        }
    }

    fn resources(&self, elements: &Elements) -> ElementTest {
        let mut compiled = ElementTest {
            negated: elements.negated,
            incomplete: elements.incomplete,
            patterns: Box::default(),
            written: elements.strings().map(Into::into).collect(),
        };
        let mut patterns = Vec::with_capacity(elements.values.len());
        for text in elements.strings() {
            let pattern = resource(text, self.variables);
            if pattern.unfilled().is_some() {
                compiled.incomplete = true;
            } else {
                patterns.push(pattern);
            }
        }
        compiled.patterns = patterns.into_boxed_slice();
        compiled
    }

    /// Why the statement as a whole cannot be relied on.
    fn doubt(&self, statement: &Statement) -> Option<String> {
        if statement.effect.is_none() {
            return Some("its `Effect` is missing or not known".to_owned());
        }
        if statement.actions.is_none() {
            return Some("it has no `Action`".to_owned());
        }
        match (self.slot, &statement.principals, &statement.resources) {
            (Slot::Identity, Some(principals), _) => {
                let key = principals.key.as_str();
                return Some(format!("`{key}` is not allowed in a policy of this kind"));
            }
            (Slot::Identity, None, None) => return Some("it has no `Resource`".to_owned()),
            (Slot::Resource, None, _) => return Some("it has no `Principal`".to_owned()),
            (Slot::Identity, None, Some(_)) | (Slot::Resource, Some(_), _) => {}
        }
        self.doubts.parts.get(&statement.index).cloned()
    }
}

/// What in a document cannot be relied on, and which statement it belongs to.
#[derive(Default)]
struct Doubts {
    /// By statement.
    parts: BTreeMap<usize, String>,
    /// Why the document may hold more than its statements say.
    whole: Option<String>,
}

impl Doubts {
    fn of(document: &PolicyDocument) -> Self {
        let mut doubts = Self::default();
        let version = document.version.as_ref().map(Text::as_str);
        if let Some(odd) = version.filter(|word| !matches!(*word, "2012-10-17" | "2008-10-17")) {
            doubts.whole = Some(format!("`{odd}` is no version of the policy language"));
        }
        let statements = document.root.get("Statement");
        let listed = statements.is_some_and(|node| node.as_list().is_some());
        let known: BTreeMap<usize, &Statement> = document
            .statements
            .iter()
            .map(|one| (one.index, one))
            .collect();
        for part in &document.malformed {
            doubts.add(&known, listed, &part.pointer, || part.message.clone());
        }
        for part in &document.unknown {
            doubts.add(&known, listed, &part.pointer, || part.unknown.why.clone());
        }
        for repeat in document.root.repeats() {
            let reason = || format!("`{}` is there twice", repeat.again.as_str());
            match place(&repeat.pointer, listed) {
                Some((index, _)) => doubts.parts.entry(index).or_insert_with(reason),
                None => doubts.whole.get_or_insert_with(reason),
            };
        }
        doubts
    }

    fn add(
        &mut self,
        statements: &BTreeMap<usize, &Statement>,
        listed: bool,
        pointer: &str,
        reason: impl Fn() -> String,
    ) {
        let place = place(pointer, listed);
        let known = place.and_then(|(index, rest)| Some((statements.get(&index)?, index, rest)));
        match known {
            Some((statement, _, rest)) if is_told_by_its_element(statement, rest) => {}
            Some((_, index, _)) => {
                self.parts.entry(index).or_insert_with(reason);
            }
            None if pointer == "/Id" => {}
            None => {
                self.whole.get_or_insert_with(reason);
            }
        }
    }
}

/// The statement that `pointer` leads into, and the way from there.
fn place(pointer: &str, listed: bool) -> Option<(usize, &str)> {
    let rest = pointer.strip_prefix("/Statement")?;
    if !listed {
        return Some((0, rest));
    }
    let rest = rest.strip_prefix('/')?;
    let (index, rest) = rest.split_once('/').unwrap_or((rest, ""));
    Some((index.parse().ok()?, rest))
}

/// Whether an element accounts by its own mark (`incomplete`) for the part at `rest`; `Sid` says nothing.
fn is_told_by_its_element(statement: &Statement, rest: &str) -> bool {
    let open = |elements: &Option<Elements>| elements.as_ref().is_some_and(|one| one.incomplete);
    let mut steps = rest.trim_start_matches('/').split('/');
    match steps.next().unwrap_or_default() {
        "Sid" => true,
        "Action" | "NotAction" => open(&statement.actions),
        "Resource" | "NotResource" => open(&statement.resources),
        "Principal" | "NotPrincipal" => {
            let principals = statement.principals.as_ref();
            principals.is_some_and(|principals| principals.incomplete)
        }
        "Condition" => steps.nth(1).is_some(),
        _ => false,
    }
}

/// The operator of a condition; letter case does not count.
fn operator(condition: &Condition) -> Result<Operator, String> {
    let written = condition.operator_text.as_str();
    let Some(operator) = condition.operator.or_else(|| folded_operator(written)) else {
        return Err(format!("`{written}` is no condition operator"));
    };
    if operator.base == BaseOperator::Null && operator.if_exists {
        return Err("`NullIfExists` is no condition operator".to_owned());
    }
    Ok(operator)
}

fn folded_operator(written: &str) -> Option<Operator> {
    let (prefix, rest) = match written.split_once(':') {
        None => ("", written),
        Some((set, rest)) if set.eq_ignore_ascii_case("ForAllValues") => ("ForAllValues:", rest),
        Some((set, rest)) if set.eq_ignore_ascii_case("ForAnyValue") => ("ForAnyValue:", rest),
        Some(_) => return None,
    };
    let base = BaseOperator::ALL.iter().find_map(|base| {
        let tail = rest.get(base.name().len()..)?;
        let head = rest.get(..base.name().len())?;
        if !head.eq_ignore_ascii_case(base.name()) {
            return None;
        }
        match tail {
            "" => Some((base.name(), "")),
            tail if tail.eq_ignore_ascii_case("IfExists") => Some((base.name(), "IfExists")),
            _ => None,
        }
    });
    let (base, tail) = base?;
    Operator::parse(&format!("{prefix}{base}{tail}"))
}

/// Actions have wildcards, no variables and no letter case.
fn actions(elements: &Elements) -> ElementTest {
    let syntax = Syntax {
        wildcards: true,
        variables: false,
    };
    ElementTest {
        negated: elements.negated,
        incomplete: elements.incomplete,
        patterns: elements
            .strings()
            .map(|action| Pattern::new(&action.to_ascii_lowercase(), syntax))
            .collect(),
        written: elements.strings().map(Into::into).collect(),
    }
}

/// A resource is one text; variables are filled in behind the fifth colon only.
fn resource(text: &str, variables: bool) -> Pattern {
    let syntax = Syntax {
        wildcards: true,
        variables,
    };
    let parts = tokens(text, syntax);
    let is_colon = |token: &Token| *token == Token::Glyph(Glyph::Char(':'));
    let fifth = parts
        .iter()
        .enumerate()
        .filter(|(_, token)| is_colon(token))
        .nth(4);
    let early =
        |token: &Token| matches!(token, Token::Variable(variable) if variable.key.contains(':'));
    let head = parts.get(..fifth.map_or(parts.len(), |(at, _)| at));
    if variables && head.unwrap_or_default().iter().any(early) {
        return Pattern::new(
            text,
            Syntax {
                variables: false,
                ..syntax
            },
        );
    }
    Pattern::from_tokens(parts)
}
