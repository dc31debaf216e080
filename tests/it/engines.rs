//! `simulate --engine aws|both` with stand-ins for AWS in memory: one that answers as the local evaluator does, and ones
//! that lie. Agreement of the two engines shows that requests say what cases say and that answers are read as they are
//! meant; it shows nothing of AWS.

use pointsman::app::simulate::{self, Answers, Engine, Request};
use pointsman::app::{AppError, Exit};
use pointsman::iam::simulator::{Answer, Query, Refusal};
use pointsman::ports::{Files as _, LocalSimulator, MemoryFiles, PolicySimulator, SimulatorFault};
use pointsman::report::Format;

const EVAL: &str = include_str!("data/iam_eval.json");

/// Cases of `data/iam_eval.json` that `SimulateCustomPolicy` cannot be asked about.
const NOT_FOR_AWS: usize = 9;

fn reference() -> MemoryFiles {
    MemoryFiles::new([
        (
            "policies/cases.toml",
            include_str!("../../policies/cases.toml"),
        ),
        (
            "policies/change-records.json",
            include_str!("../../policies/change-records.json"),
        ),
        (
            "policies/read-zone.json",
            include_str!("../../policies/read-zone.json"),
        ),
        ("eval.json", EVAL),
    ])
}

fn run(
    files: &MemoryFiles,
    table: &str,
    engine: Engine,
    answers: Answers,
    aws: Option<&mut dyn PolicySimulator>,
) -> Result<(Exit, String), AppError> {
    let request = Request {
        tables: vec![table.to_owned()],
        strict_context: false,
        engine,
        answers,
        format: Format::Human { colour: false },
    };
    let mut out = Vec::new();
    let exit = simulate::run(&request, files, aws, &mut out)?;
    Ok((exit, String::from_utf8_lossy(&out).into_owned()))
}

/// A stand-in whose answers are changed on their way.
struct Changed<F>(F);

impl<F: FnMut(&mut Answer)> PolicySimulator for Changed<F> {
    fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault> {
        let mut answer = LocalSimulator.simulate(query)?;
        (self.0)(&mut answer);
        Ok(answer)
    }
}

/// A stand-in that has one answer.
struct Always(SimulatorFault);

impl PolicySimulator for Always {
    fn simulate(&mut self, _: &Query) -> Result<Answer, SimulatorFault> {
        Err(self.0.clone())
    }
}

fn both(files: &MemoryFiles, table: &str, aws: &mut dyn PolicySimulator) -> (Exit, String) {
    run(files, table, Engine::Both, Answers::Live, Some(aws)).unwrap()
}

#[test]
fn both_engines_agree_on_the_reference_table() {
    let (exit, text) = both(&reference(), "policies/cases.toml", &mut LocalSimulator);
    assert_eq!(exit, Exit::Clean, "{text}");
    let aws = Some(&mut LocalSimulator as &mut dyn PolicySimulator);
    let (exit, text) = run(
        &reference(),
        "policies/cases.toml",
        Engine::Aws,
        Answers::Live,
        aws,
    )
    .unwrap();
    assert_eq!(exit, Exit::Clean, "{text}");
}

#[test]
fn both_engines_agree_on_every_case_that_the_api_can_express_and_the_rest_is_undecided() {
    let (exit, text) = both(&reference(), "eval.json", &mut LocalSimulator);
    assert_eq!(exit, Exit::Unread);
    let open: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("open"))
        .collect();
    assert_eq!(open.len(), NOT_FOR_AWS, "{open:#?}");
    let passed = 273 - NOT_FOR_AWS;
    assert!(
        text.ends_with(&format!(
            "273 cases: {passed} passed, 0 failed, {NOT_FOR_AWS} undecided\n"
        )),
        "{text}"
    );
    for why in [
        "takes no session policy",
        "takes no resource control policies",
        "needs at least one identity policy",
        "takes one permissions boundary, not 0",
        "does not simulate resource policies for roles",
        "takes a user or a group as caller",
    ] {
        assert!(text.contains(why), "{why}");
    }
}

fn allowed_is(word: &'static str) -> impl FnMut(&mut Answer) {
    move |answer| {
        for result in &mut answer.evaluation_results {
            for one in &mut result.resource_specific_results {
                if one.eval_resource_decision == "allowed" {
                    word.clone_into(&mut one.eval_resource_decision);
                    one.matched_statements.clear();
                }
            }
        }
    }
}

