//! What of a Terraform module cannot be looked at, or is never made, through the program: each is told, none is guessed.

use serde_json::{Value, json};

use crate::binary::Folder;

fn report(folder: &Folder) -> Value {
    folder.run(&["validate", "--format", "json"]).json()
}

/// The values of `key` in the entries of the list `of`.
fn each<'a>(report: &'a Value, of: &str, key: &str) -> Vec<&'a Value> {
    let all = report[of].as_array().into_iter().flatten();
    all.map(|it| &it[key]).collect()
}

const APEX: &str = "resource \"aws_route53_record\" \"apex\" {\n  zone_id = \"Z0123456789EXAMPLE\"\n  name    = \"example.com\"\n  type    = \"A\"\n  ttl     = 300\n  records = [\"198.51.100.10\"]\n}\n";

#[test]
fn an_ownership_file_that_cannot_be_read_is_unread() {
    let folder = Folder::empty();
    folder.write("main.tf", APEX);
    for broken in [
        "",
        "[]",
        "\"x",
        "{\"records\": [\"example.com A\",",
        "{\"records\": \"example.com A\"}",
        "{\"records\": [1]}",
        "{}",
    ] {
        folder.write("ownership.json", broken);
        let report = report(&folder);
        assert_eq!(
            each(&report, "unread", "path"),
            [&json!("ownership.json")],
            "{broken}"
        );
        assert_eq!(folder.run(&["validate"]).status(), 4, "{broken}");
    }
}

