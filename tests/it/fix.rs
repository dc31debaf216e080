//! `validate --fix` and `--diff`, through the program: what they change, what they never touch, and that a second run has
//! nothing to do.

use std::collections::BTreeSet;

use pointsman::app::fix::{self, Mode};
use pointsman::app::{SpecChoice, validate};
use pointsman::diag::Severity;
use pointsman::model::policy::PolicyKind;
use pointsman::ports::{Files as _, MemoryFiles};
use pointsman::report::Format;
use pointsman::rules::{self, Case, CaseFile, Page, Verdict};

use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

use crate::binary::Folder;

const FAULTY: &str = r#"{
  "Statement": [
    {
      "Effect": "Allow",
      "Action": "route53:ChangeResourceRecordSets",
      "Resource": "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE",
      "Condition": {
        "ForAllValues:StringEquals": {
          "route53:ChangeResourceRecordSetsNormalizedRecordNames": ["Example.com.", "*.example.com", "\\052.example.com"],
          "route53:ChangeResourceRecordSetsRecordTypes": ["a"],
          "route53:ChangeResourceRecordSetsActions": ["upsert"]
        }
      }
    }
  ]
}
"#;

const MENDED: &str = r#"{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": "route53:ChangeResourceRecordSets",
      "Resource": "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE",
      "Condition": {
        "ForAllValues:StringEquals": {
          "route53:ChangeResourceRecordSetsNormalizedRecordNames": ["example.com", "\\052.example.com", "\\052.example.com"],
          "route53:ChangeResourceRecordSetsRecordTypes": ["A"],
          "route53:ChangeResourceRecordSetsActions": ["UPSERT"]
        },
        "Null": {
          "route53:ChangeResourceRecordSetsNormalizedRecordNames": "false",
          "route53:ChangeResourceRecordSetsRecordTypes": "false",
          "route53:ChangeResourceRecordSetsActions": "false"
        }
      }
    }
  ]
}
"#;

#[test]
fn everything_certain_is_mended_at_once_and_a_second_time_nothing() {
    let folder = Folder::empty();
    folder.write("p.json", FAULTY);
    let ran = folder.run(&["validate", "p.json", "--fix"]);
    assert_eq!(folder.read("p.json"), MENDED, "{}", ran.stdout());
    assert_eq!(
        (ran.status(), ran.stderr().as_str()),
        (0, "mended p.json\n")
    );
    let before = folder.all();
    let again = folder.run(&["validate", "p.json", "--fix", "--format", "json"]);
    assert_eq!((again.status(), again.stderr().as_str()), (0, ""));
    assert_eq!(folder.all(), before);
}

#[test]
fn a_difference_is_what_a_fix_would_do_and_changes_nothing() {
    let folder = Folder::empty();
    folder.write("p.json", FAULTY);
    let ran = folder.run(&["validate", "p.json", "--diff"]);
    assert_eq!(folder.read("p.json"), FAULTY);
    assert_eq!(ran.status(), 1);
    assert!(
        ran.stdout().starts_with("--- a/p.json\n+++ b/p.json\n@@ "),
        "{}",
        ran.stdout()
    );
    let added = |line: &&str| line.starts_with('+') && !line.starts_with("+++");
    for line in ran.stdout().lines().filter(added) {
        assert!(MENDED.contains(line.get(1..).unwrap()), "{line}");
    }
    let from_stdin = folder.run_with_input(&["validate", "policy", "-", "--diff"], FAULTY);
    assert!(
        from_stdin.stdout().starts_with("--- a/<stdin>\n"),
        "{}",
        from_stdin.stderr()
    );
    let write = folder.run_with_input(&["validate", "policy", "-", "--fix"], FAULTY);
    assert_eq!(write.status(), 2);
    assert_eq!(
        folder
            .run(&["validate", "--diff", "--format", "json"])
            .status(),
        2
    );
}

