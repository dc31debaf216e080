//! Any bytes as a policy file: read, judged by every rule, mended, and written in every form. Every place must lie in its
//! file, a mended file must be readable, and mending it again must change nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pointsman::app::fix::{self, Mode};
use pointsman::app::{SpecChoice, validate};
use pointsman::check::{self, Input, Options, Standing};
use pointsman::diag::{Outcome, Severity};
use pointsman::ports::{Files as _, MemoryFiles};
use pointsman::report::{Format, render};
use pointsman::text::{SourceMap, Span};

const PATH: &str = "policy.json";

fn judged(bytes: &[u8]) -> (Outcome, SourceMap) {
    let input = Input {
        path: PATH.to_owned(),
        bytes: Ok(bytes.to_vec()),
        standing: Standing::Named,
    };
    let loaded = check::load(SourceMap::default(), None, vec![input], Options::default());
    let checked = check::run(loaded);
    (checked.outcome, checked.sources)
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

fuzz_target!(|bytes: &[u8]| {
    let (outcome, sources) = judged(bytes);
    for place in places(&outcome) {
        let text = sources.get(place.file).map(|source| source.text());
        assert!(text.is_some_and(|text| text.get(place.range()).is_some()), "{place:?}");
    }
    let forms = [
        Format::Human { colour: false },
        Format::Json,
        Format::GitHub,
        Format::Sarif,
        Format::JUnit { fail_on: Severity::Error },
    ];
    for form in forms {
        render(form, &outcome, &sources, &mut Vec::new()).expect("a vector takes everything");
    }
    let files = MemoryFiles::default();
    files.put(PATH, bytes);
    let request = validate::Request {
        paths: vec![PATH.to_owned()],
        here: "/nowhere".to_owned(),
        subject: None,
        policy_kind: None,
        spec: SpecChoice::Usual,
        repository: None,
        fail_on: Severity::Error,
        strict: false,
        format: Format::Json,
        today: None,
    };
    let mend = || {
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        fix::run(&request, Mode::Write, &files, &mut out, &mut notes).expect("the file is there");
        files.read(PATH).expect("the file is there")
    };
    let mended = mend();
    if mended != bytes {
        assert!(outcome.unread.is_empty(), "an unread file was touched");
        let (after, _) = judged(&mended);
        assert!(after.unread.is_empty(), "{}", String::from_utf8_lossy(&mended));
        assert_eq!(mend(), mended, "mending again changes something");
    }
});
