//! `simulate` over files in memory: the reference table, and tables that cannot be read.

use pointsman::app::simulate::{self, Answers, Engine, Request};
use pointsman::app::{AppError, Exit};
use pointsman::ports::MemoryFiles;
use pointsman::report::Format;

use crate::snapshot;

const TABLE: &str = include_str!("../../policies/cases.toml");

const CHANGE_RECORDS: &str = include_str!("../../policies/change-records.json");

const READ_ZONE: &str = include_str!("../../policies/read-zone.json");

const GUARD: &str = r#",
        "Null": {
          "route53:ChangeResourceRecordSetsNormalizedRecordNames": "false",
          "route53:ChangeResourceRecordSetsRecordTypes": "false",
          "route53:ChangeResourceRecordSetsActions": "false"
        }"#;

const HUMAN: Format = Format::Human { colour: false };

fn reference() -> MemoryFiles {
    MemoryFiles::new([
        ("policies/cases.toml", TABLE),
        ("policies/change-records.json", CHANGE_RECORDS),
        ("policies/read-zone.json", READ_ZONE),
    ])
}

/// Runs the usual table, or `table`.
fn run(
    files: &MemoryFiles,
    table: Option<&str>,
    format: Format,
    strict_context: bool,
) -> Result<(Exit, String), AppError> {
    let request = Request {
        tables: table.map(str::to_owned).into_iter().collect(),
        strict_context,
        format,
        engine: Engine::Local,
        answers: Answers::Live,
    };
    let mut out = Vec::new();
    let exit = simulate::run(&request, files, None, &mut out)?;
    Ok((exit, String::from_utf8_lossy(&out).into_owned()))
}

#[test]
fn the_reference_table_passes_with_every_absence_planned() {
    let (exit, text) = run(&reference(), None, HUMAN, true).unwrap();
    snapshot::assert("simulate__reference", &text);
    assert_eq!(exit, Exit::Clean);
    let (exit, text) = run(&reference(), None, Format::Json, false).unwrap();
    snapshot::assert("simulate__reference_json", &text);
    assert_eq!(exit, Exit::Clean);
}

/// A policy with `from` replaced by `to`.
fn changed(from: &str, to: &str) -> MemoryFiles {
    let files = reference();
    files.put(
        "policies/change-records.json",
        CHANGE_RECORDS.replace(from, to),
    );
    files
}

#[test]
fn a_weakened_policy_fails_its_cases_with_reasons() {
    let (exit, text) = run(&changed(GUARD, ""), None, HUMAN, false).unwrap();
    snapshot::assert("simulate__null_guard_gone", &text);
    assert_eq!(exit, Exit::Findings);
    let (exit, text) = run(&changed(r"\\052.", "*."), None, HUMAN, false).unwrap();
    snapshot::assert("simulate__raw_wildcard", &text);
    assert_eq!(exit, Exit::Findings);
    let (exit, text) = run(&changed(r"\\052.", "*."), None, Format::Json, false).unwrap();
    snapshot::assert("simulate__raw_wildcard_json", &text);
    assert_eq!(exit, Exit::Findings);
}

#[test]
fn an_unfilled_template_leaves_cases_undecided() {
    let (exit, text) = run(
        &changed("hostedzone/Z0123456789EXAMPLE", "hostedzone/${var.zone_id}"),
        None,
        HUMAN,
        false,
    )
    .unwrap();
    assert_eq!(exit, Exit::Unread);
    assert!(
        text.contains("open apex: undecided, expected allowed"),
        "{text}"
    );
    assert!(text.contains("ok   another name: implicitDeny"), "{text}");
}

/// What `table` says in place of the usual one, and how the run ends.
fn bad(path: &str, table: &str) -> (Exit, String) {
    let files = reference();
    files.put(path, table);
    run(&files, Some(path), HUMAN, false).unwrap()
}

