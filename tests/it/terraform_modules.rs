//! Terraform modules of the field: the public corpus, reported faults, and the forms of `ignore_changes` that were
//! measured with Terraform itself.

#![expect(
    clippy::disallowed_methods,
    reason = "the cases are read from disk, beside the repository"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pointsman::check::{self, Checked, Input, Options, Standing};
use pointsman::syntax::hcl;
use pointsman::terraform::{
    Declarations, IgnoreChanges, Known, Module, PolicyText, Record, block_address,
};
use pointsman::text::SourceMap;

use crate::binary::Folder;
use crate::snapshot;

fn shared(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(path)
}

/// The files right in `folder`, in order of their names.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// All files below `folder`, as `validate` would be given them.
fn inputs(folder: &Path, shown: &str) -> Vec<Input> {
    let mut found = Vec::new();
    for path in files_in(folder) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let shown = if shown.is_empty() {
            name.into_owned()
        } else {
            format!("{shown}/{name}")
        };
        if path.is_dir() {
            found.extend(inputs(&path, &shown));
        } else {
            let candidate = check::is_candidate(&shown, false);
            found.push(Input {
                path: shown,
                bytes: std::fs::read(&path).map_err(|error| error.to_string()),
                standing: if candidate {
                    Standing::Found
                } else {
                    Standing::Data
                },
            });
        }
    }
    found
}

fn validate(folder: &Path) -> Checked {
    let inputs = inputs(folder, "");
    check::run(check::load(
        SourceMap::default(),
        None,
        inputs,
        Options::default(),
    ))
}