#[test]
fn a_record_that_others_write_and_no_module_has_is_told() {
    let folder = Folder::empty();
    folder.write(
        "main.tf",
        APEX.replace("\"example.com\"", "\"*.example.com\""),
    );
    folder.write(
        "ownership.json",
        "{\"records\": [\"\\\\052.example.com A\"]}",
    );
    let found = report(&folder);
    assert_eq!(
        each(&found, "findings", "rule"),
        [&json!("ignore-changes-missing")],
        "{found:#}"
    );
    assert_eq!(found["undecided"], json!([]));
    folder.write("ownership.json", "{\"records\": [\"exmaple.com A\"]}");
    let found = report(&folder);
    assert_eq!(
        each(&found, "undecided", "what"),
        [&json!("which record others write as `exmaple.com A`")]
    );
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_and_what_is_no_file_are_told_and_not_read() {
    use std::os::unix::fs::symlink;

    let outside = Folder::empty();
    outside.write("p.json", "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"s3:NotToBeShown\", \"Resource\": \"*\"}]}");
    outside.write("s.tf", "locals {\n  not_to_be_shown = 1\n}\n");
    outside.write("m/main.tf", APEX);
    let folder = Folder::empty();
    folder.write("main.tf", "resource \"aws_iam_policy\" \"p\" {\n  policy = file(\"link.json\")\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n");
    for (target, link) in [
        (outside.path().join("p.json"), "link.json"),
        (outside.path().join("s.tf"), "s.tf"),
        (outside.path().join("m"), "m"),
        ("/dev/zero".into(), "zero.tf"),
        ("nowhere".into(), "lost.tf"),
    ] {
        symlink(target, folder.path().join(link)).unwrap();
    }
    let ran = folder.run(&["validate", ".", "--format", "json"]);
    let report = ran.json();
    assert!(!report.to_string().contains("NotToBeShown"), "{report:#}");
    assert_eq!(report["findings"], json!([]));
    assert_eq!(
        each(&report, "unread", "path"),
        ["link.json", "lost.tf", "s.tf", "zero.tf"]
    );
    let missing = each(&report, "undecided", "missing");
    assert!(missing.contains(&&json!(["module.m"])), "{report:#}");
    let what = each(&report, "undecided", "what");
    let policy = json!("the policy `aws_iam_policy.p.policy`");
    assert!(what.contains(&&policy), "{report:#}");
    let ran = folder.run(&["inspect", "terraform", ".", "--format", "json"]);
    assert_eq!(
        each(&ran.json(), "unread", "path"),
        ["lost.tf", "s.tf", "zero.tf"]
    );
}

#[test]
fn what_is_never_made_is_not_judged() {
    let folder = Folder::empty();
    let policy = "policy = jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Action = \"s3:Nope\", Resource = \"*\" }] })";
    for none in [
        "count = 0",
        "count = var.on ? 1 : 0",
        "for_each = toset([])",
    ] {
        folder.write(
            "main.tf",
            format!("variable \"on\" {{\n  default = false\n}}\nresource \"aws_iam_policy\" \"p\" {{\n  {none}\n  {policy}\n}}\n{}", APEX.replace("  zone_id", &format!("  {none}\n  zone_id"))),
        );
        assert_eq!(report(&folder)["findings"], json!([]), "{none}");
        let seen = folder.run(&["inspect", "terraform", ".", "--format", "json"]);
        let seen = seen.json();
        assert_eq!(
            (
                each(&seen, "policies", "made"),
                each(&seen, "records", "made")
            ),
            (vec![&json!(false)], vec![&json!(false)])
        );
    }
}

#[test]
fn modules_that_are_not_read_are_told_with_their_address() {
    let folder = Folder::empty();
    folder.write("a/main.tf", "module \"b\" {\n  source = \"../b\"\n}\n");
    folder.write("b/main.tf", "module \"a\" {\n  source = \"../a\"\n}\n");
    folder.write("main.tf", "variable \"x\" {}\nmodule \"missing\" {\n  source = \"./nope\"\n}\nmodule \"registry\" {\n  source = \"example/iam/aws\"\n}\nmodule \"git\" {\n  source = \"git::https://example.com/x.git\"\n}\nmodule \"made\" {\n  source = \"./${var.x}\"\n}\nmodule \"self\" {\n  source = \"./\"\n}\nmodule \"circle\" {\n  source = \"./a\"\n}\n");
    let report = report(&folder);
    let mut missing = Vec::new();
    for address in each(&report, "undecided", "missing") {
        missing.extend(address[0].as_str());
    }
    missing.sort_unstable();
    assert_eq!(
        missing,
        [
            "module.circle.module.b.module.a",
            "module.git",
            "module.made",
            "module.missing",
            "module.registry",
            "module.self"
        ],
        "{report:#}"
    );
}

#[test]
fn what_is_missing_is_always_named() {
    let folder = Folder::empty();
    for (policy, missing) in [
        ("local.nope", "local.nope"),
        (
            "data.aws_iam_policy_document.nope.json",
            "data.aws_iam_policy_document.nope",
        ),
    ] {
        folder.write(
            "main.tf",
            format!("resource \"aws_iam_policy\" \"p\" {{\n  policy = {policy}\n}}\n"),
        );
        let report = report(&folder);
        // What is declared nowhere is no open question, but an error.
        let error =
            format!("`{missing}` is not declared in the module: Terraform refuses the module");
        if policy.contains(missing) {
            assert_eq!(
                each(&report, "findings", "message"),
                [&json!(error)],
                "{report:#}"
            );
            assert_eq!(report["undecided"], json!([]), "{report:#}");
            continue;
        }
        assert_eq!(
            each(&report, "undecided", "missing"),
            [&json!([missing])],
            "{report:#}"
        );
    }
    folder.write(
        "main.tf",
        "resource \"aws_iam_policy\" \"p\" {\n  policy = templatefile(\"nope.tftpl\", {})\n}\n",
    );
    let missing = report(&folder);
    let missing = each(&missing, "undecided", "missing");
    assert_eq!(missing, [&json!(["nope.tftpl"])]);
    folder.write("main.tf", "module \"m\" {\n  source = \"example/m/aws\"\n}\nresource \"aws_iam_policy\" \"p\" {\n  for_each = module.m.names\n  policy   = each.value\n}\n");
    let missing = report(&folder);
    let missing = each(&missing, "undecided", "missing");
    assert!(missing.contains(&&json!(["module.m.names"])), "{missing:?}");
}

#[test]
fn an_expression_may_begin_with_a_minus() {
    let folder = Folder::empty();
    let ran = folder.run(&[
        "inspect",
        "terraform",
        ".",
        "--expr",
        "-5 % 3",
        "--format",
        "json",
    ]);
    assert_eq!(ran.json(), json!({"value": -2}));
}

#[test]
fn one_expression_that_takes_too_much_hides_no_other() {
    let folder = Folder::empty();
    folder.write("main.tf", format!("locals {{\n  a = \"xxxxxxxxxx\"\n  b = join(\"\", [for i in range(1000) : local.a])\n  c = join(\"\", [for i in range(1000) : local.b])\n  d = join(\"\", [for i in range(1000) : local.c])\n}}\nresource \"aws_route53_record\" \"bomb\" {{\n  zone_id = \"Z0123456789EXAMPLE\"\n  name    = local.d\n  type    = \"A\"\n}}\nresource \"aws_iam_policy\" \"p\" {{\n  policy = jsonencode({{ Version = \"2012-10-17\", Statement = [{{ Effect = \"Allow\", Action = \"s3:Nope\", Resource = \"*\" }}] }})\n}}\n{APEX}"));
    folder.write("ownership.json", "{\"records\": [\"example.com A\"]}");
    let report = report(&folder);
    let rules = each(&report, "findings", "rule");
    for rule in ["invalid-action", "ignore-changes-missing"] {
        assert!(rules.contains(&&json!(rule)), "{report:#}");
    }
}

#[test]
fn attributes_of_resources_are_what_their_blocks_say() {
    let folder = Folder::empty();
    folder.write("main.tf", "resource \"aws_route53_record\" \"apex\" {\n  zone_id = \"Z0123456789EXAMPLE\"\n  name    = \"example.com\"\n  type    = \"A\"\n  ttl     = 300\n  records = [\"198.51.100.10\"]\n  lifecycle {\n    ignore_changes = [records]\n  }\n}\nresource \"aws_route53_record\" \"each\" {\n  for_each = toset([\"a\", \"b\"])\n  zone_id  = \"Z0123456789EXAMPLE\"\n  name     = \"${each.key}.example.com\"\n  type     = \"A\"\n}\n");
    for (written, value) in [
        (
            "[aws_route53_record.apex.name, aws_route53_record.apex.zone_id, aws_route53_record.apex.ttl]",
            json!({"value": ["example.com", "Z0123456789EXAMPLE", 300]}),
        ),
        (
            "[for r in aws_route53_record.each : r.name]",
            json!({"value": ["a.example.com", "b.example.com"]}),
        ),
        (
            "aws_route53_record.each[\"b\"].name",
            json!({"value": "b.example.com"}),
        ),
        // Somebody else may have written another value since.
        (
            "aws_route53_record.apex.records",
            json!({"unknown": ["aws_route53_record.apex.records"]}),
        ),
        (
            "aws_route53_record.apex.fqdn",
            json!({"unknown": ["aws_route53_record.apex.fqdn"]}),
        ),
    ] {
        let ran = folder.run(&[
            "inspect",
            "terraform",
            ".",
            "--expr",
            written,
            "--format",
            "json",
        ]);
        let mut seen = ran.json();
        if let Some(seen) = seen.as_object_mut() {
            seen.remove("why");
        }
        assert_eq!(seen, value, "{written}");
    }
}

#[test]
fn a_trust_policy_is_judged_although_its_provider_is_not_known() {
    let folder = Folder::empty();
    folder.write("main.tf", "variable \"provider\" {}\nresource \"aws_iam_role\" \"r\" {\n  assume_role_policy = jsonencode({ Version = \"2012-10-17\", Statement = [{\n    Effect    = \"Allow\"\n    Action    = \"sts:AssumeRoleWithWebIdentity\"\n    Principal = { Federated = var.provider }\n    Condition = { StringEquals = { \"token.actions.githubusercontent.com:sub\" = \"repo:acme/x:ref:refs/heads/main\" } }\n  }] })\n}\n");
    let report = report(&folder);
    let rules = each(&report, "findings", "rule");
    assert!(rules.contains(&&json!("oidc-aud-missing")), "{report:#}");
}

#[test]
fn what_a_file_that_is_not_read_may_declare_is_missing_and_no_error() {
    let folder = Folder::empty();
    folder.write("main.tf", "resource \"aws_iam_policy\" \"p\" {\n  policy = jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Action = \"s3:Nope\", Resource = local.there }] })\n}\n");
    folder.write("large.tf", " ".repeat(8 * 1024 * 1024 + 1));
    let report = report(&folder);
    assert_eq!(each(&report, "unread", "path"), ["large.tf"]);
    assert_eq!(each(&report, "findings", "rule"), ["invalid-action"]);
    assert_eq!(
        each(&report, "undecided", "missing"),
        [&json!(["local.there"])]
    );
}

/// What `--expr` answers, without the reason.
fn asked(folder: &Folder, expression: &str) -> Value {
    let ran = folder.run(&[
        "inspect",
        "terraform",
        "m",
        "--expr",
        expression,
        "--format",
        "json",
    ]);
    let mut seen = ran.json();
    if let Some(seen) = seen.as_object_mut() {
        seen.remove("why");
    }
    seen
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_of_the_module_alone_and_a_folder_is_no_file() {
    use std::os::unix::fs::symlink;

    let folder = Folder::empty();
    folder.write("out/p.json", "{\"outside\": true}");
    folder.write("m/d/in.json", "{}");
    folder.write("m/main.tf", "resource \"aws_iam_policy\" \"p\" {\n  policy = file(\"link.json\")\n}\nresource \"aws_iam_policy\" \"q\" {\n  policy = file(\"dl/in.json\")\n}\n");
    for (target, link) in [
        ("../out/p.json", "m/link.json"),
        ("d/in.json", "m/inside.json"),
        ("d", "m/dl"),
        ("nowhere", "m/lost"),
    ] {
        symlink(target, folder.path().join(link)).unwrap();
    }
    for (expression, answer) in [
        ("file(\"inside.json\")", json!({"value": "{}"})),
        ("fileexists(\"inside.json\")", json!({"value": true})),
        ("file(\"link.json\")", json!({"unknown": ["link.json"]})),
        (
            "fileexists(\"link.json\")",
            json!({"unknown": ["link.json"]}),
        ),
        ("file(\"dl/in.json\")", json!({"unknown": ["dl/in.json"]})),
        (
            "fileexists(\"dl/in.json\")",
            json!({"unknown": ["dl/in.json"]}),
        ),
        ("fileset(\".\", \"*/*.json\")", json!({"unknown": ["m/dl"]})),
        ("fileexists(\"lost\")", json!({"value": false})),
        ("fileexists(\"none\")", json!({"value": false})),
        (
            "fileexists(\"d\")",
            json!({"error": "`d` is a folder, not a file"}),
        ),
    ] {
        let mut answer = answer;
        let seen = asked(&folder, expression);
        if seen.get("error").is_some() && answer.get("error").is_some() {
            answer = seen.clone();
        }
        assert_eq!(seen, answer, "{expression}");
    }
    let report = report(&folder);
    let what = each(&report, "undecided", "what");
    for policy in ["aws_iam_policy.p.policy", "aws_iam_policy.q.policy"] {
        assert!(
            what.contains(&&json!(format!("the policy `{policy}`"))),
            "{report:#}"
        );
    }
}

#[test]
fn one_text_with_one_fault_is_told_once_with_the_count_of_addresses() {
    let folder = Folder::empty();
    let block = APEX.replace("{\n  zone_id", "{\n  count   = 478\n  zone_id");
    let block = block.replace(
        "  records =",
        "  lifecycle {\n    ignore_changes = [record]\n  }\n  records =",
    );
    folder.write("main.tf", block);
    let report = report(&folder);
    let rules = each(&report, "findings", "rule");
    assert_eq!(
        rules,
        ["duplicate-record-set", "ignore-changes-on-wrong-attribute"]
    );
    let messages = each(&report, "findings", "message");
    let counts = ["(and of 476 more addresses)", "(and of 477 more addresses)"];
    for (message, count) in messages.into_iter().zip(counts) {
        assert!(message.as_str().unwrap().ends_with(count), "{message}");
    }
}

#[test]
fn every_policy_that_comes_to_nothing_is_named() {
    let folder = Folder::empty();
    let sid = "  statement {\n    sid = \"A\"\n  }\n";
    let uses = |name: &str, value: &str| {
        format!("resource \"aws_iam_policy\" \"{name}\" {{\n  policy = {value}\n}}\n")
    };
    let document = "data.aws_iam_policy_document.d.json";
    // What is wrong with the third is told in its own text.
    let module = [
        format!("data \"aws_iam_policy_document\" \"d\" {{\n{sid}{sid}}}\n"),
        uses("one", document),
        uses("two", document),
        uses("three", "jsonencode(local.nope)"),
    ];
    folder.write("main.tf", module.concat());
    let report = report(&folder);
    let what = report["findings"].to_string();
    assert_eq!(
        each(&report, "findings", "rule"),
        [&json!("module-refused"), &json!("name-not-declared")]
    );
    for name in ["one", "two"] {
        assert!(
            what.contains(&format!("aws_iam_policy.{name}.policy")),
            "{report:#}"
        );
    }
}

#[test]
fn numbers_keep_their_digits_in_json() {
    let folder = Folder::empty();
    folder.write("m/main.tf", "");
    let ran = folder.run(&[
        "inspect",
        "terraform",
        "m",
        "--expr",
        "1e20",
        "--format",
        "json",
    ]);
    assert_eq!(ran.stdout().trim(), "{\"value\":100000000000000000000}");
}

/// The messages of findings of this rule.
fn messages<'a>(report: &'a Value, rule: &str) -> Vec<&'a str> {
    let findings = report["findings"].as_array().into_iter().flatten();
    let of_rule = findings.filter(|finding| finding["rule"] == rule);
    of_rule
        .filter_map(|finding| finding["message"].as_str())
        .collect()
}

