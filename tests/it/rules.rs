//! Every rule's page, executed: a bad case gives the rule at exactly the marked bytes and nothing that the page does not
//! name; a good or near-miss case gives nothing from any rule; a fix mends its case, and only once.

use pointsman::check::Options;
use pointsman::diag::{Edit, Finding};
use pointsman::model::calendar::Day;
use pointsman::model::policy::PolicyKind;
use pointsman::model::spec;
use pointsman::rules::{self, Case, Page, Rule, Verdict};

use crate::deployment::{REFERENCE_SPEC, Ran, run};

/// The day on which every page is read.
const TODAY: &str = "2026-11-30";

fn options(case: &Case) -> Options {
    let word = case.policy_type.as_deref();
    let kind = PolicyKind::WORDS
        .iter()
        .find(|(name, _)| Some(*name) == word)
        .map(|(_, kind)| *kind);
    Options {
        policy_kind: kind,
        whole: case.whole,
        today: Day::parse(TODAY),
        ..Options::default()
    }
}

fn run_case(case: &Case, edited: Option<&[(String, String)]>) -> Ran {
    let mut files: Vec<(&str, &str)> = match edited {
        Some(files) => files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect(),
        None => case
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.text.as_str()))
            .collect(),
    };
    let filled;
    if case.spec {
        match files.iter_mut().find(|(path, _)| *path == spec::FILE) {
            Some((_, text)) => {
                filled = filled_up(text);
                *text = &filled;
            }
            None => files.push((spec::FILE, REFERENCE_SPEC)),
        }
    }
    run(&files, options(case))
}

/// The section that a line opens, if it opens one: `sites` for `[[sites]]`, `monitors` for `[monitors.edge_watch]`.
fn section(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.trim_start_matches('[');
    name.split(['.', ']']).next()
}

