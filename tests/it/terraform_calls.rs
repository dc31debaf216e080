//! Modules that call modules, files that modules read, plans, and `inspect terraform`: through the program.

use serde_json::{Value, json};

use crate::binary::Folder;

fn findings(folder: &Folder) -> Vec<(String, String)> {
    let report = folder.run(&["validate", "--format", "json"]).json();
    let all = report["findings"].as_array().into_iter().flatten();
    let word = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    all.map(|finding| (word(finding, "rule"), word(finding, "path")))
        .collect()
}

fn value(folder: &Folder, expression: &str) -> Value {
    let ran = folder.run(&[
        "inspect",
        "terraform",
        ".",
        "--expr",
        expression,
        "--format",
        "json",
    ]);
    ran.json()
}

const POLICY_MODULE: &str = r#"
variable "names" {
  type = set(string)
}

variable "options" {
  type = object({ zone = optional(string, "Z0123456789EXAMPLE"), types = optional(list(string), ["A"]) })
  default = {}
}

resource "aws_iam_role_policy" "change" {
  role = "switch"
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "route53:ChangeResourceRecordSets"
      Resource = "arn:aws:route53:::hostedzone/${var.options.zone}"
      Condition = { "ForAllValues:StringEquals" = {
        "route53:ChangeResourceRecordSetsNormalizedRecordNames" = var.names
        "route53:ChangeResourceRecordSetsRecordTypes" = var.options.types
      } }
    }]
  })
}

output "names" {
  value = [for name in var.names : upper(name)]
}
"#;

