//! What the executor's own program is given from outside: nothing of it can send visitors anywhere but to a site.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::path::Path;
use std::process::Command;

use pointsman::adapters::SITE_HEADER;
use pointsman::drill::{Cloud, Set, SiteConduct, Times, Trouble, What};
use pointsman::failover::journal::replay;

use crate::route53::name;
use crate::switch_world::{DRILL, EDGE, HUB, POINTSMAN, Tested, World, status, told};

/// An address that no run may send anybody to.
const ELSEWHERE: &str = "192.0.2.66";

#[test]
fn nothing_in_the_environment_names_another_target() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let elsewhere = "http://127.0.0.1:9";
    let file = world.folder.path().join("evil");
    world.folder.write(
        "evil",
        "[default]\nregion = us-east-1\nendpoint_url = http://127.0.0.1:9\n",
    );
    let mut command = world.job(DRILL);
    for variable in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_ROUTE_53",
        "AWS_ENDPOINT_URL_STS",
        "POINTSMAN_TARGET",
        "EDGE_IP",
        "HUB_IP",
        "INPUT_TARGET",
        "TARGET",
        "TARGET_IP",
        "POINTSMAN_SPEC",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ] {
        command.env(variable, elsewhere);
    }
    for variable in [
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "SSLKEYLOGFILE",
        "HOSTALIASES",
        "LOCALDOMAIN",
        "RESOLV_CONF",
        "AWS_CA_BUNDLE",
        "AWS_CONFIG_FILE",
        "AWS_SHARED_CREDENTIALS_FILE",
        "GITHUB_EVENT_PATH",
    ] {
        command.env(variable, &file);
    }
    let ran = command.env("AWS_PROFILE", "default").output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    // A pin names a site, or nothing is done.
    for pin in [
        "192.0.2.66",
        "hub\n",
        "HUB",
        "https://192.0.2.66",
        "edge,hub",
    ] {
        let ran = world.job(DRILL).env("PIN_SITE", pin).output().unwrap();
        assert_eq!(status(&ran), 5, "{pin}: {}", told(&ran));
    }
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    assert_eq!(world.comments().len(), 1);
}

#[test]
fn a_pin_that_is_no_utf_8_is_no_absent_pin() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new().unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"edge\xff");
    let ran = world.job(DRILL).env("PIN_SITE", odd).output().unwrap();
    assert_eq!(status(&ran), 5, "{}", told(&ran));
}

