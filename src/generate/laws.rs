//! The laws of generation, executed: the committed files are what comes out, and what comes out says what the spec says.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use granit_parser::{Event, Parser};
use hcl::{Body, Expression, Structure};
use proptest::prelude::*;
use serde_json::Value;

use crate::model::dns::RecordName;
use crate::model::spec::{OIDC_AUDIENCE, RecordType, Spec};
use crate::syntax::{Node, json, pointer};
use crate::text::{FileId, Span, Text};

use super::{Artefact, HEADER, LOCK_FILE, Lock, all};

const ROOT: &str = include_str!("../../pointsman.toml");

/// The committed files of the reference deployment.
const COMMITTED: [(&str, &str); 14] = [
    (
        ".github/workflows/dns-failover.yml",
        include_str!("../../.github/workflows/dns-failover.yml"),
    ),
    (
        "monitors/dispatch.yaml",
        include_str!("../../monitors/dispatch.yaml"),
    ),
    (
        "monitors/edge-notice.yaml",
        include_str!("../../monitors/edge-notice.yaml"),
    ),
    (
        "monitors/edge-watch.yaml",
        include_str!("../../monitors/edge-watch.yaml"),
    ),
    (
        "monitors/failback-retry.yaml",
        include_str!("../../monitors/failback-retry.yaml"),
    ),
    (
        "monitors/token-check.yaml",
        include_str!("../../monitors/token-check.yaml"),
    ),
    (
        "monitors/transition-notice.yaml",
        include_str!("../../monitors/transition-notice.yaml"),
    ),
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
    (
        "policies/trust.json",
        include_str!("../../policies/trust.json"),
    ),
    ("terraform/iam.tf", include_str!("../../terraform/iam.tf")),
    (
        "terraform/records.tf",
        include_str!("../../terraform/records.tf"),
    ),
    (
        "terraform/versions.tf",
        include_str!("../../terraform/versions.tf"),
    ),
];

fn text(input: &str) -> Text {
    Text::verbatim(input, Span::new(FileId(0), 0, input.len()))
}

fn spec(input: &str) -> Option<Spec> {
    Spec::read(&text(input)).ok()
}

fn find<'a>(made: &'a [Artefact], path: &str) -> Option<&'a str> {
    made.iter()
        .find(|artefact| artefact.path == path)
        .map(|artefact| artefact.text.as_str())
}

#[test]
fn the_committed_files_are_what_comes_out_byte_for_byte() {
    let made = all(&spec(ROOT).unwrap()).unwrap();
    let paths: Vec<&str> = made.iter().map(|artefact| artefact.path.as_str()).collect();
    let committed: Vec<&str> = COMMITTED.iter().map(|(path, _)| *path).collect();
    assert_eq!(paths, committed);
    let mut lock = Lock::default();
    for (artefact, (path, text)) in made.iter().zip(COMMITTED) {
        assert!(
            artefact.text == text,
            "{path} differs; run `pointsman generate`"
        );
        lock.note(path, text.as_bytes());
    }
    let noted = include_str!("../../pointsman.lock");
    assert_eq!(
        lock.text(),
        noted,
        "{LOCK_FILE} differs; run `pointsman generate`"
    );
}

#[test]
fn a_hash_comment_says_who_wrote_a_file_wherever_the_language_has_one() {
    for artefact in all(&spec(ROOT).unwrap()).unwrap() {
        let says = artefact.text.starts_with(HEADER);
        assert_eq!(says, !artefact.path.ends_with(".json"), "{}", artefact.path);
    }
}

#[test]
fn a_policy_that_iam_would_refuse_is_not_written() {
    let names: Vec<String> = (0..200)
        .map(|number| format!("\"h{number}.{}.example.com\"", "x".repeat(50)))
        .collect();
    let input = ROOT.replacen("names = [", &format!("names = [{}, ", names.join(", ")), 1);
    let error = all(&spec(&input).unwrap()).unwrap_err();
    assert!(error.to_string().contains("at most 10240"), "{error}");
}

#[test]
fn newer_autokuma_gets_a_dns_monitor_for_the_return() {
    let input = ROOT.replacen(
        "[records]",
        "[monitors]\nautokuma_version = \"2.0.1\"\n[records]",
        1,
    );
    let made = all(&spec(&input).unwrap()).unwrap();
    let retry = find(&made, "monitors/failback-retry.yaml").unwrap();
    assert!(
        retry.contains("type: dns\n") && retry.contains("resend_interval: 30\n"),
        "{retry}"
    );
}

