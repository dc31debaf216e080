//! Policy documents against what the provider makes of the same blocks.

use proptest::prelude::*;

use crate::syntax::{hcl, pointer};
use crate::terraform::evaluate::Evaluator;
use crate::terraform::{Declarations, Known, Module, PolicyText};
use crate::text::SourceMap;

const USE: &str =
    "\nresource \"aws_iam_policy\" \"p\" {\n  policy = data.aws_iam_policy_document.d.json\n}\n";

fn declared(input: &str) -> Option<(SourceMap, Declarations)> {
    let mut sources = SourceMap::default();
    let file = sources.add("main.tf", input);
    let module = Module {
        files: vec![hcl::read(&sources.text(file)?)],
        ..Module::default()
    };
    let declared = Declarations::read(&module, &Known::default());
    Some((sources, declared))
}

/// The text of an attribute of `data.aws_iam_policy_document.d`, or why there is none.
fn text(input: &str, expression: &str) -> Option<Result<String, String>> {
    let mut sources = SourceMap::default();
    let file = sources.add("main.tf", input);
    let asked = sources.add("expression", expression);
    let module = Module {
        files: vec![hcl::read(&sources.text(file)?)],
        ..Module::default()
    };
    let known = Known::default();
    let expression = hcl::read_expression(&sources.text(asked)?).ok()?;
    let value = match Evaluator::new(&module, &known).value(&expression) {
        Ok(value) => value,
        Err(fault) => return Some(Err(fault.reason)),
    };
    let text = value.as_text().map(|text| text.as_str().to_owned());
    Some(text.ok_or_else(|| value.hole().map_or_else(String::new, |hole| hole.why)))
}

fn minified(input: &str) -> Option<Result<String, String>> {
    text(input, "data.aws_iam_policy_document.d.minified_json")
}

#[test]
fn the_text_is_the_one_of_the_provider_byte_by_byte() {
    let input = r#"
data "aws_iam_policy_document" "d" {
  statement {
    sid       = "One"
    resources = ["arn:aws:s3:::a/&{aws:username}", "arn:aws:s3:::b", "arn:aws:s3:::b"]
    actions   = ["s3:GetObject"]
    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["home/", "", "<x>"]
    }
  }
}
"#;
    let expected = "{\n  \"Version\": \"2012-10-17\",\n  \"Statement\": [\n    {\n      \"Sid\": \"One\",\n      \"Effect\": \"Allow\",\n      \"Action\": \"s3:GetObject\",\n      \"Resource\": [\n        \"arn:aws:s3:::b\",\n        \"arn:aws:s3:::a/${aws:username}\"\n      ],\n      \"Condition\": {\n        \"StringLike\": {\n          \"s3:prefix\": [\n            \"home/\",\n            \"\",\n            \"\\u003cx\\u003e\"\n          ]\n        }\n      }\n    }\n  ]\n}";
    let json = text(input, "data.aws_iam_policy_document.d.json").unwrap();
    assert_eq!(json.unwrap(), expected);
    let short = minified(input).unwrap().unwrap();
    assert!(short.starts_with(r#"{"Version":"2012-10-17","Statement":[{"Sid":"One","Effect""#));
}

#[test]
fn a_finding_can_point_at_the_bytes_in_the_block() {
    let input = format!(
        "locals {{\n  name = \"\\\\052.example.com\"\n}}\ndata \"aws_iam_policy_document\" \"d\" {{\n  statement {{\n    actions = [\"route53:*\"]\n    resources = [aws_route53_zone.z.arn]\n    condition {{\n      test = \"StringEquals\"\n      variable = \"k\"\n      values = [local.name]\n    }}\n  }}\n}}\n{USE}"
    );
    let (sources, declared) = declared(&input).unwrap();
    let PolicyText::Tree(tree) = &declared.policies[0].text else {
        panic!("{:?}", declared.policies);
    };
    let written = |at: &str| sources.slice(pointer::find(tree, at).unwrap().span());
    assert_eq!(written("/Statement/0/Action"), "\"route53:*\"");
    assert_eq!(
        written("/Statement/0/Condition/StringEquals/k"),
        "\"\\\\052.example.com\""
    );
    let resource = pointer::find(tree, "/Statement/0/Resource").unwrap();
    let unknown = resource.as_unknown().unwrap();
    assert_eq!(unknown.missing, ["aws_route53_zone.z.arn"]);
    let statement = tree.get("Statement").unwrap().as_list().unwrap();
    let action = statement[0].entry("Action").unwrap();
    assert_eq!(sources.slice(action.key.span()), "actions");
}

#[test]
fn principals_and_conditions_of_several_blocks_are_joined() {
    let input = r#"
data "aws_iam_policy_document" "d" {
  statement {
    actions = []
    principals {
      type        = "AWS"
      identifiers = ["a", "b"]
    }
    principals {
      type        = "AWS"
      identifiers = ["c"]
    }
    principals {
      type        = "Service"
      identifiers = ["s"]
    }
    condition {
      test     = "T"
      variable = "v"
      values   = ["2", "1"]
    }
    condition {
      test     = "T"
      variable = "v"
      values   = ["1"]
    }
    condition {
      test     = "T"
      variable = "a"
      values   = [true]
    }
  }
}
"#;
    assert_eq!(
        minified(input).unwrap().unwrap(),
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["b","a","c"],"Service":"s"},"Condition":{"T":{"a":"true","v":["2","1","1"]}}}]}"#
    );
}

