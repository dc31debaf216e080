//! Policies with damage: the pages' own, cut, doubled and mixed at random. Whatever comes of it, every place lies in its
//! file, an unread file is left alone, what is mended can be read, and mending again changes nothing. The same as
//! `fuzz/fuzz_targets/read_policy.rs`, a little in every run of the tests.

use std::sync::OnceLock;

use pointsman::app::fix::{self, Mode};
use pointsman::app::{SpecChoice, validate};
use pointsman::check::Options;
use pointsman::diag::{Outcome, Severity};
use pointsman::ports::MemoryFiles;
use pointsman::report::{Format, render};
use pointsman::rules::{self, Page};
use pointsman::text::Span;
use proptest::prelude::*;

use crate::deployment::run;

const PATH: &str = "p.json";

/// The JSON of all pages, as it stands and as a string in a wrapper.
fn seeds() -> &'static [String] {
    static SEEDS: OnceLock<Vec<String>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let cases = rules::all().flat_map(|rule| Page::parse(rule.page).unwrap().cases);
        let files = cases.flat_map(|case| case.files);
        let documents = files.filter(|file| file.path.ends_with(".json"));
        let both = |text: String| {
            let wrapped = serde_json::json!({ "PolicyDocument": &text }).to_string();
            [text, wrapped]
        };
        documents.flat_map(|file| both(file.text)).collect()
    })
}

/// A seed in which a few pieces were taken out, doubled, or replaced by a piece of another.
fn damaged() -> impl Strategy<Value = String> {
    let hurt = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0_usize..24,
        0_u8..5,
    );
    let seed = any::<prop::sample::Index>();
    (seed, prop::collection::vec(hurt, 0..5)).prop_map(|(seed, hurts)| {
        let mut text: Vec<char> = seed.get(seeds()).chars().collect();
        for (at, other, length, how) in hurts {
            if text.is_empty() {
                break;
            }
            let start = at.index(text.len());
            let end = (start + length).min(text.len());
            let donor: Vec<char> = other.get(seeds()).chars().collect();
            let from = at.index(donor.len());
            let piece = donor
                .get(from..(from + length).min(donor.len()))
                .unwrap_or_default();
            let with = match how {
                0 => Vec::new(),
                1 => text.get(start..end).unwrap_or_default().repeat(2),
                2 => vec!['"'],
                3 => vec!['\\', 'u', 'd', '8', '3', 'd', '\u{1f600}'],
                _ => piece.to_vec(),
            };
            drop(text.splice(start..end, with));
        }
        text.into_iter().collect()
    })
}

fn places(outcome: &Outcome) -> Vec<Span> {
    let mut all = Vec::new();
    for finding in &outcome.findings {
        all.push(finding.primary.at);
        all.extend(finding.related.iter().map(|label| label.at));
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
        all.extend(edits.map(|edit| edit.at));
    }
    all.extend(outcome.undecided.iter().map(|undecided| undecided.at));
    all.extend(outcome.unread.iter().filter_map(|unread| unread.at));
    all
}

fn mended(text: &str) -> String {
    let files = MemoryFiles::new([(PATH, text)]);
    let request = validate::Request {
        paths: vec![PATH.to_owned()],
        here: "/nowhere".to_owned(),
        subject: None,
        policy_kind: None,
        spec: SpecChoice::Usual,
        repository: None,
        fail_on: Severity::Error,
        strict: false,
        today: None,
        format: Format::Json,
    };
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    fix::run(&request, Mode::Write, &files, &mut out, &mut notes).unwrap();
    files.text(PATH).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damage_is_told_in_its_place_and_never_made_worse(text in damaged()) {
        let ran = run(&[(PATH, &text)], Options::default());
        let (outcome, sources) = (&ran.checked.outcome, &ran.checked.sources);
        for place in places(outcome) {
            let file = sources.get(place.file);
            prop_assert!(file.is_some_and(|file| file.text().get(place.range()).is_some()), "{:?}", place);
        }
        let forms = [
            Format::Human { colour: false },
            Format::Json,
            Format::GitHub,
            Format::Sarif,
            Format::JUnit { fail_on: Severity::Error },
        ];
        for form in forms {
            let mut shown = Vec::new();
            render(form, outcome, sources, &mut shown).unwrap();
            if matches!(form, Format::JUnit { .. }) {
                let xml = String::from_utf8(shown).unwrap();
                prop_assert!(roxmltree::Document::parse(&xml).is_ok(), "{}", xml);
            }
        }
        let once = mended(&text);
        if once != text {
            prop_assert!(outcome.unread.is_empty());
            let again = run(&[(PATH, &once)], Options::default());
            prop_assert!(again.checked.outcome.unread.is_empty(), "{}", once);
            prop_assert_eq!(mended(&once), once);
        }
    }
}
