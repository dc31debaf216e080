//! The endpoint of `serve`, bytes to bytes: forms in, XML out, in AWS's shapes.

use pointsman::iam::simulator::{Reply, reply};
use proptest::prelude::{ProptestConfig, any, proptest};

const ID: &str = "id";

/// A form, with its values escaped.
fn form(parameters: &[(&str, &str)]) -> String {
    let escaped = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' => {
                    char::from(byte).to_string()
                }
                other => format!("%{other:02X}"),
            })
            .collect()
    };
    let pairs: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
        .collect();
    pairs.join("&")
}

fn ask(parameters: &[(&str, &str)]) -> Reply {
    let action = [
        ("Action", "SimulateCustomPolicy"),
        ("Version", "2010-05-08"),
    ];
    let all: Vec<(&str, &str)> = action
        .into_iter()
        .chain(parameters.iter().copied())
        .collect();
    reply(form(&all).as_bytes(), ID)
}

const POLICY: &str = r#"{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::b/${aws:username}/*",
   "Condition": {"StringEquals": {"aws:PrincipalTag/<a&b>": "x"}}},
  {"Effect": "Deny", "Action": "s3:*", "Resource": "arn:aws:s3:::b/secret"}]}"#;

#[test]
fn an_answer_has_one_result_an_action_and_one_a_resource_inside() {
    let answer = ask(&[
        ("PolicyInputList.member.1", POLICY),
        ("ActionNames.member.1", "s3:GetObject"),
        ("ActionNames.member.2", "s3:PutObject"),
        ("ResourceArns.member.1", "arn:aws:s3:::b/secret"),
        ("ResourceArns.member.2", "arn:aws:s3:::b/anna/x"),
        ("ContextEntries.member.1.ContextKeyName", "aws:UserName"),
        ("ContextEntries.member.1.ContextKeyType", "string"),
        ("ContextEntries.member.1.ContextKeyValues.member.1", "anna"),
    ]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    crate::snapshot::assert("serve__simulated", &answer.body.replace("><", ">\n<"));
}

#[test]
fn what_is_no_arn_is_no_resource() {
    for (resource, status) in [
        ("*", 200),
        ("arn:aws:s3:::b/*", 200),
        ("b/secret", 400),
        ("arn:aws:s3", 400),
        ("arn:aws:s3:::", 400),
        ("", 400),
    ] {
        let answer = ask(&[
            ("PolicyInputList.member.1", POLICY),
            ("ActionNames.member.1", "s3:GetObject"),
            ("ResourceArns.member.1", resource),
        ]);
        assert_eq!(answer.status, status, "{resource}: {}", answer.body);
        let told = answer.body.contains("<Code>InvalidInput</Code>");
        assert_eq!(told, status == 400, "{resource}: {}", answer.body);
    }
}

#[test]
fn layers_take_part_and_are_told_by_their_details() {
    let allow_all =
        r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#;
    let no_s3 = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","NotAction":"s3:*","Resource":"*"}}"#;
    let base = [
        ("PolicyInputList.member.1", allow_all),
        ("ActionNames.member.1", "s3:GetObject"),
    ];
    let with = |more: &[(&str, &str)]| {
        let all: Vec<(&str, &str)> = base.into_iter().chain(more.iter().copied()).collect();
        ask(&all).body
    };
    let plain = with(&[]);
    assert!(
        plain.contains("<EvalDecision>allowed</EvalDecision>"),
        "{plain}"
    );
    assert!(
        !plain.contains("DecisionDetail") && !plain.contains("ResourceSpecific"),
        "{plain}"
    );
    let bounded = with(&[("PermissionsBoundaryPolicyInputList.member.1", no_s3)]);
    assert!(
        bounded.contains(
            "<EvalDecision>implicitDeny</EvalDecision><MatchedStatements></MatchedStatements>"
        ),
        "{bounded}"
    );
    assert!(
        bounded.contains("<AllowedByPermissionsBoundary>false<"),
        "{bounded}"
    );
    let level = |level: u8, policy| {
        (
            format!(
                "OrderedOrganizationPolicyInputList.member.{level}.ServiceControlPolicyInputList.member.1"
            ),
            policy,
        )
    };
    let levels = [level(1, allow_all), level(2, no_s3)];
    let levels: Vec<(&str, &str)> = levels
        .iter()
        .map(|(name, policy)| (name.as_str(), *policy))
        .collect();
    let organised = with(&levels);
    assert!(
        organised.contains("<AllowedByOrganizations>false<"),
        "{organised}"
    );
    assert!(
        organised.contains("<EvalDecision>implicitDeny<"),
        "{organised}"
    );
}

#[test]
fn a_resource_policy_counts_for_its_caller_and_not_for_a_role_s_trust() {
    let nothing =
        r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"a:B","Resource":"*"}}"#;
    let of_resource = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:user/anna"},"Action":["s3:GetObject","sts:AssumeRole"],"Resource":"*"}}"#;
    let decision = |action, resource| {
        ask(&[
            ("PolicyInputList.member.1", nothing),
            ("ActionNames.member.1", action),
            ("ResourceArns.member.1", resource),
            ("ResourcePolicy", of_resource),
            ("CallerArn", "arn:aws:iam::123456789012:user/anna"),
        ])
        .body
    };
    let object = decision("s3:GetObject", "arn:aws:s3:::b/k");
    assert!(object.contains("<EvalDecision>allowed<"), "{object}");
    assert!(
        object
            .contains("<SourcePolicyId>ResourcePolicy</SourcePolicyId><SourcePolicyType>resource<"),
        "{object}"
    );
    let role = decision("sts:AssumeRole", "arn:aws:iam::123456789012:role/r");
    assert!(role.contains("<EvalDecision>implicitDeny<"), "{role}");
}

