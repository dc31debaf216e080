//! Subjects that somebody can make GitHub write and that a pattern takes.
//!
//! A custom template puts `key:value` pairs behind each other, with `%3A` for each colon inside a value (GitHub Docs,
//! "Customizing the token claims"). Some values name the repository; others, such as the environment's, are whatever the
//! author of a workflow writes. Pattern and template are walked side by side, breadth first, so that the shortest subject
//! which both take is found, if there is one.

use std::collections::BTreeSet;

/// A step of a template or of a pattern.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// This character.
    Char(char),
    /// One character of the class.
    One(Class),
    /// Any number of characters of the class.
    Run(Class),
}

/// Which characters somebody may choose.
#[derive(Debug, Clone, Copy)]
enum Class {
    /// All.
    Any,
    /// Those of a value: all but the colon.
    Value,
    /// Those of a ref: what `git check-ref-format` takes.
    Ref,
}

impl Class {
    fn has(self, character: char) -> bool {
        match self {
            Self::Any => true,
            Self::Value => character != ':',
            Self::Ref => !character.is_control() && !" :*?[~^\\".contains(character),
        }
    }
}

/// Keys whose values the author of a workflow chooses.
const CHOSEN: [&str; 2] = ["environment", "workflow"];

/// What stands before a ref in a pair that has one.
const REFS: [&str; 4] = [
    "ref:refs/heads/",
    "ref:refs/tags/",
    "head_ref:",
    "base_ref:",
];

/// Pairs of few values, which anybody can have.
const COMMON: [&str; 8] = [
    "event_name:pull_request",
    "event_name:push",
    "event_name:workflow_dispatch",
    "pull_request",
    "ref_type:branch",
    "ref_type:tag",
    "repository_visibility:private",
    "repository_visibility:public",
];

/// The shortest subject that `pattern` takes and a template of these `fixed` pairs, of chosen values and of refs writes.
/// With `anchored` the first pair is one of the fixed.
pub(super) fn subject(pattern: &str, fixed: &[String], anchored: bool) -> Option<String> {
    if pattern.contains("${") || pattern.chars().count() > MAX_PATTERN {
        return None;
    }
    let wanted: Vec<Step> = pattern
        .chars()
        .map(|character| match character {
            '*' => Step::Run(Class::Any),
            '?' => Step::One(Class::Any),
            other => Step::Char(other),
        })
        .collect();
    let mut pairs: Vec<Vec<Step>> = fixed
        .iter()
        .map(|text| text.chars().map(Step::Char).collect())
        .collect();
    let own = pairs.len();
    let open = |text: String, class: Class| {
        let written = text.chars().map(Step::Char);
        written
            .chain([Step::One(class), Step::Run(class)])
            .collect()
    };
    pairs.extend(CHOSEN.map(|key| open(format!("{key}:"), Class::Value)));
    pairs.extend(REFS.map(|before| open(before.to_owned(), Class::Ref)));
    pairs.extend(COMMON.map(|pair| pair.chars().map(Step::Char).collect()));
    let walk = Walk {
        pattern: &wanted,
        pairs: &pairs,
    };
    walk.shortest(if anchored { own } else { pairs.len() })
}

/// Longer patterns are left to the prover.
const MAX_PATTERN: usize = 400;

/// Where both stand: in the pattern, and in which pair at which step.
type Place = (usize, usize, usize);

struct Walk<'a> {
    pattern: &'a [Step],
    pairs: &'a [Vec<Step>],
}

impl Walk<'_> {
    fn shortest(&self, first: usize) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut nodes: Vec<(Place, Option<usize>, Option<char>)> = Vec::new();
        let starts = (0..first).map(|pair| (0, pair, 0));
        nodes.extend(starts.map(|place| (place, None, None)));
        let mut at = 0;
        while let Some(&(place, ..)) = nodes.get(at) {
            if seen.insert(place) {
                if self.is_end(place) {
                    return Some(text(&nodes, at));
                }
                // What is read costs a character, what is stepped over none; both are one step here, which makes the
                // subject short enough.
                for (next, read) in self.after(place) {
                    nodes.push((next, Some(at), read));
                }
            }
            at += 1;
        }
        None
    }

    fn is_end(&self, (at, pair, step): Place) -> bool {
        let whole = self.pairs.get(pair).is_some_and(|pair| pair.len() == step);
        whole && at == self.pattern.len()
    }

    fn after(&self, (at, pair, step): Place) -> Vec<(Place, Option<char>)> {
        let mut found = Vec::new();
        let wanted = self.pattern.get(at).copied();
        if let Some(Step::Run(_)) = wanted {
            found.push(((at + 1, pair, step), None));
        }
        let Some(offered) = self.pairs.get(pair).map(|pair| pair.get(step).copied()) else {
            return found;
        };
        if let Some(Step::Run(_)) = offered {
            found.push(((at, pair, step + 1), None));
        }
        let Some(wanted) = wanted else {
            return found;
        };
        let Some(read) = common(wanted, offered.unwrap_or(Step::Char(':'))) else {
            return found;
        };
        let at = if matches!(wanted, Step::Run(_)) {
            at
        } else {
            at + 1
        };
        match offered {
            None => found.extend((0..self.pairs.len()).map(|next| ((at, next, 0), Some(read)))),
            Some(Step::Run(_)) => found.push(((at, pair, step), Some(read))),
            Some(_) => found.push(((at, pair, step + 1), Some(read))),
        }
        found
    }
}

/// A character that both steps take.
fn common(wanted: Step, offered: Step) -> Option<char> {
    match (wanted, offered) {
        (Step::Char(one), Step::Char(other)) => (one == other).then_some(one),
        (Step::Char(one), Step::One(class) | Step::Run(class))
        | (Step::One(class) | Step::Run(class), Step::Char(one)) => class.has(one).then_some(one),
        (Step::One(_) | Step::Run(_), Step::One(_) | Step::Run(_)) => Some('x'),
    }
}

fn text(nodes: &[(Place, Option<usize>, Option<char>)], end: usize) -> String {
    let mut letters = Vec::new();
    let mut next = Some(end);
    while let Some(&(_, before, read)) = next.and_then(|at| nodes.get(at)) {
        letters.extend(read);
        next = before;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::policy::glob_matches;
    use proptest::prelude::*;

    fn strangers() -> Vec<String> {
        vec!["repo:mallory@9/evil@8".to_owned()]
    }

    #[test]
    fn an_environment_may_carry_what_stands_between_the_wildcards() {
        let forged = subject(
            "repo:*@100001/*@200002:ref:refs/heads/main",
            &strangers(),
            false,
        );
        let forged = forged.unwrap();
        assert!(forged.starts_with("repo:mallory@9/evil@8:"), "{forged}");
        assert!(forged.contains("@100001/"), "{forged}");
        assert!(forged.ends_with("@200002:ref:refs/heads/main"), "{forged}");
    }

    #[test]
    fn what_names_another_repository_first_is_not_forged() {
        for pattern in [
            "repo:acme@1/app@2:*",
            "repo:acme@1/app@2:ref:refs/heads/main",
            "job_workflow_ref:acme/*",
        ] {
            assert_eq!(subject(pattern, &strangers(), false), None, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn a_forged_subject_is_taken_by_its_pattern(pattern in "(repo:)?[a-z*?@/:]{0,24}(:ref:refs/heads/main)?") {
            if let Some(forged) = subject(&pattern, &strangers(), false) {
                prop_assert!(glob_matches(&pattern, &forged), "{} {}", pattern, forged);
            }
        }
    }
}
