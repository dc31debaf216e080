//! Figures of the executor's own program on loopback, told with `--nocapture`: how long from its start to the change, and
//! how much memory. No figure of time is held to a limit: it would say more of the machine than of the program.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use pointsman::drill::{ConnectionKind, SiteConduct};
use serde_json::Value;

use crate::switch_world::{DRILL, HUB, SWITCH, Tested, World, status, told};

/// The most memory that the executor may take: 30 MB, in kB of 1024 bytes.
const MEMORY: u64 = 30_000_000 / 1024;

/// One line of a journal, as far as time goes.
struct Line {
    at: u64,
    line: Value,
}

impl Line {
    fn is(&self, kind: &str, word: &str) -> bool {
        self.line[kind] == word
    }
}

fn lines(journal: &str) -> Vec<Line> {
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).ok()?;
        let at = line["at"].as_u64()?;
        Some(Line { at, line })
    };
    journal.lines().filter_map(read).collect()
}

/// Milliseconds from the program's start to the change that it sends, without those of its waits and of probes that were not
/// answered in time.
fn beyond(journal: &str) -> Option<u64> {
    let lines = lines(journal);
    let sent = lines.iter().position(|line| line.is("effect", "write"))?;
    let before = lines.get(..sent)?;
    let waits = before.iter().filter(|line| line.is("effect", "wait"));
    let waited: u64 = waits
        .filter_map(|line| Some(line.line["until"].as_u64()? - line.at))
        .sum();
    let late = before.iter().filter(|line| {
        line.is("event", "answered") && line.line["answers"][0]["none"] == "timeout"
    });
    // The time-out of this world's spec.
    let late = 1000 * u64::try_from(late.count()).ok()?;
    lines.get(sent)?.at.checked_sub(waited + late)
}

#[test]
fn from_the_start_to_the_change() {
    for (what, dead) in [
        ("refuses", ConnectionKind::Refuses),
        ("is silent", ConnectionKind::Stalls),
    ] {
        let world = World::new().unwrap();
        world.edge.conduct(SiteConduct::connecting(dead));
        world.served(HUB).unwrap();
        let ran = world.job(DRILL).output().unwrap();
        assert_eq!(status(&ran), 0, "{}", told(&ran));
        let journal = world.folder.read("failover-4711-2.jsonl");
        let beyond = beyond(&journal).unwrap();
        println!(
            "home {what}: the change is sent {beyond} ms after the start, beyond time-outs and the spaced tries (aim: under 300)"
        );
        // What does not depend on the machine: three tries, and nothing is waited for but the next of them.
        let lines = lines(&journal);
        let sent = lines
            .iter()
            .position(|line| line.is("effect", "write"))
            .unwrap();
        let count = |kind: &str, word: &str| {
            let before = lines[..sent].iter();
            before.filter(|line| line.is(kind, word)).count()
        };
        // Home three times, the standby once, and once more before the write.
        assert_eq!(count("effect", "ask"), 5, "{journal}");
        assert!(count("effect", "wait") <= 2, "{journal}");
        assert_eq!(count("effect", "read-records"), 2, "{journal}");
        assert_eq!(count("event", "failed"), 0, "{journal}");
    }
}

/// The most memory that a process has had so far (`proc(5)`, `VmHWM`), in kB; looked at until it ends.
fn most_memory(child: &mut Child) -> Option<u64> {
    let place = format!("/proc/{}/status", child.id());
    let mut most = None;
    while child.try_wait().ok()?.is_none() {
        let text = std::fs::read_to_string(&place).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok());
        most = most.max(now);
        thread::sleep(Duration::from_millis(2));
    }
    most
}

/// What a run comes to, and the most memory that it has had. Nobody reads its result, so that its process is still there, and
/// can be looked at, when all is done.
fn measured(mut command: Command) -> Tested<(Option<i32>, Option<u64>)> {
    let (_reader, mut writer) = std::io::pipe()?;
    writer.write_all(&[b'x'; 65536])?;
    let mut child = command.stdout(writer).stderr(Stdio::null()).spawn()?;
    let most = most_memory(&mut child);
    Ok((child.wait()?.code(), most))
}

#[test]
fn a_whole_run_takes_little_memory() {
    let world = World::probing("site_identity = true\ncontrol = \"status.example.net\"").unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let switched = measured(world.job(DRILL)).unwrap();
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    // The real program up to its refusal has read the authorities of the system, which a rehearsal does not.
    let mut real = world.job(SWITCH);
    real.env_remove("ACTIONS_ID_TOKEN_REQUEST_URL");
    let refused = measured(real).unwrap();
    for (what, (code, most), ends) in [("a switch", switched, 0), ("a refusal", refused, 3)] {
        assert_eq!(code, Some(ends), "{what}");
        match most {
            Some(most) => {
                println!("{what} takes up to {most} kB of memory (limit {MEMORY})");
                assert!(most < MEMORY, "{what} takes {most} kB");
            }
            None => println!("not measured: this system has no /proc"),
        }
    }
}
