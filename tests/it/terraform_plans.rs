//! Plans of Terraform through the program: what would stand in the account is held to the spec by the rules that ask the
//! module, and what a plan does not say is told.

use serde_json::{Value, json};

use crate::binary::Folder;

fn report(folder: &Folder) -> Value {
    folder.run(&["validate", "--format", "json"]).json()
}

/// The values of `key` in the entries of the list `of`.
fn each<'a>(report: &'a Value, of: &str, key: &str) -> Vec<&'a str> {
    let all = report[of].as_array().into_iter().flatten();
    all.filter_map(|it| it[key].as_str()).collect()
}

fn rules(folder: &Folder) -> Vec<String> {
    let report = report(folder);
    let mut found: Vec<String> = each(&report, "findings", "rule")
        .into_iter()
        .map(str::to_owned)
        .collect();
    found.dedup();
    found
}

fn change(address: &str, actions: &Value, before: &Value, after: &Value) -> Value {
    let kind = address.split('.').next();
    json!({"address": address, "mode": "managed", "type": kind, "change": {"actions": actions, "before": before, "after": after, "after_unknown": {}}})
}

fn plan(changes: &[Value]) -> Value {
    json!({"format_version": "1.2", "resource_changes": changes, "complete": true, "errored": false})
}

/// The plan that the reference deployment has to give.
fn reference(folder: &Folder) -> Value {
    let create = json!(["create"]);
    let policy = |address: &str, file: &str| {
        let after = json!({"name": "p", "role": "dns-failover", "policy": folder.read(file)});
        change(address, &create, &Value::Null, &after)
    };
    let trust = folder.read("policies/trust.json");
    let role = json!({"name": "dns-failover", "assume_role_policy": trust});
    plan(&[
        change("aws_iam_role.failover", &create, &Value::Null, &role),
        policy(
            "aws_iam_role_policy.change_records",
            "policies/change-records.json",
        ),
        policy("aws_iam_role_policy.read_zone", "policies/read-zone.json"),
    ])
}

const ANYTHING: &str =
    r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}"#;

#[test]
fn a_plan_is_held_to_the_spec_as_the_module_is() {
    let folder = Folder::of_the_reference_deployment();
    let good = reference(&folder);
    folder.write("terraform/plan.json", good.to_string());
    assert_eq!(rules(&folder), Vec::<String>::new());
    let after = |at: usize, key: &str, value: Value| {
        let mut plan = good.clone();
        plan["resource_changes"][at]["change"]["after"][key] = value;
        plan
    };
    let policy = |at: usize, file: &str, from: &str, to: &str| {
        let key = if at == 0 {
            "assume_role_policy"
        } else {
            "policy"
        };
        after(at, key, json!(folder.read(file).replace(from, to)))
    };
    let admin = json!(["arn:aws:iam::aws:policy/AdministratorAccess"]);
    let boundary = json!("arn:aws:iam::123456789012:policy/b");
    let change = "policies/change-records.json";
    let cases = [
        (
            policy(1, change, "\"example.com\"", "\"evil.example.com\""),
            "policy-names-differ",
        ),
        (
            policy(1, change, "UPSERT", "DELETE"),
            "policy-actions-differ",
        ),
        (
            policy(1, change, "Z0123456789EXAMPLE", "Z9999999999EXAMPLE"),
            "policy-zone-differs",
        ),
        (
            policy(0, "policies/trust.json", "/dns-failover@", "/other@"),
            "oidc-sub-never-matches",
        ),
        (after(0, "name", json!("other")), "role-name-differs"),
        (
            after(0, "managed_policy_arns", admin),
            "role-rights-beyond-spec",
        ),
        (
            after(0, "permissions_boundary", boundary),
            "role-boundary-unexpected",
        ),
        (
            after(
                0,
                "inline_policy",
                json!([{"name": "x", "policy": ANYTHING}]),
            ),
            "action-wildcard",
        ),
    ];
    for (plan, rule) in cases {
        folder.write("terraform/plan.json", plan.to_string());
        let found = rules(&folder);
        assert!(found.iter().any(|one| one == rule), "{rule}: {found:?}");
    }
}

#[test]
fn a_role_that_is_known_after_apply_is_followed_through_the_configuration() {
    let folder = Folder::of_the_reference_deployment();
    let mut plan = reference(&folder);
    for at in [1, 2] {
        plan["resource_changes"][at]["change"]["after"]["role"] = Value::Null;
        plan["resource_changes"][at]["change"]["after_unknown"] = json!({"role": true, "id": true});
    }
    // What the provider fills in is not known at first, and stands in no configuration.
    plan["resource_changes"][0]["change"]["after_unknown"] =
        json!({"inline_policy": true, "managed_policy_arns": true});
    let resource =
        |address: &str, expressions: Value| json!({"address": address, "expressions": expressions});
    let role =
        json!({"role": {"references": ["aws_iam_role.failover.id", "aws_iam_role.failover"]}});
    plan["configuration"] = json!({"root_module": {"resources": [
        resource("aws_iam_role.failover", json!({"name": {}, "assume_role_policy": {}})),
        resource("aws_iam_role_policy.change_records", role.clone()),
        resource("aws_iam_role_policy.read_zone", role),
    ]}});
    folder.write("terraform/plan.json", plan.to_string());
    let report = report(&folder);
    assert_eq!(report["findings"], json!([]));
    assert_eq!(report["undecided"], json!([]));
}