#[test]
fn no_policy_of_the_corpus_is_lost() {
    let corpus = shared("corpus/terraform");
    let modules = files_in(&corpus);
    if modules.is_empty() {
        println!("no corpus at ../shared/corpus/terraform: nothing looked at");
        return;
    }
    let (mut files, mut read, mut policies, mut never) = (0, 0, 0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for folder in modules.iter().filter(|path| path.is_dir()) {
        let inputs = inputs(folder, "");
        files += inputs
            .iter()
            .filter(|input| input.path.ends_with(".tf"))
            .count();
        let loaded = check::load(SourceMap::default(), None, inputs, Options::default());
        for module in &loaded.workspace.modules {
            read += module.files.len();
            assert!(module.folders.contains(&module.folder));
            never += module.unmade.policies.len();
            for policy in module.policies.iter().chain(&module.unmade.policies) {
                policies += 1;
                let reason = match &policy.text {
                    PolicyText::Tree(_) => continue,
                    PolicyText::Broken(fault) => format!("broken: {}", fault.reason),
                    PolicyText::Unknown(unknown) => {
                        assert!(!unknown.why.is_empty(), "{}", policy.address);
                        unknown
                            .why
                            .split('`')
                            .step_by(2)
                            .collect::<Vec<_>>()
                            .join("…")
                    }
                };
                *reasons.entry(reason).or_default() += 1;
            }
        }
        drop(check::run(loaded));
    }
    let known = policies - reasons.values().sum::<usize>();
    let mut table = format!(
        "{files} files, {policies} policies ({never} never made), {known} known as trees\n"
    );
    for (reason, count) in &reasons {
        table.push_str(&format!("{count:4} {reason}\n"));
    }
    snapshot::assert("terraform__corpus_reasons", &table);
    assert_eq!(files, read, "every file belongs to a module");
    assert!(policies > 300, "{policies}");
    let lost: usize = reasons.values().sum();
    assert!(lost < 30, "{lost} policies are not known at all");
}

#[test]
fn every_measured_form_of_ignore_changes_is_told_apart() {
    let Ok(text) = std::fs::read_to_string(shared("cases/terraform/ignore_changes_oracle.json"))
    else {
        println!("no ../shared/cases/terraform/ignore_changes_oracle.json: nothing compared");
        return;
    };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    // The attributes of `terraform_data`, with which the forms were measured.
    let schema = ["id", "input", "output", "triggers_replace"];
    let mut compared = 0;
    for case in &cases {
        let Some(form) = case["ignore_changes"].as_str() else {
            continue;
        };
        let source = format!(
            "resource \"terraform_data\" \"r\" {{\n  lifecycle {{\n    ignore_changes = {form}\n  }}\n}}\n"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("main.tf", source);
        let module = Module {
            files: vec![hcl::read(&sources.text(file).unwrap())],
            ..Module::default()
        };
        let block = module.blocks().next().unwrap();
        let found = IgnoreChanges::read(block);
        let known = match &found {
            IgnoreChanges::List { paths, .. } => paths
                .iter()
                .all(|path| schema.contains(&path.attribute.as_str())),
            IgnoreChanges::Absent | IgnoreChanges::All(_) | IgnoreChanges::Invalid(..) => true,
        };
        assert_eq!(
            found.is_valid() && known,
            case["valid"].as_bool().unwrap(),
            "{form}"
        );
        let unchanged = case["update"]["actions"][0] == "no-op";
        let deeper = form.contains("[\"a\"]") || form.contains("input.");
        if case["update"].is_object() && !deeper && !form.contains("trigger") {
            assert_eq!(found.ignores("input"), unchanged, "{form}");
        }
        compared += 1;
    }
    assert!(compared >= 19, "{compared}");
}

/// Folder, file, line and rule: what a report of the field must give.
const REPORTS: [(&str, &str, usize, &str); 5] = [
    (
        "tf-006",
        "modules/records/main.tf",
        16,
        "ignore-changes-not-static",
    ),
    ("tf-008", "main.tf", 8, "ignore-changes-not-static"),
    ("tf-008", "main.tf", 8, "ignore-changes-not-static"),
    ("tf-018", "main.tf", 14, "ignore-changes-on-wrong-attribute"),
    (
        "tf-014",
        "a.json",
        15,
        "forallvalues-allow-without-null-guard",
    ),
];

#[test]
fn reported_faults_are_found_at_their_line() {
    for (folder, file, line, rule) in REPORTS {
        let folder = shared("cases/reports").join(folder);
        if !folder.is_dir() {
            println!("no ../shared/cases/reports: nothing compared");
            return;
        }
        let checked = validate(&folder);
        let there = checked.outcome.findings.iter().any(|finding| {
            let at = finding.primary.at;
            let place = checked.sources.positions(at).map(|(start, _)| start.line);
            finding.rule == rule && checked.sources.path(at.file) == file && place == Some(line)
        });
        assert!(
            there,
            "{} {:#?}",
            folder.display(),
            checked.outcome.findings
        );
    }
}

/// A value of `expected.json`: text, in which what is not known stands as `<<address>>`.
fn has_hole(value: &serde_json::Value) -> bool {
    value.to_string().contains("<<")
}

fn json_of(node: &pointsman::syntax::Node) -> Option<serde_json::Value> {
    use pointsman::syntax::Kind;
    Some(match &node.kind {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool(flag) => (*flag).into(),
        Kind::Number(digits) => serde_json::from_str(digits).ok()?,
        Kind::Text(text) => text.as_str().into(),
        Kind::List(items) => items
            .iter()
            .map(json_of)
            .collect::<Option<Vec<_>>>()?
            .into(),
        Kind::Map(entries) => {
            let mut map = serde_json::Map::new();
            for entry in entries {
                map.insert(entry.key.as_str().to_owned(), json_of(&entry.value)?);
            }
            serde_json::Value::Object(map)
        }
        Kind::Unknown(_) => return None,
    })
}

/// Where a known part of ours is not what is expected. An unknown part of ours is allowed where a hole is expected.
fn difference(
    at: &str,
    ours: &pointsman::syntax::Node,
    theirs: &serde_json::Value,
) -> Option<String> {
    use pointsman::syntax::Kind;
    match (&ours.kind, theirs) {
        (Kind::Unknown(_), theirs) if has_hole(theirs) => None,
        (Kind::Unknown(unknown), _) => Some(format!("{at}: unknown ({})", unknown.why)),
        (Kind::List(items), serde_json::Value::Array(others)) if items.len() == others.len() => {
            let mut pairs = items.iter().zip(others).enumerate();
            pairs.find_map(|(index, (a, b))| difference(&format!("{at}/{index}"), a, b))
        }
        (Kind::Map(entries), serde_json::Value::Object(others))
            if entries.len() == others.len() =>
        {
            entries.iter().find_map(|entry| {
                let key = entry.key.as_str();
                match others.get(key) {
                    Some(other) => difference(&format!("{at}/{key}"), &entry.value, other),
                    None => Some(format!("{at}/{key} is not expected")),
                }
            })
        }
        _ => (json_of(ours).as_ref() != Some(theirs)).then(|| format!("{at}: not {theirs}")),
    }
}

/// Empty Sids are printed by old versions of the provider alone.
fn without_empty_sids(policy: &mut serde_json::Value) {
    let statements = policy["Statement"].as_array_mut().into_iter().flatten();
    for statement in statements.filter_map(serde_json::Value::as_object_mut) {
        if statement.get("Sid").is_some_and(|sid| sid == "") {
            statement.remove("Sid");
        }
    }
}

#[test]
fn policy_documents_are_those_that_the_provider_makes() {
    let Ok(text) = std::fs::read_to_string(shared("cases/terraform/policy_document_cases.json"))
    else {
        println!("no ../shared/cases/terraform/policy_document_cases.json: nothing compared");
        return;
    };
    let cases: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    for case in cases {
        let source = format!(
            "{}\nresource \"aws_iam_policy\" \"p\" {{\n  policy = data.aws_iam_policy_document.{}.json\n}}\n",
            case["hcl"].as_str().unwrap(),
            case["target"].as_str().unwrap()
        );
        let mut sources = SourceMap::default();
        let file = sources.add("main.tf", source);
        let module = Module {
            files: vec![hcl::read(&sources.text(file).unwrap())],
            ..Module::default()
        };
        let declared = Declarations::read(&module, &Known::default());
        let mut expected = case["json"].clone();
        without_empty_sids(&mut expected);
        let Some(PolicyText::Tree(ours)) = declared.policies.first().map(|policy| &policy.text)
        else {
            panic!("{}: {:?}", case["id"], declared.policies);
        };
        assert_eq!(difference("", ours, &expected), None, "{}", case["id"]);
    }
    assert!(cases.len() >= 8, "{}", cases.len());
}

#[test]
fn values_of_corpus_modules_are_those_that_terraform_gives() {
    let Ok(text) = std::fs::read_to_string(shared("cases/terraform/expected.json")) else {
        println!("no ../shared/cases/terraform/expected.json: nothing compared");
        return;
    };
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (mut equal, mut unknown, mut wrong) = (0, 0, Vec::new());
    for module in expected["modules"].as_array().unwrap() {
        let id = module["id"].as_str().unwrap();
        let mut sources = SourceMap::default();
        let mut files = Vec::new();
        for path in files_in(&shared("corpus/terraform").join(id)) {
            if path.extension().is_some_and(|ext| ext == "tf") {
                let text = std::fs::read_to_string(&path).unwrap();
                let file = sources.add(path.to_string_lossy(), text);
                files.push(hcl::read(&sources.text(file).unwrap()));
            }
        }
        let module_read = Module {
            files,
            ..Module::default()
        };
        let declared = Declarations::read(&module_read, &Known::default());
        for policy in module["policies"].as_array().unwrap() {
            let attribute = policy["attribute"].as_str().unwrap_or_default();
            let address = format!(
                "{}.{attribute}",
                policy["address"].as_str().unwrap_or_default()
            );
            let all = declared.policies.iter().chain(&declared.unmade.policies);
            let Some(ours) = all
                .into_iter()
                .find(|ours| block_address(&ours.address) == address)
            else {
                wrong.push(format!("{id} {address}: not found"));
                continue;
            };
            // Not known as a whole, by the oracle too.
            if policy["policy"].is_null() {
                continue;
            }
            match &ours.text {
                PolicyText::Tree(node) => match difference("", node, &policy["policy"]) {
                    None => equal += 1,
                    Some(text) => wrong.push(format!("{id} {address}: {text}")),
                },
                PolicyText::Unknown(why) => {
                    println!("{id} {address}: {}", why.why);
                    unknown += 1;
                }
                PolicyText::Broken(fault) => {
                    wrong.push(format!("{id} {address}: {}", fault.reason));
                }
            }
        }
        for record in module["records"].as_array().into_iter().flatten() {
            compare_record(id, record, &declared.records, &mut wrong);
        }
    }
    println!("{equal} policies equal, {unknown} unknown");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(equal > 50, "{equal}");
}

fn compare_record(
    id: &str,
    record: &serde_json::Value,
    records: &[Record],
    wrong: &mut Vec<String>,
) {
    let address = record["resource"].as_str().unwrap_or_default();
    let instance = format!("{address}[");
    let mut found = records
        .iter()
        .filter(|ours| ours.address == address || ours.address.starts_with(&instance))
        .peekable();
    if found.peek().is_none() {
        wrong.push(format!("{id} {address}: not found"));
    }
    for ours in found {
        compare_instance(id, record, ours, wrong);
    }
}

fn compare_instance(id: &str, record: &serde_json::Value, ours: &Record, wrong: &mut Vec<String>) {
    let address = &ours.address;
    for (name, value) in [
        ("name", &ours.name),
        ("type", &ours.record_type),
        ("ttl", &ours.ttl),
        ("records", &ours.records),
        ("zone_id", &ours.zone_id),
    ] {
        let found = match (value, record.get(name)) {
            // An object stands where the oracle gives a reason instead of a value.
            (_, Some(theirs)) if theirs.is_object() => None,
            // The oracle has one template for all instances, where ours are known one by one.
            (Some(_), Some(theirs)) if address.contains('[') && has_hole(theirs) => None,
            (Some(node), Some(theirs)) => difference(name, node, theirs),
            (None, Some(theirs)) if !theirs.is_null() => Some(format!("{name} is missing")),
            _ => None,
        };
        wrong.extend(found.map(|text| format!("{id} {address}: {text}")));
    }
    let ignored = record["ignore_changes"].as_array().into_iter().flatten();
    for attribute in ignored.filter_map(serde_json::Value::as_str) {
        if !ours.ignore_changes.ignores(attribute) {
            wrong.push(format!("{id} {address}: `{attribute}` is ignored"));
        }
    }
}

const OPEN_MODULE: &str = r#"
variable "bucket" {}

data "aws_caller_identity" "me" {}

resource "aws_iam_role" "r" {
  name               = "r"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]
    principals {
      type        = "Federated"
      identifiers = ["arn:aws:iam::${data.aws_caller_identity.me.account_id}:oidc-provider/token.actions.githubusercontent.com"]
    }
    condition {
      test     = "StringLike"
      variable = "token.actions.githubusercontent.com:sub"
      values   = ["repo:acme@100001/*"]
    }
  }
}