/// `fragment`, followed by the sections of the reference spec that it has not.
fn filled_up(fragment: &str) -> String {
    let written: Vec<&str> = fragment.lines().filter_map(section).collect();
    let mut text = fragment.to_owned();
    let mut wanted = false;
    for line in REFERENCE_SPEC.lines() {
        if let Some(name) = section(line) {
            wanted = !written.contains(&name);
        }
        if wanted {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

fn page(rule: &Rule) -> Page {
    Page::parse(rule.page).unwrap_or_else(|fault| panic!("the page of `{}`: {fault}", rule.id))
}

fn shown(ran: &Ran) -> String {
    let mut text = Vec::new();
    let outcome = &ran.checked.outcome;
    let format = pointsman::report::Format::Human { colour: false };
    pointsman::report::render(format, outcome, &ran.checked.sources, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// What every bad case of every page gives.
pub(crate) fn every_bad_case() -> Vec<Ran> {
    rules::all()
        .flat_map(|rule| page(rule).cases)
        .filter(|case| case.verdict == Verdict::Bad)
        .map(|case| run_case(&case, None))
        .collect()
}

#[test]
fn every_page_has_its_headings_and_a_case_of_each_kind() {
    for rule in rules::all() {
        let page = page(rule);
        assert!(
            rule.page.starts_with(&format!("# {}\n", rule.id)),
            "the page of `{}` has another title",
            rule.id
        );
        assert_eq!(page.headings, rules::HEADINGS, "`{}`", rule.id);
        let has = |verdict| page.cases.iter().any(|case| case.verdict == verdict);
        assert!(
            has(Verdict::Bad) && has(Verdict::Good),
            "`{}` needs a bad and a good case",
            rule.id
        );
        let reader = matches!(rule.check, rules::Check::Reader);
        assert!(
            reader || has(Verdict::NearMiss),
            "`{}` needs a near miss",
            rule.id
        );
        for companion in &page.companions {
            assert!(
                rules::find(companion).is_some(),
                "`{}` names `{companion}`, which is no rule",
                rule.id
            );
        }
    }
}

#[test]
fn bad_cases_give_their_rule_at_the_marked_bytes() {
    for rule in rules::all() {
        let page = page(rule);
        for case in page
            .cases
            .iter()
            .filter(|case| case.verdict == Verdict::Bad)
        {
            let ran = run_case(case, None);
            let mut expected: Vec<(String, usize, usize)> = Vec::new();
            for file in &case.files {
                expected.extend(
                    file.marks
                        .iter()
                        .map(|mark| (file.path.clone(), mark.start, mark.end)),
                );
            }
            let mut found: Vec<(String, usize, usize)> = Vec::new();
            for (finding, path, _) in ran.findings() {
                let at = finding.primary.at;
                if finding.rule == rule.id {
                    found.push((path.to_owned(), at.start as usize, at.end as usize));
                } else {
                    let companion = page.companions.iter().any(|name| name == finding.rule);
                    assert!(
                        companion,
                        "`{}` line {}: also `{}`\n{}",
                        rule.id,
                        case.line,
                        finding.rule,
                        shown(&ran)
                    );
                }
            }
            expected.sort();
            found.sort();
            assert!(
                !expected.is_empty(),
                "`{}` line {}: a bad case marks nothing",
                rule.id,
                case.line
            );
            assert_eq!(
                found,
                expected,
                "`{}` line {}\n{}",
                rule.id,
                case.line,
                shown(&ran)
            );
        }
    }
}

#[test]
fn good_and_near_miss_cases_give_nothing_from_any_rule() {
    for rule in rules::all() {
        for case in page(rule)
            .cases
            .iter()
            .filter(|case| case.verdict != Verdict::Bad)
        {
            let ran = run_case(case, None);
            let outcome = &ran.checked.outcome;
            let silent = outcome.findings.is_empty()
                && outcome.unread.is_empty()
                && outcome.undecided.is_empty();
            assert!(silent, "`{}` line {}\n{}", rule.id, case.line, shown(&ran));
        }
    }
}

#[test]
fn messages_are_one_line_in_lower_case_without_a_full_stop() {
    for rule in rules::all() {
        for case in page(rule)
            .cases
            .iter()
            .filter(|case| case.verdict == Verdict::Bad)
        {
            for (finding, _, _) in run_case(case, None).findings() {
                let message = &finding.message;
                assert!(
                    !message.contains('\n') && !message.ends_with('.'),
                    "`{}`: {message}",
                    finding.rule
                );
                let first = message.chars().next().unwrap();
                assert!(!first.is_ascii_uppercase(), "`{}`: {message}", finding.rule);
                assert!(
                    finding.help.is_some(),
                    "`{}` gives no help: {message}",
                    finding.rule
                );
            }
        }
    }
}

fn mended(case: &Case, ran: &Ran, findings: &[&Finding]) -> Vec<(String, String)> {
    let apply = |file: &rules::CaseFile| {
        let mut text = file.text.clone();
        let edits = findings
            .iter()
            .filter_map(|finding| finding.fix.as_ref())
            .flat_map(|fix| &fix.edits);
        let mut edits: Vec<&Edit> = edits
            .filter(|edit| ran.checked.sources.path(edit.at.file) == file.path)
            .collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.at));
        edits.dedup();
        for edit in edits {
            text.replace_range(edit.at.range(), &edit.with);
        }
        (file.path.clone(), text)
    };
    case.files.iter().map(apply).collect()
}

#[test]
fn a_safe_fix_mends_its_finding_and_a_second_time_changes_nothing() {
    for rule in rules::all() {
        for case in page(rule)
            .cases
            .iter()
            .filter(|case| case.verdict == Verdict::Bad)
        {
            let ran = run_case(case, None);
            let of_rule = |finding: &&Finding| finding.rule == rule.id;
            let fixable: Vec<&Finding> = ran
                .checked
                .outcome
                .findings
                .iter()
                .filter(of_rule)
                .filter(|f| f.fix.as_ref().is_some_and(|x| x.safe))
                .collect();
            let all = ran.checked.outcome.findings.iter().filter(of_rule).count();
            if fixable.is_empty() {
                continue;
            }
            let files = mended(case, &ran, &fixable);
            let again = run_case(case, Some(&files));
            let left: Vec<&Finding> = again
                .checked
                .outcome
                .findings
                .iter()
                .filter(of_rule)
                .collect();
            assert_eq!(
                left.len(),
                all - fixable.len(),
                "`{}` line {}\n{}",
                rule.id,
                case.line,
                shown(&again)
            );
            assert_eq!(
                again.checked.outcome.unread,
                [],
                "`{}` line {}",
                rule.id,
                case.line
            );
        }
    }
}
