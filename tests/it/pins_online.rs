//! `pointsman pins … --online` against an endpoint on loopback that speaks GitHub's JSON.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::{Context as _, Result, ensure};
use pointsman::adapters::GitHubApi;
use pointsman::app::pins::{update, verify};
use pointsman::app::{AppError, Exit, SpecChoice};
use pointsman::model::calendar::Day;
use pointsman::model::pins::LOCK_FILE;
use pointsman::ports::{Look, MemoryFiles, Seen, UpstreamRepositories as _};
use pointsman::report::Format;
use serde_json::{Value, json};

/// An answer: status, further headers, body.
type Answer = (u16, String, String);

/// A GitHub of a few answers; everything else is 404.
#[derive(Clone, Default)]
struct Endpoint {
    answers: Arc<Mutex<BTreeMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
    url: String,
}

impl Endpoint {
    fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/api/v3", listener.local_addr()?);
        let endpoint = Self {
            url,
            ..Self::default()
        };
        let served = endpoint.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                drop(served.serve(stream));
            }
        });
        Ok(endpoint)
    }

    fn serve(&self, mut stream: std::net::TcpStream) -> Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line)? > 2 {
            head.push_str(&line);
            line.clear();
        }
        let path = head.split(' ').nth(1).context("a path")?;
        let path = path.strip_prefix("/api/v3").context("below the base")?;
        let mut asked = self.asked.lock().ok().context("a lock")?;
        asked.push(head.clone());
        let answers = self.answers.lock().ok().context("a lock")?;
        let missing = || (404, String::new(), r#"{"message":"Not Found"}"#.to_owned());
        let (status, headers, body) = answers.get(path).cloned().unwrap_or_else(missing);
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        )?;
        Ok(())
    }

    fn put(&self, path: &str, body: &Value) {
        self.answer(path, 200, "", body);
    }

    fn answer(&self, path: &str, status: u16, headers: &str, body: &Value) {
        if let Ok(mut answers) = self.answers.lock() {
            answers.insert(
                path.to_owned(),
                (status, headers.to_owned(), body.to_string()),
            );
        }
    }

    fn asked(&self) -> String {
        self.asked
            .lock()
            .map(|asked| asked.join("\n"))
            .unwrap_or_default()
    }

    fn api(&self) -> Result<GitHubApi> {
        GitHubApi::new(&self.url, Some("the-token")).map_err(anyhow::Error::msg)
    }
}

fn id(letter: char) -> String {
    letter.to_string().repeat(40)
}

const REPO: &str = "/repos/octo-org/tool";

/// `octo-org/tool`: v1.0.0 (annotated) at a, v1.1.0 at b, v1.2.0 at c, v2.0.0 at d; `main` leads to all of them.
fn tool() -> Result<Endpoint> {
    let endpoint = Endpoint::start()?;
    endpoint.put(
        REPO,
        &json!({"full_name": "octo-org/tool", "default_branch": "main"}),
    );
    let commits = [
        ("v1.0.0", 'a', "2026-01-01"),
        ("v1.1.0", 'b', "2026-01-10"),
        ("v1.2.0", 'c', "2026-03-01"),
        ("v2.0.0", 'd', "2026-01-20"),
    ];
    let peeled = |(name, letter, _): &(&str, char, &str)| json!({"name": name, "commit": {"sha": id(*letter)}});
    let all: Vec<Value> = commits.iter().map(peeled).collect();
    // Two pages, and the second is found by its link alone.
    let (first, second) = all.split_at(2);
    let link = format!(
        "link: <{}{REPO}/tags?page=2>; rel=\"next\"\r\n",
        endpoint.url
    );
    endpoint.answer(
        &format!("{REPO}/tags?per_page=100"),
        200,
        &link,
        &json!(first),
    );
    endpoint.put(&format!("{REPO}/tags?page=2"), &json!(second));
    let refs = commits.map(|(name, letter, _)| {
        let object = if name == "v1.0.0" {
            json!({"type": "tag", "sha": id('e')})
        } else {
            json!({"type": "commit", "sha": id(letter)})
        };
        json!({"ref": format!("refs/tags/{name}"), "object": object})
    });
    endpoint.put(
        &format!("{REPO}/git/matching-refs/tags?per_page=100"),
        &json!(refs),
    );
    for (_, letter, day) in commits {
        let date = json!({"committer": {"date": format!("{day}T12:00:00Z")}});
        endpoint.put(&format!("{REPO}/git/commits/{}", id(letter)), &date);
    }
    endpoint.put(
        &format!("{REPO}/branches?per_page=100"),
        &json!([{"name": "main", "commit": {"sha": id('9')}}, {"name": "rel/1", "commit": {"sha": id('8')}}]),
    );
    Ok(endpoint)
}

