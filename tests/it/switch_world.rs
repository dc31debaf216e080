//! A world on loopback for the executor's own program: sites over TLS, Route 53, STS, GitHub's token endpoint, name servers.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::error::Error;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use pointsman::drill::{
    Authority, Cloud, ConnectionKind, Endpoint, Issuer, NameServer, SharedRecords, Site,
    SiteConduct, Sync,
};
use serde_json::json;

use crate::binary::Folder;
use crate::route53::{name, zone};

pub(crate) type Tested<T> = Result<T, Box<dyn Error>>;

pub(crate) const SWITCH: &str = env!("CARGO_BIN_EXE_pointsman-switch");
pub(crate) const DRILL: &str = env!("CARGO_BIN_EXE_pointsman-switch-drill");
pub(crate) const POINTSMAN: &str = env!("CARGO_BIN_EXE_pointsman");

pub(crate) const EDGE: &str = "198.51.100.10";
pub(crate) const HUB: &str = "203.0.113.20";

/// A host that is no site's.
pub(crate) const ELSEWHERE: &str = "status.example.net";

/// A world on loopback around a folder with the reference deployment's spec, with shorter times.
pub(crate) struct World {
    pub(crate) folder: Folder,
    pub(crate) endpoint: Endpoint,
    pub(crate) edge: Site,
    pub(crate) hub: Site,
    /// A host of somebody else.
    pub(crate) elsewhere: Site,
    pub(crate) records: SharedRecords,
    _servers: Vec<NameServer>,
}

impl World {
    pub(crate) fn new() -> Tested<Self> {
        Self::probing("")
    }

    /// The same, with these keys under `[probe]`.
    pub(crate) fn probing(keys: &str) -> Tested<Self> {
        let authority = Authority::new("rehearsal")?;
        let names = ["example.com", "*.example.com"];
        let (edge, hub) = (
            Site::start(&authority, &names)?,
            Site::start(&authority, &names)?,
        );
        let elsewhere = Site::start(&authority, &[ELSEWHERE])?;
        let records = SharedRecords::default();
        let zone_name = name("example.com")?;
        let servers = vec![
            NameServer::start(&zone_name, records.clone())?,
            NameServer::start(&zone_name, records.clone())?,
        ];
        let mut cloud = Cloud::new(zone()?);
        cloud.issue(Issuer::new(
            "bearer",
            "acme/dns-failover",
            "main",
            "repo:acme@100001/dns-failover@200002:ref:refs/heads/main",
        ));
        cloud.sync(Sync::Polls(0));
        let endpoint = Endpoint::start(cloud)?;
        let folder = Folder::empty();
        let spec = include_str!("../../pointsman.toml").replacen(
            "[records]",
            &format!(
                "[probe]\ntimeout_seconds = 1\nwindow_seconds = 3\n{keys}\n\n[failback]\nprobes = 3\ninterval_seconds = 1\n\n[records]"
            ),
            1,
        );
        folder.write("pointsman.toml", spec);
        let world = json!({
            "sockets": { EDGE: edge.socket(), HUB: hub.socket() },
            "names": { ELSEWHERE: elsewhere.socket() },
            "authority": authority.pem(),
            "route53": endpoint.url(),
            "sts": endpoint.url(),
            "servers": {
                "ns-1.example.net": servers[0].socket(),
                "ns-2.example.net": servers[1].socket(),
            },
        });
        folder.write("world.json", world.to_string());
        folder.write("summary.md", "");
        folder.write("output.txt", "");
        let world = Self {
            folder,
            endpoint,
            edge,
            hub,
            elsewhere,
            records,
            _servers: servers,
        };
        world.served(EDGE)?;
        Ok(world)
    }

    /// From now on the name servers answer this.
    pub(crate) fn served(&self, address: &str) -> Tested<()> {
        for written in ["example.com", "*.example.com"] {
            self.records.set(&name(written)?, "A", 300, &[address]);
        }
        Ok(())
    }

    /// The program in a job of GitHub Actions of this world.
    pub(crate) fn job(&self, program: &str) -> Command {
        let here = self.folder.path();
        let mut command = Command::new(program);
        command
            .current_dir(here)
            .env_clear()
            .env("POINTSMAN_DRILL_WORLD", here.join("world.json"))
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_RUN_ID", "4711")
            .env("GITHUB_RUN_ATTEMPT", "2")
            .env("GITHUB_STEP_SUMMARY", here.join("summary.md"))
            .env("GITHUB_OUTPUT", here.join("output.txt"))
            .env("ACTIONS_ID_TOKEN_REQUEST_URL", self.endpoint.token_url())
            .env("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "bearer");
        command
    }

    pub(crate) fn values(&self) -> Tested<Vec<String>> {
        let mut all = Vec::new();
        for written in ["example.com", "*.example.com"] {
            let name = name(written)?;
            let values = |cloud: &mut Cloud| -> Vec<String> {
                let sets = cloud.zone().sets(&name, "A");
                sets.iter().flat_map(|set| set.values.clone()).collect()
            };
            all.extend(self.endpoint.with(values));
        }
        Ok(all)
    }

    /// Comments of every batch that came.
    pub(crate) fn comments(&self) -> Vec<String> {
        let comments = |cloud: &mut Cloud| -> Vec<String> {
            let calls = cloud.log().iter();
            let changes = calls.filter(|call| call.op == "ChangeResourceRecordSets");
            changes.map(|call| call.comment.clone()).collect()
        };
        self.endpoint.with(comments)
    }

    pub(crate) fn kill_edge(&self) {
        self.edge
            .conduct(SiteConduct::connecting(ConnectionKind::Refuses));
    }
}

pub(crate) fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

pub(crate) fn told(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(err)
}

pub(crate) fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    Command::new("kill").args([name, &id]).status().unwrap();
}

/// Waits until a file has this text.
pub(crate) fn grows_to(path: &Path, text: &str) -> bool {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        if std::fs::read_to_string(path).is_ok_and(|there| there.contains(text)) {
            return true;
        }
        thread::sleep(Duration::from_millis(2));
    }
    false
}