/// A spec in TOML with whatever a spec may hold.
fn any_spec() -> impl Strategy<Value = String> {
    let label = || "[a-z0-9_]([a-z0-9_-]{0,14}[a-z0-9_])?";
    // Labels with characters that only an octal escape can write, some of them dangerous in another language.
    let odd = prop::sample::select(vec![
        "\\044\\173a\\175",
        "\\045\\173",
        "\\042",
        "\\047",
        "\\040",
        "\\012",
        "\\134",
        "\\052",
        "a\\072\\040b",
        "\\043",
        "\\377",
    ]);
    let name = prop_oneof![3 => label().prop_map(String::from), 1 => odd.prop_map(String::from)];
    let names = prop::collection::btree_set(name, 0..5);
    let types = prop::sample::select(vec!["\"A\"", "\"AAAA\"", "\"AAAA\", \"A\""]);
    let environment = prop::option::of("[\\PC'\"#:%{}&*!`$ -]{1,24}");
    let branch = prop_oneof![
        Just("main".to_owned()),
        "[A-Za-z0-9'\"#!&;<>|(){}$%+,=@_/-]{1,20}"
    ];
    let version = prop::sample::select(vec!["2.0.0", "2.0.1", "3.1.0"]);
    (names, types, 2usize..5, environment, branch, version, 900u32..43200).prop_map(|(names, types, sites, environment, branch, version, session)| {
        let mut out = String::from("[zone]\nid = \"Z1\"\nname = \"zone.example\"\n");
        let quoted = |text: &str| Value::from(text).to_string();
        for site in 0..sites {
            let _ = write!(out, "[[sites]]\nname = \"s{site}\"\nipv4 = \"198.51.100.{site}\"\nipv6 = \"2001:db8::{site}\"\n");
        }
        let list: Vec<String> = ["zone.example".to_owned(), "*.zone.example".to_owned()]
            .into_iter()
            .chain(names.iter().map(|name| format!("{name}.zone.example")))
            .map(|name| quoted(&name))
            .collect();
        let _ = write!(out, "[records]\nnames = [{}]\ntypes = [{types}]\n", list.join(", "));
        out.push_str("[[hosts]]\nname = \"zone.example\"\n[github]\nowner = \"o\"\nowner_id = 1\nrepository_id = 2\njob_timeout_minutes = 15\n");
        let _ = writeln!(out, "branch = {}", quoted(&branch));
        if let Some(environment) = environment {
            let _ = writeln!(out, "environment = {}", quoted(&environment));
        }
        let _ = write!(out, "[aws]\naccount = \"123456789012\"\nsession_seconds = {session}\n[monitors]\nautokuma_version = \"{version}\"\n");
        out
    })
}

/// The strings at `pointer`: a list of them, or one.
fn strings(root: &Node, at: &str) -> Option<Vec<String>> {
    let node = pointer::find(root, at)?;
    let string = |node: &Node| node.as_str().map(str::to_owned);
    node.as_list().map_or_else(
        || Some(vec![string(node)?]),
        |items| items.iter().map(string).collect(),
    )
}

fn json_document(text_: &str) -> Option<Node> {
    let parsed = json::read(&text(text_));
    parsed
        .faults
        .is_empty()
        .then(|| parsed.documents.into_iter().next())?
}

/// The attribute `attribute` of the block with these labels, as JSON; the argument of `jsonencode` if it is a call.
fn attribute(body: &Body, labels: [&str; 2], attribute: &str) -> Option<Value> {
    let block = body.blocks().find(|block| {
        block
            .labels()
            .iter()
            .map(hcl::BlockLabel::as_str)
            .eq(labels)
    })?;
    let value = block
        .body()
        .attributes()
        .find(|found| found.key() == attribute)?
        .expr();
    if let Expression::FuncCall(call) = value {
        return call.args.first().map(plain);
    }
    Some(plain(value))
}

/// An expression as JSON; a reference as its text.
fn plain(value: &Expression) -> Value {
    if let Expression::Array(items) = value {
        return items.iter().map(plain).collect();
    }
    if let Expression::Object(object) = value {
        let entry = |(key, value): (&hcl::ObjectKey, &Expression)| {
            (key.to_string().trim_matches('"').to_owned(), plain(value))
        };
        return Value::Object(object.iter().map(entry).collect());
    }
    serde_json::to_value(value).unwrap_or_default()
}

/// All scalars of a YAML document.
fn scalars(text: &str) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for event in Parser::new_from_str(text) {
        if let Event::Scalar(value, ..) = event.ok()?.0 {
            found.insert(value.to_string());
        }
    }
    Some(found)
}