fn compared(base: &str, letter: char) -> String {
    format!("{REPO}/compare/{base}...{}?per_page=1", id(letter))
}

const PATH: &str = ".github/workflows/ci.yml";

fn files(commit: &str, comment: &str) -> MemoryFiles {
    let text = format!(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: octo-org/tool@{commit} # {comment}\n"
    );
    MemoryFiles::new([(PATH, text.as_str())])
}

const HUMAN: Format = Format::Human { colour: false };

fn updated(
    endpoint: &Endpoint,
    files: &MemoryFiles,
    major: bool,
    min_age: i64,
) -> Result<(Exit, String)> {
    let request = update::Request {
        min_age,
        major,
        today: Day::parse("2026-03-05").context("a day")?,
        repository: None,
        dry_run: false,
        spec: SpecChoice::Usual,
        format: HUMAN,
    };
    let mut out = Vec::new();
    let exit = update::run(&request, files, &endpoint.api()?, &mut out)?;
    Ok((exit, String::from_utf8(out)?))
}

#[test]
fn the_newest_version_that_is_old_enough_is_taken_and_a_major_one_only_when_asked() -> Result<()> {
    let endpoint = tool()?;
    let pins = files(&id('a'), "v1.0.0");
    let (exit, told) = updated(&endpoint, &pins, false, 7)?;
    assert_eq!(exit, Exit::Clean, "{told}");
    assert!(
        told.contains("raised to v1.1.0 of 2026-01-10") && told.contains("`v2.0.0` is a new major"),
        "{told}"
    );
    let text = pins.text(PATH).context("the workflow")?;
    assert!(
        text.contains(&format!("tool@{} # v1.1.0", id('b'))),
        "{text}"
    );
    let lock = pins.text(LOCK_FILE).context("the lock")?;
    assert!(lock.contains(&id('e')) && lock.contains("date = \"2026-01-10\""));
    assert!(
        endpoint.asked().contains("authorization: Bearer the-token"),
        "{}",
        endpoint.asked()
    );
    let (_, told) = updated(&endpoint, &pins, true, 7)?;
    assert!(told.contains("raised to v2.0.0"), "{told}");
    let (exit, told) = updated(&endpoint, &pins, false, 7)?;
    assert_eq!(exit, Exit::Clean);
    assert!(told.contains("it is the newest version"), "{told}");
    Ok(())
}

#[test]
fn a_release_that_github_dates_later_than_its_commit_is_as_young_as_github_says() -> Result<()> {
    let endpoint = tool()?;
    endpoint.put(
        &format!("{REPO}/releases/tags/v1.1.0"),
        &json!({"published_at": "2026-03-04T00:00:00Z"}),
    );
    let pins = files(&id('a'), "v1.0.0");
    let (exit, told) = updated(&endpoint, &pins, false, 7)?;
    assert_eq!(exit, Exit::Clean);
    assert!(told.contains("is younger than 7 days"), "{told}");
    Ok(())
}

#[test]
fn a_commit_that_is_dated_back_is_no_older_than_the_commits_before_it() -> Result<()> {
    let endpoint = tool()?;
    let of = |day: &str| json!({"commit": {"committer": {"date": format!("{day}T12:00:00Z")}, "author": {"date": "2025-12-01T12:00:00Z"}}});
    endpoint.put(
        &format!("{REPO}/commits?sha={}&per_page=100", id('b')),
        &json!([of("2026-01-10"), of("2026-03-04")]),
    );
    let pins = files(&id('a'), "v1.0.0");
    let (exit, told) = updated(&endpoint, &pins, false, 7)?;
    assert_eq!(exit, Exit::Clean);
    assert!(told.contains("is younger than 7 days"), "{told}");
    Ok(())
}