#[test]
fn results_come_in_pages() {
    let list = [
        ("PolicyInputList.member.1", POLICY),
        ("ActionNames.member.1", "a:One"),
        ("ActionNames.member.2", "a:Two"),
        ("ActionNames.member.3", "a:Three"),
        ("MaxItems", "2"),
    ];
    let first = ask(&list).body;
    assert!(
        first.contains("a:Two") && !first.contains("a:Three"),
        "{first}"
    );
    assert!(
        first.contains("<IsTruncated>true</IsTruncated><Marker>after-2</Marker>"),
        "{first}"
    );
    let second = ask(&[&list[..], &[("Marker", "after-2")]].concat()).body;
    assert!(
        second.contains("a:Three") && !second.contains("a:Two"),
        "{second}"
    );
    assert!(
        second.contains("<IsTruncated>false</IsTruncated></Simulate"),
        "{second}"
    );
    let beyond = ask(&[&list[..], &[("Marker", "after-3")]].concat());
    assert_eq!(beyond.status, 400);
}

#[test]
fn keys_are_listed_in_the_order_of_the_document() {
    let asked = form(&[
        ("Action", "GetContextKeysForCustomPolicy"),
        ("PolicyInputList.member.1", POLICY),
        (
            "PolicyInputList.member.2",
            r#"{"Statement":{"Effect":"Allow","Action":"a:B","Resource":"${aws:userid}","Condition":{"Null":{"AWS:username":"true","aws:SourceIp":"false"}}}}"#,
        ),
    ]);
    let answer = reply(asked.as_bytes(), ID).body;
    // Without `Version` a variable is plain text.
    assert!(
        answer.contains("<ContextKeyNames><member>aws:username</member><member>aws:PrincipalTag/&lt;a&amp;b&gt;</member><member>aws:SourceIp</member></ContextKeyNames>"),
        "{answer}"
    );
}

/// What is refused as the client's fault, with this code and these words.
fn refused(parameters: &[(&str, &str)], code: &str, told: &str) {
    let refused = ask(parameters);
    let body = &refused.body;
    assert_eq!(refused.status, 400, "{body}");
    let start = format!("<Type>Sender</Type><Code>{code}</Code>");
    assert!(
        body.contains(&start) && body.contains(told),
        "{told}: {body}"
    );
}

