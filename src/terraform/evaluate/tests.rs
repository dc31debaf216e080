//! Tests of the evaluator: places, unknowns, bounds. What values come to is measured in `tests/it/terraform_console.rs`.

use super::*;
use crate::syntax::Kind;
use crate::syntax::hcl;
use crate::terraform::Known;
use crate::text::{SourceMap, TextBuilder};
use proptest::prelude::*;

struct Asked {
    sources: SourceMap,
    value: Result<Value, Fault>,
}

impl Asked {
    fn node(&self) -> Option<Node> {
        self.value.as_ref().ok().map(Value::to_node)
    }

    /// The bytes that made the bytes `part` of the string that came out.
    fn bytes_of(&self, part: &str) -> Option<String> {
        let node = self.node()?;
        let text = node.as_text()?;
        let at = text.as_str().find(part)?;
        let span = text.span_of(at..at + part.len());
        Some(self.sources.slice(span).to_owned())
    }

    fn why(&self) -> Option<Unknown> {
        self.value.as_ref().ok()?.any_hole()
    }
}

/// Evaluates the local `x` of a module of one file.
fn ask_with(known: &Known, input: &str) -> Option<Asked> {
    let mut sources = SourceMap::default();
    let file = sources.add("main.tf", input);
    let module = Module {
        folder: String::new(),
        files: vec![hcl::read(&sources.text(file)?)],
        ..Module::default()
    };
    let expression = module.locals().find(|local| local.name.as_str() == "x")?;
    let value = Evaluator::new(&module, known).value(&expression.value);
    Some(Asked { sources, value })
}

fn ask(input: &str) -> Option<Asked> {
    ask_with(&Known::default(), input)
}

#[test]
fn text_that_goes_through_a_local_a_template_and_functions_points_at_its_bytes() {
    let asked = ask(
        "locals {\n  zone = \"example.com\"\n  x = lower(replace(\"*.${local.zone}\", \"*\", \"\\\\052\"))\n}\n",
    )
    .unwrap();
    let node = asked.node().unwrap();
    assert_eq!(node.as_str(), Some("\\052.example.com"));
    assert_eq!(asked.bytes_of("\\").unwrap(), "\\\\");
    assert_eq!(asked.bytes_of("052").unwrap(), "052");
    assert_eq!(asked.bytes_of("example.com").unwrap(), "example.com");
    let text = node.as_text().unwrap();
    let zone = text.span_of(5..12);
    assert_eq!(zone.start, 19, "in the local, not where it is used");
}

#[test]
fn a_reference_remembers_where_it_is_used() {
    let asked = ask("locals {\n  a = \"v\"\n  x = local.a\n}\n").unwrap();
    let value = asked.value.as_ref().unwrap();
    assert_eq!(asked.sources.slice(value.span()), "\"v\"");
    let through: Vec<_> = value
        .origin
        .through()
        .iter()
        .map(|span| asked.sources.slice(*span))
        .collect();
    assert_eq!(through, ["local.a"]);
}

#[test]
fn what_is_encoded_keeps_its_tree_and_its_known_parts() {
    let asked =
        ask("locals {\n  x = jsonencode({ A = [\"k\", aws_s3_bucket.b.arn], B = \"v\" })\n}\n")
            .unwrap();
    let Ok(Value {
        kind: ValueKind::Encoded(inner, _),
        ..
    }) = &asked.value
    else {
        panic!("not encoded");
    };
    assert_eq!(asked.sources.slice(inner.get("B").unwrap().span()), "\"v\"");
    assert_eq!(asked.why().unwrap().missing, ["aws_s3_bucket.b.arn"]);
}

#[test]
fn encoded_text_points_at_what_was_encoded() {
    let asked = ask("locals {\n  x = jsonencode({ k = \"a\\\\b\" })\n}\n").unwrap();
    let node = asked.node().unwrap();
    assert_eq!(node.as_str(), Some("{\"k\":\"a\\\\b\"}"));
    assert_eq!(asked.bytes_of("\\\\").unwrap(), "\\\\");
}

