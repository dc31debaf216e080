//! What the deployment gives to rehearse: artefacts that are missing, that could not be read, or that are another than what is
//! committed with them. A rehearsal plays on with what `pointsman generate` would have written; it does not pass by that.

use crate::diag::{Severity, Unread};
use crate::model::rehearsal::FOLDER;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM, Spec};
use crate::report::drill::{LinkRow, LinkState};
use crate::rules::{Role, Workspace};

use super::Plan;
use super::cast::Cast;
use super::declared::{Declared, LeftOut};
use super::facts::Facts;
use super::links::{HEARTBEAT, MESSAGE, RECORDS, ROLE, SITES};

/// What is wrong with what is given.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// What is missing or tampered with, by its link.
    pub defects: Vec<(&'static str, String)>,
    /// What could not be read, by its link; `None` for what belongs to none.
    pub unread: Vec<(Option<&'static str>, String)>,
    /// What is not played, by its link.
    pub doubts: Vec<(&'static str, String)>,
    /// What the result has to say beside `passed`.
    pub caveats: Vec<String>,
    /// What should be known of it.
    pub notes: Vec<String>,
    /// From where policies come.
    origins: String,
}

impl Given {
    /// Looks at all of it.
    #[must_use]
    pub(super) fn of(plan: &Plan<'_>, declared: &Declared, cast: &Cast) -> Self {
        let (spec, workspace) = (plan.spec, plan.workspace);
        let mut given = Self {
            origins: origins(spec, workspace),
            ..Self::default()
        };
        for unread in plan.unread {
            let told = format!("`{}` could not be read: {}", unread.path, unread.reason);
            // Evidence of earlier rehearsals is no part of what is played.
            if is_of_the_ledger(spec, unread) {
                given.notes.push(told);
                continue;
            }
            given.unread.push((link_of(spec, unread), told));
        }
        given.workflow(spec, workspace);
        given.executor(workspace);
        given.monitors(spec, workspace, declared, cast);
        given
    }

    /// With what was seen of the deployment while it was played.
    #[must_use]
    pub(super) fn with(mut self, facts: &mut Facts) -> Self {
        self.caveats.append(&mut facts.caveats);
        self.defects.append(&mut facts.defects);
        self.doubts.append(&mut facts.doubts);
        self
    }

    fn is_unread(&self, link: &str) -> bool {
        self.unread.iter().any(|(own, _)| *own == Some(link))
    }

    fn workflow(&mut self, spec: &Spec, workspace: &Workspace) {
        let mut all = workspace.workflows.iter();
        let is_there = all.any(|artefact| artefact.role == Some(Role::Workflow));
        if !is_there && !self.is_unread("workflow") {
            let told = format!(
                "no workflow is committed: `{}` is missing",
                spec.workflow_path()
            );
            self.defects.push(("workflow", told));
        }
    }

    /// The executor's own code is rehearsed in this very process, so that a program that is not built yet breaks nothing here.
    /// Another one than that whose sum is committed is never run by the workflow.
    fn executor(&mut self, workspace: &Workspace) {
        let executor = &workspace.executor;
        if executor.unreadable {
            if !self.is_unread("workflow") {
                let told = format!("`{EXECUTOR}` or `{EXECUTOR_SUM}` could not be read");
                self.unread.push((Some("workflow"), told));
            }
            return;
        }
        match executor.fault() {
            Some((Severity::Error, told)) => self.defects.push(("workflow", told)),
            Some(_) => self.caveats.push(format!(
                "`{EXECUTOR}` is not committed, without which every real run ends before it decides"
            )),
            None => {}
        }
    }

    /// Without any monitor the links are skipped. With some, each duty must be somebody's.
    fn monitors(&mut self, spec: &Spec, workspace: &Workspace, declared: &Declared, cast: &Cast) {
        let folder = &spec.artefacts.monitors;
        if workspace.monitors.is_empty() || workspace.is_unread_below(folder) {
            return;
        }
        self.caveats.extend(declared.caveats.iter().cloned());
        for hook in declared.hooks.iter().filter(|hook| hook.inactive) {
            let told = format!("whether `{}`, which says `active: false`, is sent", hook.id);
            self.doubts.push((MESSAGE, told));
        }
        for duty in duties(spec, declared, cast) {
            if duty.done {
                continue;
            }
            let could = |it: &&LeftOut| {
                it.tells.contains(&duty.tells)
                    && duty.asks.as_ref().is_none_or(|asks| it.asks.contains(asks))
            };
            let mut could = declared.left_out.iter().filter(could);
            match could.next() {
                Some(LeftOut {
                    path,
                    why,
                    idle: false,
                    ..
                }) => {
                    let told = format!("what `{path}` does: {why}");
                    self.doubts.push((duty.link, told));
                }
                Some(LeftOut { path, why, .. }) => {
                    let told = format!("{}: `{path}`: {why}", duty.told);
                    self.defects.push((duty.link, told));
                }
                None => {
                    let told = format!(
                        "{}: `{folder}/{}.yaml` is missing, or does not",
                        duty.told, duty.file
                    );
                    self.defects.push((duty.link, told));
                }
            }
        }
    }

    /// The links as they are with that in mind.
    pub(super) fn apply(&self, links: &mut [LinkRow]) {
        for link in &mut *links {
            let own = self.defects.iter().find(|(name, _)| *name == link.name);
            let unread = self
                .unread
                .iter()
                .find(|(name, _)| *name == Some(link.name));
            if let Some((_, told)) = own {
                link.state = LinkState::Broken;
                link.told.clone_from(told);
            } else if let Some((_, told)) = unread {
                link.state = LinkState::Unread;
                link.told.clone_from(told);
            } else if let Some((_, told)) = self.doubts.iter().find(|(name, _)| *name == link.name)
                && matches!(link.state, LinkState::Held | LinkState::NotGiven)
            {
                link.state = LinkState::NotDecided;
                link.told = format!("{}; not rehearsed: {told}", link.told);
            } else if link.name == ROLE && link.state == LinkState::Held {
                link.told = format!("{}; {}", link.told, self.origins);
            }
        }
        let skipped = |link: &&LinkRow| link.state == LinkState::NotGiven;
        let unread = self.is_unread("heartbeat") || self.is_unread("message");
        let broken = self.defects.iter().any(|(name, _)| *name == HEARTBEAT);
        let doubted = self.doubts.iter().any(|(name, _)| *name == HEARTBEAT);
        if unread || broken || doubted {
            for link in links.iter_mut().filter(|link| skipped(&&**link)) {
                link.state = LinkState::NotReached;
            }
        }
    }
}

/// What one of the monitors is there for.
struct Duty {
    /// Whether one does it.
    done: bool,
    link: &'static str,
    /// That nobody does it, in words.
    told: String,
    /// The file that would.
    file: String,
    /// Whom it tells.
    tells: String,
    /// What it asks.
    asks: Option<String>,
}

impl Duty {
    fn new(
        (done, link): (bool, &'static str),
        told: &str,
        file: &str,
        tells: &str,
        asks: Option<&str>,
    ) -> Self {
        Self {
            done,
            link,
            told: told.to_owned(),
            file: file.to_owned(),
            tells: tells.to_owned(),
            asks: asks.map(str::to_owned),
        }
    }
}

fn duties(spec: &Spec, declared: &Declared, cast: &Cast) -> Vec<Duty> {
    let origin = spec.origin.name.to_string();
    let (dispatch, people) = (&spec.monitors.dispatch, &spec.monitors.people);
    vec![
        Duty::new(
            (cast.watch.is_some(), HEARTBEAT),
            &format!("no monitor watches `{origin}` and starts the workflow"),
            "edge-watch",
            dispatch,
            Some(&origin),
        ),
        Duty::new(
            (cast.notice.is_some(), HEARTBEAT),
            &format!("no monitor watches `{origin}` and tells people"),
            "edge-notice",
            people,
            Some(&origin),
        ),
        Duty::new(
            (!cast.transition.is_empty(), HEARTBEAT),
            "no monitor tells people that the records have moved",
            "transition-notice",
            people,
            None,
        ),
        Duty::new(
            (!declared.hooks.is_empty(), MESSAGE),
            "no notification starts the workflow",
            dispatch,
            "",
            None,
        ),
        Duty::new(
            (!cast.failback.is_empty(), MESSAGE),
            "no monitor starts the workflow while the records are away",
            "failback-retry",
            dispatch,
            None,
        ),
        Duty::new(
            (cast.token_check.is_some(), MESSAGE),
            "no monitor asks GitHub whether the token is good, and tells people",
            "token-check",
            people,
            Some(&spec.api_host()),
        ),
    ]
}

fn is_of_the_ledger(spec: &Spec, unread: &Unread) -> bool {
    let path = unread.path.strip_prefix(spec.folder());
    let rest = path.and_then(|path| path.strip_prefix(FOLDER));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The link that a file belongs to.
fn link_of(spec: &Spec, unread: &Unread) -> Option<&'static str> {
    let path = unread.path.as_str();
    let below = |folder: &str| {
        let rest = path.strip_prefix(folder);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let artefacts = &spec.artefacts;
    let dispatch = format!("{}/{}.yaml", artefacts.monitors, spec.monitors.dispatch);
    if path == spec.workflow_path() || path.ends_with(EXECUTOR) || path.ends_with(EXECUTOR_SUM) {
        Some("workflow")
    } else if path == spec.change_policy_path() {
        Some(RECORDS)
    } else if path == spec.read_policy_path() {
        Some(SITES)
    } else if below(&artefacts.policies) || below(&artefacts.terraform) {
        Some(ROLE)
    } else if path == dispatch {
        Some("message")
    } else {
        below(&artefacts.monitors).then_some("heartbeat")
    }
}

/// From where policies come, in words; both places are asked where both have them.
fn origins(spec: &Spec, workspace: &Workspace) -> String {
    let of_files = [
        (Role::ChangeRecords, spec.change_policy_path()),
        (Role::ReadZone, spec.read_policy_path()),
        (Role::Trust, spec.trust_policy_path()),
    ];
    let stands = |role: Role, in_terraform: bool| {
        let mut all = workspace.policies_as(role);
        all.any(|policy| policy.address.is_some() == in_terraform)
    };
    let mut no_file = of_files.iter().filter(|(role, _)| !stands(*role, false));
    let no_terraform = of_files.iter().filter(|(role, _)| !stands(*role, true));
    let folder = &spec.artefacts.policies;
    match (no_file.clone().count(), no_terraform.count()) {
        (0, 0) => format!("by the policies of `{folder}/` and of Terraform"),
        (3, 0) => format!("by the policies of Terraform alone, `{folder}/` has none of the three"),
        (0, 3) => format!("by the policies of `{folder}/` alone, Terraform declares none"),
        (0, _) => format!("by the policies of `{folder}/`, of which Terraform declares some"),
        (_, 0) => {
            let missing = no_file.next().map_or("", |(_, path)| path.as_str());
            format!("by the policies of Terraform, `{missing}` is missing")
        }
        _ => format!("by what policies there are, some in `{folder}/`, some in Terraform"),
    }
}
