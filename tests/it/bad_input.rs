//! Damaged files, through the program: each is told with its file and place and has its exit status, none hides what is
//! found in the others, and nothing is overwritten.
#![expect(
    clippy::disallowed_methods,
    reason = "a pipe is made by the system's own program"
)]

use serde_json::Value;

use crate::binary::{Folder, Ran};
use crate::places::{each_place_is_its_text, number, position};

/// One artefact of each kind, with a piece of it behind which a cut leaves something open.
const ARTEFACTS: [(&str, &str); 7] = [
    (
        "policies/change-records.json",
        "\"route53:ChangeResourceRecordSetsRecordTypes\": [",
    ),
    ("policies/trust.json", "\"StringEqu"),
    ("terraform/iam.tf", "Statement = ["),
    ("terraform/records.tf", "records = [\"198"),
    (".github/workflows/dns-failover.yml", "permissions: {"),
    ("monitors/edge-watch.yaml", "- \"200"),
    ("monitors/dispatch.yaml", "webhookCustomBody: '{"),
];

/// A fault that has nothing to do with the damage.
const FAULT: [&str; 3] = [
    "policies/read-zone.json",
    "hostedzone/Z0123456789EXAMPLE",
    "hostedzone/Z0987654321EXAMPLE",
];

fn cut(text: &str, piece: &str) -> Option<String> {
    let at = text.find(piece)? + piece.len();
    text.get(..at).map(str::to_owned)
}

fn is_terraform(path: &str) -> bool {
    path.ends_with(".tf")
}

/// Brackets that are never closed.
fn nest(path: &str) -> Vec<u8> {
    let start = if is_terraform(path) { "a = " } else { "" };
    format!("{start}{}", "[".repeat(100_000)).into_bytes()
}

fn not_utf8(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.insert(40, 0xff);
    bytes
}

fn json(folder: &Folder) -> (Ran, Value) {
    let ran = folder.run(&["validate", "--format", "json"]);
    let report = ran.json();
    (ran, report)
}

fn rules_in(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect()
}

/// That the damaged file is told, alone and once; gives the place.
fn told(folder: &Folder, path: &str, damage: &str) -> Option<(usize, usize)> {
    let (ran, report) = json(folder);
    let shown = || format!("{path}, {damage}\n{}\n{}", ran.stdout(), ran.stderr());
    assert_eq!(ran.status(), 4, "{}", shown());
    assert_eq!(ran.stderr(), "", "{}", shown());
    assert_eq!(rules_in(&report), Vec::<&str>::new(), "{}", shown());
    let [unread] = report["unread"].as_array().unwrap().as_slice() else {
        panic!("{}", shown());
    };
    assert_eq!(unread["path"], path, "{}", shown());
    assert!(!unread["reason"].as_str().unwrap().is_empty());
    for format in ["human", "github"] {
        let other = folder.run(&["validate", "--format", format]);
        assert_eq!(other.status(), 4, "in `{format}`: {}", shown());
        assert!(
            other.stdout().contains(path),
            "`{format}` names no file: {}",
            shown()
        );
    }
    let start = &unread["span"]["start"];
    number(&start["line"]).zip(number(&start["column"]))
}

/// That a fault in another file is found beside the damage, and that both are said.
fn hides_nothing(folder: &Folder, damage: &str) {
    let [path, right, wrong] = FAULT;
    folder.write(path, folder.read(path).replace(right, wrong));
    let (ran, report) = json(folder);
    assert_eq!(ran.status(), 1, "{damage}: {}", ran.stdout());
    assert_eq!(rules_in(&report), ["policy-zone-differs"], "{damage}");
    assert_eq!(report["summary"]["unread"], 1, "{damage}");
    folder.write(path, folder.read(path).replace(wrong, right));
}