#[test]
fn a_plan_that_lacks_a_part_of_the_deployment_or_forgets_it_is_told() {
    let folder = Folder::of_the_reference_deployment();
    let whole = reference(&folder);
    let changes = whole["resource_changes"].as_array().unwrap();
    let forgotten = change(
        "aws_iam_role.failover",
        &json!(["forget"]),
        &json!({"name": "dns-failover"}),
        &Value::Null,
    );
    for changes in [
        changes[1..].to_vec(),
        changes[..2].to_vec(),
        vec![forgotten],
    ] {
        folder.write("terraform/plan.json", plan(&changes).to_string());
        assert_eq!(rules(&folder), ["plan-differs-from-reference"]);
    }
}

const OWNED: &str = "{\"records\": [\"example.com A\"], \"changes\": [\"records\"]}";

fn apex(ttl: i64, records: &Value, alias: &Value) -> Value {
    json!({"zone_id": "Z0123456789EXAMPLE", "name": "example.com", "type": "A", "ttl": ttl, "records": records, "alias": alias})
}

#[test]
fn what_a_plan_does_to_a_record_of_somebody_else_is_told() {
    let folder = Folder::empty();
    folder.write("ownership.json", OWNED);
    let now = apex(300, &json!(["203.0.113.20"]), &json!([]));
    let update = json!(["update"]);
    let target = |name: &str| apex(0, &Value::Null, &json!([{"name": name}]));
    let record = "aws_route53_record.apex";
    let zone = json!({"zone_id": "Z0123456789EXAMPLE", "name": "example.com"});
    let harmful = [
        change(
            record,
            &update,
            &now,
            &apex(60, &json!(["203.0.113.20"]), &json!([])),
        ),
        change(
            record,
            &update,
            &target("a.example.net"),
            &target("b.example.net"),
        ),
        change(
            "aws_route53_zone.z",
            &json!(["delete"]),
            &zone,
            &Value::Null,
        ),
        change(
            "aws_route53_records_exclusive.z",
            &json!(["create"]),
            &Value::Null,
            &zone,
        ),
    ];
    for one in harmful {
        folder.write("plan.json", plan(std::slice::from_ref(&one)).to_string());
        assert_eq!(rules(&folder), ["plan-writes-owned-record"], "{one}");
    }
    let drift = |after: &Value, actions: &Value| json!({"format_version": "1.2", "resource_changes": [], "resource_drift": [change(record, actions, &now, after)]});
    let switched = apex(300, &json!(["198.51.100.10"]), &json!([]));
    folder.write("plan.json", drift(&switched, &update).to_string());
    assert_eq!(rules(&folder), Vec::<String>::new());
    let shorter = apex(60, &json!(["203.0.113.20"]), &json!([]));
    for (after, actions) in [(shorter, update), (Value::Null, json!(["delete"]))] {
        folder.write("plan.json", drift(&after, &actions).to_string());
        assert_eq!(rules(&folder), ["plan-record-drift"], "{after}");
    }
}

#[test]
fn what_of_a_plan_is_not_there_or_not_to_be_read_is_told() {
    let folder = Folder::empty();
    let now = apex(300, &json!(["203.0.113.20"]), &json!([]));
    let one = change("aws_route53_record.apex", &json!(["no-op"]), &now, &now);
    let mut odd = one.clone();
    odd["change"]["actions"] = json!("update");
    let mut none = one.clone();
    none["change"] = json!({"before": now});
    let whole = plan(std::slice::from_ref(&one)).to_string();
    let unread = [
        plan(&[odd]).to_string(),
        plan(&[none]).to_string(),
        whole.chars().take(whole.len() - 20).collect(),
        "{\"@level\":\"info\",\"type\":\"version\"}\n{\"@level\":\"info\",\"type\":\"planned_change\"}\n".to_owned(),
    ];
    for text in unread {
        folder.write("plan.json", &text);
        let report = report(&folder);
        assert_eq!(each(&report, "unread", "path"), ["plan.json"], "{text}");
    }
    let mut errored = plan(std::slice::from_ref(&one));
    errored["errored"] = json!(true);
    let mut partial = plan(std::slice::from_ref(&one));
    partial["complete"] = json!(false);
    let mut deferred = plan(&[]);
    deferred["deferred_changes"] =
        json!([{"reason": "resource_config_unknown", "resource_change": one}]);
    for text in [errored, partial, deferred] {
        folder.write("plan.json", text.to_string());
        let report = report(&folder);
        assert_eq!(each(&report, "undecided", "path"), ["plan.json"], "{text}");
    }
}