#[test]
fn what_is_meant_or_unread_keeps_its_bytes() {
    let folder = Folder::empty();
    folder.write("meant.json", FAULTY);
    folder.write("unread.json", FAULTY.replacen('{', "{ // a comment", 1));
    let rules = ["missing-version", "r53-type-invalid"];
    let allow = |rule: &str| {
        format!("[[allow]]\nrule = \"{rule}\"\npath = \"meant.json\"\nreason = \"meant\"\n")
    };
    folder.write("pointsman.toml", rules.map(allow).concat());
    let unread = folder.read("unread.json");
    let ran = folder.run(&["validate", "meant.json", "unread.json", "--fix"]);
    let meant = folder.read("meant.json");
    assert!(
        meant.contains("[\"a\"]") && meant.contains("UPSERT") && !meant.contains("Version"),
        "{meant}"
    );
    assert_eq!(folder.read("unread.json"), unread);
    assert_eq!(ran.status(), 1, "{}", ran.stdout());
}

#[test]
fn bytes_that_are_not_part_of_an_edit_stay_as_they_are() {
    let folder = Folder::empty();
    let strange = format!("\u{feff}{}", FAULTY.replace('\n', "\r\n"));
    folder.write("p.json", &strange);
    folder.run(&["validate", "p.json", "--fix"]);
    assert_eq!(
        folder.read("p.json"),
        format!("\u{feff}{}", MENDED.replace('\n', "\r\n"))
    );
}

fn request(paths: Vec<String>, kind: Option<PolicyKind>) -> validate::Request {
    validate::Request {
        paths,
        here: "/nowhere".to_owned(),
        subject: None,
        policy_kind: kind,
        spec: SpecChoice::Usual,
        repository: None,
        fail_on: Severity::Error,
        strict: false,
        today: None,
        format: Format::Json,
    }
}

/// A page's case, mended by the library in memory.
struct Mended {
    files: Vec<(String, String)>,
    policy_type: Option<String>,
    memory: MemoryFiles,
    status: i32,
}

impl Mended {
    /// `None` where nothing in the case can be mended.
    fn of(case: &Case) -> Option<Self> {
        let owned = |file: &CaseFile| (file.path.clone(), file.text.clone());
        let files: Vec<(String, String)> = case.files.iter().map(owned).collect();
        let memory = MemoryFiles::new(
            files
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str())),
        );
        let paths = files.iter().map(|(path, _)| path.clone()).collect();
        let policy_type = case.policy_type.clone();
        let kind = PolicyKind::WORDS
            .iter()
            .find(|(word, _)| Some(*word) == policy_type.as_deref());
        let request = request(paths, kind.map(|(_, kind)| *kind));
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let exit = fix::run(&request, Mode::Write, &memory, &mut out, &mut notes).ok()?;
        let same = |(path, text): &(String, String)| memory.text(path).as_ref() == Some(text);
        let nothing = files.iter().all(same);
        (!nothing).then(|| Self {
            files,
            policy_type,
            memory,
            status: i32::from(exit.status()),
        })
    }

    /// The program does the same on disk, and a second time nothing.
    fn is_what_the_program_does(&self, what: &str) {
        let folder = Folder::empty();
        for (path, text) in &self.files {
            folder.write(path, text);
        }
        let mut words = vec!["validate", "--fix"];
        words.extend(
            self.policy_type
                .iter()
                .flat_map(|kind| ["--policy-type", kind.as_str()]),
        );
        words.extend(self.files.iter().map(|(path, _)| path.as_str()));
        let ran = folder.run(&words);
        assert_eq!(ran.status(), self.status, "{what}\n{}", ran.stdout());
        for (path, _) in &self.files {
            assert_eq!(
                folder.bytes(path),
                self.memory.read(path).unwrap(),
                "{what}"
            );
        }
        let after = folder.all();
        folder.run(&words);
        assert_eq!(folder.all(), after, "{what}: a second time");
    }
}

