//! Workflows and monitors that somebody has cut up: whatever comes of it, every finding stands inside its file, and no
//! file is passed over without a word.

use pointsman::check::Options;
use pointsman::text::Span;
use proptest::prelude::*;

use crate::deployment::{REFERENCE_SPEC, Ran, run};

const WORKFLOW: &str = include_str!("../../.github/workflows/dns-failover.yml");
const DISPATCH: &str = include_str!("../../monitors/dispatch.yaml");
const WATCH: &str = include_str!("../../monitors/edge-watch.yaml");
const NOTICE: &str = include_str!("../../monitors/transition-notice.yaml");

/// What is put in the place of a value, or of a line.
const STRANGE: [&str; 20] = [
    "",
    "~",
    "[]",
    "{}",
    "0",
    "-1",
    "true",
    "'",
    "\"",
    "|",
    "&a x",
    "*a",
    "!t x",
    "${{ x",
    "${{ github.ref }}",
    "[1, {a: b}]",
    "한글: 글",
    "@",
    "99999999999999999999",
    "{{ x }}",
];

fn mutated(source: &'static str) -> impl Strategy<Value = String> {
    let lines = source.lines().count();
    let change = (0..lines, 0..4_usize, prop::sample::select(STRANGE.to_vec()));
    prop::collection::vec(change, 1..4).prop_map(move |changes| {
        let mut text: Vec<String> = source.lines().map(str::to_owned).collect();
        for (line, kind, strange) in changes {
            let Some(written) = text.get_mut(line) else {
                continue;
            };
            match kind {
                0 => written.clear(),
                1 => *written = format!("{written}\n{written}"),
                2 => *written = format!("{written}{strange}"),
                _ => {
                    let key = written.split_inclusive(": ").next().unwrap_or_default();
                    *written = format!("{key}{strange}");
                }
            }
        }
        text.join("\n")
    })
}

fn places(ran: &Ran) -> Vec<Span> {
    let outcome = &ran.checked.outcome;
    let findings = outcome.findings.iter().flat_map(|finding| {
        let related = finding.related.iter().map(|label| label.at);
        let edits = finding
            .fix
            .iter()
            .flat_map(|fix| fix.edits.iter().map(|edit| edit.at));
        related.chain(edits).chain([finding.primary.at])
    });
    let undecided = outcome.undecided.iter().map(|undecided| undecided.at);
    let unread = outcome.unread.iter().filter_map(|unread| unread.at);
    findings.chain(undecided).chain(unread).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_cut_up_deployment_is_read_or_told_and_pointed_at_inside_its_files(
        workflow in mutated(WORKFLOW),
        dispatch in mutated(DISPATCH),
        watch in mutated(WATCH),
        notice in mutated(NOTICE),
        with_spec in prop::bool::weighted(0.3),
    ) {
        let mut files = vec![
            (".github/workflows/dns-failover.yml", workflow.as_str()),
            ("monitors/dispatch.yaml", dispatch.as_str()),
            ("monitors/edge-watch.yaml", watch.as_str()),
            ("monitors/transition-notice.yaml", notice.as_str()),
        ];
        if with_spec {
            files.push(("pointsman.toml", REFERENCE_SPEC));
        }
        let ran = run(&files, Options::default());
        for at in places(&ran) {
            let source = ran.checked.sources.get(at.file);
            let inside = source.is_some_and(|source| source.text().get(at.range()).is_some());
            prop_assert!(inside, "{at:?}");
        }
        let outcome = &ran.checked.outcome;
        let told: std::collections::BTreeSet<&str> = outcome.unread.iter().map(|unread| unread.path.as_str()).collect();
        prop_assert!(outcome.files + told.len() >= 4, "a file was passed over");
    }
}
