//! Repositories as GitHub's REST API shows them: tags, whether anything leads to a commit, and how old a tag is.
//!
//! Sources: GitHub REST API documentation, "Repositories" (`GET /repos/{owner}/{repo}`, `…/tags`, `…/branches`), "Git
//! database" (`…/git/matching-refs/{ref}`, `…/git/tags/{sha}`, `…/git/commits/{sha}`), "Commits" (`…/compare/{basehead}`:
//! `status` is `behind` or `identical` where the base leads to the head; `…/commits?sha=`: a commit and those before it),
//! "Releases". GitHub serves a commit of a fork
//! under the name of its parent too; that a branch or a tag leads to it is what tells them apart.

mod api;
mod place;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::pins::is_object_id;
use crate::ports::{Look, Seen, SeenTag, UpstreamRepositories};

use api::Answer;
pub use api::GitHubApi;

/// With so many refs one commit is compared at most: each takes a request.
const COMPARISONS: usize = 30;
/// A tag of a tag of a tag ends somewhere.
const NESTED: usize = 5;

impl UpstreamRepositories for GitHubApi {
    fn look(&self, repository: &str, commits: &[String]) -> Result<Look, String> {
        let Some(path) = path_of(repository) else {
            return Ok(Look::Absent("it is no name of a repository".to_owned()));
        };
        let Answer::Found(about) = self.ask(&path)? else {
            return Ok(Look::Absent(
                "GitHub shows no such repository: there is none, or the token may not read it"
                    .to_owned(),
            ));
        };
        let mut at = Repository {
            api: self,
            path,
            seen: Seen::default(),
        };
        let full_name = text(&about, "/full_name").unwrap_or(repository);
        if !full_name.eq_ignore_ascii_case(repository) {
            at.seen.moved_to = Some(full_name.to_owned());
            at.path = path_of(full_name).unwrap_or(at.path);
        }
        at.tags()?;
        for commit in commits {
            at.place(commit, text(&about, "/default_branch"))?;
        }
        Ok(Look::Seen(Box::new(at.seen)))
    }

    /// The latest of release, tag object, commit and the hundred commits before it. A release is dated by GitHub; a tag object and
    /// a commit are by whoever makes them, but a commit cannot be older than what it was made from.
    fn day_of(&self, repository: &str, tag: &SeenTag) -> Result<Option<String>, String> {
        let Some(path) = path_of(repository) else {
            return Ok(None);
        };
        let mut asked = vec![
            (
                format!("{path}/git/commits/{}", tag.commit),
                "/committer/date",
            ),
            (
                format!("{path}/releases/tags/{}", place::encoded(&tag.name, true)),
                "/published_at",
            ),
        ];
        if let Some(object) = &tag.tag_object {
            asked.push((format!("{path}/git/tags/{object}"), "/tagger/date"));
        }
        let mut latest = None;
        for (path, pointer) in asked {
            if let Answer::Found(answer) = self.ask(&path)? {
                let day = text(&answer, pointer).and_then(|time| time.get(..10));
                latest = latest.max(day.map(str::to_owned));
            }
        }
        let before = format!("{path}/commits?sha={}&per_page=100", tag.commit);
        if let Answer::Found(Value::Array(commits)) = self.ask(&before)? {
            let pointers = ["/commit/committer/date", "/commit/author/date"];
            let times = commits
                .iter()
                .flat_map(|one| pointers.map(|pointer| text(one, pointer)));
            let days = times.flatten().filter_map(|time| time.get(..10));
            latest = latest.max(days.max().map(str::to_owned));
        }
        Ok(latest)
    }
}

/// A repository that is looked at.
struct Repository<'a> {
    api: &'a GitHubApi,
    path: String,
    seen: Seen,
}

