//! Outside judges of the endpoint for rehearsals. The AWS CLI is a client like any other. ministack, an emulator by others, stands beside it: the same requests through the SDK, and where both
//! should agree they must. What is levelled: ministack shows the star as it is, gives only the first reason of a refusal,
//! and words one of them in its own way. What is left out: it sorts a hyphen after the end of a label.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests start an outside program and wait for its port, or say why not"
)]

use std::error::Error;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use aws_sdk_route53::Client;
use aws_sdk_route53::config::retry::RetryConfig;
use aws_sdk_route53::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_route53::error::ProvideErrorMetadata;
use aws_sdk_route53::types::{
    Change, ChangeAction, ChangeBatch, ResourceRecord, ResourceRecordSet, RrType,
};
use pointsman::adapters::aws::{Aws, AwsZone, Keys, Means, Secret, WebIdentity, ZoneId};
use pointsman::adapters::{Detour, Runtime, World};
use pointsman::drill::{Borrowed, Cloud, Endpoint, HostedZone, Issuer, Now};
use pointsman::failover::ChangeStatus;
use pointsman::model::dns::RecordName;
use pointsman::ports::{Identity as _, Zone as _};

#[cfg(feature = "serve")]
use crate::aws_cli::{aws, cli};
use crate::route53::{ZONE, change, name, records, tls, told};

/// More than any reading takes.
const WITHIN: Duration = Duration::from_secs(60);

type Tested<T> = Result<T, Box<dyn Error>>;

/// ministack takes a key of twelve digits for the account that it belongs to.
const KEY: &str = "123456789012";

const EDGE: &str = "198.51.100.10";

const HUB: &str = "203.0.113.20";

/// A running ministack.
struct Ministack {
    child: Child,
    port: u16,
}