#[test]
fn the_program_mends_each_page_as_the_library_does_and_once() {
    let mut mended = BTreeSet::new();
    for rule in rules::all() {
        let bad = Page::parse(rule.page).unwrap().cases.into_iter();
        for case in bad.filter(|case| case.verdict == Verdict::Bad) {
            let has_spec = case.spec || case.files.iter().any(|file| file.path == "pointsman.toml");
            if let Some(case_mended) = Mended::of(&case).filter(|_| !has_spec) {
                mended.insert(rule.id);
                case_mended.is_what_the_program_does(&format!("`{}` line {}", rule.id, case.line));
            }
        }
    }
    assert!(mended.len() > 10, "{mended:?}");
    assert!(mended.contains("forallvalues-allow-without-null-guard"));
}

#[test]
fn a_report_after_mending_tells_what_is_left() {
    let folder = Folder::empty();
    folder.write("p.json", FAULTY.replace("Z0123456789EXAMPLE", "*"));
    let ran = folder.run(&["validate", "p.json", "--fix", "--format", "json"]);
    let report = ran.json();
    let left: Vec<&serde_json::Value> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| &finding["rule"])
        .collect();
    // Two names that became one are told too: which of the two stays is the reader's choice.
    let expected = ["r53-zone-unrestricted", "redundant-condition-value"];
    assert_eq!(left, expected);
}

#[test]
fn elements_in_another_case_of_letters_are_written_as_aws_writes_them() {
    let folder = Folder::empty();
    let faulty = r#"{"Version":"2012-10-17","Statement":[{"effect":"allow","action":"s3:GetObject","resource":"arn:aws:s3:::example/*","Sid":"A","sid":"B"}]}"#;
    folder.write("p.json", faulty);
    let ran = folder.run(&["validate", "policy", "p.json", "--fix"]);
    let mended = faulty
        .replace("\"effect\":\"allow\"", "\"Effect\":\"Allow\"")
        .replace("\"action\"", "\"Action\"")
        .replace("\"resource\"", "\"Resource\"");
    assert_eq!(folder.read("p.json"), mended, "{}", ran.stdout());
    assert_eq!(ran.status(), 1);
}

/// A statement with these blocks in its condition.
fn with_condition(condition: &str) -> String {
    format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Action":"route53:ChangeResourceRecordSets","Resource":"arn:aws:route53:::hostedzone/Z0123456789EXAMPLE","Condition":{{{condition}}}}}]}}"#
    )
}

/// A policy mended in memory, with what was told of it.
fn mended(policy: &str) -> (String, String) {
    let memory = MemoryFiles::new([("p.json", policy)]);
    let asked = request(vec!["p.json".to_owned()], Some(PolicyKind::Identity));
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    fix::run(&asked, Mode::Write, &memory, &mut out, &mut notes).unwrap();
    let text = String::from_utf8(memory.read("p.json").unwrap()).unwrap();
    (text, String::from_utf8(notes).unwrap())
}

#[test]
fn an_operator_whose_right_name_stands_there_already_keeps_its_own() {
    let policy = with_condition(
        r#""stringequals":{"aws:SourceVpc":"vpc-0123456789abcdef0"},"StringEquals":{"aws:PrincipalOrgID":"o-1234567890"}"#,
    );
    assert!(mended(&policy).0.contains("\"stringequals\""));
}

