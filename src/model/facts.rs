//! What somebody wrote down about a repository on GitHub, beside its files: `repo.json`, and the plan and the times of
//! scheduled runs, `schedule.json` and `runs.json`.
//!
//! The keys of `repo.json` are `owner`, `owner_id`, `name`, `repo_id` (as `GET /repos/{owner}/{repo}` gives them, flattened),
//! `subject_format` (`classic` or `immutable`), `visibility`, `archived`, `default_branch`, `workflows` (paths, or what
//! `GET /repos/{owner}/{repo}/actions/workflows` lists), and what an owner knows: `last_activity_days`, `cron_author`,
//! `cron_author_is_member`, `transferred`. Other keys are passed over.

use crate::syntax::Node;
use crate::text::{Span, Text};

/// The usual name of facts about a repository.
pub const REPOSITORY_FILE: &str = "repo.json";
/// The usual name of the plan of scheduled runs.
pub const SCHEDULE_FILE: &str = "schedule.json";
/// The usual name of the times of scheduled runs.
pub const RUNS_FILE: &str = "runs.json";
/// The usual name of the answer to `GET /repos/{owner}/{repo}/actions/oidc/customization/sub`.
pub const SUBJECT_FILE: &str = "oidc-customization.json";

/// Facts about a repository.
#[derive(Debug, Clone)]
pub struct RepositoryFacts {
    /// The path of the file, as it is shown.
    pub path: String,
    /// The whole file.
    pub at: Span,
    /// The owner's name.
    pub owner: Option<String>,
    /// The owner's id.
    pub owner_id: Option<u64>,
    /// The repository's name.
    pub name: Option<String>,
    /// The repository's id.
    pub repository_id: Option<u64>,
    /// Whether its subjects are immutable, where that is said.
    pub is_immutable: Option<bool>,
    /// The day of the last transfer, as it is written.
    pub transferred: Option<String>,
    /// The branch from which a workflow can be dispatched.
    pub default_branch: Option<String>,
    /// Its workflows there; none where they are not listed.
    pub workflows: Vec<ListedWorkflow>,
    /// Where it says that the repository is archived.
    pub archived: Option<Span>,
    /// Whether everybody can see it, where that is said.
    pub is_public: Option<bool>,
    /// Days since the last activity.
    pub idle_days: Option<i64>,
    /// Who last changed a cron line.
    pub cron_author: Option<String>,
    /// Whether that person is still a member.
    pub cron_author_is_member: Option<bool>,
}

/// A workflow that a repository lists.
#[derive(Debug, Clone)]
pub struct ListedWorkflow {
    /// Its path: `.github/workflows/dns-failover.yml`.
    pub path: String,
    /// `state`: `active`, `disabled_inactivity` and so on, where it is said.
    pub state: Option<Text>,
}

impl ListedWorkflow {
    /// The last part of its path.
    #[must_use]
    pub fn file(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Where it says that the workflow does not run (GitHub REST API, "Workflows": every other state than `active`).
    #[must_use]
    pub fn disabled(&self) -> Option<&Text> {
        let state = self.state.as_ref()?;
        (!state.as_str().eq_ignore_ascii_case("active")).then_some(state)
    }
}

impl RepositoryFacts {
    /// Whether this may be the repository `owner/name`: nothing that is written down says otherwise.
    #[must_use]
    pub fn may_be(&self, owner: &str, name: &str) -> bool {
        let fits = |known: &Option<String>, written: &str| {
            known
                .as_ref()
                .is_none_or(|known| known.eq_ignore_ascii_case(written))
        };
        fits(&self.owner, owner) && fits(&self.name, name)
    }

    /// Whether a tree holds such facts: at least one of the keys.
    #[must_use]
    pub fn recognises(root: &Node) -> bool {
        let keys = [
            "owner",
            "full_name",
            "visibility",
            "subject_format",
            "last_activity_days",
            "cron_author",
            "default_branch",
            "workflows",
        ];
        keys.into_iter().any(|key| root.get(key).is_some())
    }

