//! The values of Route 53's record keys, and what the rules about their spelling share.

use std::ops::Range;

use crate::model::dns::{Matching, NameFaultKind, NameMistake, Spelling};
use crate::model::policy::{
    BaseOperator, Condition, Family, PolicyDocument, Statement, Value, glob_matches, route53,
};
use crate::rules::Sink;
use crate::text::{nearest, quoted};

use super::mend;

/// How an operator compares strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Exact,
    IgnoringCase,
    Pattern,
}

/// A value of a record key, under an operator that compares strings.
pub(super) struct RecordValue<'a> {
    pub(super) statement: &'a Statement,
    pub(super) condition: &'a Condition,
    pub(super) value: &'a Value,
    pub(super) comparison: Comparison,
    pub(super) negated: bool,
}

/// The values of `key` in `policy`. Values with a policy variable are left out: only a request fills them in. So are
/// values under a misspelt operator or one that compares no strings, which have rules of their own.
pub(super) fn values<'a>(
    policy: &'a PolicyDocument,
    key: &'a str,
) -> impl Iterator<Item = RecordValue<'a>> {
    policy.statements.iter().flat_map(move |statement| {
        statement.conditions_on(key).flat_map(move |condition| {
            let base = condition.operator.map(|operator| operator.base);
            let base = base.filter(|base| base.family() == Family::String);
            let read = move |base: BaseOperator| {
                condition.values.iter().map(move |value| RecordValue {
                    statement,
                    condition,
                    value,
                    comparison: comparison(base),
                    negated: base.is_negated(),
                })
            };
            base.into_iter().flat_map(read)
        })
    })
}

fn comparison(base: BaseOperator) -> Comparison {
    if base.is_pattern() {
        Comparison::Pattern
    } else if matches!(
        base,
        BaseOperator::StringEqualsIgnoreCase | BaseOperator::StringNotEqualsIgnoreCase
    ) {
        Comparison::IgnoringCase
    } else {
        Comparison::Exact
    }
}

impl<'a> RecordValue<'a> {
    pub(super) fn text(&self) -> &'a str {
        self.value.text.as_str()
    }

    pub(super) fn operator(&self) -> &'a str {
        self.condition.operator_text.as_str()
    }

    /// Whether it lets something through: a positive comparison in an Allow.
    pub(super) fn admits(&self) -> bool {
        self.statement.allows() && !self.negated
    }

    /// Whether the request's value `sent` matches it.
    pub(super) fn matches(&self, sent: &str) -> bool {
        match self.comparison {
            Comparison::Exact => self.text() == sent,
            Comparison::IgnoringCase => self.text().eq_ignore_ascii_case(sent),
            Comparison::Pattern => glob_matches(self.text(), sent),
        }
    }

    fn matching(&self) -> Matching {
        match self.comparison {
            Comparison::Pattern => Matching::Pattern,
            Comparison::Exact | Comparison::IgnoringCase => Matching::Exact,
        }
    }
}

/// The name patterns that let something through and begin with a star, each with its number of stars and what follows
/// them.
pub(super) fn leading_stars(
    policy: &PolicyDocument,
) -> impl Iterator<Item = (RecordValue<'_>, usize, &str)> {
    values(policy, route53::NAMES_KEY)
        .filter(|name| name.comparison == Comparison::Pattern && name.admits())
        .map(|name| {
            let rest = name.text().trim_start_matches('*');
            let stars = name.text().len() - rest.len();
            (name, stars, rest)
        })
        .filter(|(_, stars, _)| *stars > 0)
}

/// A wrong spelling in a name.
pub(super) struct Misspelt<'a> {
    /// The whole value.
    pub(super) value: &'a str,
    /// The faulty characters.
    pub(super) faulty: &'a str,
    /// The right spelling of the whole value, where it is certain.
    pub(super) repaired: Option<&'a str>,
    /// The condition that it stands in.
    pub(super) condition: &'a Condition,
}

/// What a rule says of a misspelt name.
pub(super) struct Said {
    pub(super) message: String,
    pub(super) help: String,
    /// What may be done about the faulty characters.
    pub(super) mend: Mend,
}

/// What may be done about the faulty characters of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mend {
    /// They may be replaced unseen.
    Certain,
    /// They may be replaced if the name means what it seems to.
    Likely,
    /// What should stand there is not known.
    No,
}

