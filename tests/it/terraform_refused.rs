//! What Terraform refuses for certain, what is hidden and so not missing, and what moves a record away, through the program.

use serde_json::{Value, json};

use crate::binary::Folder;

fn report(folder: &Folder) -> Value {
    folder.run(&["validate", "--format", "json"]).json()
}

fn rules(folder: &Folder) -> Vec<String> {
    let report = report(folder);
    let all = report["findings"].as_array().into_iter().flatten();
    let found = all.filter_map(|it| it["rule"].as_str().map(str::to_owned));
    found.collect()
}

fn role_policy(policy: &str) -> String {
    format!(
        "resource \"aws_iam_role_policy\" \"p\" {{\n  name = \"p\"\n  role = \"r\"\n  {policy}\n}}\n"
    )
}

#[test]
fn what_terraform_refuses_for_certain_is_a_finding() {
    let statement = "statement {\n    sid       = \"A\"\n    actions   = [\"s3:GetObject\"]\n    resources = [\"arn:aws:s3:::b/*\"]\n  }\n";
    let document =
        format!("data \"aws_iam_policy_document\" \"d\" {{\n  {statement}  {statement}}}\n");
    for wrong in [
        role_policy(""),
        role_policy("policy = null"),
        role_policy("policy = 5"),
        format!(
            "{document}{}",
            role_policy("policy = data.aws_iam_policy_document.d.json")
        ),
        "resource \"aws_sqs_queue\" \"q\" {\n  count = -1\n}\n".to_owned(),
        "resource \"aws_sqs_queue\" \"q\" {\n  count = 1.5\n}\n".to_owned(),
        "variable \"n\" {\n  type    = number\n  default = \"x\"\n}\n".to_owned(),
        "resource \"aws_x\" \"a\" {}\nmoved {\n  from = aws_x.a\n  to   = aws_x.b\n}\n".to_owned(),
    ] {
        let folder = Folder::empty();
        folder.write("main.tf", &wrong);
        assert_eq!(rules(&folder), ["module-refused"], "{wrong}");
    }
    let folder = Folder::empty();
    folder.write("main.tf", role_policy("policy = aws.username"));
    assert_eq!(rules(&folder), ["name-not-declared"]);
    assert_eq!(report(&folder)["undecided"], json!([]));
}

#[test]
fn arguments_of_a_module_files_of_values_and_overrides_are_held_to_what_is_declared() {
    let folder = Folder::empty();
    folder.write(
        "m/main.tf",
        "variable \"needed\" {}\nvariable \"other\" {\n  default = 1\n}\n",
    );
    folder.write(
        "main.tf",
        "module \"m\" {\n  source = \"./m\"\n  othr   = 2\n}\n",
    );
    assert_eq!(rules(&folder), ["module-refused", "module-refused"]);
    folder.write(
        "main.tf",
        "module \"m\" {\n  source = \"./m\"\n  needed = 2\n}\n",
    );
    assert_eq!(rules(&folder), Vec::<String>::new());
    folder.write(
        "x_override.tf",
        "resource \"aws_x\" \"nowhere\" {\n  a = 1\n}\n",
    );
    assert_eq!(rules(&folder), ["module-refused"]);
    folder.remove("x_override.tf");
    folder.write("terraform.tfvars", "a {\n}\n");
    assert_eq!(rules(&folder), ["module-refused"]);
}

#[test]
fn a_file_that_is_missing_is_named_as_what_would_decide() {
    let folder = Folder::empty();
    folder.write(
        "main.tf",
        role_policy("policy = file(\"${path.module}/nope.json\")"),
    );
    let report = report(&folder);
    assert_eq!(report["undecided"][0]["missing"], json!(["nope.json"]));
}

const TRUST: &str = "resource \"aws_iam_role\" \"r\" {\n  name               = \"r\"\n  assume_role_policy = jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Principal = { Federated = \"arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com\" }, Action = \"sts:AssumeRoleWithWebIdentity\", Condition = HOLE }] })\n}\nvariable \"c\" {}\n";
const CHANGE: &str = "jsonencode({ Version = \"2012-10-17\", Statement = [{ Effect = \"Allow\", Action = \"route53:ChangeResourceRecordSets\", Resource = \"arn:aws:route53:::hostedzone/Z0123456789EXAMPLE\", Condition = { \"ForAllValues:StringEquals\" = { \"route53:ChangeResourceRecordSetsNormalizedRecordNames\" = [\"example.com\"], \"route53:ChangeResourceRecordSetsRecordTypes\" = [\"A\"], \"route53:ChangeResourceRecordSetsActions\" = [\"UPSERT\"] }, Null = HOLE } }] })";