#[test]
fn two_edits_of_one_run_never_write_a_key_twice() {
    let policy = with_condition(
        r#""ForAllValues:StringEquals":{"route53:ChangeResourceRecordSetsNormalizedRecordNames":["a.example.com"],"route53:ChangeResourceRecordSetsRecordTypes":["A"],"route53:ChangeResourceRecordSetsActions":["UPSERT"]},"null":{"route53:ChangeResourceRecordSetsNormalizedRecordNames":"false"}"#,
    );
    let (text, _) = mended(&policy);
    assert_eq!(text.matches("\"Null\"").count(), 1, "{text}");
    let before =
        with_condition(r#""stringequals":{},"StringEquals":{"aws:PrincipalOrgID":"o-1234567890"}"#);
    assert_eq!(mended(&before).0.matches("\"StringEquals\"").count(), 1);
}

/// How many keys stand twice in one object, which a reader that keeps the last would lose.
fn repeated(text: &str) -> usize {
    let mut sources = pointsman::text::SourceMap::default();
    let file = sources.add("p.json", text);
    let parsed = pointsman::syntax::json::read(&sources.text(file).unwrap());
    parsed
        .documents
        .iter()
        .map(|root| root.repeats().len())
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_mended_policy_has_a_key_twice_that_it_had_once(
        blocks in proptest::collection::vec((0_usize..12, 0_usize..4, 0_usize..3), 1..6),
        version in any::<bool>(),
    ) {
        let operators = [
            "ForAllValues:StringEquals", "forallvalues:stringequals", "ForAllValues:StringLike", "StringEquals",
            "stringequals", "Stringequals", "Null", "null", "NullIfExists", "ForAllValues:Null", "ForAnyValue:Null", "NULL",
        ];
        let keys = [
            "route53:ChangeResourceRecordSetsNormalizedRecordNames", "route53:ChangeResourceRecordSetsRecordTypes",
            "route53:ChangeResourceRecordSetsActions", "aws:PrincipalOrgID",
        ];
        let values = ["\"false\"", "[\"*.Example.com.\"]", "[\"a\", \"upsert\"]"];
        let condition: Vec<String> = blocks
            .iter()
            .map(|(operator, key, value)| {
                format!("\"{}\": {{\"{}\": {}}}", operators[*operator], keys[*key], values[*value])
            })
            .collect();
        let policy = with_condition(&condition.join(", "));
        let policy = if version { policy } else { policy.replace("\"Version\":\"2012-10-17\",", "") };
        let (text, _) = mended(&policy);
        prop_assert!(repeated(&text) <= repeated(&policy), "{policy}\n{text}");
    }
}

#[test]
fn a_stale_subject_is_written_as_the_job_s_own() {
    let folder = Folder::of_the_reference_deployment();
    let trust = folder.read("policies/trust.json");
    let classic = trust.replace("acme@100001/dns-failover@200002", "acme/dns-failover");
    folder.write("policies/trust.json", &classic);
    let ran = folder.run(&["validate", "policies/trust.json", "--fix"]);
    assert_eq!(
        folder.read("policies/trust.json"),
        trust,
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_value_that_is_no_name_stays_as_it_is_and_red() {
    let folder = Folder::empty();
    for value in [
        "https://www.example.com",
        " www.example.com",
        "www.example.com\\n",
        "www.example.com:443",
        "www.example.com/",
        "a.example.com,b.example.com",
        "www.{{zone}}",
        "<name>.example.com",
        "www.$ZONE",
        "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE",
        "192.0.2.1",
        ".",
        "",
    ] {
        let before = include_str!("../../policies/change-records.json").replacen(
            "\"example.com\"",
            &format!("\"{value}\""),
            1,
        );
        folder.write("p.json", &before);
        let ran = folder.run(&["validate", "policy", "p.json", "--fix", "--format", "json"]);
        assert_eq!(folder.read("p.json"), before, "{value}");
        assert_eq!(ran.status(), 1, "{value}");
        let report = ran.json();
        let rules: Vec<&str> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|finding| finding["rule"].as_str())
            .collect();
        assert_eq!(rules, ["r53-name-not-a-name"], "{value}");
    }
    let at = include_str!("../../policies/change-records.json").replacen(
        "\"example.com\"",
        "\"example@example.com\"",
        1,
    );
    folder.write("p.json", &at);
    folder.run(&["validate", "policy", "p.json", "--fix"]);
    assert_eq!(folder.read("p.json"), at);
}

#[test]
fn a_difference_names_a_file_from_the_root_with_one_slash() {
    let (folder, elsewhere) = (Folder::empty(), Folder::empty());
    folder.write("p.json", FAULTY);
    let path = folder.path().join("p.json");
    let path = path.to_str().unwrap();
    let ran = elsewhere.run(&["validate", "policy", path, "--diff"]);
    let first = ran.stdout().lines().next().unwrap_or_default().to_owned();
    assert_eq!(first, format!("--- a{path}"));
}
