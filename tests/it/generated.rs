//! Generator and linter prove each other: whatever valid spec there is, `validate` finds nothing in what `generate` writes
//! from it, leaves nothing undecided, and `generate --check` sees no difference.

use pointsman::app::{Exit, SpecChoice, generate as generate_app, simulate, validate};
use pointsman::diag::Severity;
use pointsman::generate;
use pointsman::ports::{Files as _, MemoryFiles};
use pointsman::report::Format;
use proptest::prelude::*;

use crate::binary::Folder;

const HUMAN: Format = Format::Human { colour: false };

pub(crate) fn generated(files: &MemoryFiles, check: bool) -> (Exit, String) {
    let request = generate_app::Request {
        spec: SpecChoice::Usual,
        check,
        force: false,
        format: HUMAN,
    };
    let mut out = Vec::new();
    let exit = generate_app::run(&request, files, &mut out).unwrap();
    (exit, String::from_utf8(out).unwrap())
}

pub(crate) fn validated(files: &MemoryFiles) -> (Exit, String) {
    let request = validate::Request {
        here: String::new(),
        paths: Vec::new(),
        subject: None,
        policy_kind: None,
        repository: None,
        spec: SpecChoice::Usual,
        fail_on: Severity::Note,
        strict: true,
        today: None,
        format: HUMAN,
    };
    let mut out = Vec::new();
    let exit = validate::run(&request, files, &mut out).unwrap();
    (exit, String::from_utf8(out).unwrap())
}

fn simulated(files: &MemoryFiles, tables: Vec<String>) -> (Exit, String) {
    let request = simulate::Request {
        tables,
        strict_context: true,
        format: HUMAN,
        engine: simulate::Engine::Local,
        answers: simulate::Answers::Live,
    };
    let mut out = Vec::new();
    let exit = simulate::run(&request, files, None, &mut out).unwrap();
    (exit, String::from_utf8(out).unwrap())
}

/// The program as it is committed, with its sum.
fn put_executor(files: &MemoryFiles) {
    files.put("bin/pointsman-switch", "\u{7f}ELF");
    let sum = generate::sha256(b"\x7fELF");
    let list = format!("{sum}  bin/pointsman-switch\n");
    files.put("bin/pointsman-switch.sha256", list);
}

/// Records: names in the zone, and types.
fn records() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "",
        "names = [\"@ZONE\", \"www.@ZONE\"]\n",
        "names = [\"*.@ZONE\", \"@ZONE\", \"*.a-b.@ZONE\", \"_x.@ZONE\"]\n",
        "names = [\"@ZONE\", \"a!b.@ZONE\", \"\\\\052.@ZONE\"]\n",
    ]);
    let types = prop::sample::select(vec!["[\"A\"]", "[\"AAAA\"]", "[\"A\", \"AAAA\"]"]);
    (names, types, 1_u32..86_400)
        .prop_map(|(names, types, ttl)| format!("[records]\n{names}types = {types}\nttl = {ttl}\n"))
}

/// The repository and the workflow.
fn github() -> impl Strategy<Value = String> {
    (
        prop::sample::select(vec!["acme", "Acme-Org", "a"]),
        prop::sample::select(vec!["dns-failover", "x.y_z", "DNS"]),
        prop::sample::select(vec!["main", "release/1", "x'y", "é/1", "a\\\"b"]),
        prop::sample::select(vec!["immutable", "classic"]),
        prop::sample::select(vec!["", "environment = \"production\"\n", "environment = \"Production:V1\"\n", "environment = \"it's\"\n", "environment = \"Süd ÿ\"\n"]),
        prop::sample::select(vec!["dns-failover.yml", "switch.yaml"]),
        20_u32..60,
    )
        .prop_map(|(owner, repository, branch, format, environment, workflow, minutes)| {
            format!(
                "[github]\nowner = \"{owner}\"\nowner_id = 7\nrepository = \"{repository}\"\nrepository_id = 8\n\
                 branch = \"{branch}\"\nsubject_format = \"{format}\"\n{environment}workflow = \"{workflow}\"\n\
                 variable = \"WHERE_TO\"\nconcurrency_group = \"one\"\njob_timeout_minutes = {minutes}\n"
            )
        })
}

