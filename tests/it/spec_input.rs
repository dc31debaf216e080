//! What a spec's file may be and what it may not: each of the wrong ones is told once, with its place, and ends with
//! status 2; spellings of the same text are all right.

use serde_json::Value;

use crate::binary::Folder;
use crate::deployment::REFERENCE_SPEC;

/// Bytes of the file, and rule, line, column and words of each finding.
type Wrong = (Vec<u8>, Vec<(&'static str, u64, u64, &'static str)>);

fn with(from: &str, to: &str) -> String {
    assert!(REFERENCE_SPEC.contains(from), "{from}");
    REFERENCE_SPEC.replacen(from, to, 1)
}

fn line_of(text: &str) -> u64 {
    let before = REFERENCE_SPEC.split(text).next().unwrap();
    1 + before.matches('\n').count() as u64
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn wrong() -> Vec<Wrong> {
    let syntax = "spec-syntax";
    let owner = line_of("owner = ");
    let mut not_utf8 = with("\"acme\"", "\"ac@me\"").into_bytes();
    for byte in &mut not_utf8 {
        if *byte == b'@' && !REFERENCE_SPEC.as_bytes().contains(byte) {
            *byte = 0xff;
        }
    }
    let utf16: Vec<u8> = "\u{feff}a = 1"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let cut = REFERENCE_SPEC.split("edge\"").next().unwrap();
    vec![
        (
            cut.into(),
            vec![(syntax, line_of("edge\""), 9, "expected `\"`")],
        ),
        (
            with("ttl = 300", "ttl = 300\nttl = 60").into(),
            vec![(syntax, line_of("ttl = ") + 1, 1, "`ttl` is set twice")],
        ),
        (
            not_utf8,
            vec![(syntax, owner, 12, "byte 0xff is not UTF-8")],
        ),
        (utf16, vec![(syntax, 1, 1, "UTF-16")]),
        (
            "[".repeat(100_000).into(),
            vec![(syntax, 1, 3, "unquoted keys cannot be empty")],
        ),
        (
            format!("a = {}", "[".repeat(100_000)).into(),
            vec![(syntax, 1, 85, "too deep")],
        ),
        (
            format!("a{} = 1", ".a".repeat(100_000)).into(),
            vec![(syntax, 1, 64, "at most 32 parts")],
        ),
        (vec![0; 10], vec![(syntax, 1, 1, "NUL character")]),
        (
            b"{\"zone\": 1}".into(),
            vec![(syntax, 1, 1, "not valid TOML")],
        ),
        (
            with("owner = \"acme\"", "owner: \"acme\"").into(),
            vec![(syntax, owner, 6, "not valid TOML")],
        ),
        (
            with("ttl = 300", "ttl = nan").into(),
            vec![("spec-wrong-type", line_of("ttl = "), 7, "`nan`")],
        ),
        (
            with("[records]", "[probe]\nexpected_status = 301\n\n[records]").into(),
            vec![("spec-value", line_of("[records]") + 1, 19, "exactly 200")],
        ),
        (
            with("\"acme\"", "\"ac\tme\"").into(),
            vec![("spec-value", owner, 9, "`ac\\tme`")],
        ),
    ]
}

#[test]
fn a_file_that_is_no_spec_is_told_with_its_place_and_status_2() {
    for (bytes, expected) in wrong() {
        let folder = Folder::empty();
        folder.write("pointsman.toml", &bytes);
        let start = String::from_utf8_lossy(bytes.get(..40).unwrap_or(&bytes)).into_owned();
        let ran = folder.run(&["validate", "--format", "json"]);
        assert_eq!(ran.status(), 2, "{start}");
        let report = ran.json();
        let findings = report["findings"].as_array().unwrap();
        let told: Vec<(&str, u64, u64)> = findings.iter().map(place).collect();
        let places: Vec<(&str, u64, u64)> = expected
            .iter()
            .map(|(rule, line, column, _)| (*rule, *line, *column))
            .collect();
        assert_eq!(told, places, "{start}: {findings:?}");
        for (finding, (.., words)) in findings.iter().zip(&expected) {
            let message = finding["message"].as_str().unwrap();
            assert!(message.contains(words), "{start}: {message}");
            assert!(finding["help"].is_string(), "{start}: {message}");
        }
        let human = folder.run(&["validate"]);
        assert_eq!(human.status(), 2, "{start}");
        assert!(human.stdout().contains("--> pointsman.toml:"), "{start}");
    }
}

fn place(finding: &Value) -> (&str, u64, u64) {
    let start = &finding["span"]["start"];
    (
        finding["rule"].as_str().unwrap(),
        start["line"].as_u64().unwrap(),
        start["column"].as_u64().unwrap(),
    )
}

#[test]
fn line_ends_tabs_and_a_byte_order_mark_make_no_other_spec() {
    let spellings = [
        REFERENCE_SPEC.replace('\n', "\r\n"),
        REFERENCE_SPEC.replace(" = ", "\t=\t"),
        format!("\u{feff}{REFERENCE_SPEC}"),
        with("ttl = 300", "ttl = 3_00"),
        with("ttl = 300", "ttl = 300.0"),
        format!("{REFERENCE_SPEC}{}", "# a comment\n".repeat(10_000)),
    ];
    for text in spellings {
        let folder = Folder::of_the_reference_deployment();
        folder.write("pointsman.toml", &text);
        let ran = folder.run(&["validate", "--strict", "--fail-on", "note"]);
        let start: String = text.chars().take(60).collect();
        assert_eq!(ran.status(), 0, "{start}: {}", ran.stdout());
    }
}