/// A module with one policy, whose text is `policy`, and variables that nothing sets.
fn with_open_variables(policy: &str) -> Value {
    let folder = Folder::empty();
    folder.write(
        "main.tf",
        format!(
            "variable \"b\" {{ type = bool }}\nvariable \"l\" {{ type = list(any) }}\nvariable \"m\" {{ type = any }}\n{policy}"
        ),
    );
    report(&folder)
}

fn policy(text: &str) -> String {
    format!("resource \"aws_iam_policy\" \"p\" {{\n  name   = \"p\"\n  policy = {text}\n}}\n")
}

fn encoded(statement: &str) -> String {
    policy(&format!(
        "jsonencode({{ Version = \"2012-10-17\", Statement = {statement} }})"
    ))
}

const GET: &str = "{ Effect = \"Allow\", Action = \"s3:GetObjekt\", Resource = \"*\" }";
const PUT: &str = "{ Effect = \"Allow\", Action = \"s3:PutObjekt\", Resource = \"*\" }";

#[test]
fn what_is_known_of_a_policy_beside_unknown_statements_is_judged() {
    let document = "data \"aws_iam_policy_document\" \"d\" {\n  statement {\n    actions   = [\"s3:GetObjekt\"]\n    resources = [\"*\"]\n  }\n  dynamic \"statement\" {\n    for_each = var.l\n    content {\n      actions   = [\"s3:PutObjekt\"]\n      resources = [statement.value]\n    }\n  }\n}\n";
    let json = |resource: &str, behind: &str| {
        policy(&format!(
            "<<-EOT\n    {{\"Version\": \"2012-10-17\", \"Statement\": [\n    {{\"Effect\": \"Allow\", \"Action\": \"s3:GetObjekt\", \"Resource\": {resource}}}{behind}\n    ]}}\n  EOT"
        ))
    };
    let both = ["GetObjekt", "PutObjekt"].as_slice();
    let one = ["GetObjekt"].as_slice();
    for (module, wanted) in [
        (
            encoded(&format!("concat([{GET}], var.b ? [{PUT}] : [])")),
            both,
        ),
        (encoded(&format!("concat([{GET}], var.l)")), one),
        (
            encoded(&format!("flatten([[{GET}], [for x in var.l : {PUT}]])")),
            both,
        ),
        (encoded(&format!("[merge({GET}, var.m)]")), one),
        (encoded(&format!("[var.b ? {GET} : {PUT}]")), both),
        (
            encoded(
                "{ Effect = \"Allow\", Action = concat([\"s3:GetObjekt\"], var.l), Resource = \"*\" }",
            ),
            one,
        ),
        (
            format!(
                "{document}{}",
                policy("data.aws_iam_policy_document.d.json")
            ),
            both,
        ),
        (json("${jsonencode(var.l)}", ""), one),
        (
            json(
                "\"*\"",
                "%{ if var.b }, {\"Effect\": \"Deny\", \"Action\": \"*\", \"Resource\": \"*\"}%{ endif }",
            ),
            one,
        ),
        (
            json("[%{ for x in var.l }\"${x}\",%{ endfor }\"*\"]", ""),
            one,
        ),
    ] {
        let report = with_open_variables(&module);
        let found = messages(&report, "invalid-action");
        assert_eq!(found.len(), wanted.len(), "{module}\n{report:#}");
        for (message, name) in found.iter().zip(wanted) {
            assert!(message.contains(name), "{module}\n{report:#}");
        }
        assert_ne!(report["undecided"], json!([]), "{module}");
    }
}

