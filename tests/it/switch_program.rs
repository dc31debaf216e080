//! The executor's own program, as a process: it moves a zone on loopback there and back, and says what it could not do.

use pointsman::drill::{Borrowed, Cloud, SiteConduct, Times, Trouble, What};
use pointsman::failover::journal::{from_log, replay};
use serde_json::{Value, json};

use crate::switch_world::{DRILL, EDGE, HUB, POINTSMAN, SWITCH, World, status, told};

#[test]
fn a_dead_home_moves_the_zone_and_a_good_one_takes_it_back() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(
        out.starts_with("::notice title=failover SWITCH_TO_HUB::"),
        "{out}"
    );
    assert!(!out.contains("::warning"), "{out}");
    assert!(world.comments()[0].contains("run 4711/2: edge to hub"));
    let outputs = world.folder.read("output.txt");
    assert!(
        outputs.contains("decision<<end\nSWITCH_TO_HUB\nend\n"),
        "{outputs}"
    );
    let summary = world.folder.read("summary.md");
    assert!(
        summary.contains("## Failover: SWITCH\\_TO\\_HUB"),
        "{summary}"
    );
    assert!(summary.contains("\"effect\":\"finish\""), "{summary}");
    // The journal on disk plays again to the same bytes, and stands in the job's log too.
    let journal = world.folder.read("failover-4711-2.jsonl");
    let log = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(from_log(&log).as_deref(), Some(journal.as_str()), "{log}");
    let played = replay(&journal).unwrap();
    assert!(played.finished && played.difference.is_none(), "{played:?}");
    let replayed = world
        .folder
        .run(&["failover", "replay", "failover-4711-2.jsonl"]);
    assert_eq!(replayed.status(), 0);

    world.edge.conduct(SiteConduct::default());
    world.served(EDGE).unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
    // The second journal stands beside the first.
    assert_eq!(world.folder.read("failover-4711-2.jsonl"), journal);
    let second = world.folder.read("failover-4711-2-2.jsonl");
    assert!(second.contains("\"why\":\"home-is-back\""));
    // With all well, nothing is written.
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.comments().len(), 2);
}

#[test]
fn with_nobody_to_go_to_nothing_is_sent_and_a_person_is_called() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.hub.conduct(SiteConduct::answering(503));
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 5, "{}", told(&ran));
    assert!(told(&ran).contains("::error title=failover NO_CHANGE::"));
    assert!(world.comments().is_empty());
    // A dry run sends nothing either, and is no reason to call anybody.
    world.hub.conduct(SiteConduct::default());
    let ran = world.job(DRILL).arg("--dry-run").output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert!(told(&ran).contains("PLAN_ONLY, status 0"));
    assert!(!told(&ran).contains("::error"));
    assert!(world.comments().is_empty());
}

#[test]
fn the_big_program_plans_and_runs_the_same() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let plan = world
        .job(POINTSMAN)
        .args(["failover", "plan", "--format", "json"])
        .output()
        .unwrap();
    assert_eq!(status(&plan), 0, "{}", told(&plan));
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    assert_eq!(plan["decision"], "PLAN_ONLY");
    assert_eq!(plan["to"], "hub");
    assert_eq!(plan["records"][1]["site"], "edge");
    assert_eq!(
        plan["probes"][0]["answers"],
        json!(["refused", "refused", "refused"])
    );
    assert_eq!(plan["takes"]["caches_most_s"], 300);
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
    assert_eq!(world.folder.read("summary.md"), "");
    let ran = world
        .job(POINTSMAN)
        .args([
            "failover",
            "run",
            "--journal",
            "my.jsonl",
            "--format",
            "json",
        ])
        .output()
        .unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(result["decision"], "SWITCH_TO_HUB");
    assert_eq!(result["journal"], "my.jsonl");
    assert_eq!(result["batch"], plan["batch"]);
    // The annotation is there all the same.
    assert!(String::from_utf8_lossy(&ran.stderr).contains("::notice title=failover"));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

/// What a plan of this world ends with, and says.
fn planned(world: &World, arguments: &[&str]) -> (i32, String) {
    let mut command = world.job(POINTSMAN);
    let ran = command
        .args(arguments)
        .args(["failover", "plan"])
        .output()
        .unwrap();
    (status(&ran), told(&ran))
}

#[test]
fn a_plan_ends_as_every_other_command_and_never_as_a_run() {
    let world = World::new().unwrap();
    assert_eq!(planned(&world, &[]).0, 0);
    world.kill_edge();
    assert_eq!(planned(&world, &[]).0, 0, "a change would be sent");
    world.hub.conduct(SiteConduct::answering(503));
    let (code, told) = planned(&world, &[]);
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("NO_CHANGE"), "{told}");
    let (code, told) = planned(&world, &["--spec", "elsewhere.toml"]);
    assert_eq!(code, 3, "{told}");
    world.folder.write("wrong.toml", "[zone]\nid = 5\n");
    let (code, told) = planned(&world, &["--spec", "wrong.toml"]);
    assert_eq!(code, 2, "{told}");
}

