//! The endpoint for rehearsals: the zone's own laws, and every call decided by the evaluator of `iam`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use pointsman::drill::{
    Action, Asked, Borrowed, Call, Cloud, Edit, Endpoint, HostedZone, Issuer, Now, Reply, Set,
    Start, Times, Trouble, Verdict, change_id,
};
use pointsman::iam::{Compiled, ContextValue, NamedPolicy, Policies, Request, Word};
use pointsman::model::dns::RecordName;
use pointsman::model::policy::PolicyDocument;
use pointsman::syntax::json;
use pointsman::text::SourceMap;
use proptest::prelude::*;

use crate::route53::{ZONE, name, zone};

const CHANGE_RECORDS: &str = include_str!("../../policies/change-records.json");

const READ_ZONE: &str = include_str!("../../policies/read-zone.json");

const EDGE: &str = "198.51.100.10";

const HUB: &str = "203.0.113.20";

fn edit(action: Action, written: &str, kind: &str, value: &str) -> Option<Edit> {
    let name = RecordName::parse(written).ok()?;
    Some(Edit {
        action,
        set: Set::new(name, kind, 300, value),
    })
}

/// What the batch is refused for; the zone must be as before then.
fn refused(edits: &[Option<Edit>]) -> Option<(u16, String, String)> {
    let edits: Vec<Edit> = edits.iter().flatten().cloned().collect();
    let before = zone().ok()?;
    let mut changed = before.clone();
    let refusal = changed.apply(&edits).err()?;
    assert_eq!(
        everything(&changed),
        everything(&before),
        "half of a batch was applied"
    );
    Some((refusal.http, refusal.code, refusal.message))
}

fn everything(zone: &HostedZone) -> Vec<Set> {
    let page = zone.list(&Start::default(), 300);
    page.map(|page| page.sets.into_iter().cloned().collect())
        .unwrap_or_default()
}

#[test]
fn a_batch_is_refused_whole_in_the_words_of_aws() {
    use Action::{Create, Delete, Upsert};
    let star = "*.example.com";
    let fine = edit(Upsert, "example.com", "A", HUB);
    let cases = [
        (
            vec![fine.clone(), edit(Create, star, "A", HUB)],
            "[Tried to create resource record set [name='\\052.example.com.', type='A'] but it already exists]",
        ),
        (
            vec![fine.clone(), edit(Delete, star, "A", HUB)],
            "[Tried to delete resource record set [name='\\052.example.com.', type='A'] but the values provided do not match the current values]",
        ),
        (
            vec![
                edit(Delete, "gone.example.com", "A", HUB),
                edit(Create, star, "A", HUB),
            ],
            "[Tried to delete resource record set [name='gone.example.com.', type='A'] but it was not found, Tried to create resource record set [name='\\052.example.com.', type='A'] but it already exists]",
        ),
        (
            vec![fine.clone(), edit(Upsert, "example.org", "A", HUB)],
            "[RRSet with DNS name example.org. is not permitted in zone example.com.]",
        ),
        (
            vec![fine.clone(), fine.clone()],
            "[The request contains an invalid set of changes for a resource record set 'A example.com.']",
        ),
        (
            vec![edit(Delete, star, "A", EDGE), edit(Delete, star, "A", EDGE)],
            "[The request contains an invalid set of changes for a resource record set 'A \\052.example.com.']",
        ),
        (
            vec![fine, edit(Upsert, star, "A", "203.0.113.256")],
            "[Invalid Resource Record: 'FATAL problem: ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address) encountered with '203.0.113.256'']",
        ),
        (
            vec![edit(Delete, "example.com", "SOA", "x")],
            "[A HostedZone must contain exactly one SOA record.]",
        ),
    ];
    for (edits, message) in cases {
        let told = refused(&edits).unwrap();
        assert_eq!(
            told,
            (400, "InvalidChangeBatch".to_owned(), message.to_owned())
        );
    }
    assert_eq!(refused(&[]).unwrap().1, "InvalidInput");
}

#[test]
fn an_exact_delete_with_a_create_is_a_compare_and_set() {
    let mut zone = zone().unwrap();
    let swap = |from: &str, to: &str| {
        let star = "\\052.example.com";
        let edits = [
            edit(Action::Delete, star, "A", from),
            edit(Action::Create, star, "A", to),
        ];
        edits.into_iter().flatten().collect::<Vec<Edit>>()
    };
    assert!(zone.apply(&swap(EDGE, HUB)).is_ok());
    assert!(
        zone.apply(&swap(EDGE, HUB)).is_err(),
        "what was current earlier is not current now"
    );
    assert!(zone.apply(&swap(HUB, EDGE)).is_ok());
}