const ACTION: (&str, &str) = ("ActionNames.member.1", "a:B");
const LIST: (&str, &str) = ("PolicyInputList.member.1", POLICY);

#[test]
fn a_policy_or_action_that_is_none_is_refused_with_aws_s_codes() {
    let policy = |text| ("PolicyInputList.member.1", text);
    let effect = r#"{"Statement":{"Effect":"allow","Action":"a:B","Resource":"*"}}"#;
    refused(&[ACTION], "ValidationError", "policyInputList");
    refused(&[LIST], "ValidationError", "actionNames");
    let star = ("ActionNames.member.1", "s3:*");
    refused(&[LIST, star], "InvalidInput", "`s3:*` is no action");
    refused(
        &[policy("{"), ACTION],
        "InvalidInput",
        "PolicyInputList.1: 1:2:",
    );
    refused(&[policy(effect), ACTION], "InvalidInput", "`allow`");
    let open = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"a:B","Resource":"arn:aws:a:::${var.x}"}}"#;
    let answer = ask(&[policy(open), ACTION]);
    assert_eq!(answer.status, 500);
    let code = "<Type>Receiver</Type><Code>PolicyEvaluation</Code>";
    assert!(answer.body.contains(code), "{}", answer.body);
}

#[test]
fn a_parameter_that_aws_does_not_take_is_refused_with_its_codes() {
    let with = |more: (&str, &str), code: &str, told: &str| {
        refused(&[LIST, ACTION, more], code, told);
    };
    let input = "InvalidInput";
    with(("ResourcePolicy", POLICY), input, "CallerArn is required");
    let session = "arn:aws:sts::123456789012:assumed-role/r/s";
    with(("CallerArn", session), input, "user, group or role");
    with(
        ("ResourceHandlingOption", "EC2-VPC-EBS"),
        input,
        "not simulated here",
    );
    with(("Marker", "x"), input, "`x` is no marker");
    with(("MaxItems", "0"), "ValidationError", "between 1 and 1000");
    with(("MaxItems", "x"), "ValidationError", "no number");
    with(
        ("Colour", "red"),
        "ValidationError",
        "`Colour` is no parameter",
    );
    let key = ("ContextEntries.member.1.ContextKeyName", "a:b");
    with(key, input, "has no ContextKeyType");
    let kind = ("ContextEntries.member.1.ContextKeyType", "text");
    refused(
        &[LIST, ACTION, key, kind],
        input,
        "`text` is no ContextKeyType",
    );
}

#[test]
fn what_is_not_served_is_refused() {
    let create = form(&[("Action", "CreateUser")]);
    let old = form(&[
        ("Action", "SimulateCustomPolicy"),
        ("Version", "2000-01-01"),
    ]);
    for (body, code) in [
        (create.as_str(), "InvalidAction"),
        (&old, "InvalidAction"),
        ("", "MissingAction"),
        ("%", "MalformedQueryString"),
    ] {
        let refused = reply(body.as_bytes(), ID);
        assert!(
            refused.body.contains(&format!("<Code>{code}</Code>")),
            "{}",
            refused.body
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_get_an_answer(bytes in any::<Vec<u8>>(), text in ".{0,80}") {
        assert!(reply(&bytes, ID).body.starts_with('<'));
        let parameters = [
            ("PolicyInputList.member.1", POLICY),
            ("ActionNames.member.1", text.as_str()),
            ("ResourceArns.member.1", text.as_str()),
            ("ContextEntries.member.1.ContextKeyName", text.as_str()),
            ("ContextEntries.member.1.ContextKeyType", "stringList"),
            ("ContextEntries.member.1.ContextKeyValues.member.7", text.as_str()),
        ];
        assert!(ask(&parameters).body.starts_with('<'));
        assert!(ask(&[("PolicyInputList.member.1", text.as_str()), ("ActionNames.member.1", "a:B")]).body.starts_with('<'));
    }
}
