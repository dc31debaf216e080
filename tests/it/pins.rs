//! `pointsman pins` as a whole, with bare clones that `git` makes here.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test of the program makes its clones with git, and says where there is none"
)]

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use pointsman::adapters::BareClones;
use pointsman::app::pins::{update, verify};
use pointsman::app::{Exit, SpecChoice};
use pointsman::model::calendar::Day;
use pointsman::model::pins::LOCK_FILE;
use pointsman::ports::MemoryFiles;
use pointsman::report::Format;

/// A clone of `octo-org/tool` with v1.0.0 (an annotated tag), v1.1.0 of 2026-01-10 and v1.2.0 of 2026-03-01.
struct Clones {
    folder: tempfile::TempDir,
    first: String,
    second: String,
    third: String,
    object: String,
}

fn git(folder: &std::path::Path, day: &str, arguments: &[&str]) -> Result<String> {
    let answer = Command::new("git")
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", format!("{day}T12:00:00Z"))
        .env("GIT_COMMITTER_DATE", format!("{day}T12:00:00Z"))
        .args(["-c", "user.name=Octo", "-c", "user.email=octo@example.com"])
        .args(arguments)
        .output()?;
    let told = String::from_utf8_lossy(&answer.stderr).into_owned();
    ensure!(answer.status.success(), "git {arguments:?}: {told}");
    Ok(String::from_utf8(answer.stdout)?.trim().to_owned())
}

/// `None`, and a word about it, where there is no git.
fn clones() -> Result<Option<Clones>> {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("skipped: no `git` here");
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let work = folder.path().join("octo-org/tool");
    std::fs::create_dir_all(&work)?;
    let commit = |day: &str, tag: &str| -> Result<String> {
        git(
            &work,
            day,
            &["commit", "--quiet", "--allow-empty", "-m", tag],
        )?;
        let arguments: &[&str] = if tag == "v1.0.0" {
            &["tag", "-a", "-m", "first", tag]
        } else {
            &["tag", tag]
        };
        git(&work, day, arguments)?;
        git(&work, day, &["rev-parse", "HEAD"])
    };
    git(
        &work,
        "2026-01-01",
        &["init", "--quiet", "--initial-branch=main"],
    )?;
    let first = commit("2026-01-01", "v1.0.0")?;
    let second = commit("2026-01-10", "v1.1.0")?;
    let third = commit("2026-03-01", "v1.2.0")?;
    let object = git(&work, "2026-03-01", &["rev-parse", "refs/tags/v1.0.0"])?;
    Ok(Some(Clones {
        folder,
        first,
        second,
        third,
        object,
    }))
}

const PATH: &str = ".github/workflows/ci.yml";

fn workflow(uses: &str) -> String {
    format!(
        "on: push\r\njobs:\r\n  a:\r\n    runs-on: ubuntu-latest\r\n    steps:\r\n      -   uses: '{uses}  # kept\r\n"
    )
}

fn updated(clones: &Clones, files: &MemoryFiles, min_age: i64) -> Result<(Exit, String)> {
    let request = update::Request {
        min_age,
        major: false,
        today: Day::parse("2026-03-05").context("a day")?,
        repository: None,
        dry_run: false,
        spec: SpecChoice::Usual,
        format: Format::Human { colour: false },
    };
    let mut out = Vec::new();
    let upstream = BareClones::new(clones.folder.path());
    let exit = update::run(&request, files, &upstream, &mut out)?;
    Ok((exit, String::from_utf8(out)?))
}

#[test]
fn an_update_changes_the_bytes_of_commit_and_comment_and_no_other() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let before = workflow(&format!("octo-org/tool/sub@{}' # tag=v1.0.0", clones.first));
    let files = MemoryFiles::new([(PATH, before.as_str())]);
    let (exit, _) = updated(&clones, &files, 7)?;
    let wanted = workflow(&format!(
        "octo-org/tool/sub@{}' # tag=v1.1.0",
        clones.second
    ));
    assert_eq!(exit, Exit::Clean);
    assert_eq!(files.text(PATH).context("the workflow")?, wanted);
    let lock = files.text(LOCK_FILE).context("the lock")?;
    assert!(lock.contains(&clones.object) && lock.contains("seen = \"2026-03-05\""));
    updated(&clones, &files, 0)?;
    let wanted = workflow(&format!("octo-org/tool/sub@{}' # tag=v1.2.0", clones.third));
    assert_eq!(files.text(PATH).context("the workflow")?, wanted);
    let (exit, told) = updated(&clones, &files, 0)?;
    assert_eq!(exit, Exit::Clean);
    assert!(told.contains("it is the newest version"), "{told}");
    Ok(())
}