#[test]
fn a_plan_without_credentials_says_what_the_sites_answer_and_what_is_pinned() {
    let world = World::new().unwrap();
    world.kill_edge();
    let mut command = world.job(POINTSMAN);
    let ran = command
        .env_remove("ACTIONS_ID_TOKEN_REQUEST_URL")
        .env("HOME", world.folder.path())
        .env("PIN_SITE", "hub")
        .args(["failover", "plan"])
        .output()
        .unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    let said = told(&ran);
    for what in [
        "PIN_SITE is `hub`",
        "edge (198.51.100.10), example.com: refused",
        "hub (203.0.113.20), example.com: 200",
        "there are no credentials for AWS",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    assert!(!said.contains("provider"), "{said}");
}

#[test]
fn a_call_that_fails_over_and_over_is_told_once() {
    let world = World::new().unwrap();
    let busy = Trouble::refused("oidc_token", Times::Always, 503, "x", "later");
    world.endpoint.with(|cloud| cloud.trouble(busy));
    let (code, told) = planned(&world, &[]);
    assert_eq!(code, 3, "{told}");
    assert!(told.matches("once more").count() <= 1, "{told}");
    assert!(
        told.contains("hub (203.0.113.20), example.com: 200"),
        "{told}"
    );
}

#[test]
fn what_sts_gives_is_looked_at_before_a_request_carries_it() {
    let world = World::new().unwrap();
    let answer = "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
        <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA&#10;X</AccessKeyId>\
        <SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken>\
        <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>\
        </AssumeRoleWithWebIdentityResponse>";
    let garbled = What::Garbled(answer.to_owned());
    let op = "AssumeRoleWithWebIdentity";
    let trouble = Trouble::new(op, Times::First(1), garbled);
    world.endpoint.with(|cloud| cloud.trouble(trouble));
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let journal = world.folder.read("failover-4711-2.jsonl");
    assert!(
        journal.contains("its AccessKeyId has the character"),
        "{journal}"
    );
}

#[test]
fn a_run_that_has_nobody_to_trust_says_so_in_its_journal_and_its_summary() {
    let world = World::new().unwrap();
    let text = world.folder.read("world.json");
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["authority"] = json!("none");
    world.folder.write("world.json", changed.to_string());
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    let journal = world.folder.read("failover-4711-2.jsonl");
    assert!(journal.contains("\"code\":\"NoTrust\""), "{journal}");
    let played = replay(&journal).unwrap();
    assert!(played.finished && played.difference.is_none());
    let summary = world.folder.read("summary.md");
    assert!(summary.contains("NoTrust"), "{summary}");
}

#[test]
fn a_job_s_own_session_is_used_first() {
    let world = World::new().unwrap();
    let admit = |cloud: &mut Cloud| {
        cloud.admit(
            "ASIAJOBEXAMPLE",
            Borrowed {
                principal: "arn:aws:sts::123456789012:assumed-role/dns-failover/job".to_owned(),
                until: None,
                token: Some("session".to_owned()),
            },
        );
    };
    world.endpoint.with(admit);
    let ran = world
        .job(DRILL)
        .env("AWS_ACCESS_KEY_ID", "ASIAJOBEXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_SESSION_TOKEN", "session")
        .output()
        .unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let asked = |cloud: &mut Cloud| cloud.log().iter().any(|call| call.op == "oidc_token");
    assert!(!world.endpoint.with(asked));
    assert!(!told(&ran).contains("secret"));
}

#[test]
fn the_real_program_knows_no_other_world_and_no_other_argument() {
    let world = World::new().unwrap();
    // Without credentials it reaches nobody, and it says why.
    let ran = world
        .job(SWITCH)
        .env_remove("ACTIONS_ID_TOKEN_REQUEST_URL")
        .output()
        .unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    assert!(told(&ran).contains("NoCredentials"), "{}", told(&ran));
    assert!(world.endpoint.with(|cloud| cloud.log().is_empty()));
    for argument in ["--dry-rnu", "hub", HUB, "--spec=x"] {
        let ran = world.job(SWITCH).arg(argument).output().unwrap();
        assert_eq!(status(&ran), 2, "{argument}: {}", told(&ran));
        assert!(
            told(&ran).contains("known are `--dry-run`"),
            "{}",
            told(&ran)
        );
    }
    let help = world.job(SWITCH).arg("--help").output().unwrap();
    assert_eq!(status(&help), 0);
    assert!(told(&help).contains("Exit status: 0"));
    let version = world.job(SWITCH).arg("--version").output().unwrap();
    assert!(told(&version).contains(env!("CARGO_PKG_VERSION")));
    // The drill's own program has no real world.
    let mut command = world.job(DRILL);
    let ran = command
        .env_remove("POINTSMAN_DRILL_WORLD")
        .output()
        .unwrap();
    assert_eq!(status(&ran), 2, "{}", told(&ran));
}

#[test]
fn a_spec_that_is_missing_or_wrong_refuses_and_is_told() {
    let world = World::new().unwrap();
    let spec = world.folder.read("pointsman.toml");
    let cases: [(Option<String>, &str); 4] = [
        (None, "there is no such file"),
        (
            Some(spec.replace("203.0.113.20", "198.51.100.10")),
            "pointsman.toml:",
        ),
        (Some(spec.replace("ttl = 300", "tll = 300")), "`tll`"),
        (Some("[[[".to_owned()), "pointsman.toml:1:"),
    ];
    for (text, part) in cases {
        match text {
            Some(text) => world.folder.write("pointsman.toml", text),
            None => world.folder.remove("pointsman.toml"),
        }
        for (program, arguments) in [(DRILL, &[][..]), (POINTSMAN, &["failover", "run"])] {
            world.folder.write("output.txt", "");
            let ran = world.job(program).args(arguments).output().unwrap();
            assert_eq!(status(&ran), 5, "{part}: {}", told(&ran));
            assert!(
                told(&ran).contains("::error title=failover REFUSE::"),
                "{}",
                told(&ran)
            );
            assert!(told(&ran).contains(part), "{part}: {}", told(&ran));
            assert!(world.folder.read("output.txt").contains("REFUSE"));
        }
    }
    assert!(world.comments().is_empty());
}