#[test]
fn everyone_is_a_star_alone_only_under_the_type_star() {
    let of = |kind: &str| {
        minified(&format!(
            "data \"aws_iam_policy_document\" \"d\" {{\n  statement {{\n    principals {{\n      type = \"{kind}\"\n      identifiers = [\"*\"]\n    }}\n  }}\n}}\n"
        ))
    };
    assert!(of("*").unwrap().unwrap().contains(r#""Principal":"*""#));
    let aws = of("AWS").unwrap().unwrap();
    assert!(aws.contains(r#""Principal":{"AWS":"*"}"#), "{aws}");
}

#[test]
fn other_documents_are_merged_by_their_sids() {
    let input = r#"
data "aws_iam_policy_document" "base" {
  version = "2008-10-17"
  statement {
    sid     = "Same"
    actions = ["s3:*"]
  }
  statement {
    actions = ["ec2:*"]
  }
}
data "aws_iam_policy_document" "d" {
  source_policy_documents   = ["", data.aws_iam_policy_document.base.json]
  override_policy_documents = [
    jsonencode({
      Id = "given"
      Statement = [{ Sid = "Last", Effect = "Deny", Action = "*", Condition = { Bool = { k = true } } }]
    }),
  ]
  statement {
    sid     = "Same"
    actions = ["iam:*"]
  }
  statement {
    sid     = "Last"
    actions = ["sns:*"]
  }
}
"#;
    let expected = r#"{"Version":"2012-10-17","Id":"given","Statement":[{"Sid":"Same","Effect":"Allow","Action":"iam:*"},{"Effect":"Allow","Action":"ec2:*"},{"Sid":"Last","Effect":"Deny","Action":"*","Condition":{"Bool":{"k":"true"}}}]}"#;
    assert_eq!(minified(input).unwrap().unwrap(), expected);
}

#[test]
fn what_the_provider_refuses_is_an_error() {
    let twice = "data \"aws_iam_policy_document\" \"d\" {\n  statement {\n    sid = \"A\"\n  }\n  statement {\n    sid = \"A\"\n  }\n}\n";
    let reason = minified(twice).unwrap().unwrap_err();
    assert!(
        reason.contains("`A`") && reason.contains("twice"),
        "{reason}"
    );
    let old = "data \"aws_iam_policy_document\" \"d\" {\n  version = \"2008-10-17\"\n  statement {\n    resources = [\"a/&{aws:username}\"]\n  }\n}\n";
    let reason = minified(old).unwrap().unwrap_err();
    assert!(reason.contains("2008-10-17"), "{reason}");
    let source = "data \"aws_iam_policy_document\" \"d\" {\n  source_policy_documents = [\"{\\\"Statement\\\":[{\\\"Sid\\\":\\\"A\\\"}]}\", \"{\\\"Statement\\\":[{\\\"Sid\\\":\\\"A\\\"}]}\"]\n}\n";
    let reason = minified(source).unwrap().unwrap_err();
    assert!(reason.contains("source documents"), "{reason}");
    let circle = "data \"aws_iam_policy_document\" \"d\" {\n  policy_id = data.aws_iam_policy_document.d.json\n}\n";
    let reason = minified(circle).unwrap().unwrap_err();
    assert!(reason.contains("depends on itself"), "{reason}");
}

#[test]
fn dynamic_blocks_and_instances_are_made_of_known_collections() {
    let input = r#"
data "aws_iam_policy_document" "d" {
  for_each = { a = ["s3:Get*"], b = [] }
  dynamic "statement" {
    for_each = each.value
    iterator = it
    content {
      actions   = [it.value]
      resources = ["arn:aws:s3:::${each.key}"]
    }
  }
}
"#;
    let of = |key: &str| {
        let expression = format!("data.aws_iam_policy_document.d[\"{key}\"].minified_json");
        text(input, &expression)
    };
    assert_eq!(
        of("a").unwrap().unwrap(),
        r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:Get*","Resource":"arn:aws:s3:::a"}]}"#
    );
    assert_eq!(of("b").unwrap().unwrap(), r#"{"Version":"2012-10-17"}"#);
    let counted = "data \"aws_iam_policy_document\" \"d\" {\n  count = 1\n  policy_id = \"n${count.index}\"\n}\n";
    let joined = text(
        counted,
        "join(\"\", data.aws_iam_policy_document.d[*].minified_json)",
    );
    assert_eq!(
        joined.unwrap().unwrap(),
        r#"{"Version":"2012-10-17","Id":"n0"}"#
    );
}

#[test]
fn what_is_not_known_leaves_the_rest_known() {
    let input = format!(
        "variable \"more\" {{}}\ndata \"aws_iam_policy_document\" \"d\" {{\n  source_policy_documents = [var.more]\n  statement {{\n    actions = [\"s3:Get*\", local.undeclared]\n    dynamic \"condition\" {{\n      for_each = var.more\n      content {{}}\n    }}\n  }}\n}}\n{USE}"
    );
    let (_, declared) = declared(&input).unwrap();
    let PolicyText::Tree(tree) = &declared.policies[0].text else {
        panic!("{:?}", declared.policies);
    };
    let at = |path: &str| pointer::find(tree, path).unwrap();
    assert_eq!(
        at("/Statement/0").as_unknown().unwrap().missing,
        ["var.more"]
    );
    assert_eq!(at("/Statement/1/Action/0").as_str(), Some("s3:Get*"));
    assert!(at("/Statement/1/Action/1").as_unknown().is_some());
    assert!(at("/Statement/1/Condition").as_unknown().is_some());
}

proptest! {
    #[test]
    fn no_document_panics(parts in prop::collection::vec(0_usize..12, 0..24)) {
        const PARTS: [&str; 12] = [
            "statement {\n", "}\n", "actions = [\"*\", null]\n", "sid = 1\n", "principals {\n",
            "type = \"*\"\nidentifiers = [\"*\"]\n", "condition {\n", "test = \"T\"\nvariable = \"v\"\nvalues = []\n",
            "dynamic \"statement\" {\nfor_each = [1, 2]\ncontent {\n", "count = 2\n",
            "override_policy_documents = [data.aws_iam_policy_document.d.json, \"{}\", \"x\"]\n",
            "resources = each.value\n",
        ];
        let body: String = parts.iter().map(|at| PARTS[*at]).collect();
        let input = format!("data \"aws_iam_policy_document\" \"d\" {{\n{body}}}\n{USE}");
        let (sources, declared) = declared(&input).unwrap();
        for policy in &declared.policies {
            if let PolicyText::Tree(tree) = &policy.text {
                prop_assert!(sources.get(tree.span().file).is_some());
            }
        }
    }
}