/// Somebody who takes a repository over dates the harmful commit back, on the newest one.
#[test]
fn a_commit_that_is_dated_back_is_no_older_than_what_it_was_made_from() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let work = clones.folder.path().join("octo-org/tool");
    let back = ["commit", "--quiet", "--allow-empty", "-m", "x"];
    git(&work, "2026-01-20", &back)?;
    git(&work, "2026-01-20", &["tag", "-a", "-m", "x", "v1.3.0"])?;
    let files = MemoryFiles::new([(
        PATH,
        workflow(&format!("octo-org/tool@{}' # v1.1.0", clones.second)).as_str(),
    )]);
    let (exit, told) = updated(&clones, &files, 7)?;
    assert_eq!(exit, Exit::Clean);
    assert!(
        told.contains("kept: `v1.3.0` of 2026-03-01 is younger than 7 days"),
        "{told}"
    );
    let (exit, told) = updated(&clones, &files, 4)?;
    assert_eq!(exit, Exit::Clean);
    assert!(told.contains("raised to v1.3.0 of 2026-03-01"), "{told}");
    Ok(())
}

/// The same on an old commit: the lock says on which day the version was not there yet.
#[test]
fn a_version_that_the_last_look_did_not_see_is_no_older_than_that_look() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let uses = workflow(&format!("octo-org/tool@{}' # v1.1.0", clones.second));
    let files = MemoryFiles::new([(PATH, uses.as_str())]);
    // A look on 2026-03-05, which raises nothing.
    updated(&clones, &files, 90)?;
    let work = clones.folder.path().join("octo-org/tool");
    git(&work, "2026-01-20", &["checkout", "--quiet", "v1.1.0"])?;
    let back = ["commit", "--quiet", "--allow-empty", "-m", "x"];
    git(&work, "2026-01-20", &back)?;
    git(&work, "2026-01-20", &["tag", "v1.3.0"])?;
    for _ in 0..2 {
        let (exit, told) = updated(&clones, &files, 4)?;
        assert_eq!(exit, Exit::Clean);
        assert!(
            told.contains("raised to v1.2.0 of 2026-03-01")
                || told.contains("kept: `v1.3.0` of 2026-03-05 is younger"),
            "{told}"
        );
        assert!(!told.contains("raised to v1.3.0"), "{told}");
    }
    let lock = files.text(LOCK_FILE).context("the lock")?;
    assert!(lock.contains("date = \"2026-03-05\""), "{lock}");
    Ok(())
}

#[test]
fn a_pin_that_no_ref_leads_to_is_left_alone_and_told() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let before = workflow(&format!("octo-org/tool@{}' # v1.0.0", "d".repeat(40)));
    let files = MemoryFiles::new([(PATH, before.as_str())]);
    let (exit, told) = updated(&clones, &files, 0)?;
    assert_eq!(exit, Exit::Findings);
    assert!(told.contains("impostor"), "{told}");
    assert_eq!(files.text(PATH).context("the workflow")?, before);
    Ok(())
}

#[test]
fn a_repository_that_is_not_at_hand_is_undecided() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let before = workflow(&format!("octo-org/other@{}' # v1.0.0", clones.first));
    let files = MemoryFiles::new([(PATH, before.as_str())]);
    let (exit, told) = updated(&clones, &files, 0)?;
    assert_eq!(exit, Exit::Unread);
    assert!(told.contains("not at hand"), "{told}");
    Ok(())
}

#[test]
fn a_tag_that_was_moved_since_is_told_by_verify() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let text = workflow(&format!("octo-org/tool@{}' # v1.2.0", clones.third));
    let files = MemoryFiles::new([(PATH, text.as_str())]);
    updated(&clones, &files, 0)?;
    let upstream = BareClones::new(clones.folder.path());
    let format = Format::Human { colour: false };
    let mut out = Vec::new();
    let exit = verify::run(format, &files, Some(&upstream), &mut out)?;
    assert_eq!(exit, Exit::Clean, "{}", String::from_utf8_lossy(&out));
    let work = clones.folder.path().join("octo-org/tool");
    git(
        &work,
        "2026-03-02",
        &["tag", "--force", "v1.2.0", &clones.first],
    )?;
    let mut out = Vec::new();
    let exit = verify::run(format, &files, Some(&upstream), &mut out)?;
    let told = String::from_utf8(out)?;
    assert_eq!(exit, Exit::Findings);
    assert!(told.contains("`v1.2.0` has moved to"), "{told}");
    Ok(())
}

#[test]
fn without_a_lock_and_clones_nothing_is_called_good() -> Result<()> {
    let text = workflow(&format!("octo-org/tool@{}' # v1.2.0", "a".repeat(40)));
    let files = MemoryFiles::new([(PATH, text.as_str())]);
    let mut out = Vec::new();
    let exit = verify::run(Format::Json, &files, None, &mut out)?;
    assert_eq!(exit, Exit::Unread);
    assert!(String::from_utf8(out)?.contains("\"undecided\""));
    Ok(())
}

