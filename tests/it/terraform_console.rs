//! The evaluator against its oracle: what `terraform console` 1.11 answered.

#![expect(
    clippy::disallowed_methods,
    reason = "the cases are read from disk, beside the repository"
)]

use std::collections::BTreeMap;
use std::path::Path;

use pointsman::syntax::hcl;
use pointsman::terraform::{DataFile, Evaluator, Known, Library, Module};
use pointsman::text::SourceMap;

/// What the evaluator makes of one case.
enum Answer {
    Json(String),
    Unknown(String),
    Error(String),
}

type Files = BTreeMap<String, String>;

fn answer(setup: &str, files: &Files, expression: &str) -> Answer {
    let mut sources = SourceMap::default();
    let file = sources.add("main.tf", setup);
    let asked = sources.add("<expression>", expression);
    let (Some(file), Some(asked)) = (sources.text(file), sources.text(asked)) else {
        return Answer::Error("no source".to_owned());
    };
    let mut library = Library::default();
    library
        .files
        .insert("main.tf".to_owned(), DataFile::Text(file.clone()));
    for (name, text) in files {
        let data = sources.add(name, text.as_str());
        if let Some(text) = sources.text(data) {
            library.files.insert(name.clone(), DataFile::Text(text));
        }
    }
    let module = Module {
        folder: String::new(),
        files: vec![hcl::read(&file)],
        ..Module::default()
    };
    let expression = match hcl::read_expression(&asked) {
        Ok(expression) => expression,
        Err(fault) => return Answer::Error(fault.reason),
    };
    let known = Known::default();
    match Evaluator::new(&module, &known)
        .beside(&library)
        .console(&expression)
    {
        Err(fault) => Answer::Error(fault.reason),
        Ok(value) => match value.json() {
            Some(json) => Answer::Json(json),
            None => Answer::Unknown(value.any_hole().map_or_else(String::new, |hole| hole.why)),
        },
    }
}

/// Cases that are not evaluated, and why; at most ten.
const NOT_EVALUATED: [(&str, &str); 4] = [
    (
        "1 / 0",
        "it is infinite, which no number here is; Terraform fails when it writes it down",
    ),
    (
        "try(1/0, \"z\")",
        "it is infinite, which no number here is; Terraform fails when it writes it down",
    ),
    (
        "issensitive(\"x-${var.s}\")",
        "what is sensitive passes through, and is not marked",
    ),
    (
        "issensitive(length(var.s))",
        "what is sensitive passes through, and is not marked",
    ),
];

#[test]
fn known_values_are_what_terraform_console_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/terraform/console.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("no ../shared/cases/terraform/console.json: nothing compared");
        return;
    };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut equal = 0;
    let mut wrong = Vec::new();
    for case in &cases {
        let field = |name: &str| case.get(name).and_then(serde_json::Value::as_str);
        let (Some(setup), Some(expression)) = (field("setup_hcl"), field("expr")) else {
            continue;
        };
        let files: Files = case
            .get("files")
            .and_then(|files| serde_json::from_value(files.clone()).ok())
            .unwrap_or_default();
        let given = answer(setup, &files, expression);
        let id = field("id").unwrap_or_default();
        // The console reads line by line, so a comment alone is an error to it; in a file it is not.
        if expression.starts_with("# comment\n") {
            continue;
        }
        match (given, field("jsonencode"), field("error")) {
            (Answer::Json(ours), Some(theirs), _) if ours == theirs => equal += 1,
            (Answer::Error(_), _, Some(_)) => equal += 1,
            (Answer::Unknown(_), None, None) => equal += 1,
            // Not evaluated, and said so.
            (Answer::Unknown(why), _, _) => {
                println!("{id} {expression:?}: {why}");
                if !NOT_EVALUATED.iter().any(|(known, _)| *known == expression) {
                    wrong.push(format!("{id} {expression:?} is not evaluated: {why}"));
                }
            }
            (Answer::Json(ours), theirs, error) => {
                wrong.push(format!(
                    "{id} {expression:?}: {ours} but {theirs:?} {error:?}"
                ));
            }
            (Answer::Error(reason), theirs, _) => {
                wrong.push(format!(
                    "{id} {expression:?}: error {reason} but {theirs:?}"
                ));
            }
        }
    }
    println!("{equal} of {} equal", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(NOT_EVALUATED.len() <= 10);
    assert!(
        equal + NOT_EVALUATED.len() + 10 >= cases.len(),
        "only {equal} are evaluated"
    );
}

/// Measured with `terraform console` 1.11.4: `json` is what `jsonencode` of the expression gives.
const MEASURED: &str = include_str!("data/console.json");

#[derive(serde::Deserialize)]
struct Group {
    setup: String,
    #[serde(default)]
    files: Files,
    cases: Vec<Measured>,
}

#[derive(serde::Deserialize)]
struct Measured {
    expr: String,
    json: Option<String>,
}

#[test]
fn conversions_functions_and_heredocs_come_to_what_was_measured() {
    let groups: Vec<Group> = serde_json::from_str(MEASURED).unwrap();
    let (mut equal, mut unknown) = (0, 0);
    let mut wrong = Vec::new();
    for Group {
        setup,
        files,
        cases,
    } in &groups
    {
        for case in cases {
            match (answer(setup, files, &case.expr), &case.json) {
                (Answer::Json(ours), Some(theirs)) if ours == *theirs => equal += 1,
                (Answer::Json(ours), Some(theirs)) => {
                    wrong.push(format!("{}: {ours} but {theirs}", case.expr));
                }
                (Answer::Error(_), None) => equal += 1,
                (Answer::Unknown(why), _) => {
                    println!("{}: {why}", case.expr);
                    unknown += 1;
                }
                (Answer::Json(ours), None) => {
                    wrong.push(format!("{}: {ours} is an error", case.expr));
                }
                (Answer::Error(reason), Some(_)) => wrong.push(format!("{}: {reason}", case.expr)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        equal > 110 && unknown < 30,
        "{equal} equal, {unknown} unknown"
    );
}