#[test]
fn both_policies_of_an_open_condition_are_judged_each_for_itself() {
    let whole = |statement: &str| {
        format!("jsonencode({{ Version = \"2012-10-17\", Statement = [{statement}] }})")
    };
    let module = policy(&format!("var.b ? {} : {}", whole(GET), whole(PUT)));
    let report = with_open_variables(&module);
    assert_eq!(messages(&report, "invalid-action").len(), 2, "{report:#}");
    assert_ne!(report["undecided"], json!([]));
}

#[test]
fn statements_of_which_one_alone_stands_there_are_not_held_against_each_other() {
    let said = |resource: &str| {
        format!(
            "{{ Sid = \"A\", Effect = \"Allow\", Action = \"s3:GetObject\", Resource = \"arn:aws:s3:::{resource}/*\" }}"
        )
    };
    let (one, other) = (said("a"), said("b"));
    for statement in [
        format!("var.b ? [{one}] : [{other}]"),
        format!("var.b ? [{one}] : [{one}]"),
        format!("concat(var.b ? [{one}] : [], var.b ? [] : [{other}])"),
        // What is added may be a condition, or the principal that is missing.
        format!("[merge({one}, var.m)]"),
        "[merge({ Sid = \"A\" }, var.m)]".to_owned(),
    ] {
        let report = with_open_variables(&encoded(&statement));
        assert_eq!(report["findings"], json!([]), "{statement}");
    }
    let twice = with_open_variables(&encoded(&format!("concat([{one}, {other}], var.l)")));
    assert_eq!(
        each(&twice, "findings", "rule"),
        [&json!("unique-sids-required")]
    );
}