/// That `generate` leaves a file alone that it did not write.
fn is_not_overwritten(folder: &Folder, path: &str, damage: &str) {
    let before = folder.bytes(path);
    let ran = folder.run(&["generate"]);
    assert!(
        [2, 3].contains(&ran.status()),
        "{damage}: `generate` ends with {}",
        ran.status()
    );
    assert!(ran.stderr().contains(path), "{damage}: {}", ran.stderr());
    assert_eq!(folder.bytes(path), before, "{path}, {damage}");
}

#[test]
fn a_file_that_is_cut_off_is_told_where_it_ends() {
    for (path, piece) in ARTEFACTS {
        let folder = Folder::of_the_reference_deployment();
        let text = cut(&folder.read(path), piece).unwrap();
        folder.write(path, &text);
        let place = told(&folder, path, "cut off").unwrap();
        let (last, width) = position(&text, text.len());
        assert_eq!(place.0, last, "{path}");
        assert!(place.1 <= width, "{path}");
        hides_nothing(&folder, "cut off");
        is_not_overwritten(&folder, path, "cut off");
    }
}

#[test]
fn a_file_that_is_not_utf8_is_told_at_the_byte() {
    for (path, _) in ARTEFACTS {
        let folder = Folder::of_the_reference_deployment();
        let text = folder.read(path);
        folder.write(path, not_utf8(&text));
        let place = told(&folder, path, "not UTF-8");
        assert_eq!(place, Some(position(&text, 40)), "{path}");
        hides_nothing(&folder, "not UTF-8");
        is_not_overwritten(&folder, path, "not UTF-8");
    }
}

#[test]
fn a_hundred_thousand_brackets_are_told_at_the_depth_that_is_too_deep() {
    for (path, _) in ARTEFACTS {
        let folder = Folder::of_the_reference_deployment();
        folder.write(path, nest(path));
        let (line, column) = told(&folder, path, "nested").unwrap();
        assert_eq!(line, 1, "{path}");
        assert!((30..1000).contains(&column), "{path}: {column}");
        hides_nothing(&folder, "nested");
    }
    let folder = Folder::of_the_reference_deployment();
    folder.write("terraform/iam.tf", "a {\n".repeat(100_000));
    assert!(told(&folder, "terraform/iam.tf", "nested blocks").is_some());
}