#[test]
fn the_limits_of_a_batch_count_an_upsert_twice() {
    let batch = |action: Action, count: usize, value: &str| {
        let mut edit = edit(action, "big.example.com", "TXT", value)?;
        edit.set.values = vec![value.to_owned(); count];
        zone()
            .ok()?
            .apply(&[edit])
            .err()
            .map(|refusal| refusal.message)
    };
    assert_eq!(batch(Action::Upsert, 500, "\"a\""), None);
    let records = "Number of records limit of 1000 exceeded.";
    assert_eq!(
        batch(Action::Upsert, 501, "\"a\"").as_deref(),
        Some(records)
    );
    assert_eq!(batch(Action::Create, 501, "\"a\""), None);
    let long = "x".repeat(200);
    assert_eq!(batch(Action::Create, 160, &long), None);
    let characters = "Number of characters limit of 32000 exceeded.";
    assert_eq!(
        batch(Action::Upsert, 81, &long).as_deref(),
        Some(characters)
    );
}

#[test]
fn a_protected_record_refuses_the_whole_batch() {
    let mut zone = zone().unwrap();
    zone.protect(name("*.example.com").unwrap(), "A");
    let edits = [
        edit(Action::Upsert, "example.com", "A", HUB),
        edit(Action::Upsert, "*.example.com", "A", HUB),
    ];
    let edits: Vec<Edit> = edits.into_iter().flatten().collect();
    let refusal = zone.apply(&edits).unwrap_err();
    assert_eq!(refusal.code, "InvalidChangeBatch");
    assert!(
        refusal.message.contains("\\052.example.com.") && refusal.message.contains("protection")
    );
    assert!(
        zone.apply(&edits[..1]).is_ok(),
        "the other record alone may be changed"
    );
}

#[test]
fn a_list_begins_where_it_is_told_and_not_at_a_type_alone() {
    let zone = zone().unwrap();
    let listed = |start: &Start| {
        let page = zone.list(start, 1).ok()?;
        let set = page.sets.first()?;
        let next = page
            .next
            .map(|next| format!("{} {}", next.name.route53(), next.kind));
        Some((format!("{} {}", set.name.route53(), set.kind), next?))
    };
    let at = |written: &str, kind: Option<&str>| Start {
        name: name(written).ok(),
        kind: kind.map(str::to_owned),
        identifier: None,
    };
    let told = |set: &str, next: &str| Some((set.to_owned(), next.to_owned()));
    assert_eq!(
        listed(&Start::default()),
        told("example.com. A", "example.com. NS")
    );
    assert_eq!(
        listed(&at("example.com", Some("SOA"))),
        told("example.com. SOA", "\\052.example.com. A")
    );
    assert_eq!(
        listed(&at("*.example.com", None)),
        told("\\052.example.com. A", "origin.example.com. A")
    );
    let type_alone = Start {
        kind: Some("A".to_owned()),
        ..Start::default()
    };
    assert_eq!(zone.list(&type_alone, 1).unwrap_err().code, "InvalidInput");
}

proptest! {
    #[test]
    fn pages_of_any_size_give_the_whole_list(
        labels in prop::collection::btree_set("[a-c*_-]{1,3}", 0..12),
        size in 1_usize..6,
    ) {
        let mut zone = zone().unwrap();
        for label in &labels {
            zone.put(Set::new(name(&format!("{label}.example.com")).unwrap(), "A", 60, EDGE));
        }
        let mut start = Start::default();
        let mut walked = Vec::new();
        loop {
            let page = zone.list(&start, size).unwrap();
            walked.extend(page.sets.into_iter().cloned());
            let Some(next) = page.next else { break };
            start = Start {
                name: Some(next.name.clone()),
                kind: Some(next.kind.clone()),
                identifier: next.identifier.clone(),
            };
        }
        prop_assert_eq!(walked, everything(&zone));
    }

    #[test]
    fn a_batch_is_applied_whole_or_not_at_all(
        picks in prop::collection::vec((0_usize..3, 0_usize..4, any::<bool>()), 0..6),
    ) {
        let names = ["example.com", "*.example.com", "new.example.com", "example.org"];
        let edits = picks.iter().filter_map(|(action, written, hub)| {
            let (action, _) = Action::WORDS[*action];
            edit(action, names[*written], "A", if *hub { HUB } else { EDGE })
        });
        let edits: Vec<Edit> = edits.collect();
        let before = zone().unwrap();
        let mut after = before.clone();
        match after.apply(&edits) {
            Err(_) => prop_assert_eq!(everything(&after), everything(&before)),
            Ok(()) => for edit in &edits {
                let last = edits.iter().rfind(|other| other.set.name == edit.set.name).unwrap();
                let there = after.sets(&edit.set.name, "A");
                let expected: Vec<&Set> = Some(&last.set).filter(|_| last.action != Action::Delete).into_iter().collect();
                prop_assert_eq!(there, expected);
            },
        }
    }
}

