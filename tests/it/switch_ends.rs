//! However the executor's own program ends, signalled, killed or read by nobody, its journal says where, and the next run goes on.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::io::{PipeReader, PipeWriter, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pointsman::drill::{ConnectionKind, SiteConduct};
use pointsman::failover::journal::replay;

use crate::switch_world::{
    DRILL, EDGE, HUB, POINTSMAN, Tested, World, grows_to, signal, status, told,
};

#[test]
fn a_signal_ends_a_run_with_status_3_and_a_journal_that_says_so() {
    for name in ["-TERM", "-INT", "-HUP"] {
        ended_by(name);
    }
}

/// Ends both programs in the middle of a run.
fn ended_by(name: &str) {
    ends(DRILL, &[], name);
    ends(POINTSMAN, &["failover", "run"], name);
}

fn ends(program: &str, arguments: &[&str], name: &str) {
    let world = World::new().unwrap();
    world.kill_edge();
    let child = world
        .job(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = world.folder.path().join("failover-4711-2.jsonl");
    assert!(grows_to(&journal, "\"effect\":\"wait\""));
    signal(&child, name);
    let ran = child.wait_with_output().unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    let text = world.folder.read("failover-4711-2.jsonl");
    assert!(text.contains("\"event\":\"cancelled\""), "{text}");
    let played = replay(&text).unwrap();
    assert!(played.finished && played.difference.is_none());
    assert!(
        world
            .folder
            .read("output.txt")
            .contains("status<<end\n3\nend")
    );
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
}

/// Waits until a process has its own answer to SIGTERM (`proc(5)`, `SigCgt`).
fn takes_sigterm(child: &Child) -> bool {
    let place = format!("/proc/{}/status", child.id());
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        let text = std::fs::read_to_string(&place).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if mask.is_some_and(|mask| mask & (1 << 14) != 0) {
            return true;
        }
        thread::yield_now();
    }
    false
}

#[test]
fn a_signal_at_the_beginning_of_the_program_has_its_journal_too() {
    for (program, arguments) in [
        (DRILL, &[][..]),
        (POINTSMAN, &["failover", "run"]),
        (
            POINTSMAN,
            &["--spec", "pointsman.toml", "failover", "run", "--dry-run"],
        ),
    ] {
        let world = World::new().unwrap();
        let stalled = SiteConduct::connecting(ConnectionKind::Stalls);
        world.edge.conduct(stalled);
        let mut command = world.job(program);
        command.args(arguments).stdout(Stdio::piped());
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        assert!(takes_sigterm(&child));
        signal(&child, "-TERM");
        let ran = child.wait_with_output().unwrap();
        assert_eq!(status(&ran), 3, "{arguments:?}: {}", told(&ran));
        let text = world.folder.read("failover-4711-2.jsonl");
        assert!(text.contains("\"event\":\"cancelled\""), "{text}");
        assert!(replay(&text).unwrap().finished, "{text}");
        assert_eq!(world.comments().len(), 0);
    }
}

#[test]
fn ten_kills_leave_a_zone_that_the_next_run_brings_to_its_end() {
    let points = [
        "\"journal\":1",
        "\"effect\":\"fetch-token\"",
        "\"effect\":\"assume-role\"",
        "\"effect\":\"read-records\"",
        "\"event\":\"records\"",
        "\"effect\":\"wait\"",
        "\"note\":\"decided\"",
        "\"effect\":\"write\"",
        "\"event\":\"accepted\"",
        "\"effect\":\"ask-servers\"",
    ];
    for point in points {
        let world = World::new().unwrap();
        world.kill_edge();
        world.served(HUB).unwrap();
        let mut child = world
            .job(DRILL)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let journal = world.folder.path().join("failover-4711-2.jsonl");
        assert!(grows_to(&journal, point), "{point}");
        child.kill().unwrap();
        child.wait().unwrap();
        let text = std::fs::read_to_string(&journal).unwrap();
        assert!(replay(&text).unwrap().difference.is_none(), "{point}");
        let values = world.values().unwrap();
        assert!(
            values == [EDGE, EDGE] || values == [HUB, HUB],
            "{point}: {values:?}"
        );
        let next = world.job(DRILL).output().unwrap();
        assert_eq!(status(&next), 0, "{point}: {}", told(&next));
        assert_eq!(world.values().unwrap(), [HUB, HUB], "{point}");
    }
}