#[test]
fn a_request_says_what_the_case_says_in_aws_s_words() {
    let files = reference();
    files.put(
        "t.json",
        r#"[{"id": "a", "policies": {
          "identity": [{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:*", "Resource": "*", "Condition": {
            "NumericLessThan": {"s3:Max-Keys": "10"}, "Bool": {"aws:SecureTransport": "true"}, "DateLessThan": {"x:Until": "2026-12-01"},
            "ForAnyValue:IpAddress": {"x:Nets": "203.0.113.0/24"}, "StringEquals": {"x:Plain": "1"}}}}],
          "resource": {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Principal": "*", "Action": "s3:*", "Resource": "*"}}},
        "request": {"principal": "arn:aws:iam::123456789012:user/anna", "action": "s3:ListBucket", "resource": "arn:aws:s3:::b",
          "resource_account": "210987654321",
          "context": {"s3:max-keys": "5", "AWS:SecureTransport": "true", "x:until": "soon", "x:nets": ["203.0.113.7"], "x:plain": "1", "x:none": []}},
        "expected": {"decision": "implicitDeny"}}]"#,
    );
    let mut seen = Vec::new();
    struct Watch<'a>(&'a mut Vec<Query>);
    impl PolicySimulator for Watch<'_> {
        fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault> {
            self.0.push(query.clone());
            LocalSimulator.simulate(query)
        }
    }
    let (exit, text) = both(&files, "t.json", &mut Watch(&mut seen));
    assert_eq!(exit, Exit::Clean, "{text}");
    let query = seen.first().unwrap();
    let context: Vec<(&str, &str)> = query
        .context_entries
        .iter()
        .map(|entry| {
            (
                entry.context_key_name.as_str(),
                entry.context_key_type.as_str(),
            )
        })
        .collect();
    assert_eq!(
        context,
        [
            ("s3:Max-Keys", "numeric"),
            ("aws:SecureTransport", "boolean"),
            // No date, so no operator for dates may match it.
            ("x:Until", "string"),
            ("x:Nets", "ipList"),
            ("x:Plain", "string"),
        ]
    );
    assert_eq!(
        query.caller_arn.as_deref(),
        Some("arn:aws:iam::123456789012:user/anna")
    );
    assert_eq!(
        query.resource_owner.as_deref(),
        Some("arn:aws:iam::210987654321:root")
    );
    assert_eq!(query.resource_arns, ["arn:aws:s3:::b"]);
}

#[test]
fn every_difference_is_told_and_fails() {
    let files = reference();
    let mut liar = Changed(allowed_is("implicitDeny"));
    let (exit, text) = both(&files, "policies/cases.toml", &mut liar);
    assert_eq!(exit, Exit::Findings);
    assert!(
        text.contains("FAIL apex: the engines differ, expected allowed\n       decision: local says allowed, AWS implicitDeny\n       statements: local names statement 0 of `policies/change-records.json`, AWS none\n"),
        "{text}"
    );
    assert!(
        text.contains("19 cases: 14 passed, 5 failed, 0 undecided"),
        "{text}"
    );
    let mut liar = Changed(allowed_is("implicitDeny"));
    let (exit, text) = run(
        &files,
        "policies/cases.toml",
        Engine::Aws,
        Answers::Live,
        Some(&mut liar),
    )
    .unwrap();
    assert_eq!(exit, Exit::Findings);
    assert!(
        text.contains("FAIL apex: implicitDeny, expected allowed\n       AWS gives no reason; the local evaluator says allowed\n"),
        "{text}"
    );
}

/// The first case's line and its reason, when the answers are changed so.
fn told(change: impl FnMut(&mut Answer)) -> String {
    let (exit, text) = both(&reference(), "policies/cases.toml", &mut Changed(change));
    assert_ne!(exit, Exit::Clean);
    let lines: Vec<&str> = text.lines().take(2).collect();
    lines.join("\n")
}