/// The policies of the repository's root.
fn policies() -> Option<[PolicyDocument; 2]> {
    let read = |path: &str, text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add(path, text);
        let tree = json::read(&sources.text(file)?);
        let root = tree.documents.into_iter().next()?;
        Some(PolicyDocument::read(root, None, None))
    };
    Some([
        read("change-records.json", CHANGE_RECORDS)?,
        read("read-zone.json", READ_ZONE)?,
    ])
}

/// A cloud whose every call the evaluator decides by those policies.
fn guarded() -> Option<Cloud> {
    let documents = policies()?;
    let names = ["change-records.json", "read-zone.json"];
    let named = documents.iter().zip(names);
    let identity = named
        .map(|(document, name)| NamedPolicy { name, document })
        .collect();
    let compiled = Compiled::new(&Policies {
        identity,
        ..Policies::default()
    });
    let decide = move |asked: &Asked| {
        let mut request = Request::new(asked.action, &asked.resource);
        for (key, values) in &asked.context {
            request.set(key, ContextValue::Multi(values.clone()));
        }
        match compiled.decide(&request) {
            Some(Word::Allowed) => Verdict::Allowed,
            Some(Word::ExplicitDeny) => Verdict::ExplicitDeny,
            Some(Word::ImplicitDeny) | None => Verdict::ImplicitDeny,
        }
    };
    let mut cloud = Cloud::new(zone().ok()?);
    cloud.authorise(Box::new(decide));
    cloud.admit(
        "ASIADRILL",
        Borrowed {
            principal: "arn:aws:sts::123456789012:assumed-role/dns-failover/run-1".to_owned(),
            until: None,
            token: None,
        },
    );
    Some(cloud)
}

fn call(method: &str, path: &str, body: String) -> Call {
    let credential = "ASIADRILL/20261130/us-east-1/route53/aws4_request";
    Call {
        method: method.to_owned(),
        path: format!("/2013-04-01/{path}"),
        authorization: Some(format!(
            "AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=0"
        )),
        body,
        ..Call::default()
    }
}

fn change_of(action: &str, written: &str, kind: &str) -> Call {
    let body = format!(
        "<ChangeResourceRecordSetsRequest xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\"><ChangeBatch><Changes>\
         <Change><Action>{action}</Action><ResourceRecordSet><Name>{written}</Name><Type>{kind}</Type><TTL>300</TTL>\
         <ResourceRecords><ResourceRecord><Value>{HUB}</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>\
         </Change></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>"
    );
    call("POST", &format!("hostedzone/{ZONE}/rrset/"), body)
}

fn answered(cloud: &mut Cloud, call: &Call) -> (u16, String) {
    match cloud.answer(call, Now::default()) {
        Reply::Answer { http, body, .. } => (http, body),
        Reply::Dropped => (0, String::new()),
    }
}

#[test]
fn the_evaluator_decides_every_call_by_the_policies_of_the_deployment() {
    let mut cloud = guarded().unwrap();
    for written in ["*.example.com", "\\052.example.com.", "EXAMPLE.com"] {
        let (http, body) = answered(&mut cloud, &change_of("UPSERT", written, "A"));
        assert_eq!(http, 200, "{body}");
    }
    for (action, written, kind) in [
        ("CREATE", "new.example.com", "A"),
        ("CREATE", "example.com", "A"),
        ("UPSERT", "www.example.com", "A"),
        ("UPSERT", "example.com", "AAAA"),
        ("DELETE", "*.example.com", "A"),
    ] {
        let (http, body) = answered(&mut cloud, &change_of(action, written, kind));
        assert_eq!(http, 403, "{action} {written} {kind}");
        let told = "<Code>AccessDenied</Code><Message>User: arn:aws:sts::123456789012:assumed-role/dns-failover/run-1 \
                    is not authorized to perform: route53:ChangeResourceRecordSets on resource: \
                    arn:aws:route53:::hostedzone/Z0123456789EXAMPLE because no identity-based policy allows the \
                    route53:ChangeResourceRecordSets action</Message>";
        assert!(body.contains(told), "{body}");
    }
    let list = |zone: &str| call("GET", &format!("hostedzone/{zone}/rrset"), String::new());
    assert_eq!(answered(&mut cloud, &list(ZONE)).0, 200);
    assert_eq!(
        answered(&mut cloud, &list("Z9999999999EXAMPLE")).0,
        403,
        "IAM is asked before the zone is looked for"
    );
    let change = call("GET", &format!("change/{}", change_id(1)), String::new());
    assert_eq!(answered(&mut cloud, &change).0, 200);
    assert_eq!(cloud.log().len(), 11);
}