#[test]
fn a_commit_of_a_fork_is_an_impostor_and_is_left_alone() -> Result<()> {
    let endpoint = tool()?;
    // GitHub shows the commit under the parent's name; a fork's history may begin in the parent's.
    endpoint.put(&format!("{REPO}/git/commits/{}", id('f')), &json!({}));
    endpoint.put(&compared("main", 'f'), &json!({"status": "diverged"}));
    endpoint.put(
        &compared("refs%2Fheads%2Frel%2F1", 'f'),
        &json!({"status": "ahead"}),
    );
    let pins = files(&id('f'), "v1.0.0");
    let (exit, told) = updated(&endpoint, &pins, false, 0)?;
    assert_eq!(exit, Exit::Findings);
    assert!(told.contains("impostor"), "{told}");
    let mut out = Vec::new();
    let exit = verify::run(
        HUMAN,
        &files(&id('f'), "v1.0.0"),
        Some(&endpoint.api()?),
        &mut out,
    )?;
    assert_eq!(exit, Exit::Findings);
    assert!(String::from_utf8(out)?.contains("impostor"));
    Ok(())
}

fn look(endpoint: &Endpoint, letter: char) -> Result<Seen> {
    match endpoint.api()?.look("octo-org/tool", &[id(letter)]) {
        Ok(Look::Seen(seen)) => Ok(*seen),
        other => anyhow::bail!("{other:?}"),
    }
}

#[test]
fn a_commit_lies_on_the_branch_that_leads_to_it_whichever_that_is() -> Result<()> {
    let endpoint = tool()?;
    for letter in ['5', '6', '8'] {
        endpoint.put(&format!("{REPO}/git/commits/{}", id(letter)), &json!({}));
    }
    endpoint.put(&compared("main", '5'), &json!({"status": "behind"}));
    endpoint.put(
        &compared("refs%2Fheads%2Frel%2F1", '6'),
        &json!({"status": "identical"}),
    );
    endpoint.put(
        &compared("refs%2Ftags%2Fv2.0.0", '7'),
        &json!({"status": "behind"}),
    );
    for letter in ['5', '6', '8'] {
        assert!(
            look(&endpoint, letter)?.on_branch.contains(&id(letter)),
            "{letter}"
        );
    }
    // A commit that GitHub does not have at all is compared with nothing.
    assert_eq!(look(&endpoint, '7')?.leads_to(&id('7')), Some(false));
    endpoint.put(&format!("{REPO}/git/commits/{}", id('7')), &json!({}));
    assert!(look(&endpoint, '7')?.on_tag.contains(&id('7')));
    Ok(())
}

#[test]
fn with_more_refs_than_are_compared_it_remains_open_whether_a_commit_is_an_impostor() -> Result<()>
{
    let endpoint = tool()?;
    endpoint.put(&format!("{REPO}/git/commits/{}", id('f')), &json!({}));
    let many = (0..40).map(|n| json!({"name": format!("b{n}"), "commit": {"sha": id('8')}}));
    let many: Vec<Value> = many.collect();
    endpoint.put(&format!("{REPO}/branches?per_page=100"), &json!(many));
    assert_eq!(look(&endpoint, 'f')?.leads_to(&id('f')), None);
    let (exit, told) = updated(&endpoint, &files(&id('f'), "v1.0.0"), false, 0)?;
    assert_eq!(exit, Exit::Unread);
    assert!(told.contains("look into a clone"), "{told}");
    Ok(())
}

#[test]
fn a_tag_whose_commit_one_list_leaves_out_is_followed_to_its_end() -> Result<()> {
    let endpoint = tool()?;
    endpoint.put(&format!("{REPO}/tags?per_page=100"), &json!([]));
    endpoint.put(
        &format!("{REPO}/git/tags/{}", id('e')),
        &json!({"object": {"type": "tag", "sha": id('0')}}),
    );
    endpoint.put(
        &format!("{REPO}/git/tags/{}", id('0')),
        &json!({"object": {"type": "commit", "sha": id('a')}}),
    );
    let seen = look(&endpoint, 'a')?;
    let first = seen.tags.iter().find(|tag| tag.name == "v1.0.0");
    let first = first.context("the tag")?;
    assert_eq!(first.commit, id('a'));
    assert_eq!(first.tag_object, Some(id('e')));
    // The tag object itself is what a pin may hold by mistake: the repository has it.
    assert!(look(&endpoint, 'e')?.on_tag.contains(&id('e')));
    Ok(())
}

