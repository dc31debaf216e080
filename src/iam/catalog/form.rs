//! Whether the resource of a policy, a pattern, can be an ARN of a given form, such as
//! `arn:${Partition}:s3:::${BucketName}/${ObjectName}`.

use std::cell::OnceCell;

use crate::text::cut_at_colon as cut;

/// A resource longer than this is taken to fit: AWS's own limit for an ARN is lower.
const LONGEST: usize = 2048;

/// One step of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// This byte.
    Byte(u8),
    /// Any one byte.
    One,
    /// Any run of bytes, also none.
    Run,
    /// Any run of bytes but this one, also none.
    RunWithout(u8),
}

/// The resource of a policy, a pattern, looked at once to be compared with many forms.
#[derive(Debug)]
pub struct Resource<'a> {
    written: &'a str,
    /// Whether it is taken for an ARN of any form.
    any: bool,
    parts: Option<Parts<'a>>,
    steps: OnceCell<Vec<Step>>,
}

/// What is compared before everything else of an ARN.
#[derive(Debug)]
struct Parts<'a> {
    service: &'a str,
    /// What may hold a star for several parts.
    open: &'a str,
    id: &'a str,
}

impl<'a> Resource<'a> {
    /// The resource that is written so.
    #[must_use]
    pub fn of(written: &'a str) -> Self {
        let all = written.bytes().all(|byte| byte == b'*') && !written.is_empty();
        Self {
            written,
            any: all || written.len() > LONGEST,
            parts: parts(written),
            steps: OnceCell::new(),
        }
    }

    /// Whether it matches some ARN of `form`. What a policy variable stands for may be anything.
    pub(super) fn may_be(&self, form: &str) -> bool {
        self.any
            || self.begins_like(form).unwrap_or(true)
                && by_parts(self.written, form).unwrap_or_else(|| {
                    let own = self.steps.get_or_init(|| steps(self.written, false));
                    meet(own, &steps(form, true))
                })
    }

    /// Whether service and resource of two ARNs can be the same by what stands in them before anything open; quick, and
    /// right for nearly all that are not. No id is taken to hold the end of an ARN of another type. `None` where one of
    /// them is no ARN.
    fn begins_like(&self, form: &str) -> Option<bool> {
        let Parts { service, open, id } = self.parts.as_ref()?;
        let rest = match form.strip_prefix("arn:${Partition}:") {
            Some(rest) => rest,
            None => cut(cut(form)?.1)?.1,
        };
        let (own_service, rest) = cut(rest)?;
        if !same_start(service, own_service, true) {
            return Some(false);
        }
        let (_, own_id) = cut(cut(rest)?.1)?;
        // A star for the account takes in the first part of an id that has colons itself.
        let shifts = || own_id.contains(':') && open.contains('*');
        Some(same_start(id, own_id, false) || shifts())
    }
}

fn parts(arn: &str) -> Option<Parts<'_>> {
    let (_, rest) = cut(arn)?;
    let (_, rest) = cut(rest)?;
    let (service, rest) = cut(rest)?;
    let (region, rest) = cut(rest)?;
    let (account, id) = cut(rest)?;
    let open = if region.contains('*') {
        region
    } else {
        account
    };
    Some(Parts { service, open, id })
}

/// Whether a resource can be of a form, where that is seen part by part, as in nearly all ARNs: every part before the id is
/// one star or nothing open, and the ids are compared alone. `None` where a star may have to take several parts.
fn by_parts(resource: &str, form: &str) -> Option<bool> {
    let (mut one, mut other) = (resource, form);
    let mut starred = false;
    for _ in 0..5 {
        let ((part, rest), (own, own_rest)) = (cut(one)?, cut(other)?);
        (one, other) = (rest, own_rest);
        let takes_any = matches!(own, "${Partition}" | "${Region}" | "${Account}");
        let open = |text: &str| text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'$'));
        if part == "*" && (takes_any || !open(own)) {
            starred = true;
        } else if open(part) || !(takes_any || part == own) {
            return None;
        }
    }
    let meets = meet(&steps(one, false), &steps(other, true));
    // A star of one part may take more than that.
    (meets || !starred).then_some(meets)
}

/// Whether two texts are the same up to the first open place in one of them.
fn same_start(one: &str, other: &str, whole: bool) -> bool {
    let open = |byte: &u8| matches!(byte, b'*' | b'?' | b'$');
    let mut pairs = one.bytes().zip(other.bytes());
    for (a, b) in pairs.by_ref() {
        if open(&a) || open(&b) {
            return true;
        }
        if a != b {
            return false;
        }
    }
    let rest = |text: &str, length: usize| text.as_bytes().get(length).copied();
    let ends = rest(one, other.len()).or_else(|| rest(other, one.len()));
    !whole || ends.is_none_or(|byte| open(&byte))
}

fn steps(text: &str, of_form: bool) -> Vec<Step> {
    let mut steps = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        if let Some(after) = rest.strip_prefix("${") {
            let (name, left) = after.split_once('}').unwrap_or((after, ""));
            steps.push(match name {
                "Partition" | "Region" | "Account" if of_form => Step::RunWithout(b':'),
                // A bucket's name has no slash, so that a bucket and what lies in it are told apart.
                "BucketName" if of_form => Step::RunWithout(b'/'),
                _ => Step::Run,
            });
            rest = left;
            continue;
        }
        steps.push(match first {
            b'*' => Step::Run,
            b'?' => Step::One,
            byte => Step::Byte(byte),
        });
        rest = rest.get(1..).unwrap_or_else(|| {
            let mut characters = rest.chars();
            characters.next();
            characters.as_str()
        });
    }
    steps
}