#[test]
fn an_empty_file_is_unread_or_what_it_ought_to_hold_is_missing() {
    for text in ["", "\n \n"] {
        for (path, _) in ARTEFACTS.iter().filter(|(path, _)| !is_terraform(path)) {
            let folder = Folder::of_the_reference_deployment();
            folder.write(path, text);
            told(&folder, path, "empty");
            hides_nothing(&folder, "empty");
            is_not_overwritten(&folder, path, "empty");
        }
        // An empty file is good HCL; then the module declares less than the spec asks for.
        for (path, missing) in [
            ("terraform/iam.tf", "artefact-missing"),
            ("terraform/records.tf", "record-missing-in-terraform"),
        ] {
            let folder = Folder::of_the_reference_deployment();
            folder.write(path, text);
            let (ran, report) = json(&folder);
            assert_eq!(ran.status(), 1, "{path}: {}", ran.stdout());
            let rules = rules_in(&report);
            assert!(rules.iter().all(|rule| *rule == missing), "{rules:?}");
            is_not_overwritten(&folder, path, "empty");
        }
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_told() {
    for (path, _) in ARTEFACTS {
        let folder = Folder::of_the_reference_deployment();
        folder.remove(path);
        folder.write(&format!("{path}/kept"), "kept");
        assert_eq!(told(&folder, path, "a folder"), None, "{path}");
        hides_nothing(&folder, "a folder");
        let ran = folder.run(&["generate"]);
        assert_eq!(ran.status(), 3, "{path}: {}", ran.stderr());
        assert!(ran.stderr().contains(path), "{}", ran.stderr());
        assert_eq!(folder.read(&format!("{path}/kept")), "kept");
    }
}

#[test]
fn line_ends_marks_tabs_and_thousands_of_comments_change_no_meaning() {
    for (path, _) in ARTEFACTS.iter().chain([&("pointsman.toml", "")]) {
        let folder = Folder::of_the_reference_deployment();
        let text = folder.read(path);
        let clean = |what: &str, changed: String| {
            folder.write(path, changed);
            let ran = folder.run(&["validate", "--strict", "--fail-on", "note"]);
            assert_eq!(ran.status(), 0, "{path}, {what}: {}", ran.stdout());
        };
        clean("CRLF", text.replace('\n', "\r\n"));
        if !path.ends_with(".json") {
            clean("BOM", format!("\u{feff}{text}"));
            clean("comments", format!("{}{text}", "# so\n".repeat(20_000)));
        }
        let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
        if yaml {
            folder.write(path, text.replace("  ", "\t"));
            assert!(told(&folder, path, "tabs").is_some(), "{path}");
        } else {
            clean("tabs", text.replace("  ", "\t"));
        }
    }
}

#[test]
fn a_byte_order_mark_goes_to_iam_with_its_policy() {
    let folder = Folder::of_the_reference_deployment();
    let path = "policies/trust.json";
    folder.write(path, format!("\u{feff}{}", folder.read(path)));
    let (ran, report) = json(&folder);
    assert_eq!(ran.status(), 1);
    assert_eq!(rules_in(&report), ["invalid-character"], "{}", ran.stdout());
    assert_eq!(report["findings"][0]["span"]["end"]["offset"], 3);
}

#[test]
fn places_are_right_behind_crlf_a_mark_and_tabs() {
    let path = "terraform/records.tf";
    for change in [
        |text: String| text.replace('\n', "\r\n"),
        |text: String| format!("\u{feff}{text}"),
        |text: String| text.replace("  ", "\t"),
        |text: String| text.replace("# Terraform owns", "# Ääh… 𝄞 Terraform owns"),
    ] {
        let folder = Folder::of_the_reference_deployment();
        let text = change(folder.read(path)).replace("300", "60");
        folder.write(path, &text);
        let (ran, report) = json(&folder);
        assert_eq!(rules_in(&report), ["record-ttl-differs"; 3]);
        let shown = ran.stdout();
        assert_eq!(each_place_is_its_text(&folder, &report), Ok(()), "{shown}");
        for finding in report["findings"].as_array().unwrap() {
            let offset = |end: &str| number(&finding["span"][end]["offset"]).unwrap();
            let found = text.get(offset("start")..offset("end"));
            assert_eq!(found, Some("60"));
        }
    }
}

#[test]
fn an_attribute_that_is_set_twice_is_told_at_the_second() {
    let folder = Folder::of_the_reference_deployment();
    let path = "terraform/records.tf";
    let text = folder.read(path);
    let text = text.replacen("  ttl     = 300\n", "  ttl     = 300\n  ttl     = 60\n", 1);
    folder.write(path, &text);
    let place = told(&folder, path, "set twice");
    let again = text.find("ttl     = 60").unwrap();
    assert_eq!(place, Some(position(&text, again)));
}

#[test]
fn a_spec_that_is_wrong_ends_with_2_and_changes_nothing() {
    let good = Folder::of_the_reference_deployment().read("pointsman.toml");
    let twice = good.replacen("ttl = 300", "ttl = 300\nttl = 300", 1);
    let cases: [(&str, Vec<u8>); 7] = [
        ("empty", Vec::new()),
        ("blank", b"\n \n".to_vec()),
        ("cut off", cut(&good, "name = \"exa").unwrap().into_bytes()),
        ("not UTF-8", not_utf8(&good)),
        ("a key twice", twice.into_bytes()),
        (
            "nested",
            format!("a = {}", "[".repeat(100_000)).into_bytes(),
        ),
        (
            "tables",
            format!("a = {}", "{a=".repeat(100_000)).into_bytes(),
        ),
    ];
    for (damage, bytes) in cases {
        let folder = Folder::of_the_reference_deployment();
        folder.write("pointsman.toml", bytes);
        let before = folder.all();
        for format in ["json", "human", "github"] {
            let ran = folder.run(&["validate", "--format", format]);
            assert_eq!(ran.status(), 2, "{damage}: {}", ran.stdout());
            assert!(ran.stdout().contains("pointsman.toml"), "{damage}");
        }
        let (_, report) = json(&folder);
        let rules = rules_in(&report);
        assert!(
            !rules.is_empty() && rules.iter().all(|rule| rule.starts_with("spec-")),
            "{damage}: {rules:?}"
        );
        for command in ["generate", "init"] {
            let ran = folder.run(&[command]);
            assert_ne!(ran.status(), 0, "`{command}` on a spec that is {damage}");
        }
        assert_eq!(folder.all(), before, "{damage}");
    }
}

#[test]
fn a_spec_that_is_a_folder_or_missing_is_told_by_its_name() {
    let folder = Folder::of_the_reference_deployment();
    folder.remove("pointsman.toml");
    let before = folder.all();
    let missing = [
        folder.run(&["generate"]),
        folder.run(&["validate", "--spec", "pointsman.toml"]),
    ];
    folder.write("pointsman.toml/kept", "kept");
    let a_folder = [folder.run(&["generate"]), folder.run(&["validate"])];
    for ran in missing.iter().chain(&a_folder) {
        assert_eq!(ran.status(), 2, "{}{}", ran.stdout(), ran.stderr());
        assert!(ran.stderr().contains("pointsman.toml"), "{}", ran.stderr());
        assert_eq!(ran.stdout(), "");
    }
    folder.remove("pointsman.toml");
    assert_eq!(folder.all(), before);
}

#[test]
fn without_a_spec_the_files_are_still_judged() {
    let folder = Folder::of_the_reference_deployment();
    folder.remove("pointsman.toml");
    assert_eq!(json(&folder).0.status(), 0, "{}", json(&folder).0.stdout());
    let path = "policies/change-records.json";
    folder.write(path, folder.read(path).replace("\\\\052", "*"));
    let (ran, report) = json(&folder);
    assert_eq!(ran.status(), 1);
    assert_eq!(rules_in(&report), ["r53-name-unescaped-wildcard"]);
}

#[test]
fn a_named_path_that_is_not_there_ends_with_3() {
    let folder = Folder::of_the_reference_deployment();
    for path in [
        "policies/none.json",
        "terraform/none.tf",
        "none.yaml",
        "none",
    ] {
        for format in ["json", "human", "github"] {
            let ran = folder.run(&["validate", path, "--format", format]);
            assert_eq!(ran.status(), 3, "{path}: {}", ran.stdout());
            assert!(ran.stderr().contains(path), "{}", ran.stderr());
        }
    }
}

#[test]
fn whose_job_is_meant_is_taken_as_people_write_it_or_refused_with_the_way_to_it() {
    let folder = Folder::of_the_reference_deployment();
    let run = |more: &[&str]| {
        let named = [
            "validate",
            "trust",
            "policies/trust.json",
            "--repo",
            "acme/dns-failover",
        ];
        folder.run(&[&named[..], more].concat())
    };
    let ids = ["--owner-id", "100001", "--repo-id", "200002"];
    let full = run(&[&ids[..], &["--branch", "refs/heads/main"]].concat());
    assert_eq!((full.status(), full.stdout()), (0, run(&ids).stdout()));
    let tag = run(&[&ids[..], &["--branch", "refs/tags/v1"]].concat());
    assert_eq!(tag.status(), 2);
    assert!(
        tag.stderr().contains("`refs/tags/v1` is no branch"),
        "{}",
        tag.stderr()
    );
    for (flag, how) in [
        ("--owner-id", "`gh api users/OWNER --jq .id`"),
        ("--repo-id", "`gh api repos/OWNER/NAME --jq .id`"),
    ] {
        let wrong = run(&[flag, "x"]);
        assert_eq!(wrong.status(), 2);
        assert!(wrong.stderr().contains(how), "{}", wrong.stderr());
    }
}

/// What the program says of a policy that is as large as it may be. No clock is asked: what grows with the square of these
/// sizes would not come to an end.
fn of_a_large_policy(statements: &str) -> (Ran, Value) {
    let folder = Folder::empty();
    let document = format!("{{\"Version\":\"2012-10-17\",\"Statement\":[{statements}]}}");
    folder.write("p.json", document);
    let ran = folder.run(&["validate", "policy", "p.json", "--format", "json"]);
    let report = ran.json();
    (ran, report)
}

/// `count` texts that `one` makes, with commas between.
fn listed(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<String>>().join(",")
}

#[test]
fn a_hundred_thousand_statements_are_all_judged() {
    let statement =
        |at| format!("{{\"Effect\":\"Deny\",\"Action\":\"s3:Get{at}\",\"Resource\":\"*\"}}");
    let (ran, report) = of_a_large_policy(&listed(100_000, statement));
    assert_eq!(ran.status(), 1);
    let unknown = rules_in(&report)
        .into_iter()
        .filter(|rule| *rule == "invalid-action");
    assert_eq!(unknown.count(), 100_000);
}

#[test]
fn fifty_thousand_actions_on_fifty_thousand_resources_are_not_compared_pair_by_pair() {
    let actions = listed(50_000, |at| format!("\"s3:Get{at}\""));
    let resources = listed(50_000, |at| format!("\"arn:aws:s3:::example-{at}/*\""));
    let statement =
        format!("{{\"Effect\":\"Allow\",\"Action\":[{actions}],\"Resource\":[{resources}]}}");
    let (ran, report) = of_a_large_policy(&statement);
    assert_eq!(ran.status(), 1);
    let unknown = rules_in(&report)
        .into_iter()
        .filter(|rule| *rule == "invalid-action");
    assert_eq!(unknown.count(), 50_000);
}

#[test]
fn a_megabyte_of_variables_or_stars_that_mean_nothing_is_told_and_passed() {
    for text in ["${", "*a", "?*", "\\\\052"] {
        let long = text.repeat(1_000_000 / text.len());
        let statement = format!(
            "{{\"Sid\":\"{long}\",\"Effect\":\"Allow\",\"Action\":[\"s3:{long}\",\"s3:GetObject\"],\"Resource\":[\"arn:aws:s3:::{long}\",\"arn:aws:s3:::b/*\"],\
             \"Condition\":{{\"StringLike\":{{\"aws:username\":[\"{long}\",\"{long}b\"]}}}}}}"
        );
        let (ran, report) = of_a_large_policy(&statement);
        assert!([1, 4].contains(&ran.status()), "{text}: {}", ran.stderr());
        assert!(!rules_in(&report).is_empty(), "{text}");
    }
}

#[test]
fn a_hundred_thousand_findings_on_one_line_behind_a_wide_letter_have_their_columns() {
    let actions = listed(100_000, |_| "\"x\"".to_owned());
    let statement =
        format!("{{\"Sid\":\"é\",\"Effect\":\"Allow\",\"Action\":[{actions}],\"Resource\":\"*\"}}");
    let (_, report) = of_a_large_policy(&statement);
    let findings = report["findings"].as_array().unwrap();
    let last = findings
        .iter()
        .rfind(|finding| finding["rule"] == "invalid-action")
        .unwrap();
    let start = &last["span"]["start"];
    assert_eq!(number(&start["column"]), number(&start["offset"]));
    assert!(findings.len() >= 100_000);
}
#[test]
fn a_pipe_that_nobody_writes_to_is_told_and_not_waited_for() {
    let folder = Folder::of_the_reference_deployment();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join("policies/pipe.json"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no pipes here");
        return;
    }
    for arguments in [&["validate"][..], &["validate", "policies/pipe.json"]] {
        let ran = folder.run(&[arguments, &["--format", "json"]].concat());
        let told = ran.json()["unread"].to_string();
        assert!(told.contains("is not a regular file"), "{told}");
    }
}