#[test]
fn what_is_made_of_an_unknown_list_says_nothing_of_its_parts() {
    let folder = Folder::empty();
    folder.write("m/main.tf", "variable \"l\" { type = list(string) }\n");
    for expression in [
        "length(concat([1], var.l))",
        "concat([1], var.l)[0]",
        "[for x in concat([1], var.l) : x + 1]",
        "merge({ a = 1 }, var.l[0]).a",
        "(var.l == [] ? \"a\" : \"b\")",
    ] {
        let ran = folder.run(&[
            "inspect",
            "terraform",
            "m",
            "--expr",
            expression,
            "--format",
            "json",
        ]);
        assert_eq!(ran.json()["unknown"], json!(["var.l"]), "{expression}");
    }
}

#[test]
fn a_document_that_the_provider_refuses_is_told_once_as_an_error() {
    let document = |name: &str, inner: &str| {
        format!("data \"aws_iam_policy_document\" \"{name}\" {{\n{inner}\n}}\n")
    };
    let statement = |sid: &str, resource: &str| {
        format!(
            "statement {{\n sid = \"{sid}\"\n actions = [\"s3:GetObject\"]\n resources = [\"{resource}\"]\n}}\n"
        )
    };
    let one = statement("A", "arn:aws:s3:::a/*");
    let sources = format!(
        "{}{}{}",
        document("a", &one),
        document("b", &one),
        document(
            "d",
            "source_policy_documents = [data.aws_iam_policy_document.a.json, data.aws_iam_policy_document.b.json]"
        )
    );
    let old = format!(
        "version = \"2008-10-17\"\n{}",
        statement("A", "a/&{aws:username}")
    );
    for module in [
        document("d", &format!("{one}{one}")),
        sources,
        document("d", &old),
    ] {
        let module = format!("{module}{}", policy("data.aws_iam_policy_document.d.json"));
        let report = with_open_variables(&module);
        assert_eq!(
            each(&report, "findings", "rule"),
            [&json!("module-refused")],
            "{module}"
        );
        assert_eq!(report["undecided"], json!([]), "{module}");
    }
}