#[test]
fn an_answer_that_cannot_be_read_is_undecided_and_never_passed() {
    let shape = told(|answer| {
        let twice = answer.evaluation_results.clone();
        answer.evaluation_results.extend(twice);
    });
    assert!(shape.contains("open apex: undecided"), "{shape}");
    assert!(
        shape.contains("several results for `route53:ChangeResourceRecordSets`"),
        "{shape}"
    );
    let nothing = told(|answer| answer.evaluation_results.clear());
    assert!(
        nothing.contains("has no result for `route53:Change"),
        "{nothing}"
    );
    let elsewhere = told(|answer| {
        for result in &mut answer.evaluation_results {
            result.resource_specific_results.clear();
        }
    });
    assert!(
        elsewhere.contains("has no result for `arn:aws:route53:::hostedzone/"),
        "{elsewhere}"
    );
    let word = told(allowed_is("Allowed"));
    assert!(word.contains("`Allowed`, which is no decision"), "{word}");
}

#[test]
fn a_statement_that_aws_names_and_we_do_not_know_is_a_difference() {
    let place = told(|answer| {
        for result in &mut answer.evaluation_results {
            let each = result.resource_specific_results.iter_mut();
            for statement in each.flat_map(|one| &mut one.matched_statements) {
                statement.end_position = statement.start_position;
            }
        }
    });
    assert!(place.contains("FAIL apex: the engines differ"), "{place}");
    assert!(
        place.contains("that ends at 1:38, where none does"),
        "{place}"
    );
}

#[test]
fn pages_are_followed_and_one_that_never_ends_is_given_up() {
    /// Puts an empty page before each answer; with `ends` false it puts empty pages only.
    struct Pages {
        ends: bool,
    }
    impl PolicySimulator for Pages {
        fn simulate(&mut self, query: &Query) -> Result<Answer, SimulatorFault> {
            let mut query = query.clone();
            if self.ends && query.marker.take().is_some() {
                return LocalSimulator.simulate(&query);
            }
            Ok(Answer {
                evaluation_results: Vec::new(),
                marker: Some("more".to_owned()),
            })
        }
    }
    let files = reference();
    let (exit, text) = both(&files, "policies/cases.toml", &mut Pages { ends: true });
    assert_eq!(exit, Exit::Clean, "{text}");
    let endless = run(
        &files,
        "policies/cases.toml",
        Engine::Aws,
        Answers::Live,
        Some(&mut Pages { ends: false }),
    );
    let error = endless.unwrap_err();
    assert_eq!(error.exit(), Exit::Failed);
    assert!(error.to_string().contains("more than 100 pages"), "{error}");
}

const ASKS_FOR_AN_ADDRESS: &str = r#"[
  {"id": "a", "policies": {
    "identity": [{"Version": "2012-10-17", "Statement": [
      {"Effect": "Allow", "Action": "route53:GetChange", "Resource": "*",
       "Condition": {"StringNotEquals": {"aws:PrincipalTag/team": "x"}}},
      {"Effect": "Allow", "Action": "s3:*", "Resource": "*", "Condition": {"Bool": {"aws:SecureTransport": "true"}}}]}],
    "scps": [[{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "NotAction": "iam:*", "Resource": "*",
      "Condition": {"StringNotEquals": {"aws:RequestedRegion": "x"}}}}]]},
   "request": {"action": "route53:GetChange", "resource": "arn:aws:route53:::change/C1"},
   "expected": {"decision": "allowed"}}]"#;

#[test]
fn a_key_that_aws_misses_leaves_the_case_undecided_unless_its_absence_is_planned() {
    let files = reference();
    files.put("t.json", ASKS_FOR_AN_ADDRESS);
    let aws = |files: &MemoryFiles| {
        let aws = Some(&mut LocalSimulator as &mut dyn PolicySimulator);
        run(files, "t.json", Engine::Aws, Answers::Live, aws).unwrap()
    };
    let (exit, text) = aws(&files);
    assert_eq!(exit, Exit::Unread, "{text}");
    assert!(
        text.contains("AWS decides without `aws:PrincipalTag/team`"),
        "{text}"
    );
    // AWS does not list the keys of service control policies.
    assert!(
        text.contains("AWS decides without `aws:RequestedRegion`"),
        "{text}"
    );
    // No statement for this action asks for it.
    assert!(!text.contains("SecureTransport"), "{text}");
    for planned in [
        r#""context": {}"#,
        r#""absent": ["aws:principaltag/team", "aws:RequestedRegion"]"#,
    ] {
        files.put(
            "t.json",
            ASKS_FOR_AN_ADDRESS.replace(r#""action""#, &format!(r#"{planned}, "action""#)),
        );
        let (exit, text) = aws(&files);
        assert_eq!(exit, Exit::Clean, "{text}");
    }
}

#[test]
fn a_trust_policy_is_never_passed_by_aws() {
    let files = reference();
    files.put(
        "t.json",
        r#"[{"id": "a", "policies": {"identity": [{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}],
          "resource": {"Version": "2012-10-17", "Statement": {"Effect": "Deny", "Principal": "*", "Action": "sts:AssumeRole"}}},
         "request": {"principal": "arn:aws:iam::123456789012:user/a", "action": "sts:AssumeRole", "resource": "arn:aws:iam::123456789012:role/r"},
         "expected": {"decision": "allowed"}}]"#,
    );
    let aws = Some(&mut LocalSimulator as &mut dyn PolicySimulator);
    let (exit, text) = run(&files, "t.json", Engine::Aws, Answers::Live, aws).unwrap();
    assert_eq!(exit, Exit::Unread);
    assert!(
        text.contains("ignores resource policies for `sts:AssumeRole`"),
        "{text}"
    );
}