impl Repository<'_> {
    /// All tags. One list tells what each ref points at, another the commits that they lead to in the end.
    fn tags(&mut self) -> Result<(), String> {
        let path = &self.path;
        let peeled = self.api.pages(&format!("{path}/tags?per_page=100"))?;
        let peeled: BTreeMap<&str, &str> = peeled
            .iter()
            .filter_map(|tag| Some((text(tag, "/name")?, id(tag, "/commit/sha")?)))
            .collect();
        let refs = self
            .api
            .pages(&format!("{path}/git/matching-refs/tags?per_page=100"))?;
        for found in &refs {
            let name = text(found, "/ref").and_then(|name| name.strip_prefix("refs/tags/"));
            let (Some(name), Some(object)) = (name, id(found, "/object/sha")) else {
                continue;
            };
            let is_object = text(found, "/object/type") == Some("tag");
            let commit = match (text(found, "/object/type"), peeled.get(name)) {
                (Some("commit"), _) => Some(object.to_owned()),
                (Some("tag"), Some(commit)) => Some((*commit).to_owned()),
                (Some("tag"), None) => self.peeled(object)?,
                _ => None,
            };
            // A tag of something else than a commit is none that an action can be pinned to.
            if let Some(commit) = commit {
                self.seen.tags.push(SeenTag {
                    name: name.to_owned(),
                    commit,
                    tag_object: is_object.then(|| object.to_owned()),
                    date: String::new(),
                });
            }
        }
        Ok(())
    }

    /// The commit that a tag object leads to.
    fn peeled(&self, object: &str) -> Result<Option<String>, String> {
        let mut object = object.to_owned();
        for _ in 0..NESTED {
            let path = format!("{}/git/tags/{object}", self.path);
            let Answer::Found(answer) = self.api.ask(&path)? else {
                return Ok(None);
            };
            let Some(next) = id(&answer, "/object/sha") else {
                return Ok(None);
            };
            match text(&answer, "/object/type") {
                Some("commit") => return Ok(Some(next.to_owned())),
                Some("tag") => next.clone_into(&mut object),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Finds a ref that leads to `commit`: a tag's own, then branches, the default one first, then tags by comparison.
    fn place(&mut self, commit: &str, default: Option<&str>) -> Result<(), String> {
        let is_tagged =
            |tag: &SeenTag| tag.commit == commit || tag.tag_object.as_deref() == Some(commit);
        if self.seen.tags.iter().any(is_tagged) {
            self.seen.on_tag.insert(commit.to_owned());
            return Ok(());
        }
        let known = self
            .api
            .ask(&format!("{}/git/commits/{commit}", self.path))?;
        if matches!(known, Answer::Missing) {
            return Ok(());
        }
        if let Some(default) = default
            && self.leads(default, commit)?
        {
            self.seen.on_branch.insert(commit.to_owned());
            return Ok(());
        }
        self.branches()?;
        let is_tip = |(_, tip): &(String, String)| tip == commit;
        if self.seen.branches.iter().any(is_tip) {
            self.seen.on_branch.insert(commit.to_owned());
            return Ok(());
        }
        self.compare(commit, default)
    }

    fn compare(&mut self, commit: &str, default: Option<&str>) -> Result<(), String> {
        let branches = self.seen.branches.iter().map(|(name, _)| (name, true));
        let branches = branches.filter(|(name, _)| Some(name.as_str()) != default);
        let tags = self.seen.tags.iter().rev().map(|tag| (&tag.name, false));
        let all: Vec<(String, bool)> = branches
            .chain(tags)
            .map(|(name, is_branch)| (name.clone(), is_branch))
            .collect();
        for (name, is_branch) in all.iter().take(COMPARISONS) {
            let space = if *is_branch { "heads" } else { "tags" };
            if self.leads(&format!("refs/{space}/{name}"), commit)? {
                let leading = if *is_branch {
                    &mut self.seen.on_branch
                } else {
                    &mut self.seen.on_tag
                };
                leading.insert(commit.to_owned());
                return Ok(());
            }
        }
        if all.len() > COMPARISONS {
            let why = format!(
                "none of the {COMPARISONS} branches and tags that were compared leads to its commit, and there are {}; look into a clone with `--from`",
                all.len()
            );
            self.seen.open.insert(commit.to_owned(), why);
        }
        Ok(())
    }

    /// All branches, once.
    fn branches(&mut self) -> Result<(), String> {
        if self.seen.branches.is_empty() {
            let path = format!("{}/branches?per_page=100", self.path);
            let listed = self.api.pages(&path)?;
            let named = listed.iter().filter_map(|branch| {
                let name = text(branch, "/name")?.to_owned();
                Some((name, id(branch, "/commit/sha")?.to_owned()))
            });
            self.seen.branches = named.collect();
        }
        Ok(())
    }

    /// Whether the ref leads to the commit. Where they have no beginning in common, GitHub answers 404.
    fn leads(&self, reference: &str, commit: &str) -> Result<bool, String> {
        let base = place::encoded(reference, false);
        let path = format!("{}/compare/{base}...{commit}?per_page=1", self.path);
        Ok(match self.api.ask(&path)? {
            Answer::Found(answer) => {
                matches!(text(&answer, "/status"), Some("behind" | "identical"))
            }
            Answer::Missing => false,
        })
    }
}

/// The path of a repository below the API's; `None` for what is no `owner/name`.
fn path_of(repository: &str) -> Option<String> {
    let (owner, name) = repository.split_once('/')?;
    let is_name = |part: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && part != "." && part != ".." && part.bytes().all(letter)
    };
    (is_name(owner) && is_name(name)).then(|| format!("/repos/{owner}/{name}"))
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// An object id; anything else from outside is none.
fn id<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    text(value, pointer).filter(|id| is_object_id(id))
}