#[test]
fn what_a_default_alone_makes_wrong_is_open_while_the_module_lacks_values() {
    let empty = "variable \"extra\" {\n  type    = list(string)\n  default = []\n}\n";
    let module = encoded("[{ Effect = \"Allow\", Action = var.extra, Resource = \"*\" }]");
    let folder = Folder::empty();
    folder.write("main.tf", format!("{empty}{module}"));
    let alone = report(&folder);
    assert!(each(&alone, "findings", "rule").contains(&&json!("malformed-policy")));
    folder.write(
        "main.tf",
        format!("variable \"name\" {{ type = string }}\n{empty}{module}"),
    );
    let lacking = report(&folder);
    assert_eq!(messages(&lacking, "malformed-policy"), Vec::<&str>::new());
    assert_eq!(
        each(&lacking, "undecided", "missing"),
        [&json!(["var.name"])]
    );
    folder.write("terraform.tfvars", "name = \"x\"\n");
    assert!(each(&report(&folder), "findings", "rule").contains(&&json!("malformed-policy")));
}

#[test]
fn the_policy_of_a_vault_is_judged() {
    let report = with_open_variables(
        "resource \"aws_glacier_vault\" \"v\" {\n  name          = \"v\"\n  access_policy = jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Principal = \"*\", Action = \"glacier:UploadArchiv\", Resource = \"*\" }] })\n}\n",
    );
    assert_eq!(messages(&report, "invalid-action").len(), 1, "{report:#}");
}

#[test]
fn one_of_several_policies_is_judged_whatever_chooses_it() {
    let whole = |statement: &str| {
        format!("jsonencode({{ Version = \"2012-10-17\", Statement = [{statement}] }})")
    };
    let (get, put) = (whole(GET), whole(PUT));
    let both = ["GetObjekt", "PutObjekt"].as_slice();
    for (text, wanted) in [
        (format!("{{ a = {get}, b = {put} }}[var.b ? \"a\" : \"b\"]"), both),
        (format!("[{get}, {put}][var.m]"), both),
        (format!("lookup({{ a = {get} }}, var.m, {put})"), both),
        (format!("element([{get}, {put}], var.m)"), both),
        (format!("coalesce(var.b ? {get} : null, {put})"), both),
        (format!("try(var.b ? {get} : {put}, \"\")"), both),
        (format!("var.b ? {get} : (var.m ? {put} : null)"), both),
        (format!("\"${{var.b ? {get} : {put}}}\""), both),
        (format!("jsonencode(var.b ? jsondecode({get}) : jsondecode({put}))"), both),
        (format!("[for x in [{get}, {put}] : x][var.m]"), both),
        (
            "<<-EOT\n  %{ if var.b }\n  {\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"s3:GetObjekt\", \"Resource\": \"*\"}, \"Version\": \"2012-10-17\"}\n  %{ else }\n  {\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"s3:PutObjekt\", \"Resource\": \"*\"}, \"Version\": \"2012-10-17\"}\n  %{ endif }\n  EOT".to_owned(),
            both,
        ),
        (
            "<<-EOT\n  {\"Version\": \"2012-10-17\", \"Statement\": [\n  %{ if var.b }{\"Effect\": \"Allow\", \"Action\": \"s3:GetObjekt\", \"Resource\": \"${var.m}\"},%{ endif }\n  {\"Effect\": \"Allow\", \"Action\": \"s3:PutObjekt\", \"Resource\": \"*\"}]}\n  EOT".to_owned(),
            both,
        ),
        (
            format!("<<-EOT\n  {{\"Version\": \"2012-10-17\", \"Statement\": ${{jsonencode(var.b ? [{GET}] : [{PUT}])}}}}\n  EOT"),
            both,
        ),
    ] {
        let report = with_open_variables(&policy(&text));
        let found = messages(&report, "invalid-action");
        assert_eq!(found.len(), wanted.len(), "{text}\n{report:#}");
        assert!(wanted.iter().all(|name| found.iter().any(|it| it.contains(name))), "{text}");
        assert_ne!(report["undecided"], json!([]), "{text}");
    }
}

#[test]
fn what_may_stand_in_a_string_is_no_policy_of_its_own() {
    for text in [
        "\"{\\\"Version\\\": \\\"2012-10-17\\\", \\\"Statement\\\": \\\"${var.b ? jsonencode({ Version = 1, Statement = [] }) : \"x\"}\\\"}\"",
        "\"%{ if var.b }nothing%{ else }[1, 2%{ endif }\"",
        "{ a = null }[var.m]",
    ] {
        let report = with_open_variables(&policy(text));
        assert_eq!(report["findings"], json!([]), "{text}\n{report:#}");
        assert_ne!(report["undecided"], json!([]), "{text}");
    }
}