#[test]
fn neither_journal_nor_summary_nor_a_reader_is_needed_for_a_switch() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    // No folder can be written to, nobody reads standard output, nor the pipe where the outputs should be a file.
    let made = Command::new("mkfifo")
        .arg(world.folder.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let mut command = world.job(DRILL);
    command
        .env("RUNNER_TEMP", "/proc/no/such/folder")
        .env("GITHUB_STEP_SUMMARY", "/proc/no/summary")
        .env("GITHUB_OUTPUT", world.folder.path().join("pipe"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    // The journal went into the working directory instead.
    assert!(world.folder.path().join("failover-4711-2.jsonl").exists());
}

/// The program of a job under a shell's builtin, which sets what the program inherits.
fn under(world: &World, program: &str, arguments: &str, builtin: &str) -> Command {
    let mut command = world.job("/bin/sh");
    let line = format!("{builtin}; exec {program} {arguments}");
    command.args(["-c", &line]);
    command
}

#[test]
fn a_limit_of_file_sizes_ends_no_switch() {
    for (program, arguments) in [(DRILL, ""), (POINTSMAN, "failover run")] {
        let world = World::new().unwrap();
        world.kill_edge();
        world.served(HUB).unwrap();
        // Beyond the limit no journal, no summary and no output takes a byte.
        let full = "x".repeat(2048);
        world.folder.write("summary.md", &full);
        world.folder.write("output.txt", &full);
        let ran = under(&world, program, arguments, "ulimit -f 2")
            .output()
            .unwrap();
        assert_eq!(status(&ran), 0, "{}", told(&ran));
        assert_eq!(world.values().unwrap(), [HUB, HUB]);
        for what in ["the journal cannot be written", "the journal is not whole"] {
            assert!(told(&ran).contains(what), "{}", told(&ran));
        }
        for what in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
            let told = told(&ran);
            assert!(
                told.contains(&format!("{what} cannot be written")),
                "{told}"
            );
        }
    }
}

#[test]
fn a_run_that_is_to_outlive_its_terminal_does() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let mut command = under(&world, DRILL, "", "trap '' HUP");
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = world.folder.path().join("failover-4711-2.jsonl");
    assert!(grows_to(&journal, "\"effect\":\"wait\""));
    signal(&child, "-HUP");
    let ran = child.wait_with_output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

/// A pipe that takes no byte more, and that nobody reads.
fn full_pipe() -> Tested<(PipeReader, PipeWriter)> {
    let (reader, mut writer) = std::io::pipe()?;
    // As much as a pipe of Linux holds.
    writer.write_all(&[b'x'; 65536])?;
    Ok((reader, writer))
}

#[test]
fn a_full_standard_error_that_nobody_reads_holds_up_no_switch() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let (_reader, writer) = full_pipe().unwrap();
    let mut command = world.job(DRILL);
    command.stdout(Stdio::null()).stderr(writer);
    let ended = command.spawn().unwrap().wait().unwrap();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

#[test]
fn a_full_standard_output_that_nobody_reads_holds_up_no_end() {
    let (_reader, writer) = full_pipe().unwrap();
    let begin = |program: &str, arguments: &[&str]| -> Tested<(World, Child)> {
        let world = World::new()?;
        world.kill_edge();
        world.served(HUB)?;
        let mut command = world.job(program);
        command.args(arguments).stdout(writer.try_clone()?);
        let child = command.stderr(Stdio::piped()).spawn()?;
        Ok((world, child))
    };
    let begun = [
        (DRILL, &[][..], 0),
        (POINTSMAN, &["failover", "run"], 0),
        (POINTSMAN, &["failover", "run", "--format", "json"], 0),
        // A plan is its result: that nobody has it is no success.
        (POINTSMAN, &["failover", "plan"], 3),
    ]
    .map(|(program, arguments, code)| (begin(program, arguments).unwrap(), code));
    for ((world, child), code) in begun {
        let ran = child.wait_with_output().unwrap();
        assert_eq!(status(&ran), code, "{}", told(&ran));
        let why = "the result could not be written: nobody has read it for 5 s";
        assert!(told(&ran).contains(why), "{}", told(&ran));
        if code == 0 {
            assert_eq!(world.values().unwrap(), [HUB, HUB]);
            let outputs = world.folder.read("output.txt");
            assert!(outputs.contains("SWITCH_TO_HUB"), "{outputs}");
        }
    }
}

#[test]
fn a_journal_without_an_end_is_told_as_one() {
    let world = World::new().unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let journal = world.folder.read("failover-4711-2.jsonl");
    for (lines, says) in [
        (1, "its run stopped before anything happened"),
        (4, "the journal stops before the end of its run"),
    ] {
        let part: Vec<&str> = journal.lines().take(lines).collect();
        world.folder.write("part.jsonl", part.join("\n") + "\n");
        let played = world.folder.run(&["failover", "replay", "part.jsonl"]);
        let said = played.stdout();
        assert!(
            said.contains(says) && !said.contains("the same 0"),
            "{said}"
        );
    }
}
