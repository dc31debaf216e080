//! Bare clones on this machine, asked through the `git` program. Nothing is fetched, and no address is contacted.
//!
//! Sources: Git documentation, `git-for-each-ref` (fields, `--contains`), `git-log` (`%as`, `%cs`: days of author and committer)
//! and `gitrepository-layout`.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the adapter that runs git"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ports::{Look, Seen, SeenTag, UpstreamRepositories};

/// A folder of bare clones: `FOLDER/OWNER/NAME.git`, or without `.git`, or one of these without the owner's folder.
#[derive(Debug)]
pub struct BareClones {
    folder: PathBuf,
}

const FIELDS: &str = "%(refname)%09%(objecttype)%09%(objectname)%09%(*objecttype)%09%(*objectname)%09%(creatordate:short)%09%(*committerdate:short)";

impl BareClones {
    /// The clones below `folder`.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn clone_of(&self, repository: &str) -> Option<PathBuf> {
        let name = repository.rsplit('/').next().unwrap_or(repository);
        let lower = repository.to_ascii_lowercase();
        let candidates = [repository, lower.as_str(), name]
            .into_iter()
            .flat_map(|path| [format!("{path}.git"), path.to_owned()]);
        let mut folders = candidates.map(|path| self.folder.join(path));
        folders.find_map(|folder| {
            let inside = folder.join(".git");
            let is_clone = |folder: &Path| folder.join("HEAD").is_file();
            [folder, inside].into_iter().find(|folder| is_clone(folder))
        })
    }
}

impl UpstreamRepositories for BareClones {
    fn look(&self, repository: &str, commits: &[String]) -> Result<Look, String> {
        let Some(clone) = self.clone_of(repository) else {
            let folder = self.folder.display();
            return Ok(Look::Absent(format!("no clone of it lies in `{folder}`")));
        };
        let format = format!("--format={FIELDS}");
        let listed = git(
            &clone,
            &["for-each-ref", &format, "refs/tags", "refs/heads"],
        )?;
        let mut seen = Seen::default();
        for line in listed.lines() {
            take(line, &mut seen);
        }
        seen.on_branch = contained(&clone, "refs/heads", commits);
        seen.on_tag = contained(&clone, "refs/tags", commits);
        // Git takes a tag object for the commit that it points at.
        let leading = seen.on_branch.union(&seen.on_tag);
        let objects: BTreeMap<String, String> = leading
            .filter_map(|id| Some((id.clone(), commit_of(&clone, id)?)))
            .filter(|(id, commit)| id != commit)
            .collect();
        seen.on_branch.retain(|id| !objects.contains_key(id));
        seen.on_tag.retain(|id| !objects.contains_key(id));
        seen.tag_objects = objects;
        Ok(Look::Seen(Box::new(seen)))
    }

    /// The latest of the days of the tag, its commit and all commits before it. Whoever makes a commit says its day, but it
    /// cannot be older than what it was made from.
    fn day_of(&self, repository: &str, tag: &SeenTag) -> Result<Option<String>, String> {
        let own = Some(tag.date.clone()).filter(|day| !day.is_empty());
        let Some(clone) = self.clone_of(repository) else {
            return Ok(own);
        };
        let listed = git(&clone, &["log", "--format=%cs%n%as", &tag.commit, "--"])?;
        let days = listed.lines().map(str::trim).filter(|day| day.len() == 10);
        Ok(own.max(days.max().map(str::to_owned)))
    }
}

/// Takes one ref in. A tag of something else than a commit is none that an action can be pinned to.
fn take(line: &str, seen: &mut Seen) {
    let fields: Vec<&str> = line.split('\t').collect();
    let [name, kind, id, peeled_kind, peeled, created, committed] = fields.as_slice() else {
        return;
    };
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        seen.branches.push((branch.to_owned(), (*id).to_owned()));
        return;
    }
    let Some(tag) = name.strip_prefix("refs/tags/") else {
        return;
    };
    let (commit, tag_object) = match (*kind, *peeled_kind) {
        ("commit", _) => (id, None),
        ("tag", "commit") => (peeled, Some((*id).to_owned())),
        _ => return,
    };
    seen.tags.push(SeenTag {
        name: tag.to_owned(),
        commit: (*commit).to_owned(),
        tag_object,
        date: (*created.max(committed)).to_owned(),
    });
}

/// Those of `commits` that a ref below `namespace` leads to. Git fails for an id that it does not have.
fn contained(clone: &Path, namespace: &str, commits: &[String]) -> BTreeSet<String> {
    let leads_to = |commit: &&String| {
        let contains = format!("--contains={commit}");
        let asked = ["for-each-ref", "--count=1", &contains, namespace];
        git(clone, &asked).is_ok_and(|answer| !answer.trim().is_empty())
    };
    commits.iter().filter(leads_to).cloned().collect()
}

/// The commit that an object is or points at.
fn commit_of(clone: &Path, id: &str) -> Option<String> {
    let peeled = format!("{id}^{{commit}}");
    let answer = git(clone, &["rev-parse", "--verify", "--quiet", &peeled]).ok()?;
    Some(answer.trim().to_owned())
}

/// What `git` prints. Only the clone's own objects are looked at: no replaced ones, and none of another place.
fn git(clone: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .arg("--git-dir")
        .arg(clone)
        .args(arguments);
    let answer = command
        .output()
        .map_err(|error| format!("`git` cannot be run: {error}"))?;
    if !answer.status.success() {
        let told = String::from_utf8_lossy(&answer.stderr);
        let first = told.lines().next().unwrap_or("no reason given");
        return Err(format!("`git` failed in `{}`: {first}", clone.display()));
    }
    Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
}