#[test]
fn what_was_recorded_is_replayed_without_asking_and_what_was_not_is_undecided() {
    let files = reference();
    let table = "policies/cases.toml";
    let record = Answers::Recorded("answers.json".to_owned());
    let aws = Some(&mut LocalSimulator as &mut dyn PolicySimulator);
    let (exit, live) = run(&files, table, Engine::Both, record, aws).unwrap();
    assert_eq!(exit, Exit::Clean);
    let replay = || Answers::Replayed("answers.json".to_owned());
    let (exit, replayed) = run(&files, table, Engine::Both, replay(), None).unwrap();
    assert_eq!((exit, &replayed), (Exit::Clean, &live));
    // White space is no part of a request, a name is.
    let policy = files.text("policies/change-records.json").unwrap();
    files.put("policies/change-records.json", policy.replace('\n', "\n "));
    let (exit, _) = run(&files, table, Engine::Aws, replay(), None).unwrap();
    assert_eq!(exit, Exit::Clean);
    files.put(
        "policies/change-records.json",
        policy.replace("\"example.com\"", "\"example.org\""),
    );
    let (exit, text) = run(&files, table, Engine::Aws, replay(), None).unwrap();
    assert_eq!(exit, Exit::Unread);
    assert!(text.contains("the recording has no such request"), "{text}");
}

#[test]
fn a_refusal_is_recorded_too_and_leaves_its_case_undecided() {
    let files = reference();
    let mut refuses = Always(SimulatorFault::Refused(Refusal::invalid_input("no")));
    let record = Answers::Recorded("answers.json".to_owned());
    let table = "policies/cases.toml";
    let (exit, text) = run(&files, table, Engine::Aws, record, Some(&mut refuses)).unwrap();
    assert_eq!(exit, Exit::Unread);
    assert!(
        text.contains("AWS refuses the request: InvalidInput: no"),
        "{text}"
    );
    let replay = Answers::Replayed("answers.json".to_owned());
    let (_, replayed) = run(&files, table, Engine::Aws, replay, None).unwrap();
    assert_eq!(replayed, text);
}

#[test]
fn an_aws_that_cannot_be_asked_and_a_recording_that_is_none_are_errors() {
    let files = reference();
    let table = "policies/cases.toml";
    let mut none = Always(SimulatorFault::Unreachable("no credentials".to_owned()));
    let error = run(&files, table, Engine::Both, Answers::Live, Some(&mut none)).unwrap_err();
    assert_eq!(error.exit(), Exit::Failed);
    assert_eq!(error.to_string(), "AWS cannot be asked: no credentials");
    let error = run(&files, table, Engine::Aws, Answers::Live, None).unwrap_err();
    assert_eq!(error.exit(), Exit::Usage);
    assert!(error.to_string().contains("the feature `aws`"), "{error}");
    let replay = |path: &str| Answers::Replayed(path.to_owned());
    let error = run(&files, table, Engine::Aws, replay("none.json"), None).unwrap_err();
    assert_eq!(error.exit(), Exit::Failed);
    for wrong in ["{", "{}", r#"{"version": 2, "exchanges": []}"#] {
        files.put("wrong.json", wrong);
        let error = run(&files, table, Engine::Aws, replay("wrong.json"), None).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage, "{wrong}");
        assert!(error.to_string().contains("is no recording"), "{error}");
    }
    assert!(files.kind("answers.json").is_none());
}