/// A hosts file can move no site: in a whole switch nothing of the machine's name resolution is opened.
#[test]
fn no_hosts_file_is_looked_into() {
    if !Path::new("/usr/bin/strace").exists() {
        println!("strace is not here: the files that a switch opens are not looked at");
        return;
    }
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let job = world.job(DRILL);
    let mut command = Command::new("/usr/bin/strace");
    command
        .args(["-f", "-e", "trace=openat,open", "-o", "trace"])
        .arg(job.get_program())
        .current_dir(world.folder.path())
        .env_clear();
    let given = job.get_envs();
    command.envs(given.filter_map(|(name, value)| Some((name, value?))));
    let ran = command.output().unwrap();
    let trace = world.folder.path().join("trace");
    if !trace.exists() || world.folder.read("trace").is_empty() {
        println!("strace may not trace here: the files that a switch opens are not looked at");
        return;
    }
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let opened = world.folder.read("trace");
    assert!(opened.contains("pointsman.toml"), "{opened}");
    for file in ["/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf"] {
        assert!(!opened.contains(file), "{file} is opened");
    }
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

#[test]
fn a_key_that_no_request_carries_is_told_by_its_variable_and_its_character() {
    for (variable, value, shown) in [
        ("AWS_ACCESS_KEY_ID", "ASIAJOBEXAMPLE\n", "\\n"),
        ("AWS_SECRET_ACCESS_KEY", "sesame\r", "\\r"),
        ("AWS_SESSION_TOKEN", "sesame\n", "\\n"),
    ] {
        let world = World::new().unwrap();
        let ran = world
            .job(DRILL)
            .env("AWS_ACCESS_KEY_ID", "ASIAJOBEXAMPLE")
            .env("AWS_SECRET_ACCESS_KEY", "sesame")
            .env("AWS_SESSION_TOKEN", "sesame")
            .env(variable, value)
            .output()
            .unwrap();
        assert_eq!(status(&ran), 3, "{}", told(&ran));
        let line = format!("{variable} has the character `{shown}`");
        assert!(told(&ran).contains(&line), "{}", told(&ran));
        assert!(!told(&ran).contains("sesame"), "{}", told(&ran));
        assert!(
            world
                .folder
                .read("summary.md")
                .contains("## Failover: REFUSE")
        );
        let journal = world.folder.read("failover-4711-2.jsonl");
        assert!(replay(&journal).unwrap().finished, "{journal}");
    }
}

/// Every value that a change asked for.
fn asked_for(world: &World) -> Vec<String> {
    let values = |cloud: &mut Cloud| -> Vec<String> {
        let edits = cloud.log().iter().flat_map(|call| &call.edits);
        edits.flat_map(|edit| edit.set.values.clone()).collect()
    };
    world.endpoint.with(values)
}

#[test]
fn no_answer_of_a_site_a_name_server_or_an_api_names_another_target() {
    // A home that sends its visitors elsewhere does not serve; a standby that names other places is moved to as the spec says.
    let world = World::new().unwrap();
    let elsewhere = format!("https://{ELSEWHERE}/");
    world
        .edge
        .conduct(SiteConduct::answering(301).with_header("location", &elsewhere));
    let named = SiteConduct::default()
        .with_header("location", &elsewhere)
        .with_header("alt-svc", &format!("h2=\"{ELSEWHERE}:443\""))
        .with_header("x-forwarded-host", ELSEWHERE)
        .with_header(SITE_HEADER, ELSEWHERE);
    world.hub.conduct(named);
    world.served(ELSEWHERE).unwrap();
    let ran = world.job(DRILL).output().unwrap();
    // The name servers say otherwise to the end: after INSYNC and the list that is a warning.
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert!(told(&ran).contains("::warning"), "{}", told(&ran));
    assert_eq!(asked_for(&world), [HUB, HUB]);

    // What a list says of the records is judged, and copied nowhere.
    let world = World::new().unwrap();
    world.kill_edge();
    let foreign = |cloud: &mut Cloud| {
        for written in ["example.com", "*.example.com"] {
            let set = Set::new(name(written)?, "A", 300, ELSEWHERE);
            cloud.zone_mut().put(set);
        }
        Tested::Ok(())
    };
    world.endpoint.with(foreign).unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 5, "{}", told(&ran));
    assert!(told(&ran).contains(ELSEWHERE), "{}", told(&ran));
    assert_eq!(asked_for(&world), Vec::<String>::new());
    // With a pin a person agrees to write over it, and still names a site.
    world.served(HUB).unwrap();
    let ran = world.job(DRILL).env("PIN_SITE", "hub").output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(asked_for(&world), [HUB, HUB]);
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

#[test]
fn a_site_that_says_it_is_another_is_not_moved_to_where_the_spec_asks_for_that() {
    let world = World::probing("site_identity = true").unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let says = |name: &str| SiteConduct::default().with_header(SITE_HEADER, name);
    world.hub.conduct(says("edge"));
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 5, "{}", told(&ran));
    let why = "the address of `hub` answered as `edge`";
    assert!(told(&ran).contains(why), "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
    for conduct in [says("hub"), SiteConduct::default()] {
        world.hub.conduct(conduct);
        let ran = world.job(DRILL).output().unwrap();
        assert_eq!(status(&ran), 0, "{}", told(&ran));
    }
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

#[test]
fn while_the_control_host_is_silent_no_probe_is_believed() {
    let world = World::probing("control = \"status.example.net\"").unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    world.elsewhere.conduct(SiteConduct::answering(503));
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 5, "{}", told(&ran));
    let why = "the control host `status.example.net` does not answer 200; no probe from here can be believed (the control host answered 503)";
    assert!(told(&ran).contains(why), "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
    assert!(world.hub.take_seen().is_empty());
    world.elsewhere.conduct(SiteConduct::default());
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

#[test]
fn a_spec_that_is_no_file_of_its_size_is_told_at_once() {
    let world = World::new().unwrap();
    let spec = world.folder.path().join("pointsman.toml");
    let flood = "#".repeat((1 << 20) + 1);
    for (make, why) in [
        (
            "mkfifo pointsman.toml",
            "it is a pipe or a device, not a file",
        ),
        (
            "ln -s /dev/zero pointsman.toml",
            "it is a pipe or a device, not a file",
        ),
        ("mkdir pointsman.toml", "it is a folder, not a file"),
        ("cp flood pointsman.toml", "it has more than 1048576 bytes"),
    ] {
        world.folder.write("flood", &flood);
        let line = format!("rm -rf pointsman.toml; {make}");
        let mut shell = Command::new("/bin/sh");
        shell.current_dir(world.folder.path()).args(["-c", &line]);
        assert!(shell.status().unwrap().success());
        for (program, arguments, code) in [
            (DRILL, &[][..], 5),
            (POINTSMAN, &["failover", "run"], 5),
            (
                POINTSMAN,
                &["--spec", "pointsman.toml", "failover", "plan"],
                3,
            ),
        ] {
            let ran = world.job(program).args(arguments).output().unwrap();
            assert_eq!(status(&ran), code, "{make}: {}", told(&ran));
            assert!(told(&ran).contains(why), "{make}: {}", told(&ran));
            assert!(!told(&ran).contains("run in the folder"), "{}", told(&ran));
        }
    }
    assert!(spec.exists());
    assert!(world.comments().is_empty());
}

#[test]
fn a_list_without_an_end_ends_the_run_in_words() {
    let world = World::new().unwrap();
    world.kill_edge();
    let endless = Trouble::new("ListResourceRecordSets", Times::Always, What::Endless);
    world.endpoint.with(|cloud| cloud.trouble(endless));
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    let why = "200 pages were read and the list goes on";
    assert!(told(&ran).contains(why), "{}", told(&ran));
    assert!(world.comments().is_empty());
}