    /// Reads the facts.
    #[must_use]
    pub fn read(path: &str, root: &Node) -> Self {
        let text = |key: &str| root.get(key).and_then(Node::as_str).map(str::to_owned);
        let number = |key: &str| root.get(key).and_then(Node::as_integer);
        let id = |keys: [&str; 2]| {
            let found = keys.into_iter().find_map(number);
            found.and_then(|id| u64::try_from(id).ok())
        };
        let full = text("full_name").or_else(|| text("repository"));
        let full = full.as_deref().and_then(|full| full.split_once('/'));
        let word = |key: &str, yes: &str| text(key).map(|word| word.eq_ignore_ascii_case(yes));
        Self {
            path: path.to_owned(),
            at: root.span(),
            owner: text("owner").or_else(|| full.map(|(owner, _)| owner.to_owned())),
            owner_id: id(["owner_id", "repository_owner_id"]),
            name: text("name").or_else(|| full.map(|(_, name)| name.to_owned())),
            repository_id: id(["repo_id", "repository_id"]),
            is_immutable: word("subject_format", "immutable")
                .or_else(|| root.get("use_immutable_subject").and_then(Node::as_bool)),
            transferred: text("transferred"),
            default_branch: text("default_branch"),
            workflows: workflows(root),
            archived: root
                .get("archived")
                .filter(|node| node.as_bool() == Some(true))
                .map(Node::span),
            is_public: word("visibility", "public"),
            idle_days: number("last_activity_days"),
            cron_author: text("cron_author"),
            cron_author_is_member: root.get("cron_author_is_member").and_then(Node::as_bool),
        }
    }
}

/// Paths, maps with `path` and `state` as `GET /repos/{owner}/{repo}/actions/workflows` gives them, or states by their paths.
fn workflows(root: &Node) -> Vec<ListedWorkflow> {
    let Some(listed) = root.get("workflows") else {
        return Vec::new();
    };
    let state = |node: &Node| {
        let state = node.get("state").unwrap_or(node);
        state.as_text().cloned()
    };
    if let Some(by_path) = listed.as_map() {
        let listed = by_path.iter().map(|entry| ListedWorkflow {
            path: entry.key.as_str().to_owned(),
            state: state(&entry.value),
        });
        return listed.collect();
    }
    let items = listed.as_list().unwrap_or_default().iter();
    let listed = items.filter_map(|node| {
        let path = node.as_str().or_else(|| node.get("path")?.as_str())?;
        Some(ListedWorkflow {
            path: path.to_owned(),
            state: node.get("state").and_then(Node::as_text).cloned(),
        })
    });
    listed.collect()
}

/// The plan of a scheduled workflow, and when its runs began.
#[derive(Debug, Clone)]
pub struct PlannedSchedule {
    /// The cron line.
    pub cron: Text,
    /// The folder of the file.
    pub folder: String,
}

/// The times at which runs began, in minutes, in written order.
#[derive(Debug, Clone)]
pub struct Runs {
    /// The folder of the file.
    pub folder: String,
    /// Minutes since some day.
    pub minutes: Vec<i64>,
    /// Where each is written.
    pub at: Vec<Span>,
}

/// How a repository makes its subjects (GitHub REST API, "Actions OIDC").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectTemplate {
    /// Where it is said.
    pub at: Span,
    /// `include_claim_keys`; empty where the default is used.
    pub keys: Vec<String>,
    /// `use_immutable_subject`, where it is said.
    pub is_immutable: Option<bool>,
    /// `sub_claim_prefix`, where it is said.
    pub prefix: Option<String>,
}

impl SubjectTemplate {
    /// Reads the answer of the API; `None` for another tree.
    #[must_use]
    pub fn read(root: &Node) -> Option<Self> {
        let uses_default = root.get("use_default")?.as_bool()?;
        let keys = root.get("include_claim_keys").and_then(Node::as_list);
        let keys = keys.unwrap_or_default().iter().filter_map(Node::as_str);
        let keys = keys.filter(|_| !uses_default).map(str::to_owned);
        Some(Self {
            at: root.span(),
            keys: keys.collect(),
            is_immutable: root.get("use_immutable_subject").and_then(Node::as_bool),
            prefix: root
                .get("sub_claim_prefix")
                .and_then(Node::as_str)
                .map(str::to_owned),
        })
    }
}

/// Minutes of a time such as `2026-09-01T13:06Z`, since 1970.
#[must_use]
pub fn minutes(time: &str) -> Option<i64> {
    let day = super::calendar::Day::parse(time)?;
    let clock = time.get(10..)?.strip_prefix(['T', 't', ' '])?;
    let hour: i64 = clock.get(..2)?.parse().ok()?;
    let minute: i64 = clock.get(2..)?.strip_prefix(':')?.get(..2)?.parse().ok()?;
    let behind = clock.get(5..)?;
    let is_utc = behind.ends_with(['Z', 'z']) || behind.is_empty() || behind.ends_with("+00:00");
    ((0..24).contains(&hour) && (0..60).contains(&minute) && is_utc)
        .then_some(day.0 * 1440 + hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_counted_across_midnight() {
        let at = |time| minutes(time).unwrap();
        assert_eq!(at("2026-09-02T03:01Z") - at("2026-09-01T23:01:30Z"), 240);
        for none in [
            "2026-09-02",
            "2026-09-02T3:01Z",
            "2026-09-02T03:01+09:00",
            "x",
        ] {
            assert_eq!(minutes(none), None, "{none}");
        }
    }
}