#[test]
fn documents_in_source_and_override_lists_are_judged_where_they_are_written() {
    let statement = |sid: &str, action: &str| {
        format!(
            "jsonencode({{ Version = \"2012-10-17\", Statement = [{{ Sid = \"{sid}\", Effect = \"Allow\", Action = \"s3:{action}\", Resource = \"*\" }}] }})"
        )
    };
    let (one, two) = (statement("A", "GetObjekt"), statement("B", "PutObjekt"));
    for inner in [
        format!("source_policy_documents = [local.one, {two}]"),
        format!("override_policy_documents = concat([local.one], [{two}])"),
        format!("source_json = local.one\n override_json = {two}"),
        format!("source_policy_documents = [var.b ? local.one : {two}]"),
    ] {
        let module = format!(
            "locals {{\n  one = {one}\n}}\ndata \"aws_iam_policy_document\" \"d\" {{\n {inner}\n}}\n{}",
            policy("data.aws_iam_policy_document.d.json")
        );
        let report = with_open_variables(&module);
        let found = report["findings"].as_array().unwrap();
        let found = found.iter().filter(|it| it["rule"] == "invalid-action");
        let mut lines: Vec<&Value> = found.map(|it| &it["span"]["start"]["line"]).collect();
        lines.sort_by_key(|line| line.as_u64());
        let last = if inner.contains("override_json") {
            9
        } else {
            8
        };
        assert_eq!(lines, [&json!(5), &json!(last)], "{inner}\n{report:#}");
    }
}

fn permission(rest: &str) -> String {
    format!(
        "resource \"aws_lambda_permission\" \"p\" {{\n  action        = \"lambda:InvokeFunction\"\n  function_name = \"f\"\n  {rest}\n}}\n"
    )
}

/// What is found in a module of permissions has this severity, and nothing of it is undecided.
fn judged(module: &str, severity: Option<&str>) {
    let report = with_open_variables(module);
    let severities = each(&report, "findings", "severity");
    let severity = severity.map(|severity| json!(severity));
    assert_eq!(
        severities,
        severity.iter().collect::<Vec<_>>(),
        "{module}\n{report:#}"
    );
    assert_eq!(report["undecided"], json!([]), "{module}");
}

#[test]
fn a_permission_is_the_statement_that_the_service_makes_of_it() {
    for (rest, severity) in [
        ("principal = \"*\"", Some("warning")),
        (
            "for_each = toset([\"*\"])\n  principal = each.key",
            Some("warning"),
        ),
        (
            "principal = \"*\"\n  source_account = null",
            Some("warning"),
        ),
        (
            "principal = \"*\"\n  source_account = \"123456789012\"",
            None,
        ),
        ("principal = \"*\"\n  source_arn = var.m", None),
        (
            "principal = \"*\"\n  principal_org_id = \"o-example1234\"",
            None,
        ),
        (
            "principal = \"*\"\n  invoked_via_function_url = true",
            Some("note"),
        ),
        ("principal = \"events.amazonaws.com\"", Some("warning")),
        (
            "principal = \"events.amazonaws.com\"\n  source_arn = var.m",
            None,
        ),
        (
            "principal = \"alexa-appkit.amazon.com\"\n  event_source_token = \"amzn1.ask.skill.example\"",
            None,
        ),
        ("principal = \"123456789012\"", None),
        ("count = 0\n  principal = \"*\"", None),
        (
            "principal = \"arn:aws:iam::123456789012:role/reader\"",
            None,
        ),
    ] {
        judged(&permission(rest), severity);
    }
    let unknown = with_open_variables(&permission("principal = var.m"));
    assert_eq!(unknown["findings"], json!([]));
    assert_eq!(each(&unknown, "undecided", "missing"), [&json!(["var.m"])]);
}

#[test]
fn the_url_of_a_function_and_a_bus_of_events_have_permissions_too() {
    let url = "resource \"aws_lambda_permission\" \"p\" {\n  action = \"lambda:InvokeFunctionUrl\"\n  function_name = \"f\"\n  principal = \"*\"\n  function_url_auth_type = \"NONE\"\n}\n";
    judged(url, Some("note"));
    let events = |inner: &str| {
        format!(
            "resource \"aws_cloudwatch_event_permission\" \"p\" {{\n  principal    = \"*\"\n  statement_id = \"x\"\n{inner}}}\n"
        )
    };
    judged(&events(""), Some("warning"));
    let organization = "  condition {\n    key   = \"aws:PrincipalOrgID\"\n    type  = \"StringEquals\"\n    value = var.m\n  }\n";
    judged(&events(organization), None);
    let layer = "resource \"aws_lambda_layer_version_permission\" \"p\" {\n  layer_name = \"l\"\n  version_number = 1\n  action = \"lambda:GetLayerVersion\"\n  statement_id = \"x\"\n  principal = \"*\"\n  organization_id = \"o-example1234\"\n}\n";
    judged(layer, None);
    judged(
        &layer.replace("  organization_id = \"o-example1234\"\n", ""),
        Some("warning"),
    );
}