#[test]
fn a_table_that_cannot_be_read_is_told_with_its_place() {
    let wrong = [
        ("t.json", "", "t.json:1:1: the file is empty"),
        ("t.json", "[", "t.json:1:2:"),
        ("t.json", "[]", "t.json:1:1: the table has no case"),
        ("t.json", "{}", "t.json:1:1: the table has no `cases`"),
        ("t.json", "7", "a table of cases is a list, not a number"),
        (
            "t.json",
            r#"[{"id": 7}]"#,
            "t.json:1:9: `id` is a string, not a number",
        ),
        (
            "t.toml",
            "[[cases]]\nid = \"a\"\n",
            "case `a` has no `policies`",
        ),
        ("t.toml", "[[cases]\n", "t.toml:1:"),
        ("t.txt", "", "a table of cases is a .toml or .json file"),
        (
            "t.json",
            r#"[{"id":"a","policies":{},"request":{"action":"a:B"},"expected":{"decision":"deny"}}]"#,
            "t.json:1:76: `deny` is no decision; allowed are `allowed`, `implicitDeny` and `explicitDeny`",
        ),
        (
            "t.json",
            r#"[{"id":"a","policies":{},"request":{"action":"route53:*"},"expected":{"decision":"allowed"}}]"#,
            "`route53:*` is no action",
        ),
        (
            "t.json",
            r#"[{"id":"a","policies":{"identity":["none.json"]},"request":{"action":"a:B"},"expected":{"decision":"allowed"}}]"#,
            "there is no policy file `none.json`",
        ),
        (
            "t.json",
            r#"[{"id":"a","policies":{},"request":{"action":"a:B","change_batch":{"Changes":[{"Action":"PUT","ResourceRecordSet":{"Name":"a","Type":"A"}}]}},"expected":{"decision":"allowed"}}]"#,
            "`PUT` is no change action; allowed are `CREATE`, `DELETE`, `UPSERT`",
        ),
        (
            "t.json",
            r#"[{"id":"a","policies":{},"request":{"action":"a:B","context":{"k":"a","K":"b"}},"expected":{"decision":"allowed"}}]"#,
            "the context key `K` is there twice; letter case does not count",
        ),
    ];
    for (path, table, told) in wrong {
        let (exit, text) = bad(path, table);
        assert!(text.contains(told), "{table}: {text}");
        assert!(matches!(exit, Exit::Unread | Exit::Failed), "{table}");
    }
}

#[test]
fn one_bad_case_does_not_silence_the_others() {
    let table = r#"[
      {"id":"a","policies":{"identity":["policies/read-zone.json"]},"request":{"action":"route53:GetChange","resource":"arn:aws:route53:::change/C1"},"expected":{"decision":"allowed"}},
      {"id":"a","policies":{},"request":{"action":"a:B"},"expected":{"decision":"allowed"}},
      {"id":"b"}
    ]"#;
    let (exit, text) = bad("t.json", table);
    assert_eq!(exit, Exit::Unread);
    assert!(text.contains("ok   a: allowed"), "{text}");
    assert!(text.contains("the id `a` is there twice"), "{text}");
    assert!(
        text.contains("1 case: 1 passed, 0 failed, 0 undecided, 2 unread"),
        "{text}"
    );
}

#[test]
fn a_policy_that_cannot_be_read_is_told_and_its_cases_are_not_tried() {
    let files = reference();
    files.put("policies/read-zone.json", "{");
    let (exit, text) = run(&files, None, HUMAN, false).unwrap();
    assert_eq!(exit, Exit::Unread);
    assert!(
        text.contains("unread policies/read-zone.json:1:2"),
        "{text}"
    );
    assert!(text.contains("case `apex` was not tried"), "{text}");
}

#[test]
fn a_table_that_was_named_and_is_not_there_is_an_error() {
    let error = run(&reference(), Some("none.toml"), HUMAN, false).unwrap_err();
    assert_eq!(error.exit(), Exit::Failed);
    assert_eq!(error.to_string(), "`none.toml`: there is no such file");
}

#[test]
fn strict_context_fails_unplanned_absences() {
    let files = reference();
    let table = TABLE.replace("absent = [", "# absent = [");
    files.put("policies/cases.toml", table);
    let (exit, text) = run(&files, None, HUMAN, true).unwrap();
    assert_eq!(exit, Exit::Findings);
    assert!(
        text.contains(" as expected, but not all keys that the policies ask for are planned\n"),
        "{text}"
    );
    assert!(
        text.contains("`route53:ChangeResourceRecordSetsRecordTypes` is asked for and not given; give it, or name it in `absent`"),
        "{text}"
    );
}

#[test]
fn a_key_that_a_request_does_not_have_is_told_and_nothing_is_decided_without_it() {
    let files = reference();
    let table = TABLE.replacen("cases.request.change_batch", "cases.request.changebatch", 1);
    files.put("policies/cases.toml", table);
    let (exit, text) = run(&files, None, HUMAN, false).unwrap();
    assert_eq!(exit, Exit::Unread);
    assert!(
        text.contains("a request has no `changebatch`; did you mean `change_batch`?"),
        "{text}"
    );
}

#[test]
fn a_layer_that_is_misspelt_is_told_and_nothing_is_decided_without_it() {
    for (word, meant) in [
        ("permission_boundary", "permissions_boundary"),
        ("scp", "scps"),
    ] {
        let files = reference();
        let line = "policies.identity";
        assert!(TABLE.contains(line));
        let wrong = format!("policies.{word} = [\"change-records.json\"]\n{line}");
        files.put("policies/cases.toml", TABLE.replacen(line, &wrong, 1));
        let (exit, text) = run(&files, None, HUMAN, false).unwrap();
        assert_eq!(exit, Exit::Unread);
        let told = format!("`policies` have no `{word}`; did you mean `{meant}`?");
        assert!(text.contains(&told), "{text}");
    }
}