#[test]
fn who_is_not_known_or_signs_for_elsewhere_is_refused() {
    let mut cloud = guarded().unwrap();
    let with = |authorization: Option<&str>| Call {
        authorization: authorization.map(str::to_owned),
        ..call("GET", &format!("hostedzone/{ZONE}/rrset"), String::new())
    };
    let cases = [
        (None, "MissingAuthenticationToken"),
        (
            Some(
                "AWS4-HMAC-SHA256 Credential=ASIADRILL/20261130/eu-west-1/route53/aws4_request, X",
            ),
            "SignatureDoesNotMatch",
        ),
        (
            Some(
                "AWS4-HMAC-SHA256 Credential=ASIAOTHER/20261130/us-east-1/route53/aws4_request, X",
            ),
            "InvalidClientTokenId",
        ),
    ];
    for (authorization, code) in cases {
        let (http, body) = answered(&mut cloud, &with(authorization));
        assert!(http == 403 && body.contains(code), "{body}");
    }
}

#[test]
fn a_token_is_for_whoever_has_the_bearer_and_names_its_audience() {
    let mut cloud = guarded().unwrap();
    let with = |bearer: &str| Call {
        method: "GET".to_owned(),
        path: "/token".to_owned(),
        query: vec![("audience".to_owned(), "sts.amazonaws.com".to_owned())],
        authorization: Some(bearer.to_owned()),
        ..Call::default()
    };
    assert_eq!(
        answered(&mut cloud, &with("bearer right")).0,
        404,
        "nobody issues tokens yet"
    );
    cloud.issue(Issuer::new(
        "right",
        "acme/dns-failover",
        "main",
        "repo:acme/dns-failover:ref:refs/heads/main",
    ));
    assert_eq!(answered(&mut cloud, &with("Bearer wrong")).0, 401);
    let (http, body) = answered(&mut cloud, &with("Bearer right"));
    let json: serde_json::Value = serde_json::from_str(&body).unwrap();
    let token = json["value"].as_str().unwrap();
    assert!(http == 200 && token.split('.').count() == 3, "{body}");
    let form = Call {
        method: "POST".to_owned(),
        path: "/".to_owned(),
        body: format!(
            "Action=AssumeRoleWithWebIdentity&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fdns-failover&RoleSessionName=run-1&WebIdentityToken={token}"
        ),
        ..Call::default()
    };
    let (http, body) = answered(&mut cloud, &form);
    assert!(
        http == 200 && body.contains("assumed-role/dns-failover/run-1"),
        "{body}"
    );
    assert!(
        body.contains("<SubjectFromWebIdentityToken>repo:acme/dns-failover:ref:refs/heads/main<"),
        "{body}"
    );
}

#[test]
fn an_endpoint_is_served_while_it_is_held() {
    let endpoint = Endpoint::start(guarded().unwrap()).unwrap();
    let address = endpoint.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    stream
        .write_all(b"GET /token HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    let idle = TcpStream::connect(&address).unwrap();
    drop(endpoint);
    assert!(
        TcpStream::connect(&address).is_err(),
        "the port is still open"
    );
    drop(idle);
}

#[test]
fn a_fault_happens_as_often_as_it_is_told_and_the_log_says_so() {
    let mut cloud = guarded().unwrap();
    cloud.trouble(Trouble::refused(
        "*",
        Times::First(2),
        400,
        "Throttling",
        "Rate exceeded",
    ));
    let change = change_of("UPSERT", "example.com", "A");
    for expected in [400, 400, 200] {
        assert_eq!(answered(&mut cloud, &change).0, expected);
    }
    let answers: Vec<&str> = cloud
        .log()
        .iter()
        .map(|call| call.answer.as_str())
        .collect();
    assert_eq!(answers, ["400 Throttling", "400 Throttling", "200"]);
    assert!(
        cloud.log().iter().all(|call| call.edits.len() == 1),
        "what was refused is in the log as well"
    );
    cloud.trouble(Trouble::refused(
        "*",
        Times::Always,
        500,
        "InternalFailure",
        "",
    ));
    assert_eq!(answered(&mut cloud, &change).0, 500);
    cloud.calm();
    assert_eq!(answered(&mut cloud, &change).0, 200);
}

proptest! {
    #[test]
    fn no_request_makes_the_endpoint_panic(
        method in "GET|POST|PUT",
        path in "/2013-04-01/(hostedzone/[A-Z0-9%]{0,6}/rrset/?|change/[A-Z0-9%]{0,6})|/|/token|[ -~]{0,20}",
        query in prop::collection::vec(("name|type|identifier|maxitems|audience", "[ -~]{0,8}"), 0..4),
        body in "[ -~]{0,60}|Action=AssumeRoleWithWebIdentity[ -~]{0,60}|<ChangeResourceRecordSetsRequest>[<>/A-Za-z]{0,40}",
    ) {
        let mut cloud = guarded().unwrap();
        let given = Call { path, query, ..call(&method, "", body) };
        answered(&mut cloud, &given);
    }
}