#[test]
fn attributes_of_other_names_hold_policies_too() {
    let text = "jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Principal = { AWS = \"123456789012\" }, Action = \"s3:GetObjekt\", Resource = \"*\" }] })";
    for (kind, attribute) in [
        (
            "aws_codeartifact_domain_permissions_policy",
            "policy_document",
        ),
        (
            "aws_codeartifact_repository_permissions_policy",
            "policy_document",
        ),
        ("aws_xray_resource_policy", "policy_document"),
        ("aws_cloudwatch_log_resource_policy", "policy_document"),
        (
            "aws_cloudwatch_log_delivery_destination_policy",
            "delivery_destination_policy",
        ),
        ("aws_cloudwatch_log_destination_policy", "access_policy"),
        (
            "aws_cloudsearch_domain_service_access_policy",
            "access_policy",
        ),
        (
            "aws_sagemaker_model_package_group_policy",
            "resource_policy",
        ),
        ("aws_s3tables_table_policy", "resource_policy"),
        ("aws_s3tables_table_bucket_policy", "resource_policy"),
        ("aws_ecr_repository_creation_template", "repository_policy"),
        ("aws_organizations_resource_policy", "content"),
        ("aws_s3_access_point", "policy"),
    ] {
        let module = format!("resource \"{kind}\" \"p\" {{\n  {attribute} = {text}\n}}\n");
        let report = with_open_variables(&module);
        assert_eq!(
            messages(&report, "invalid-action").len(),
            1,
            "{kind}\n{report:#}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_module_that_calls_itself_by_a_link_is_read_once() {
    use std::os::unix::fs::symlink;
    let call =
        |name: &str, source: &str| format!("module \"{name}\" {{\n  source = \"{source}\"\n}}\n");
    let folder = Folder::empty();
    folder.write(
        "m/main.tf",
        format!("{}{}", call("self", "./me"), encoded(&format!("[{GET}]"))),
    );
    symlink(".", folder.path().join("m/me")).unwrap();
    folder.write("a/main.tf", call("one", "./b"));
    folder.write(
        "b/main.tf",
        format!("{}{}", call("back", "./a"), encoded(&format!("[{PUT}]"))),
    );
    symlink("../b", folder.path().join("a/b")).unwrap();
    symlink("../a", folder.path().join("b/a")).unwrap();
    for path in ["m", "a"] {
        let ran = folder.run(&["validate", path, "--format", "json"]);
        let report = ran.json();
        assert_eq!(messages(&report, "invalid-action").len(), 1, "{report:#}");
        let told = each(&report, "undecided", "why");
        let back = told
            .iter()
            .filter(|why| why.to_string().contains("again, by a symbolic link"));
        assert_eq!(back.count(), 1, "{report:#}");
        assert!(
            report["summary"]["files"].as_u64().unwrap() <= 3,
            "{report:#}"
        );
    }
}

#[test]
fn a_template_is_judged_as_it_is_rendered_alone() {
    let folder = Folder::empty();
    let statement = |action: &str, resource: &str| {
        format!(
            "{{\"Version\": \"2012-10-17\", \"Statement\": [{{\"Effect\": \"Allow\", \"Action\": {action}, \"Resource\": {resource}}}]}}"
        )
    };
    folder.write("m/list.json", statement("${jsonencode(actions)}", "\"*\""));
    folder.write(
        "m/text.json",
        statement("\"s3:GetObjekt\"", "\"arn:aws:s3:::${bucket}/*\""),
    );
    folder.write(
        "m/nobody.json",
        statement("${jsonencode(actions)}", "\"*\""),
    );
    let rendered = |name: &str| {
        format!(
            "templatefile(\"${{path.module}}/{name}\", {{ actions = [\"s3:PutObjekt\"], bucket = \"a\" }})"
        )
    };
    folder.write(
        "m/main.tf",
        format!(
            "{}{}",
            policy(&rendered("list.json")),
            policy(&rendered("text.json")).replace("\"p\" {", "\"q\" {")
        ),
    );
    let report = report(&folder);
    let mut found = messages(&report, "invalid-action");
    found.sort_unstable();
    assert_eq!(found.len(), 2, "{report:#}");
    assert!(
        found[0].contains("GetObjekt") && found[1].contains("PutObjekt"),
        "{report:#}"
    );
    assert_eq!(report["undecided"], json!([]));
    assert_eq!(each(&report, "unread", "path"), [&json!("m/nobody.json")]);
    let why = each(&report, "unread", "reason")[0].to_string();
    assert!(
        why.contains("where `templatefile` of a module renders it"),
        "{why}"
    );
}