#[test]
fn a_plan_older_than_the_last_exercise_is_told() {
    let folder = Folder::of_the_reference_deployment();
    let exercise = json!({"version": 1, "kind": "exercise", "started": "2026-11-29T08:00:00Z", "finished": "2026-11-29T08:09:10Z", "outcome": "passed", "tool": "0.1.0", "phases": {"switch": 1, "return": 1}, "artefacts": {"pointsman.toml": "00".repeat(32)}});
    folder.write("rehearsals/2026-11-29-exercise.json", exercise.to_string());
    let now = apex(300, &json!(["203.0.113.20"]), &json!([]));
    let later = apex(60, &json!(["203.0.113.20"]), &json!([]));
    let mut saved = plan(&[change(
        "aws_route53_record.apex",
        &json!(["update"]),
        &now,
        &later,
    )]);
    for (made, older) in [
        ("2026-11-29T08:05:00Z", true),
        ("2026-11-29T08:30:00Z", false),
    ] {
        saved["timestamp"] = json!(made);
        folder.write("terraform/plan.json", saved.to_string());
        let found = rules(&folder);
        assert_eq!(
            found.contains(&"plan-older-than-switch".to_owned()),
            older,
            "{found:?}"
        );
    }
}

#[test]
fn a_plan_that_is_cut_off_is_told_whatever_it_is_called() {
    let folder = Folder::empty();
    let whole = "{\"format_version\":\"1.2\",\"terraform_version\":\"1.11.4\",\"planned_values\":{\"root_module\":{}},\"timestamp\":\"2026-11-30T12:00:00Z\"}";
    let lengths = [1, 5, 20, 60, 100];
    for (path, least) in [
        ("plan2.json", 0),
        ("tfplan.json", 0),
        ("out/of-terraform.json", 5),
    ] {
        for length in lengths.iter().chain([&0]).filter(|at| **at >= least) {
            folder.write(path, whole.get(..*length).unwrap());
            let report = report(&folder);
            assert_eq!(each(&report, "unread", "path"), [path], "{length}");
        }
        folder.write(path, whole);
        assert_eq!(report(&folder)["unread"], json!([]), "{path}");
        folder.remove(path);
    }
    // A state, and what `terraform validate -json` writes, begin in the same way.
    folder.write(
        "state.json",
        "{\"format_version\":\"1.0\",\"terraform_version\":\"1.11.4\",\"values\":{}}",
    );
    folder.write("valid.json", "{\"format_version\":\"1.0\",\"valid\":true}");
    assert_eq!(report(&folder)["unread"], json!([]));
}