fn rest() -> impl Strategy<Value = String> {
    (
        prop::sample::select(vec!["1.0.0", "2.0.0", "2.1.0"]),
        prop::sample::select(vec!["", "[artefacts]\npolicies = \"iam/policies\"\nterraform = \"infra/dns\"\nmonitors = \"kuma\"\n"]),
        prop::sample::select(vec!["aws", "aws-us-gov"]),
        30_u32..120,
        10_u32..60,
    )
        .prop_map(|(autokuma, artefacts, partition, interval, beats)| {
            format!(
                "[aws]\naccount = \"123456789012\"\npartition = \"{partition}\"\nrole = \"switch+1\"\n\n\
                 [monitors]\nautokuma_version = \"{autokuma}\"\n\n[monitors.edge_watch]\ninterval_seconds = {interval}\n\
                 resend_beats = {beats}\n\n{artefacts}"
            )
        })
}

fn spec() -> impl Strategy<Value = String> {
    let zone = prop::sample::select(vec!["example.com", "a.b.example.com", "example.co.uk"]);
    (zone, 2_usize..5, records(), github(), rest()).prop_map(|(zone, sites, records, github, rest)| {
        let mut text = format!("[zone]\nid = \"Z0123456789EXAMPLE\"\nname = \"{zone}\"\n\n");
        for site in 0..sites {
            let (number, address) = (site + 1, format!("2001:db8::{:x}", site + 1));
            text.push_str(&format!("[[sites]]\nname = \"s{number}\"\nipv4 = \"198.51.100.{number}\"\nipv6 = \"{address}\"\n\n"));
        }
        let hosts = "[[hosts]]\nname = \"@ZONE\"\n\n[[hosts]]\nname = \"www.@ZONE\"\nabsent_at = [\"s2\"]\nnotes = { s1 = \"old\" }\n\n";
        format!("{text}{records}\n{hosts}{github}\n{rest}").replace("@ZONE", zone)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_found_in_what_is_generated(spec in spec()) {
        let files = MemoryFiles::default();
        files.put("pointsman.toml", spec.clone());
        let (exit, said) = generated(&files, false);
        prop_assert_eq!(exit, Exit::Clean, "{}\n{}", said, spec);
        put_executor(&files);
        let table = files.paths().into_iter().filter(|path| path.ends_with("/cases.toml"));
        let (exit, said) = simulated(&files, table.collect());
        prop_assert_eq!(exit, Exit::Clean, "{}\n{}", said, spec);
        let (exit, said) = validated(&files);
        prop_assert_eq!(exit, Exit::Clean, "{}\n{}", said, spec);
        let (exit, said) = generated(&files, true);
        prop_assert_eq!(exit, Exit::Clean, "{}", said);
        prop_assert!(files.paths().len() > 10 && files.read("pointsman.lock").is_ok());
    }

    /// A spec that is taken is one whose artefacts are fine; what no policy can carry, the spec itself refuses.
    #[test]
    fn any_branch_and_environment_is_refused_or_leads_to_clean_artefacts(
        branch in "([a-z/é한*?$—]|\\PC){1,6}",
        environment in "([a-z :é한*?$—\u{a0}]|\\PC){1,6}",
    ) {
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let github = format!("branch = {}\nenvironment = {}", quoted(&branch), quoted(&environment));
        let spec = include_str!("../../pointsman.toml").replace("branch = \"main\"", &github);
        let files = MemoryFiles::default();
        files.put("pointsman.toml", spec);
        if generated(&files, false).0 == Exit::Clean {
            let (exit, said) = validated(&files);
            prop_assert_eq!(exit, Exit::Clean, "{}", said);
        }
    }
}

#[test]
fn the_monitors_in_kumas_own_json_are_clean_and_have_every_duty() {
    let folder = Folder::of_the_reference_deployment();
    let printed = folder.run(&["generate", "--kuma"]);
    assert_eq!(printed.status(), 0);
    let told = printed.json();
    let monitors = told["monitorList"].as_array().cloned().unwrap_or_default();
    assert_eq!(monitors.len(), 5);
    for monitor in &monitors {
        assert_eq!(monitor["domainExpiryNotification"], false);
    }
    // Without AutoKuma a `dns` monitor can repeat.
    assert_eq!(monitors[3]["type"], "dns");
    assert_eq!(monitors[3]["resendInterval"], 30);
    let token = "Bearer ${DISPATCH_TOKEN}";
    assert_eq!(printed.stdout().matches(token).count(), 2);
    assert!(!printed.stdout().contains("get_env"));
    let alone = Folder::empty();
    alone.write("kuma.json", printed.stdout());
    let output = alone.run(&["validate"]);
    assert_eq!(output.status(), 0);
    assert!(
        output
            .stdout()
            .contains("1 file checked: 0 errors, 0 warnings"),
        "{}",
        output.stdout()
    );
}