#[test]
fn a_condition_that_may_stand_in_what_is_not_known_is_not_missing() {
    let folder = Folder::empty();
    let open = |folder: &Folder, text: &str| {
        folder.write("main.tf", text);
        let report = report(folder);
        assert_eq!(report["findings"], json!([]), "{text}");
        assert_eq!(
            report["undecided"][0]["missing"],
            json!(["var.c"]),
            "{text}"
        );
    };
    for hole in [
        "var.c",
        "merge({ StringEquals = {} }, var.c)",
        "{ StringEquals = { (var.c) = \"x\" } }",
    ] {
        open(&folder, &TRUST.replace("HOLE", hole));
    }
    let guard = "{ \"route53:ChangeResourceRecordSetsNormalizedRecordNames\" = var.c, \"route53:ChangeResourceRecordSetsRecordTypes\" = \"false\", \"route53:ChangeResourceRecordSetsActions\" = \"false\" }";
    for hole in ["var.c", "{ for k in var.c : k => \"false\" }", guard] {
        let policy = role_policy(&format!("policy = {}", CHANGE.replace("HOLE", hole)));
        open(&folder, &format!("{policy}variable \"c\" {{}}\n"));
    }
}

#[test]
fn null_takes_the_default_where_a_variable_is_not_nullable() {
    let folder = Folder::empty();
    folder.write(
        "main.tf",
        "variable \"a\" {\n  default  = \"x\"\n  nullable = false\n}\n",
    );
    folder.write("terraform.tfvars", "a = null\n");
    folder.write("x.txt", "here");
    let ask = |expression: &str| {
        folder
            .run(&[
                "inspect",
                "terraform",
                ".",
                "--format",
                "json",
                "--expr",
                expression,
            ])
            .json()
    };
    assert_eq!(ask("var.a"), json!({"value": "x"}));
    assert_eq!(ask("file(\"x.txt\")"), json!({"value": "here"}));
    assert_eq!(ask("fileexists(\"x.txt\")"), json!({"value": true}));
}

fn record(body: &str) -> String {
    format!(
        "resource \"aws_route53_record\" \"a\" {{\n  type = \"A\"\n  ttl  = 300\n  {body}\n}}\n"
    )
}

const OWNED: &str = "{\"records\": [\"example.com A\"], \"changes\": [\"records\"]}";

#[test]
fn an_alias_is_told_once_and_one_edit_ends_it() {
    let folder = Folder::empty();
    folder.write("ownership.json", OWNED);
    let alias = "zone_id = \"Z0123456789EXAMPLE\"\n  name = \"example.com\"\n  alias {\n    name = \"lb.example.net\"\n    zone_id = \"Z1\"\n    evaluate_target_health = false\n  }\n  lifecycle {\n    ignore_changes = [alias]\n  }\n";
    let plain = |text: &str| record(text).replace("  ttl  = 300\n", "");
    folder.write("main.tf", plain(alias));
    assert_eq!(rules(&folder), Vec::<String>::new());
    folder.write(
        "main.tf",
        plain(&alias.replace("    ignore_changes = [alias]\n", "")),
    );
    let help = report(&folder)["findings"][0]["help"].to_string();
    assert!(help.contains("[alias]"), "{help}");
    folder.write(
        "ownership.json",
        OWNED.replace("[\"records\"]", "[\"record\"]"),
    );
    assert_eq!(report(&folder)["unread"][0]["path"], "ownership.json");
}

#[test]
fn a_name_counted_from_a_zone_whose_name_stands_in_the_module_is_known() {
    let folder = Folder::empty();
    folder.write("ownership.json", OWNED);
    let zone = "data \"aws_route53_zone\" \"z\" {\n  name = \"example.com.\"\n}\n";
    let body =
        "zone_id = data.aws_route53_zone.z.id\n  name = \"\"\n  records = [\"198.51.100.10\"]";
    folder.write("main.tf", format!("{zone}{}", record(body)));
    assert_eq!(rules(&folder), ["ignore-changes-missing"]);
}

#[test]
fn what_moves_a_record_away_is_told() {
    let folder = Folder::empty();
    folder.write(
        "ownership.json",
        "{\"records\": [\"a.example.com A\", \"b.example.com A\"]}",
    );
    let keyed = "zone_id = \"Z0123456789EXAMPLE\"\n  for_each = { for i, n in [\"a.example.com\", \"b.example.com\"] : i => n }\n  name = each.value\n  records = [\"198.51.100.10\"]\n  lifecycle {\n    ignore_changes = [records]\n  }";
    folder.write("main.tf", record(keyed));
    assert_eq!(rules(&folder), ["ignored-record-numbered"]);
}
