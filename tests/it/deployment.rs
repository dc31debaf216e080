//! Files in memory, run through reading, rules and reports as `validate` does it.

use pointsman::check::{self, Checked, Input, Options, Standing};
use pointsman::diag::Finding;
use pointsman::model::spec::{self, Spec};
use pointsman::text::SourceMap;

/// The spec at the repository's root: the reference deployment.
pub(crate) const REFERENCE_SPEC: &str = include_str!("../../pointsman.toml");

/// What came of a run: findings of the spec itself, or those of the artefacts.
pub(crate) struct Ran {
    pub(crate) checked: Checked,
}

impl Ran {
    /// Rule, path and text of each finding.
    pub(crate) fn findings(&self) -> impl Iterator<Item = (&Finding, &str, &str)> {
        let sources = &self.checked.sources;
        self.checked.outcome.findings.iter().map(|finding| {
            let at = finding.primary.at;
            (finding, sources.path(at.file), sources.slice(at))
        })
    }
}

/// Runs `files` (path, text); a file called `pointsman.toml` is the spec.
pub(crate) fn run(files: &[(&str, &str)], options: Options) -> Ran {
    let mut sources = SourceMap::default();
    let mut spec = None;
    if let Some((path, text)) = files.iter().find(|(path, _)| *path == spec::FILE) {
        let file = sources.add(*path, *text);
        match Spec::read(&sources.text(file).unwrap()) {
            Ok(read) => spec = Some(read),
            Err(findings) => {
                let mut checked = Checked::default();
                checked.outcome.rules = check::cards(findings.iter());
                checked.outcome.findings = findings;
                checked.sources = sources;
                return Ran { checked };
            }
        }
    }
    let input = |(path, text): &(&str, &str)| Input {
        path: (*path).to_owned(),
        bytes: Ok(text.as_bytes().to_vec()),
        standing: Standing::Named,
    };
    let inputs = files
        .iter()
        .filter(|(path, _)| *path != spec::FILE)
        .map(input)
        .collect();
    Ran {
        checked: check::run(check::load(sources, spec, inputs, options)),
    }
}