resource "aws_iam_policy" "p" {
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      { Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::${var.bucket}/*" },
      { Effect = "Allow", Action = "s3:ListBucket", Resource = "arn:aws:s3:::${var.bucket}" },
    ]
  })
}
"#;

#[test]
fn an_address_that_is_missing_is_told_once_and_the_rest_is_judged() {
    let folder = Folder::empty();
    folder.write("main.tf", OPEN_MODULE);
    let job = [
        "validate",
        "trust",
        ".",
        "--format",
        "json",
        "--repo",
        "acme/dns-failover",
        "--owner-id",
        "100001",
        "--repo-id",
        "200002",
        "--branch",
        "main",
        "--subject-format",
        "immutable",
    ];
    let report = folder.run(&job).json();
    assert_eq!(report["verdicts"][0]["verdict"], "too_broad", "{report:#}");
    assert_eq!(report["verdicts"][0]["legit_allowed"], true);
    let report = folder.run(&["validate", ".", "--format", "json"]).json();
    let missing: Vec<_> = report["undecided"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["missing"])
        .collect();
    assert_eq!(
        missing,
        [
            &serde_json::json!(["data.aws_caller_identity.me.account_id"]),
            &serde_json::json!(["var.bucket"]),
        ]
    );
    let what = report["undecided"][1]["what"].as_str().unwrap();
    assert!(what.ends_with(", and 1 more place"), "{what}");
}

#[test]
fn what_a_called_module_declares_counts_and_is_undecided_where_it_was_not_read() {
    let folder = Folder::of_the_reference_deployment();
    folder.write(
        "terraform/more.tf",
        "module \"more\" {\n  source = \"./more\"\n}\n",
    );
    let ran = folder.run(&["validate", "--format", "json"]);
    assert_eq!(
        ran.json()["undecided"][0]["missing"],
        serde_json::json!(["module.more"])
    );
    assert_eq!(ran.status(), 4);
    folder.write("terraform/more/main.tf", "output \"x\" {\n  value = 1\n}\n");
    assert_eq!(folder.run(&["validate", "--strict"]).status(), 0);
    folder.write(
        "terraform/more/main.tf",
        "resource \"aws_iam_role_policy_attachment\" \"a\" {\n  role = \"dns-failover\"\n  policy_arn = \"x\"\n}\n",
    );
    let ran = folder.run(&["validate", "--format", "json"]);
    let finding = &ran.json()["findings"][0];
    assert_eq!(finding["rule"], "role-rights-beyond-spec");
    assert_eq!(finding["path"], "terraform/more/main.tf");
    assert_eq!(ran.status(), 1);
}

/// The four faults that another checker does not find (measured on 2026-11-30 with checkov 3.3.30: it tells of none).
#[test]
fn the_four_faults_that_others_miss_are_found_at_their_places() {
    let folder = Folder::of_the_reference_deployment();
    let iam = folder.read("terraform/iam.tf");
    let guard = "          Null = {\n            \"route53:ChangeResourceRecordSetsNormalizedRecordNames\" = \"false\"\n            \"route53:ChangeResourceRecordSetsRecordTypes\"           = \"false\"\n            \"route53:ChangeResourceRecordSetsActions\"               = \"false\"\n          }\n";
    let sub = "            \"token.actions.githubusercontent.com:sub\" = \"repo:acme@100001/dns-failover@200002:ref:refs/heads/main\"\n          }\n";
    let wide = "          }\n          StringLike = {\n            \"token.actions.githubusercontent.com:sub\" = \"repo:acme/dns-failover:*\"\n          }\n";
    for there in [guard, sub, "\\\\052.example.com"] {
        assert!(iam.contains(there), "{there}");
    }
    let iam = iam
        .replace(guard, "")
        .replace(sub, wide)
        .replace("\\\\052.example.com", "*.example.com");
    folder.write("terraform/iam.tf", &iam);
    let records = folder.read("terraform/records.tf");
    let lifecycle = "\n  lifecycle {\n    ignore_changes = [records]\n  }\n";
    folder.write("terraform/records.tf", records.replacen(lifecycle, "", 1));
    let report = folder.run(&["validate", "--format", "json"]).json();
    let line_of = |path: &str, text: &str| {
        let file = folder.read(path);
        file.lines()
            .position(|line| line.contains(text))
            .map(|at| at + 1)
    };
    for (path, text, rules) in [
        (
            "terraform/iam.tf",
            "*.example.com",
            ["r53-name-unescaped-wildcard", ""],
        ),
        (
            "terraform/iam.tf",
            "ForAllValues:StringEquals",
            ["forallvalues-allow-without-null-guard", ""],
        ),
        (
            "terraform/iam.tf",
            "repo:acme/dns-failover:*",
            ["oidc-sub-broad", "oidc-sub-stale-format"],
        ),
        (
            "terraform/records.tf",
            "\"apex\"",
            ["ignore-changes-missing", ""],
        ),
    ] {
        let line = line_of(path, text);
        let all = report["findings"].as_array().unwrap();
        let found = all.iter().any(|finding| {
            let at = finding["span"]["start"]["line"].as_u64();
            let rule = finding["rule"].as_str().unwrap_or_default();
            finding["path"] == path && at == line.map(|line| line as u64) && rules.contains(&rule)
        });
        assert!(found, "{path} {text}: {all:#?}");
    }
}