/// Reports every name with a fault of this kind: one finding for each value, at its faulty characters.
pub(super) fn report_names(
    policy: &PolicyDocument,
    sink: &mut Sink<'_>,
    kind: NameFaultKind,
    say: impl Fn(&Misspelt<'_>) -> Said,
) {
    for name in values(policy, route53::NAMES_KEY) {
        let folded = name.comparison == Comparison::IgnoringCase;
        // What is no name at all has one rule of its own.
        let is_none = NameMistake::of(name.text()).is_some();
        if is_none || folded && kind == NameFaultKind::Uppercase {
            continue;
        }
        let Some(spelling) = Spelling::of(name.text(), name.matching()) else {
            continue;
        };
        let places = spelling.faults.iter().filter(|fault| fault.kind == kind);
        let places: Vec<Range<usize>> = places.map(|fault| fault.at.clone()).collect();
        if let (Some(first), Some(last)) = (places.first(), places.last()) {
            let faulty = first.start..last.end;
            let said = say(&Misspelt {
                value: name.text(),
                faulty: name.text().get(faulty.clone()).unwrap_or_default(),
                repaired: spelling.repaired.as_deref(),
                condition: name.condition,
            });
            report_name(policy, &name, faulty, &places, said, sink);
        }
    }
}

fn report_name(
    policy: &PolicyDocument,
    name: &RecordValue<'_>,
    faulty: Range<usize>,
    places: &[Range<usize>],
    said: Said,
    sink: &mut Sink<'_>,
) {
    let text = &name.value.text;
    let mended = |place: &Range<usize>| {
        let written = text.as_str().get(place.clone())?;
        let right = Spelling::of(written, Matching::Exact)?.repaired?;
        mend::edit(sink, text, place.clone(), &right)
    };
    let edits = match said.mend {
        Mend::Certain | Mend::Likely => places.iter().map(mended).collect(),
        Mend::No => Vec::new(),
    };
    let certain = said.mend == Mend::Certain;
    let draft = sink
        .report(text.span_of(faulty), said.message)
        .pointer(name.value.pointer.clone())
        .help(said.help);
    let is_star = places
        .iter()
        .any(|place| text.as_str().get(place.clone()) == Some("*"));
    let title = match (certain, is_star) {
        (true, _) => "write the name as Route 53 sends it",
        (false, true) => "for the wildcard record alone, write the name as Route 53 sends it",
        (false, false) => "if a record has this very name, write it as Route 53 sends it",
    };
    mend::offer_as(draft, policy, title, edits, certain);
}

/// What to write for a misspelt name.
pub(super) fn instead(name: &Misspelt<'_>) -> String {
    match name.repaired {
        Some(right) if right.contains('\\') => format!(
            "write {}; in JSON and in a quoted HCL string that is {}",
            quoted(right),
            quoted(&right.replace('\\', "\\\\"))
        ),
        Some(right) => format!("write {}", quoted(right)),
        None => "write the name in lower case, without the final dot, and every character but a–z, 0–9, `-`, `_` and \
                 the dots as a backslash and three octal digits"
            .to_owned(),
    }
}

/// Reports every value of `key` that no request can carry. `known` are all words that a request carries.
pub(super) fn report_unknown_words(
    policy: &PolicyDocument,
    sink: &mut Sink<'_>,
    key: &str,
    known: &[&'static str],
    noun: &str,
) {
    for value in values(policy, key) {
        let text = value.text();
        if text.contains("${") || known.iter().any(|word| value.matches(word)) {
            continue;
        }
        let upper = text.trim().to_ascii_uppercase();
        let right = known.iter().find(|word| **word == upper);
        let message = if value.comparison == Comparison::Pattern && text.contains(['*', '?']) {
            format!("{} matches no {noun} of Route 53", quoted(text))
        } else if right.is_some() {
            format!(
                "{} never matches: Route 53 sends the {noun} in upper case",
                quoted(text)
            )
        } else {
            format!("{} is no {noun} that Route 53 sends", quoted(text))
        };
        let near = right
            .copied()
            .or_else(|| nearest(text, known.iter().copied()));
        let near = near.map_or_else(String::new, |near| format!("write `{near}`; "));
        let edit = right.and_then(|right| mend::replace(sink, &value.value.text, right));
        let draft = sink
            .report(value.value.text.span(), message)
            .pointer(value.value.pointer.clone())
            .help(format!("{near}allowed are {}", known.join(", ")));
        if let Some(edit) = edit {
            mend::offer(
                draft,
                policy,
                "write it as Route 53 sends it",
                vec![Some(edit)],
            );
        }
    }
}