#[test]
fn no_comment_that_names_a_version_is_left_behind_by_an_update() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let (first, second) = (&clones.first, &clones.second);
    let head = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n";
    for (before, after) in [
        (
            format!("{{uses: octo-org/tool@{first}, with: {{a: b}}}} # v1.0.0"),
            Some(format!(
                "{{uses: octo-org/tool@{second}, with: {{a: b}}}} # v1.1.0"
            )),
        ),
        (
            format!("uses: octo-org/tool@{first} # zizmor: ignore[x] v1.0.0"),
            Some(format!(
                "uses: octo-org/tool@{second} # zizmor: ignore[x] v1.1.0"
            )),
        ),
        (
            format!("uses: octo-org/tool@{first} # 2026-01-01"),
            Some(format!("uses: octo-org/tool@{second} # 2026-01-10")),
        ),
        (
            format!("{{uses: octo-org/tool@{first}}}\n        # v1.0.0"),
            None,
        ),
        // In a block scalar, and in a value of several lines, no comment can stand.
        (
            format!("uses: >-\n          octo-org/tool@{first}"),
            Some(format!("uses: >-\n          octo-org/tool@{second}")),
        ),
        (
            format!("uses: |-\n          octo-org/tool@{first}\n        with: {{a: b}}"),
            Some(format!(
                "uses: |-\n          octo-org/tool@{second}\n        with: {{a: b}}"
            )),
        ),
        (
            format!("uses: \"octo-org/tool@\\\n          {first}\""),
            Some(format!("uses: \"octo-org/tool@\\\n          {second}\"")),
        ),
    ] {
        let text = format!("{head}      - {before}\n");
        let files = MemoryFiles::new([(PATH, text.as_str())]);
        let (exit, told) = updated(&clones, &files, 7)?;
        let after = after.map(|after| format!("{head}      - {after}\n"));
        let wanted = if after.is_some() {
            Exit::Clean
        } else {
            Exit::Unread
        };
        assert_eq!(exit, wanted, "{told}");
        let written = files.text(PATH).context("the workflow")?;
        assert_eq!(written, after.unwrap_or(text), "{told}");
    }
    Ok(())
}

#[test]
fn verify_says_what_the_rules_say_of_tag_objects_and_comments() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let upstream = BareClones::new(clones.folder.path());
    for (id, comment, wanted) in [
        (&clones.object, "v1.0.0", "is the tag object of `v1.0.0`"),
        (&clones.second, "v1.0.0", "is `v1.1.0` of `octo-org/tool`"),
    ] {
        let text = workflow(&format!("octo-org/tool@{id}' # {comment}"));
        let files = MemoryFiles::new([(PATH, text.as_str())]);
        let mut out = Vec::new();
        let format = Format::Human { colour: false };
        let exit = verify::run(format, &files, Some(&upstream), &mut out)?;
        let told = String::from_utf8(out)?;
        assert_eq!(exit, Exit::Findings, "{told}");
        assert!(told.starts_with("bad: ") && told.contains(wanted), "{told}");
    }
    Ok(())
}

#[test]
fn a_tag_object_that_no_tag_leads_to_any_more_is_bad_and_no_commit_of_a_branch() -> Result<()> {
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let work = clones.folder.path().join("octo-org/tool");
    let day = "2026-03-02";
    git(
        &work,
        day,
        &[
            "tag",
            "--force",
            "-a",
            "-m",
            "moved",
            "v1.0.0",
            &clones.second,
        ],
    )?;
    let text = workflow(&format!("octo-org/tool@{}' # v1.0.0", clones.object));
    let files = MemoryFiles::new([(PATH, text.as_str())]);
    let mut out = Vec::new();
    let format = Format::Human { colour: false };
    let upstream = BareClones::new(clones.folder.path());
    let exit = verify::run(format, &files, Some(&upstream), &mut out)?;
    let told = String::from_utf8(out)?;
    assert_eq!(exit, Exit::Findings, "{told}");
    assert!(
        told.contains("tag object") && told.contains(&clones.first),
        "{told}"
    );
    updated(&clones, &files, 100)?;
    let lock = files.text("pins.lock").context("a lock")?;
    let in_branch = lock.split("branch_commits").nth(1).unwrap_or_default();
    assert!(!in_branch.contains(&clones.object), "{lock}");
    Ok(())
}

#[test]
fn an_update_of_a_repository_that_nothing_is_pinned_of_is_an_error_with_the_nearest() -> Result<()>
{
    let Some(clones) = clones()? else {
        return Ok(());
    };
    let text = workflow(&format!("octo-org/tool@{}' # v1.0.0", clones.first));
    let files = MemoryFiles::new([(PATH, text.as_str())]);
    let request = update::Request {
        min_age: 0,
        major: false,
        today: Day::parse("2026-03-05").context("a day")?,
        repository: Some("octo-org/tol".to_owned()),
        dry_run: true,
        spec: SpecChoice::Usual,
        format: Format::Human { colour: false },
    };
    let upstream = BareClones::new(clones.folder.path());
    let answer = update::run(&request, &files, &upstream, &mut Vec::new());
    let told = format!("{:?}", answer.err().context("an error")?);
    assert!(told.contains("octo-org/tool"), "{told}");
    Ok(())
}