/// Whether the policies, read back by the reader of our own, say what the spec says.
fn policies_agree(spec: &Spec, made: &[Artefact]) -> Option<bool> {
    let change = json_document(find(made, "policies/change-records.json")?)?;
    let condition =
        "/Statement/0/Condition/ForAllValues:StringEquals/route53:ChangeResourceRecordSets";
    let names = strings(&change, &format!("{condition}NormalizedRecordNames"))?;
    let types = strings(&change, &format!("{condition}RecordTypes"))?;
    let trust = json_document(find(made, "policies/trust.json")?)?;
    let claim = |name: &str| {
        strings(
            &trust,
            &format!(
                "/Statement/0/Condition/StringEquals/{}:{name}",
                spec.oidc_issuer()
            ),
        )
    };
    Some(
        names
            == spec
                .record_names()
                .iter()
                .map(RecordName::iam)
                .collect::<Vec<_>>()
            && types
                == spec
                    .records
                    .types
                    .iter()
                    .map(|kind| kind.word())
                    .collect::<Vec<_>>()
            && claim("sub")? == [spec.subject()]
            && claim("aud")? == [OIDC_AUDIENCE]
            && strings(&trust, "/Statement/0/Principal/Federated")? == [spec.oidc_provider_arn()],
    )
}

/// Whether Terraform would send the very policies that stand in `policies/`, and a record for every name and type.
fn terraform_agrees(spec: &Spec, made: &[Artefact]) -> Option<bool> {
    let iam = hcl::parse(find(made, "terraform/iam.tf")?).ok()?;
    let policy = |path: &str| serde_json::from_str::<Value>(find(made, path)?).ok();
    let inline = |label: &str| attribute(&iam, ["aws_iam_role_policy", label], "policy");
    let mut trust = attribute(&iam, ["aws_iam_role", "failover"], "assume_role_policy")?;
    *trust.pointer_mut("/Statement/0/Principal/Federated")? = spec.oidc_provider_arn().into();
    let records = hcl::parse(find(made, "terraform/records.tf")?).ok()?;
    let mut found = BTreeSet::new();
    for block in records.iter().filter_map(Structure::as_block) {
        let label = block.labels().get(1)?.as_str();
        let value = |name| attribute(&records, ["aws_route53_record", label], name);
        let name = RecordName::parse(value("name")?.as_str()?).ok()?;
        let ignored = block
            .body()
            .blocks()
            .any(|inner| inner.identifier() == "lifecycle");
        found.insert((name, value("type")?.as_str()?.to_owned(), ignored));
    }
    let of = |name: &RecordName, kind: &RecordType, ignored| {
        (name.clone(), kind.word().to_owned(), ignored)
    };
    let mut wanted = BTreeSet::new();
    for kind in &spec.records.types {
        wanted.extend(spec.record_names().iter().map(|name| of(name, kind, true)));
        wanted.insert(of(&spec.origin.name, kind, false));
    }
    Some(
        inline("change_records")? == policy("policies/change-records.json")?
            && inline("read_zone")? == policy("policies/read-zone.json")?
            && trust == policy("policies/trust.json")?
            && found == wanted,
    )
}

/// Whether the YAML files, read back, hold the texts that must reach GitHub and Uptime Kuma.
fn yaml_agrees(spec: &Spec, made: &[Artefact]) -> Option<bool> {
    let workflow = scalars(find(made, ".github/workflows/dns-failover.yml")?)?;
    let guard = format!("github.ref == '{}'", spec.git_ref().replace('\'', "''"));
    let environment = spec.github.environment.as_ref();
    let dispatch = scalars(find(made, "monitors/dispatch.yaml")?)?;
    let watch = scalars(find(made, "monitors/edge-watch.yaml")?)?;
    let others_read = made
        .iter()
        .filter(|artefact| artefact.path.starts_with("monitors/"))
        .all(|artefact| scalars(&artefact.text).is_some());
    Some(
        workflow.contains(&guard)
            && environment.is_none_or(|name| workflow.contains(name))
            && workflow.contains(&spec.role_arn())
            && dispatch.contains(&spec.dispatch_body())
            && dispatch.contains(&spec.dispatch_url())
            && watch.contains(&spec.origin_url())
            && others_read,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_spec_holds_reads_back_as_what_it_says(input in any_spec()) {
        let Some(spec) = spec(&input) else {
            return Err(TestCaseError::reject("no spec"));
        };
        let made = all(&spec).unwrap();
        prop_assert_eq!(policies_agree(&spec, &made), Some(true), "{:#?}", made);
        prop_assert_eq!(terraform_agrees(&spec, &made), Some(true), "{:#?}", made);
        prop_assert_eq!(yaml_agrees(&spec, &made), Some(true), "{:#?}", made);
        for artefact in &made {
            let odd = artefact.text.chars().find(|letter| letter.is_control() && *letter != '\n');
            prop_assert_eq!(odd, None, "{}", artefact.path);
            prop_assert!(artefact.text.ends_with('\n') && !artefact.text.contains(" \n"));
        }
        prop_assert_eq!(all(&spec).unwrap(), made);
    }
}