#[test]
fn each_call_of_a_module_has_its_own_values() {
    let folder = Folder::empty();
    folder.write("modules/p/main.tf", POLICY_MODULE);
    folder.write(
        "main.tf",
        "module \"a\" {\n  source = \"./modules/p\"\n  names  = [\"a.example.com\"]\n}\nmodule \"b\" {\n  for_each = { x = \"b.example.com\", y = \"c.example.com\" }\n  source   = \"./modules/p\"\n  names    = [each.value]\n  options  = { types = [\"AAAA\"] }\n}\n",
    );
    let report = folder
        .run(&["inspect", "terraform", ".", "--format", "json"])
        .json();
    let names: Vec<String> = report["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|policy| {
            let condition =
                &policy["policy"]["Statement"][0]["Condition"]["ForAllValues:StringEquals"];
            let names = &condition["route53:ChangeResourceRecordSetsNormalizedRecordNames"][0];
            let types = &condition["route53:ChangeResourceRecordSetsRecordTypes"][0];
            format!("{} {names} {types}", policy["address"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        names,
        [
            "module.a.aws_iam_role_policy.change \"a.example.com\" \"A\"",
            "module.b[\"x\"].aws_iam_role_policy.change \"b.example.com\" \"AAAA\"",
            "module.b[\"y\"].aws_iam_role_policy.change \"c.example.com\" \"AAAA\"",
        ]
    );
    assert_eq!(
        value(
            &folder,
            "[module.a.names, module.b[\"y\"].names, keys(module.b)]"
        ),
        json!({"value": [["A.EXAMPLE.COM"], ["C.EXAMPLE.COM"], ["x", "y"]]})
    );
    let found = findings(&folder);
    let guard = "forallvalues-allow-without-null-guard".to_owned();
    assert!(
        found.contains(&(guard, "modules/p/main.tf".to_owned())),
        "{found:?}"
    );
}

#[test]
fn a_module_that_calls_itself_is_told_and_hides_nothing() {
    let folder = Folder::empty();
    folder.write(
        "main.tf",
        "module \"a\" {\n  source = \"./a\"\n}\nresource \"aws_route53_record\" \"r\" {\n  zone_id = \"Z1\"\n  name = \"A.example.com\"\n  type = \"A\"\n  ttl = 300\n  records = [\"198.51.100.10\"]\n}\n",
    );
    folder.write(
        "a/main.tf",
        "module \"b\" {\n  source = \"../b\"\n}\noutput \"x\" {\n  value = module.b.x\n}\n",
    );
    folder.write(
        "b/main.tf",
        "module \"a\" {\n  source = \"../a\"\n}\noutput \"x\" {\n  value = module.a.x\n}\n",
    );
    let answer = value(&folder, "module.a.x");
    let reason = answer["error"].as_str().unwrap();
    assert!(reason.contains("calls itself: a -> b -> a"), "{reason}");
    assert_eq!(
        findings(&folder),
        [("record-name-uppercase".to_owned(), "main.tf".to_owned())]
    );
}

#[test]
fn values_of_two_modules_that_need_each_other_are_no_circle() {
    let folder = Folder::empty();
    let module = "variable \"i\" {}\noutput \"a\" {\n  value = 1\n}\noutput \"b\" {\n  value = var.i + 1\n}\n";
    folder.write("m/main.tf", module);
    folder.write(
        "main.tf",
        "module \"one\" {\n  source = \"./m\"\n  i = module.two.a\n}\nmodule \"two\" {\n  source = \"./m\"\n  i = module.one.b\n}\n",
    );
    assert_eq!(value(&folder, "module.two.b"), json!({"value": 3}));
    folder.write(
        "main.tf",
        "module \"one\" {\n  source = \"./m\"\n  i = module.one.b\n}\n",
    );
    let answer = value(&folder, "module.one.b");
    assert!(
        answer["error"]
            .as_str()
            .unwrap()
            .contains("depends on itself"),
        "{answer}"
    );
}

#[test]
fn variables_are_set_in_the_order_in_which_terraform_loads_files() {
    let folder = Folder::empty();
    folder.write(
        "main.tf",
        "variable \"x\" {\n  default = 1\n}\nlocals {\n  y = 1\n  z = 1\n}\n",
    );
    assert_eq!(value(&folder, "var.x"), json!({"value": 1}));
    folder.write("terraform.tfvars", "x = 2\n");
    assert_eq!(value(&folder, "var.x"), json!({"value": 2}));
    folder.write("terraform.tfvars.json", "{\"x\": 3}");
    assert_eq!(value(&folder, "var.x"), json!({"value": 3}));
    folder.write("a.auto.tfvars", "x = 4\n");
    assert_eq!(value(&folder, "var.x"), json!({"value": 4}));
    folder.write("b.auto.tfvars.json", "{\"x\": \"${5}\"}");
    assert_eq!(value(&folder, "var.x"), json!({"value": "${5}"}));
    folder.write(
        "x_override.tf",
        "locals {\n  y = 2\n}\nvariable \"x\" {\n  type = string\n}\n",
    );
    folder.write(
        "more.tf.json",
        "{\"locals\": {\"w\": \"${local.y}-${upper(\\\"a\\\")}\"}}",
    );
    assert_eq!(
        value(&folder, "[local.w, local.z]"),
        json!({"value": ["2-A", 1]})
    );
}

#[test]
fn files_outside_of_the_module_and_links_are_refused_and_told() {
    let folder = Folder::empty();
    folder.write("m/main.tf", "locals {\n  a = file(\"${path.module}/x.json\")\n  b = file(\"../x.json\")\n  c = file(\"/etc/hostname\")\n  d = file(\"a/../../m/x.json\")\n  e = templatefile(\"t.tftpl\", { x = [1, 2] })\n  f = fileexists(\"none\")\n  g = file(\"link.json\")\n}\n");
    folder.write("m/x.json", "{}");
    folder.write("m/t.tftpl", "%{ for n in x ~}\n${n};\n%{ endfor ~}\n");
    folder.write("x.json", "{}");
    std::os::unix::fs::symlink("../x.json", folder.path().join("m/link.json")).unwrap();
    let of = |name: &str| {
        let expression = format!("local.{name}");
        let ran = folder.run(&[
            "inspect",
            "terraform",
            "m",
            "--expr",
            &expression,
            "--format",
            "json",
        ]);
        ran.json()
    };
    assert_eq!(of("a"), json!({"value": "{}"}));
    assert_eq!(of("e"), json!({"value": "1;\n2;\n"}));
    assert_eq!(of("f"), json!({"value": false}));
    for name in ["b", "c", "d"] {
        let why = of(name)["why"].as_str().unwrap().to_owned();
        assert!(why.contains("outside of the module"), "{name}: {why}");
    }
    let why = of("g")["why"].as_str().unwrap().to_owned();
    assert!(why.contains("symbolic link"), "{why}");
}

#[test]
fn findings_in_a_template_stand_in_the_template() {
    let folder = Folder::empty();
    folder.write("main.tf", "resource \"aws_iam_policy\" \"p\" {\n  policy = templatefile(\"${path.module}/p.tftpl\", { zone = \"Z0123456789EXAMPLE\" })\n}\n");
    folder.write("p.tftpl", "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"route53:ChangeResourceRecordset\", \"Resource\": \"arn:aws:route53:::hostedzone/${zone}\"}]}\n");
    let found = findings(&folder);
    assert!(found.iter().any(|(_, path)| path == "p.tftpl"), "{found:?}");
}

const OWNED: &str = "resource \"aws_route53_record\" \"apex\" {\n  zone_id = \"Z0123456789EXAMPLE\"\n  name    = \"example.com\"\n  type    = \"A\"\n  ttl     = 300\n  records = [\"198.51.100.10\"]\n}\n";

#[test]
fn what_the_ownership_file_names_must_be_ignored() {
    let folder = Folder::empty();
    folder.write("ownership.json", "{\"external_writer\": \"workflow\", \"records\": [\"example.com A\"], \"changes\": [\"records\"]}");
    folder.write("dns/main.tf", OWNED);
    let rule = |name: &str| vec![(name.to_owned(), "dns/main.tf".to_owned())];
    assert_eq!(findings(&folder), rule("ignore-changes-missing"));
    let with = |list: &str| {
        OWNED.replace(
            "]\n}",
            &format!("]\n  lifecycle {{\n    ignore_changes = {list}\n  }}\n}}"),
        )
    };
    folder.write("dns/main.tf", with("[ttl]"));
    assert_eq!(findings(&folder), rule("ignore-changes-on-wrong-attribute"));
    for right in ["[records]", "[ttl, records]"] {
        folder.write("dns/main.tf", with(right));
        assert_eq!(findings(&folder), [], "{right}");
    }
    folder.write("dns/main.tf", with("all"));
    assert_eq!(findings(&folder), rule("ignore-changes-of-everything"));
    folder.write(
        "dns/main.tf",
        format!(
            "variable \"n\" {{}}\n{}",
            OWNED.replace("\"example.com\"", "var.n")
        ),
    );
    let report = folder.run(&["validate", "--format", "json"]).json();
    assert_eq!(report["undecided"][0]["missing"], json!(["var.n"]));
}

#[test]
fn a_policy_that_only_the_plan_knows_is_judged_there() {
    let folder = Folder::empty();
    let policy = "{\\\"Version\\\":\\\"2012-10-17\\\",\\\"Statement\\\":[{\\\"Effect\\\":\\\"Allow\\\",\\\"Action\\\":\\\"route53:ChangeResourceRecordset\\\",\\\"Resource\\\":\\\"*\\\"}]}";
    let change = |after: &str, unknown: &str| {
        format!(
            "{{\"format_version\":\"1.2\",\"resource_changes\":[{{\"address\":\"aws_iam_policy.p\",\"mode\":\"managed\",\"type\":\"aws_iam_policy\",\"change\":{{\"actions\":[\"create\"],\"before\":null,\"after\":{after},\"after_unknown\":{unknown}}}}}]}}"
        )
    };
    folder.write(
        "plan.json",
        change(&format!("{{\"policy\":\"{policy}\"}}"), "{}"),
    );
    let report = folder.run(&["validate", "--format", "json"]).json();
    let finding = &report["findings"][0];
    assert_eq!(finding["rule"], "invalid-action", "{report:#}");
    assert_eq!(finding["pointer"], "/Statement/0/Action");
    folder.write("plan.json", change("{}", "{\"policy\":true}"));
    let report = folder.run(&["validate", "--format", "json"]).json();
    assert_eq!(
        report["undecided"][0]["missing"],
        json!(["aws_iam_policy.p.policy"])
    );
}

#[test]
fn inspect_says_records_policies_trust_and_what_is_open() {
    let folder = Folder::of_the_reference_deployment();
    let ran = folder.run(&["inspect", "terraform", "terraform", "--format", "json"]);
    assert_eq!(ran.status(), 0);
    let report = ran.json();
    assert_eq!(report["records"].as_array().unwrap().len(), 3);
    assert_eq!(report["records"][0]["ignore_changes"], json!(["records"]));
    assert_eq!(report["records"][0]["values"], json!(["198.51.100.10"]));
    let policies = report["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 3);
    assert_eq!(policies[0]["static"], true);
    assert_eq!(policies[1]["form"], "jsonencode");
    assert_eq!(
        report["trust"][0]["conditions"][1]["values"],
        json!(["repo:acme@100001/dns-failover@200002:ref:refs/heads/main"])
    );
    let human = folder.run(&["inspect", "terraform", "terraform"]).stdout();
    assert!(human.contains("record  aws_route53_record.apex"), "{human}");
    for (expression, status) in [("1 + 1", 0), ("1 +", 1), ("uuid()", 4)] {
        let ran = folder.run(&["inspect", "terraform", "terraform", "--expr", expression]);
        assert_eq!(ran.status(), status, "{expression}");
    }
    assert_eq!(folder.run(&["inspect", "terraform", "nowhere"]).status(), 3);
    assert_eq!(
        folder.run(&["inspect", "terraform", "policies"]).status(),
        2
    );
}

#[test]
fn what_an_expression_names_and_the_module_has_not_is_an_error_with_what_may_be_meant() {
    let folder = Folder::of_the_reference_deployment();
    let value = |expression: &str, status: i32| {
        let ran = folder.run(&[
            "inspect",
            "terraform",
            "--expr",
            expression,
            "--format",
            "json",
        ]);
        assert_eq!(ran.status(), status, "{expression}");
        ran.json()
    };
    let refused = [
        (
            "aws_iam_role.failver.name",
            "did you mean `aws_iam_role.failover`?",
        ),
        ("aws_iam_role.failover.nme", "did you mean `name`?"),
        (
            "data.x.nope.arn",
            "`data.x.nope` is not declared in a `data` block",
        ),
        (
            "var.nope",
            "`var.nope` is not declared in a `variable` block",
        ),
    ];
    for (expression, told) in refused {
        let error = value(expression, 1)["error"].to_string();
        assert!(error.contains(told), "{expression}: {error}");
    }
    let name = value("aws_iam_role_policy.change_records.name", 0);
    assert_eq!(name["value"], "change-records");
    let policy = value("aws_iam_role_policy.change_records.policy", 0)["value"].to_string();
    assert!(policy.contains("ChangeFailoverRecords"), "{policy}");
    // The spec is there, and says which account the provider is in.
    let trust = value("aws_iam_role.failover.assume_role_policy", 0)["value"].to_string();
    assert!(
        trust.contains("arn:aws:iam::123456789012:oidc-provider/"),
        "{trust}"
    );
    let human = folder.run(&["inspect", "terraform"]).stdout();
    assert!(human.contains(", ignored: nothing\n"), "{human}");
}

#[test]
fn modules_beside_the_working_directory_are_followed() {
    let folder = Folder::empty();
    folder.write(
        "modules/m/main.tf",
        "output \"x\" {\n  value = trimspace(file(\"${path.module}/x.txt\"))\n}\n",
    );
    folder.write("modules/m/x.txt", "here\n");
    folder.write("dns/main.tf", "module \"m\" {\n  source = \"../modules/m\"\n}\nlocals {\n  y = try(file(\"../modules/m/x.txt\"), \"refused\")\n}\n");
    let ask = |expression: &str| {
        let arguments = [
            "inspect",
            "terraform",
            ".",
            "--format",
            "json",
            "--expr",
            expression,
        ];
        folder.run_in("dns", &arguments).json()
    };
    assert_eq!(ask("module.m.x"), json!({"value": "here"}));
    assert_eq!(ask("local.y")["unknown"], json!(["../modules/m/x.txt"]));
}