/// Whether some text is matched by both patterns: a walk over the pairs of places in them, row by row. A row holds the
/// places of `other` that can be reached, in ascending order: nearly always very few.
fn meet(one: &[Step], other: &[Step]) -> bool {
    let (mut reached, mut row) = (vec![0], Vec::new());
    for step in one {
        close(&reached, Some(*step), other, &mut row);
        reached.clear();
        for &at in &row {
            // A run may take nothing; what it takes is walked in `close`.
            let next = match other.get(at) {
                _ if is_run(*step) => at,
                Some(&facing) if takes_together(*step, facing) => at + usize::from(!is_run(facing)),
                Some(_) | None => continue,
            };
            if reached.last() != Some(&next) {
                reached.push(next);
            }
        }
        if reached.is_empty() {
            return false;
        }
    }
    close(&reached, None, other, &mut row);
    row.last() == Some(&other.len())
}

/// Puts into `row` the places of `reached`, and those that are reached from them without leaving the place in the one
/// pattern: past runs that take nothing, and, where `step` is a run, past what it takes.
fn close(reached: &[usize], step: Option<Step>, other: &[Step], row: &mut Vec<usize>) {
    let passes = |at: usize| {
        other.get(at).is_some_and(|facing| {
            is_run(*facing)
                || step.is_some_and(|step| is_run(step) && takes_together(step, *facing))
        })
    };
    row.clear();
    for (index, &start) in reached.iter().enumerate() {
        let limit = reached.get(index + 1).copied();
        let mut at = start;
        row.push(at);
        while passes(at) && limit != Some(at + 1) {
            at += 1;
            row.push(at);
        }
    }
}

fn is_run(step: Step) -> bool {
    matches!(step, Step::Run | Step::RunWithout(_))
}

/// Whether some byte is taken by both steps.
fn takes_together(one: Step, other: Step) -> bool {
    match (one, other) {
        (Step::Byte(a), Step::Byte(b)) => a == b,
        (Step::Byte(byte), Step::RunWithout(not)) | (Step::RunWithout(not), Step::Byte(byte)) => {
            byte != not
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn may_be(resource: &str, form: &str) -> bool {
        Resource::of(resource).may_be(form)
    }

    const BUCKET: &str = "arn:${Partition}:s3:::${BucketName}";
    const OBJECT: &str = "arn:${Partition}:s3:::${BucketName}/${ObjectName}";

    #[test]
    fn a_bucket_and_its_objects_are_told_apart() {
        assert!(may_be("arn:aws:s3:::example", BUCKET));
        assert!(!may_be("arn:aws:s3:::example", OBJECT));
        assert!(may_be("arn:aws:s3:::example/*", OBJECT));
        assert!(!may_be("arn:aws:s3:::example/*", BUCKET));
        assert!(may_be("arn:aws:s3:::example*", BUCKET));
        assert!(may_be("arn:aws:s3:::example*", OBJECT));
        assert!(may_be("*", OBJECT) && may_be("arn:*", OBJECT));
        assert!(may_be("arn:aws:s3:::${aws:PrincipalTag/bucket}", OBJECT));
        assert!(!may_be("arn:aws:sqs:::example", BUCKET));
        assert!(!may_be("", BUCKET));
    }

    #[test]
    fn region_account_and_id_may_be_patterns() {
        let table = "arn:${Partition}:dynamodb:${Region}:${Account}:table/${TableName}";
        assert!(may_be("arn:aws:dynamodb:*:123456789012:table/a*", table));
        assert!(may_be("arn:aws:dynamodb:*", table));
        assert!(!may_be("arn:aws:dynamodb:*:*:index/a", table));
        let secret = "arn:${Partition}:secretsmanager:${Region}:${Account}:secret:${SecretId}";
        assert!(may_be("arn:aws:secretsmanager:*:*:example!*", secret));
        assert!(!may_be(
            "arn:aws:secretsmanager:us-east-1:123456789012:example",
            secret
        ));
    }

    proptest! {
        #[test]
        fn what_a_text_of_the_form_matches_may_be_it(id in "[a-z/]{0,6}", cut in 0usize..40) {
            let arn = format!("arn:aws:iam::123456789012:role/{id}");
            let form = "arn:${Partition}:iam::${Account}:role/${RoleNameWithPath}";
            let pattern: String = arn.chars().take(cut).chain(['*']).collect();
            prop_assert!(may_be(&arn, form));
            prop_assert!(may_be(&pattern, form));
        }

        #[test]
        fn part_by_part_is_as_step_by_step(
            resource in "arn(:([ab*]|\\*|a\\?|\\$\\{x\\}|)){5}:[ab*?/:]{0,6}",
            form in "arn(:(a|b|\\$\\{Partition\\}|\\$\\{Region\\}|\\$\\{Id\\}|)){5}:[ab/:]{0,3}(\\$\\{Id\\})?[a:]?",
        ) {
            if let Some(known) = by_parts(&resource, &form) {
                prop_assert_eq!(known, meet(&steps(&resource, false), &steps(&form, true)));
            }
        }

        #[test]
        fn any_texts_have_an_answer(one in ".{0,20}", other in ".{0,20}") {
            let _answer = may_be(&one, &other);
        }
    }
}