#[test]
fn lists_are_formatted_side_by_side() {
    let x = |expression: &str| {
        let asked = ask(&format!("locals {{\n  x = jsonencode({expression})\n}}\n")).unwrap();
        let value = asked.value.map_err(|fault| fault.reason);
        value.map(|value| value.as_text().unwrap().as_str().to_owned())
    };
    assert_eq!(
        x("formatlist(\"%s/%s\", [\"a\", \"b\"], \"*\")").unwrap(),
        r#"["a/*","b/*"]"#
    );
    assert_eq!(x("formatlist(\"%d\", 1)").unwrap(), r#"["1"]"#);
    assert_eq!(x("formatlist(\"%s\", [])").unwrap(), "[]");
    let reason = x("formatlist(\"%s%s\", [1], [1, 2])").unwrap_err();
    assert!(reason.contains("one length"), "{reason}");
}

#[test]
fn what_is_not_known_names_its_address() {
    for (expression, missing) in [
        ("var.zone", "var.zone"),
        (
            "aws_route53_zone.main.zone_id",
            "aws_route53_zone.main.zone_id",
        ),
        ("\"a-${module.m.out}-b\"", "module.m.out"),
        (
            "data.aws_caller_identity.current.account_id",
            "data.aws_caller_identity.current.account_id",
        ),
        ("[for b in aws_s3_bucket.b : b.id]", "aws_s3_bucket.b"),
        ("each.value", "each.value"),
        ("uuid()", "uuid()"),
    ] {
        let asked = ask(&format!(
            "variable \"zone\" {{}}\nmodule \"m\" {{\n  source = \"example/m/aws\"\n}}\nlocals {{\n  x = {expression}\n}}\n"
        ))
        .unwrap();
        assert_eq!(asked.why().unwrap().missing, [missing], "{expression}");
    }
}

#[test]
fn a_policy_document_that_is_declared_nowhere_is_an_error() {
    let asked = ask("locals {\n  x = data.aws_iam_policy_document.p.json\n}\n").unwrap();
    let reason = asked.value.unwrap_err().reason;
    assert!(
        reason.contains("`data.aws_iam_policy_document.p` is not declared"),
        "{reason}"
    );
}

#[test]
fn a_provider_looked_up_by_its_url_has_the_arn_of_the_account() {
    let module = "data \"aws_iam_openid_connect_provider\" \"github\" {\n  url = \"https://token.actions.githubusercontent.com\"\n}\nlocals {\n  x = data.aws_iam_openid_connect_provider.github.arn\n}\n";
    let known = Known {
        account: Some("123456789012".to_owned()),
        partition: None,
    };
    let asked = ask_with(&known, module).unwrap();
    assert_eq!(
        asked.node().unwrap().as_str(),
        Some("arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com")
    );
    assert!(ask(module).unwrap().why().unwrap().why.contains("account"));
}

#[test]
fn the_name_and_id_of_a_role_are_what_its_block_says() {
    let asked = ask("resource \"aws_iam_role\" \"r\" {\n  name = \"dns-failover\"\n}\nlocals {\n  x = [aws_iam_role.r.name, aws_iam_role.r.id]\n}\n").unwrap();
    let node = asked.node().unwrap();
    let names: Vec<_> = node.as_list().unwrap().iter().map(|n| n.as_str()).collect();
    assert_eq!(names, [Some("dns-failover"); 2]);
}

#[test]
fn locals_in_a_circle_are_told_with_the_way() {
    let asked = ask("locals {\n  x = local.a\n  a = local.b\n  b = \"${local.x}\"\n}\n").unwrap();
    let fault = asked.value.unwrap_err();
    assert!(
        fault
            .reason
            .contains("local.a -> local.b -> local.x -> local.a"),
        "{}",
        fault.reason
    );
}

#[test]
fn a_name_declared_in_a_broken_file_is_unknown_and_no_error() {
    let asked = ask("locals {\n  x = local.gone\n}\nlocals {\n  gone = = 1\n}\n").unwrap();
    assert_eq!(asked.why().unwrap().missing, ["local.gone"]);
}

#[test]
fn text_that_doubles_and_doubles_is_stopped() {
    let mut module = String::from("locals {\n  a0 = \"0123456789abcdef\"\n");
    for at in 1..60 {
        module += &format!(
            "  a{at} = \"${{local.a{}}}${{local.a{}}}\"\n",
            at - 1,
            at - 1
        );
    }
    module += "  x = local.a59\n}\n";
    let unknown = ask(&module).unwrap().why().unwrap();
    assert!(unknown.why.contains("steps"), "{}", unknown.why);
    let mut module = String::from("locals {\n  a0 = [1, 2]\n");
    for at in 1..60 {
        module += &format!("  a{at} = [local.a{}, local.a{}]\n", at - 1, at - 1);
    }
    module += "  x = local.a59\n}\n";
    let unknown = ask(&module).unwrap().why().unwrap();
    assert!(unknown.why.contains("steps"), "{}", unknown.why);
}

#[test]
fn a_bound_is_no_error_that_a_function_takes() {
    let mut chain = String::from("locals {\n  a0 = 1\n");
    for at in 1..1000 {
        chain += &format!("  a{at} = ((local.a{}))\n", at - 1);
    }
    for expression in [
        "try(local.a999, \"x\")",
        "can(local.a999)",
        "true ? 1 : local.a999",
        "[for x in [1] : can(local.a999)][0]",
        "can(jsondecode(join(\"\", [for x in range(900) : \"[\"])))",
        "can(format(\"%100000d\", 1))",
    ] {
        let asked = ask(&format!("{chain}  x = {expression}\n}}\n")).unwrap();
        let why = asked.why().unwrap().why;
        let told = ["levels", "characters"]
            .iter()
            .any(|word| why.contains(word));
        assert!(told, "{expression}: {why}");
    }
}

#[test]
fn null_for_a_variable_that_is_required_is_an_error() {
    let module = "variable \"v\" {\n  nullable = false\n}\n";
    let given =
        "module \"m\" {\n  source = \"./m\"\n  v = null\n}\nlocals {\n  x = module.m.v\n}\n";
    let mut sources = SourceMap::default();
    let mut read = |path: &str, text: &str| {
        let file = sources.add(path, text);
        hcl::read(&sources.text(file).unwrap())
    };
    let called = Module {
        folder: "m".to_owned(),
        files: vec![read(
            "m/main.tf",
            &format!("{module}output \"v\" {{\n  value = try(var.v, 1)\n}}\n"),
        )],
        ..Module::default()
    };
    let root = Module {
        files: vec![read("main.tf", given)],
        ..Module::default()
    };
    let library = Library {
        modules: [("m".to_owned(), called)].into(),
        ..Library::default()
    };
    let known = Known::default();
    let mut evaluator = Evaluator::new(&root, &known).beside(&library);
    let wanted = root.locals().next().unwrap();
    let fault = evaluator.value(&wanted.value).unwrap_err();
    assert!(fault.reason.contains("nullable"), "{}", fault.reason);
}

#[test]
fn a_long_chain_of_locals_is_stopped_without_harm() {
    let mut module = String::from("locals {\n  a0 = 1\n");
    for at in 1..5000 {
        module += &format!("  a{at} = ((local.a{}))\n", at - 1);
    }
    module += "  x = local.a4999\n}\n";
    let unknown = ask(&module).unwrap().why().unwrap();
    assert!(unknown.why.contains("levels"), "{}", unknown.why);
}

#[test]
fn long_ways_into_a_value_do_no_harm() {
    for steps in [
        ".x".repeat(50_000),
        "[*]".repeat(50_000),
        ".*".repeat(50_000),
        "[0]".repeat(50_000),
    ] {
        for root in ["var.v", "local.l", "each.value"] {
            let module =
                format!("variable \"v\" {{}}\nlocals {{\n  l = [[1]]\n  x = {root}{steps}\n}}\n");
            drop(ask(&module));
        }
    }
}

#[test]
fn values_that_nest_through_locals_are_stopped() {
    let mut module = String::from("locals {\n  a0 = 1\n");
    for at in 1..3000 {
        module += &format!("  a{at} = [local.a{}]\n", at - 1);
    }
    module += "}\n";
    let mut sources = SourceMap::default();
    let file = sources.add("main.tf", module);
    let module = Module {
        files: vec![hcl::read(&sources.text(file).unwrap())],
        ..Module::default()
    };
    let known = Known::default();
    let mut evaluator = Evaluator::new(&module, &known);
    let results: Vec<_> = module
        .locals()
        .map(|local| evaluator.value(&local.value))
        .collect();
    let last = results.last().unwrap().as_ref().unwrap();
    assert!(
        last.any_hole()
            .is_some_and(|unknown| unknown.why.contains("levels"))
    );
    assert!(
        results
            .first()
            .unwrap()
            .as_ref()
            .unwrap()
            .any_hole()
            .is_none()
    );
}

#[test]
fn numbers_in_text_keep_the_place_of_the_number() {
    let asked =
        ask("variable \"id\" {\n  default = 1234567\n}\nlocals {\n  x = \"repo:o@${var.id}\"\n}\n")
            .unwrap();
    assert_eq!(asked.bytes_of("1234567").unwrap(), "1234567");
}

#[test]
fn results_of_functions_that_are_too_large_are_stopped_before_they_are_made() {
    let (many, long) = ("a".repeat(300_000), "b".repeat(10_000));
    let mut encoded = "\"<\"".to_owned();
    for _ in 0..60 {
        encoded = format!("jsonencode({encoded})");
    }
    let list = "\"\", ".repeat(20_000);
    let digits = "1,".repeat(600_000);
    let large = [
        format!("replace(\"{many}\", \"a\", \"{long}\")"),
        format!("join(\"{long}\", [{list}])"),
        format!("split(\"a\", \"{many}{many}\")"),
        format!("jsondecode(\"[{digits}1]\")"),
        encoded,
    ];
    for expression in large {
        let asked = ask(&format!("locals {{\n  x = {expression}\n}}\n")).unwrap();
        let why = asked.why().unwrap().why;
        assert!(why.contains("500000 steps"), "{why}");
    }
}

#[test]
fn of_repeated_keys_the_last_counts() {
    let asked = ask("locals {\n  x = { a = 1, b = 2, a = 3 }\n}\n").unwrap();
    let node = asked.node().unwrap();
    assert_eq!(node.as_map().unwrap().len(), 2);
    assert_eq!(node.get("a").unwrap().as_integer(), Some(3));
}

#[test]
fn a_builder_carries_the_places_of_a_part() {
    let asked = ask("locals {\n  x = \"ab\\ncd\"\n}\n").unwrap();
    let node = asked.node().unwrap();
    let mut builder = TextBuilder::default();
    builder.push_text(node.as_text().unwrap(), 1..4);
    assert_eq!(builder.as_str(), "b\nc");
    assert_eq!(asked.sources.slice(builder.span().unwrap()), "b\\nc");
}

fn check(input: &str, node: &Node) -> Result<(), TestCaseError> {
    prop_assert!(input.get(node.span().range()).is_some());
    match &node.kind {
        Kind::Text(text) => {
            for (at, c) in text.as_str().char_indices() {
                let span = text.span_of(at..at + c.len_utf8());
                prop_assert!(input.get(span.range()).is_some());
            }
            Ok(())
        }
        Kind::List(items) => items.iter().try_for_each(|item| check(input, item)),
        Kind::Map(entries) => entries.iter().try_for_each(|e| check(input, &e.value)),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => Ok(()),
    }
}

proptest! {
    #[test]
    fn nothing_makes_it_panic_and_every_place_is_in_the_file(words in prop::collection::vec(prop::sample::select(vec![
        "local.a", "local.b", "var.v", "\"a\\\\052한${local.b}\"", "[1, \"b\", local.b]", "{ k = local.b, z = null }", "1.5", "-2", "true", "null",
        " + ", " == ", " && ", " ? ", " : ", "(", ")", "[0]", "[*]", ".k", ".*", "[for x in local.c : upper(x)]", "{ for k, v in local.d : v => k... }",
        "jsonencode(", "replace(local.b, \"b\", \"é\")", "join(\"-\", local.c)", "format(\"%s\", local.b)", "merge(local.d, {})", "toset(local.c)",
        "concat(local.c, [1])", "trimprefix(local.b, \"b\")", "split(\"b\", local.b)", "try(", "title(local.b)", "format(\"%5q\", local.b)", "substr(local.b, 1, -1)", "yamlencode(local.d)", "yamldecode(local.b)",
        "regexall(\"(b)\", local.b)", "setproduct(local.c, local.c)", "zipmap(local.c, local.c)", "csvdecode(local.b)", "base64encode(local.b)", "indent(2, local.b)",
        "templatestring(local.b, local.d)", "cidrsubnet(local.b, 1, 1)", "formatdate(local.b, local.b)", "slice(local.c, 0, 1)", "strrev(local.b)", "path.module", "\"%{ for x in local.c }${x}%{ endfor }\"", ", ",
    ]), 1..12)) {
        let input = format!(
            "locals {{\n  a = \"ä\"\n  b = \"b\\\\b${{local.a}}\"\n  c = [\"b\", local.a]\n  d = {{ k = \"v\" }}\n}}\nlocals {{\n  x = {}\n}}\n",
            words.concat()
        );
        if let Some(asked) = ask(&input) {
            match &asked.value {
                Ok(value) => check(&input, &value.to_node())?,
                Err(fault) => prop_assert!(input.get(fault.at.range()).is_some()),
            }
        }
    }
}