#[test]
fn a_plan_is_taken_in_the_form_that_terraform_gives_it() {
    let folder = Folder::empty();
    // Terraform leaves `resource_changes` out where there is no resource.
    let empty = json!({"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": {"root_module": {}}, "complete": true, "errored": false});
    let mut cut = empty.clone();
    cut["planned_values"]["root_module"]["resources"] = json!([{"address": "aws_iam_role.r"}]);
    let odd = |key: &str, value: Value| {
        let mut plan = empty.clone();
        plan[key] = value;
        plan
    };
    for (plan, unread, undecided) in [
        (empty.clone(), 0, 0),
        (cut, 0, 1),
        (odd("resource_changes", Value::Null), 1, 0),
        (odd("resource_changes", json!({})), 1, 0),
        (odd("resource_drift", json!("x")), 1, 0),
        (odd("format_version", json!("9.0")), 1, 0),
        (odd("format_version", json!(1)), 1, 0),
        (odd("format_version", json!("1.9")), 0, 0),
        (odd("errored", json!("no")), 1, 0),
    ] {
        folder.write("plan.json", plan.to_string());
        let report = report(&folder);
        let told = |list: &str| report[list].as_array().unwrap().len();
        assert_eq!(
            (told("unread"), told("undecided")),
            (unread, undecided),
            "{plan}"
        );
    }
    folder.write("plan.json", empty.to_string());
    let ran = folder.run(&["validate", "terraform", "plan.json"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
}

#[test]
fn a_record_that_is_made_over_one_of_somebody_else_is_told() {
    let folder = Folder::empty();
    folder.write("ownership.json", "{\"records\": [\"example.com A\"]}");
    let mut made = apex(300, &json!(["198.51.100.10"]), &json!([]));
    let mut other = made.clone();
    other["name"] = json!("old.example.com");
    let address = "aws_route53_record.apex";
    let create = json!(["create"]);
    let rename = json!(["delete", "create"]);
    let told = |actions: &Value, before: &Value, after: &Value| {
        folder.write(
            "plan.json",
            plan(&[change(address, actions, before, after)]).to_string(),
        );
        rules(&folder)
    };
    // Route 53 refuses to make a record that is there.
    assert_eq!(told(&create, &Value::Null, &made), Vec::<String>::new());
    assert_eq!(told(&rename, &other, &made), ["plan-writes-owned-record"]);
    made["allow_overwrite"] = json!(true);
    assert_eq!(
        told(&create, &Value::Null, &made),
        ["plan-writes-owned-record"]
    );
    other["allow_overwrite"] = json!(true);
    assert_eq!(told(&create, &Value::Null, &other), Vec::<String>::new());
}

#[test]
fn drift_of_a_switched_record_to_the_address_of_no_site_is_told() {
    let folder = Folder::of_the_reference_deployment();
    let before = apex(300, &json!(["198.51.100.10"]), &json!([]));
    for (now, sound) in [
        (json!(["203.0.113.20"]), true),
        (json!(["203.0.113.99"]), false),
        (json!(["198.51.100.10", "203.0.113.20"]), false),
        (json!([]), false),
    ] {
        let after = apex(300, &now, &json!([]));
        let mut saved = plan(&[]);
        saved["resource_drift"] = json!([change(
            "aws_route53_record.apex",
            &json!(["update"]),
            &before,
            &after
        )]);
        folder.write("terraform/plan.json", saved.to_string());
        let found = rules(&folder);
        assert_eq!(
            found.contains(&"plan-record-drift".to_owned()),
            !sound,
            "{now}: {found:?}"
        );
    }
}

#[test]
fn a_right_that_somebody_gave_the_role_is_told_and_those_of_the_plan_are_not() {
    let folder = Folder::empty();
    let role = |names: &[&str]| {
        let inline: Vec<Value> = names
            .iter()
            .map(|name| json!({"name": name, "policy": "{}"}))
            .collect();
        json!({"name": "r", "assume_role_policy": "{}", "inline_policy": inline})
    };
    let own = json!({"name": "own", "role": "r", "policy": "{}"});
    for (names, told) in [(["own"].as_slice(), false), (&["own", "other"], true)] {
        let mut saved = plan(&[change(
            "aws_iam_role_policy.own",
            &json!(["no-op"]),
            &own,
            &own,
        )]);
        saved["resource_drift"] = json!([change(
            "aws_iam_role.r",
            &json!(["update"]),
            &role(&[]),
            &role(names)
        )]);
        folder.write("plan.json", saved.to_string());
        let found = rules(&folder);
        assert_eq!(
            found.contains(&"plan-policy-drift".to_owned()),
            told,
            "{found:?}"
        );
    }
}

#[test]
fn the_time_of_a_plan_is_read_whole_and_missing_is_told() {
    let folder = Folder::of_the_reference_deployment();
    let exercise = json!({"version": 1, "kind": "exercise", "started": "2026-11-29T08:00:00Z", "finished": "2026-11-29T08:09:10Z", "outcome": "passed", "tool": "0.1.0", "phases": {"switch": 1, "return": 1}, "artefacts": {"pointsman.toml": "00".repeat(32)}});
    folder.write("rehearsals/2026-11-29-exercise.json", exercise.to_string());
    let now = apex(300, &json!(["203.0.113.20"]), &json!([]));
    let later = apex(60, &json!(["203.0.113.20"]), &json!([]));
    let update = json!(["update"]);
    let mut saved = plan(&[change("aws_route53_record.apex", &update, &now, &later)]);
    for (made, older, open) in [
        (json!("2026-11-29T08:09:09Z"), true, false),
        (json!("2026-11-29T08:09:10.5Z"), false, false),
        (json!("2026-11-29T17:09:00+09:00"), true, false),
        (json!("2026-11-29T17:09:11+09:00"), false, false),
        (json!("2026-11-29T08:09:09"), false, true),
        (json!(1), false, true),
        (Value::Null, false, true),
    ] {
        saved["timestamp"] = made.clone();
        folder.write("terraform/plan.json", saved.to_string());
        for arguments in [
            ["validate", ".", "--format", "json"].as_slice(),
            &["validate", "terraform", "--format", "json"],
            &["validate", "terraform/plan.json", "--format", "json"],
            &["validate", "terraform", "terraform", "--format", "json"],
        ] {
            let report = folder.run(arguments).json();
            let found = each(&report, "findings", "rule");
            assert_eq!(
                found.contains(&"plan-older-than-switch"),
                older,
                "{made} {arguments:?}"
            );
            let what = "whether the plan is older than the last switch";
            let undecided = each(&report, "undecided", "what");
            assert_eq!(undecided.contains(&what), open, "{made} {arguments:?}");
        }
    }
}
