//! The workflow model against public workflow files, when the corpus stands beside the repository.

#![expect(
    clippy::disallowed_methods,
    reason = "a test of the integration binary reads its own data"
)]

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use pointsman::model::workflow::{RefClass, Target, Uses, Workflow};
use pointsman::syntax::yaml;
use pointsman::text::SourceMap;

/// The word that the list uses for what `uses` names.
fn class(uses: &Uses) -> &'static str {
    let reference = uses.reference().unwrap_or_default();
    match (&uses.target, uses.ref_class()) {
        (Target::Local, _) => "local",
        (Target::LocalWithRef, _) => "local-with-ref-invalid",
        (
            Target::Docker {
                digest: Some(_), ..
            },
            _,
        ) => "docker-digest",
        (Target::Docker { tag: Some(_), .. }, _) => "docker-tag",
        (Target::Docker { .. }, _) => "docker-none",
        (Target::Expression, _) => "expression",
        (_, Some(RefClass::Commit))
            if reference.contains(|digit: char| digit.is_ascii_uppercase()) =>
        {
            "sha1-uppercase"
        }
        (_, Some(RefClass::Commit)) => "sha1",
        (_, Some(RefClass::ShortCommit)) => "short-hex",
        (_, Some(RefClass::Sha256)) => "sha256",
        (_, Some(RefClass::WrongLength)) => "hex-wrong-length",
        (_, Some(RefClass::Version)) => "version-like",
        (_, Some(RefClass::FullName)) => "fq-ref",
        (_, Some(RefClass::Name)) => "name-ref",
        (_, Some(RefClass::Missing)) => "no-ref",
        (_, None) => "invalid",
    }
}

/// Files in which the list and the reader differ on purpose: a path from the root and a letter that only looks like
/// an `a` are no repository (035, 231); of two `uses` in one step the last counts, and the repetition is told (194).
const DIFFERENT: [&str; 3] = ["035.yml", "194.yml", "231.yml"];

fn seen(name: &str, source: &str) -> Result<Option<Vec<String>>> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, source);
    let parsed = yaml::read(&sources.text(file).context("the file")?);
    let Some(root) = parsed.documents.into_iter().next() else {
        return Ok(None);
    };
    let workflow = Workflow::read(name, source, root, &parsed.comments);
    // An aliased step is listed once, where it is written.
    let mut places = BTreeSet::new();
    let mut found: Vec<String> = workflow
        .uses()
        .filter(|(_, uses)| places.insert(uses.text.span()))
        .map(|(_, uses)| {
            let comment = uses.comment.as_ref().map(|comment| comment.text.trim());
            line(class(uses), uses.text.as_str(), comment)
        })
        .collect();
    found.sort();
    Ok(Some(found))
}

fn line(class: &str, value: &str, comment: Option<&str>) -> String {
    format!("{class} {value:?} {comment:?}")
}

#[test]
fn every_uses_of_the_corpus_is_seen_as_an_independent_reader_sees_it() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/workflows");
    if !folder.is_dir() {
        eprintln!("skipped: no corpus beside the repository");
        return Ok(());
    }
    let facts = std::fs::read_to_string(folder.join("expected_uses.json"))?;
    let facts: serde_json::Value = serde_json::from_str(&facts)?;
    let is_workflow =
        |facts: &serde_json::Value| facts["kind"] == "workflow" && facts["parse"] == "ok";
    for (name, facts) in facts.as_object().context("a map")? {
        if !is_workflow(facts) || DIFFERENT.contains(&name.as_str()) {
            continue;
        }
        let Some(found) = seen(name, &std::fs::read_to_string(folder.join(name))?)? else {
            assert_eq!(name, "229.yml", "only the laugh of a billion is not read");
            continue;
        };
        let listed = facts["uses"].as_array().context("a list of uses")?;
        let text = |uses: &'static str| {
            move |facts: &serde_json::Value| facts[uses].as_str().map(str::to_owned)
        };
        let mut wanted = Vec::new();
        for facts in listed {
            let class = text("class")(facts).context("a class")?;
            let value = text("value")(facts).context("a value")?;
            wanted.push(line(&class, &value, text("comment")(facts).as_deref()));
        }
        wanted.sort();
        assert_eq!(found, wanted, "{name}");
    }
    Ok(())
}
