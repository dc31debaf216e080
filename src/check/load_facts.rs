//! Facts that lie beside what is checked: the lock of upstream refs, what is known of the repository, how it makes its
//! subjects, and when scheduled runs began.

use crate::model::facts::{
    PlannedSchedule, REPOSITORY_FILE, RUNS_FILE, RepositoryFacts, Runs, SCHEDULE_FILE,
    SUBJECT_FILE, SubjectTemplate, minutes,
};
use crate::model::pins::{LOCK_FILE, PinsLock, REFS_FILE};
use crate::syntax::{Node, json};
use crate::text::{FileId, Span};

use super::load::Loaded;

/// Whether a file of this name is a lock, and nothing that is judged itself.
pub(super) fn is_lock(path: &str) -> bool {
    matches!(name_of(path), LOCK_FILE | REFS_FILE)
}

/// Whether a file of this name can hold facts. Other tools have files of these names too: the keys decide.
pub(super) fn may_be_facts(path: &str) -> bool {
    let names = [REPOSITORY_FILE, SCHEDULE_FILE, RUNS_FILE, SUBJECT_FILE];
    names.contains(&name_of(path))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folder_of(path: &str) -> String {
    path.rsplit_once('/')
        .map_or("", |(folder, _)| folder)
        .to_owned()
}

impl Loaded {
    /// Takes a lock in.
    pub(super) fn take_lock(&mut self, file: FileId, path: &str) {
        let Some(text) = self.sources.text(file) else {
            return;
        };
        let (lock, faults) = if name_of(path) == LOCK_FILE {
            PinsLock::read_toml(path, &text)
        } else {
            PinsLock::read_json(path, &text)
        };
        for fault in faults {
            self.unread(file, Some(fault.at), fault.reason);
        }
        self.workspace.locks.push(lock);
    }

    /// Takes facts in; whether it holds any, or could not be read.
    pub(super) fn take_facts(&mut self, file: FileId, path: &str) -> bool {
        let Some(text) = self.sources.text(file) else {
            return false;
        };
        let parsed = json::read(&text);
        if self.faults(file, &parsed) {
            return true;
        }
        let Some(root) = parsed.documents.first() else {
            return false;
        };
        match name_of(path) {
            REPOSITORY_FILE if RepositoryFacts::recognises(root) => {
                let facts = RepositoryFacts::read(path, root);
                self.workspace.facts.push(facts);
                true
            }
            SUBJECT_FILE => {
                let template = SubjectTemplate::read(root);
                let known = template.is_some();
                self.workspace.subject_template =
                    template.or(self.workspace.subject_template.take());
                known
            }
            SCHEDULE_FILE => {
                let cron = root.get("cron").and_then(Node::as_text);
                let plan = cron.map(|cron| PlannedSchedule {
                    cron: cron.clone(),
                    folder: folder_of(path),
                });
                let known = plan.is_some();
                self.workspace.schedules.extend(plan);
                known
            }
            RUNS_FILE => self.take_runs(root, path),
            _ => false,
        }
    }

    fn take_runs(&mut self, root: &Node, path: &str) -> bool {
        let Some(items) = root.as_list() else {
            return false;
        };
        let time = |item: &Node| Some((minutes(item.as_str()?)?, item.span()));
        let times: Option<Vec<(i64, Span)>> = items.iter().map(time).collect();
        let known = times.is_some();
        self.workspace.runs.extend(times.map(|times| Runs {
            folder: folder_of(path),
            minutes: times.iter().map(|(minutes, _)| *minutes).collect(),
            at: times.iter().map(|(_, at)| *at).collect(),
        }));
        known
    }
}