impl Ministack {
    /// `None` if it is not installed.
    fn start() -> Tested<Option<Self>> {
        let path = "target/judges/venv/bin/ministack";
        if !Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists() {
            eprintln!("not judged: {path} is not installed; scripts/install-judges installs it");
            return Ok(None);
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = free.local_addr()?.port();
        drop(free);
        let child = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
            .current_dir(std::env::temp_dir())
            .env("BIND_HOST", "127.0.0.1")
            .env("GATEWAY_PORT", port.to_string())
            .env("SERVICES", "route53,sts,iam")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut own = Self { child, port };
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if Instant::now() > until || own.child.try_wait()?.is_some() {
                return Err("ministack did not start".into());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(Some(own))
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Ministack {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// One Route 53, through the plain SDK.
struct Side {
    runtime: Runtime,
    aws: Aws,
    client: Client,
    zone: String,
}

impl Side {
    fn new(url: &str) -> Tested<Self> {
        let runtime = Runtime::new()?;
        let world = World::on_loopback(Detour {
            sockets: Default::default(),
            names: Default::default(),
            authority: String::new(),
            route53: url.to_owned(),
            sts: url.to_owned(),
            servers: Default::default(),
        });
        let aws = Aws::new(&runtime, &world, tls()?);
        let config = aws_sdk_route53::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("us-east-1"))
            .http_client(aws.wire().clone())
            .endpoint_url(url)
            .credentials_provider(Credentials::new(KEY, "secret", None, None, "test"))
            .retry_config(RetryConfig::disabled());
        let client = Client::from_conf(config.build());
        let zone = ZONE.to_owned();
        Ok(Self {
            runtime,
            aws,
            client,
            zone,
        })
    }

    /// Creates the zone, where it is not there from the start.
    fn create(&mut self) -> Tested<()> {
        let call = self
            .client
            .create_hosted_zone()
            .name("example.com")
            .caller_reference("1");
        let answer = self.runtime.run(call.send())??;
        let id = answer.hosted_zone.ok_or("no zone")?.id;
        self.zone = id.trim_start_matches("/hostedzone/").to_owned();
        Ok(())
    }

    /// Sends a batch of `ACTION NAME VALUE`; gives the id, or the error levelled.
    fn batch(&self, changes: &[(&str, &str, &str)]) -> Tested<Result<String, String>> {
        let mut batch = ChangeBatch::builder();
        for (action, name, value) in changes {
            let set = ResourceRecordSet::builder()
                .name(*name)
                .r#type(RrType::A)
                .ttl(300)
                .resource_records(ResourceRecord::builder().value(*value).build()?);
            let change = Change::builder()
                .action(ChangeAction::from(*action))
                .resource_record_set(set.build()?);
            batch = batch.changes(change.build()?);
        }
        let call = self.client.change_resource_record_sets();
        let call = call.hosted_zone_id(&self.zone).change_batch(batch.build()?);
        Ok(match self.runtime.run(call.send())? {
            Ok(answer) => Ok(answer.change_info.ok_or("no change")?.id),
            Err(error) => Err(levelled(&error)),
        })
    }

    /// Every A record, page by page.
    fn list(&self, most: i32) -> Tested<Vec<String>> {
        let mut sets = Vec::new();
        let (mut name, mut kind) = (None, None);
        loop {
            let call = self.client.list_resource_record_sets();
            let call = call.hosted_zone_id(&self.zone).max_items(most);
            let call = call.set_start_record_name(name).set_start_record_type(kind);
            let page = self.runtime.run(call.send())??;
            for set in page.resource_record_sets {
                let values = set
                    .resource_records
                    .into_iter()
                    .flatten()
                    .map(|record| record.value);
                let own = RecordName::parse(&set.name)?.dns();
                if set.r#type == RrType::A {
                    let values = values.collect::<Vec<_>>().join(",");
                    sets.push(format!("{own} {:?} {values}", set.ttl));
                } else {
                    sets.push(format!("{own} {}", set.r#type.as_str()));
                }
            }
            if !page.is_truncated {
                return Ok(sets);
            }
            (name, kind) = (page.next_record_name, page.next_record_type);
        }
    }

    fn status(&self, id: &str) -> Tested<String> {
        let call = self.client.get_change().id(id).send();
        Ok(match self.runtime.run(call)? {
            Ok(answer) => answer
                .change_info
                .ok_or("no change")?
                .status
                .as_str()
                .to_owned(),
            Err(error) => error.code().unwrap_or("no code").to_owned(),
        })
    }
}

/// An error's code and its first reason, without brackets, with the star as it is, and without the record, which only one
/// of the two puts into brackets of its own.
fn levelled(error: &impl ProvideErrorMetadata) -> String {
    let code = error.code().unwrap_or("no code");
    let message = error.message().unwrap_or_default().replace("\\052", "*");
    let first = message.split(", Tried").next().unwrap_or_default();
    let first = first.trim_matches(['[', ']', '.']);
    let named = ["*.example.com.", "gone.example.com.", "origin.example.com."];
    let named = named.into_iter().find(|name| first.contains(name));
    match (
        first.split_once(" but "),
        first.split_once(" resource record set "),
    ) {
        (Some((_, reason)), Some((what, _))) => format!("{code}: {what} {named:?} but {reason}"),
        _ => format!("{code}: {first}"),
    }
}

/// What a Route 53 answers to one course of requests.
fn transcript(side: &Side) -> Tested<Vec<String>> {
    const STAR: &str = "*.example.com";
    const APEX: &str = "example.com";
    let batches: &[&[(&str, &str, &str)]] = &[
        &[
            ("CREATE", APEX, EDGE),
            ("CREATE", STAR, EDGE),
            ("CREATE", "origin.example.com", EDGE),
        ],
        &[
            ("CREATE", "a.example.com", EDGE),
            ("CREATE", "b.example.com", EDGE),
        ],
        &[("CREATE", STAR, HUB)],
        &[("DELETE", STAR, HUB)],
        &[("DELETE", "gone.example.com", EDGE)],
        &[("UPSERT", APEX, HUB), ("CREATE", STAR, HUB)],
        &[("UPSERT", APEX, HUB), ("DELETE", "origin.example.com", HUB)],
        &[("DELETE", STAR, EDGE), ("CREATE", STAR, HUB)],
        &[("DELETE", STAR, EDGE), ("CREATE", STAR, HUB)],
        &[("DELETE", "a.example.com", EDGE)],
        &[("UPSERT", APEX, HUB), ("UPSERT", STAR, HUB)],
    ];
    let mut told = Vec::new();
    let mut last = String::new();
    for batch in batches {
        match side.batch(batch)? {
            Ok(id) => {
                told.push("accepted".to_owned());
                last = id;
            }
            Err(error) => told.push(error),
        }
        told.extend(side.list(300)?);
    }
    told.push(side.status(&last)?);
    told.push(side.status(&last)?);
    told.push(side.status("C0UNKNOWN")?);
    for most in [1, 2, 3] {
        told.extend(side.list(most)?);
    }
    Ok(told)
}

fn own() -> Tested<(Endpoint, Side)> {
    let servers = ["ns-1.example.net.", "ns-2.example.net."];
    let mut cloud = Cloud::new(HostedZone::new(ZONE, name("example.com")?, &servers));
    let user = Borrowed {
        principal: "arn:aws:iam::123456789012:user/test".to_owned(),
        until: None,
        token: None,
    };
    cloud.admit(KEY, user);
    let endpoint = Endpoint::start(cloud)?;
    let side = Side::new(&endpoint.url())?;
    Ok((endpoint, side))
}

#[test]
fn both_answer_the_same_course_of_requests_alike() {
    let Some(ministack) = Ministack::start().unwrap() else {
        return;
    };
    let mut other = Side::new(&ministack.url()).unwrap();
    other.create().unwrap();
    let (_endpoint, own) = own().unwrap();
    let (own, other) = (transcript(&own).unwrap(), transcript(&other).unwrap());
    assert_eq!(own, other);
    assert!(
        own.iter()
            .any(|line| line.starts_with("InvalidChangeBatch: Tried to"))
    );
}

/// Switches through the adapters, and follows the change.
fn switched(side: &Side) -> Tested<()> {
    side.batch(&[
        ("CREATE", "example.com", EDGE),
        ("CREATE", "*.example.com", EDGE),
    ])??;
    let mut identity = side.aws.identity(Means {
        keys: Some(Keys {
            id: KEY.to_owned(),
            secret: Secret::new("secret"),
            token: None,
        }),
        ..Means::default()
    });
    identity.fetch_token().map_err(told)?;
    identity.assume_role().map_err(told)?;
    let mut zone = zone_at(side)?;
    let id = change(&mut zone, Duration::from_secs(60))?.map_err(told)?;
    let mut status = || zone.change_status(&id).map_err(told);
    assert_eq!(
        [status()?, status()?],
        [ChangeStatus::Pending, ChangeStatus::InSync]
    );
    let sets = zone.list(&records()?, WITHIN).map_err(told)?;
    let own = sets.iter().filter(|set| set.kind == "A");
    let addresses: Vec<&String> = own.flat_map(|set| &set.values).collect();
    assert_eq!(addresses, [HUB, HUB]);
    assert!(zone.name_servers().map_err(told)?.len() >= 2);
    Ok(())
}

fn zone_at(side: &Side) -> Tested<AwsZone> {
    let id = side.zone.clone();
    let name = name("example.com")?;
    Ok(side.aws.zone(ZoneId { id, name }))
}

/// Borrows the role, and reads the zone with it.
fn borrowed(side: &Side) -> Tested<()> {
    let wall = std::time::UNIX_EPOCH.elapsed()?.as_secs();
    let subject = "repo:acme/dns-failover:ref:refs/heads/main";
    let mut issuer = Issuer::new("b", "acme/dns-failover", "main", subject);
    let now = Now {
        wall,
        ..Now::default()
    };
    let mut identity = side.aws.identity(Means {
        web: Some(WebIdentity {
            role: "arn:aws:iam::123456789012:role/dns-failover".to_owned(),
            region: "ap-northeast-2".to_owned(),
            session_name: "pointsman-1".to_owned(),
            seconds: 900,
            tokens: Box::new(move || Ok(Secret::new(issuer.issue("sts.amazonaws.com", now)))),
        }),
        ..Means::default()
    });
    identity.fetch_token().map_err(told)?;
    let lives = identity.assume_role().map_err(told)?;
    assert!(
        lives.is_some_and(|lives| lives > Duration::from_secs(800)),
        "{lives:?}"
    );
    zone_at(side)?.list(&records()?, WITHIN).map_err(told)?;
    Ok(())
}

#[test]
fn the_adapters_get_on_with_both() {
    let Some(ministack) = Ministack::start().unwrap() else {
        return;
    };
    let mut other = Side::new(&ministack.url()).unwrap();
    other.create().unwrap();
    let (_endpoint, own) = own().unwrap();
    for side in [own, other] {
        switched(&side).unwrap();
        borrowed(&side).unwrap();
    }
}

/// The AWS CLI carries a model of the service of its own: names come as Route 53 writes them, pages are followed, refusals are read.
#[cfg(feature = "serve")]
#[test]
fn the_aws_cli_is_a_client_like_any_other() {
    let Some(cli) = cli() else {
        return;
    };
    let (endpoint, _) = own().unwrap();
    let run = |key: &str, zone: &str, more: &[&str]| {
        let (verb, arguments) = more.split_first().unwrap();
        let arguments = [&["route53", *verb, "--hosted-zone-id", zone], arguments].concat();
        aws(&cli, &endpoint.url(), key, &arguments)
    };
    let change = |zone: &str, changes: &[(&str, &str, &str)]| {
        let set = |(action, name, value): &(&str, &str, &str)| {
            serde_json::json!({"Action": action, "ResourceRecordSet": {
                "Name": name, "Type": "A", "TTL": 300, "ResourceRecords": [{"Value": value}]}})
        };
        let changes: Vec<_> = changes.iter().map(set).collect();
        let batch = serde_json::json!({"Comment": "run 1", "Changes": changes}).to_string();
        let words = ["change-resource-record-sets", "--change-batch", &batch];
        run(KEY, zone, &words)
    };
    let sets = [
        ("UPSERT", "example.com", HUB),
        ("UPSERT", "*.example.com", HUB),
        ("CREATE", "origin.example.com", EDGE),
    ];
    let changed = change(ZONE, &sets).unwrap();
    let id = changed["ChangeInfo"]["Id"].as_str().unwrap();
    assert_eq!(changed["ChangeInfo"]["Comment"], "run 1");
    let words = ["route53", "get-change", "--id", id];
    let asked = aws(&cli, &endpoint.url(), KEY, &words).unwrap();
    assert_eq!(asked["ChangeInfo"]["Id"], id);
    let paged = ["list-resource-record-sets", "--page-size", "1"];
    let listed = run(KEY, ZONE, &paged).unwrap();
    let listed = listed["ResourceRecordSets"].as_array().unwrap();
    let mut addresses = listed.iter().filter(|set| set["Type"] == "A");
    let names: Vec<_> = addresses.by_ref().map(|set| &set["Name"]).collect();
    let expected = ["example.com.", "\\052.example.com.", "origin.example.com."];
    assert_eq!(names, expected);
    for (refused, code) in [
        (
            change(ZONE, &[("DELETE", "gone.example.com", HUB)]),
            "InvalidChangeBatch",
        ),
        (
            change(ZONE, &[("CREATE", "example.com", HUB)]),
            "InvalidChangeBatch",
        ),
        (change("Z0000000000OTHER", &sets), "NoSuchHostedZone"),
        (run("AKIDNOBODY", ZONE, &paged), "InvalidClientTokenId"),
    ] {
        let said = refused.unwrap_err();
        assert!(said.contains(&format!("({code})")), "{code}: {said}");
    }
}