#[test]
fn a_repository_under_another_name_is_followed_and_told_in_the_lock() -> Result<()> {
    let endpoint = tool()?;
    let about = json!({"full_name": "octo-org/tool", "default_branch": "main"});
    endpoint.put("/repositories/7", &about);
    let location = format!("location: {}/repositories/7\r\n", endpoint.url);
    endpoint.answer("/repos/old-org/tool", 301, &location, &json!({}));
    let text = format!(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: old-org/tool@{} # v1.1.0\n",
        id('b')
    );
    let pins = MemoryFiles::new([(PATH, text.as_str())]);
    updated(&endpoint, &pins, false, 7)?;
    let lock = pins.text(LOCK_FILE).context("the lock")?;
    assert!(
        lock.contains("name = \"old-org/tool\"") && lock.contains("moved_to = \"octo-org/tool\""),
        "{lock}"
    );
    let elsewhere = "location: http://127.0.0.1:1/api/v3/repositories/7\r\n";
    endpoint.answer("/repos/old-org/tool", 301, elsewhere, &json!({}));
    let refused = endpoint.api()?.look("old-org/tool", &[]);
    assert!(refused.is_err_and(|why| why.contains("not for others")));
    Ok(())
}

#[test]
fn a_tag_that_was_moved_is_told_by_verify_and_its_former_commit_is_kept() -> Result<()> {
    let endpoint = tool()?;
    let pins = files(&id('b'), "v1.1.0");
    updated(&endpoint, &pins, false, 7)?;
    let moved = json!([{"ref": "refs/tags/v1.1.0", "object": {"type": "commit", "sha": id('c')}}]);
    endpoint.put(
        &format!("{REPO}/git/matching-refs/tags?per_page=100"),
        &moved,
    );
    endpoint.put(&compared("main", 'b'), &json!({"status": "behind"}));
    let mut out = Vec::new();
    let exit = verify::run(HUMAN, &pins, Some(&endpoint.api()?), &mut out)?;
    let told = String::from_utf8(out)?;
    assert_eq!(exit, Exit::Findings, "{told}");
    assert!(told.contains("`v1.1.0` has moved to"), "{told}");
    updated(&endpoint, &pins, false, 7)?;
    let lock = pins.text(LOCK_FILE).context("the lock")?;
    let former = lock.split("former_commits").nth(1).unwrap_or_default();
    assert!(former.contains(&id('b')), "{lock}");
    Ok(())
}

#[test]
fn a_repository_that_github_does_not_show_is_undecided() -> Result<()> {
    let endpoint = Endpoint::start()?;
    let pins = files(&id('a'), "v1.0.0");
    let before = pins.text(PATH);
    let (exit, told) = updated(&endpoint, &pins, false, 7)?;
    assert_eq!(exit, Exit::Unread);
    assert!(told.contains("GitHub shows no such repository"), "{told}");
    assert_eq!(pins.text(PATH), before);
    Ok(())
}

#[test]
fn whatever_keeps_github_from_answering_ends_the_run_and_writes_nothing() -> Result<()> {
    for (status, headers, body, told) in [
        (
            403,
            "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 1796068800\r\n",
            "",
            "begins anew at 2026-11-30 20:00 UTC",
        ),
        (429, "retry-after: 60\r\n", "", "ask again in 60 seconds"),
        (403, "retry-after: 7\r\n", "", "rate limit"),
        (
            403,
            "x-ratelimit-remaining: 12\r\n",
            r#"{"message":"SSO\nneeded"}"#,
            r"with 403: SSO\nneeded",
        ),
        (401, "", "", "does not accept the token"),
        (500, "", "<html>", "with 500: no reason given"),
        (200, "", "{", "with no JSON"),
    ] {
        let endpoint = tool()?;
        if let Ok(mut answers) = endpoint.answers.lock() {
            let answer = (status, headers.to_owned(), body.to_owned());
            answers.insert(format!("{REPO}/tags?per_page=100"), answer);
        }
        let pins = files(&id('a'), "v1.0.0");
        let before = pins.text(PATH);
        let request = update::Request {
            min_age: 0,
            major: false,
            today: Day::parse("2026-03-05").context("a day")?,
            repository: None,
            dry_run: false,
            spec: SpecChoice::Usual,
            format: HUMAN,
        };
        let ended = update::run(&request, &pins, &endpoint.api()?, &mut Vec::new());
        let Err(why @ AppError::Outside { .. }) = ended else {
            anyhow::bail!("{status}: {ended:?}");
        };
        ensure!(why.to_string().contains(told), "{status}: {why}");
        ensure!(!why.to_string().contains("the-token"), "{why}");
        ensure!(why.exit() == Exit::Failed && pins.text(PATH) == before);
        ensure!(pins.text(LOCK_FILE).is_none());
    }
    Ok(())
}
