//! `pointsman pins verify`: whether every pin is a commit that its repository has on a branch or tag, by the lock, and by
//! clones where they are at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde_json::{Value, json};

use crate::app::{AppError, Exit};
use crate::check;
use crate::model::pins::{PinStanding, Upstream};
use crate::ports::{Files, Look, Seen, UpstreamRepositories};
use crate::report::Format;

use super::{Pin, Tree, list, write_pins};

/// Verifies every pin below the working directory, and writes each with what is known of it to `out`.
///
/// # Errors
/// When a file cannot be read, a clone cannot be asked, or `out` cannot be written to.
pub fn run(
    format: Format,
    files: &dyn Files,
    upstream: Option<&dyn UpstreamRepositories>,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let tree = Tree::read(files)?;
    let pins = tree.pins();
    let looks = look_at_all(&pins, upstream)?;
    let seen = seen_of(&looks);
    let told_by_rules = by_rules(&tree, &seen, files)?;
    let mut rows = Vec::new();
    let (mut wrong, mut open) = (false, !tree.loaded.unread.is_empty());
    for pin in &pins {
        let (mut faults, is_open) =
            judged(pin, &tree, seen.get(&pin.repository.to_ascii_lowercase()));
        let place = (pin.path.to_owned(), pin.line);
        faults.extend(told_by_rules.get(&place).into_iter().flatten().cloned());
        wrong |= !faults.is_empty();
        open |= is_open;
        let (line, value) = list::row(pin, &tree);
        rows.push(told(&line, value, &faults, is_open));
    }
    // That they are no commits is what `validate` judges; here nothing of them can be verified.
    let unpinned = tree.unpinned();
    open |= !unpinned.is_empty();
    rows.extend(
        unpinned
            .into_iter()
            .map(|(line, value)| told(&line, value, &[], true)),
    );
    write_pins(format, tree.has_lock, &rows, out)?;
    Ok(if wrong {
        Exit::Findings
    } else if open {
        Exit::Unread
    } else {
        Exit::Clean
    })
}

/// Rules that say that a pin is not what it is taken for.
const RULES: [&str; 3] = [
    "pin-comment-malformed",
    "pin-comment-mismatch",
    "pin-is-tag-object",
];

/// What the rules say of each line, by the lock and by what was seen.
fn by_rules(
    tree: &Tree,
    seen: &BTreeMap<String, Seen>,
    files: &dyn Files,
) -> Result<BTreeMap<(String, usize), Vec<String>>, AppError> {
    let mut lock = tree.lock.clone();
    for pin in tree.pins() {
        let key = pin.repository.to_ascii_lowercase();
        if let Some(seen) = seen.get(&key) {
            let at = pin.uses.text.span();
            let newer = Upstream::of_look(&pin.repository, seen, at, "");
            lock.repositories.insert(key, newer);
        }
    }
    let mut loaded = Tree::read(files)?.loaded;
    loaded.workspace.locks = vec![lock];
    let checked = check::run(loaded);
    let mut found = BTreeMap::<_, Vec<String>>::new();
    let findings = checked.outcome.findings.into_iter();
    for finding in findings.filter(|finding| RULES.contains(&finding.rule)) {
        let at = finding.primary.at;
        if let Some((start, _)) = checked.sources.positions(at) {
            let place = (checked.sources.path(at.file).to_owned(), start.line);
            found.entry(place).or_default().push(finding.message);
        }
    }
    Ok(found)
}

fn told(line: &str, mut value: Value, faults: &[String], is_open: bool) -> (String, Value) {
    let word = match (faults, is_open) {
        ([], false) => "good",
        ([], true) => "undecided",
        _ => "bad",
    };
    if let Some(map) = value.as_object_mut() {
        map.insert("verdict".to_owned(), json!(word));
        map.insert("faults".to_owned(), json!(faults));
    }
    let faults = match faults {
        [] => String::new(),
        faults => format!(" ({})", faults.join("; ")),
    };
    (format!("{word}: {line}{faults}"), value)
}

/// What is wrong with a pin, and whether it remains open whether it is right.
fn judged(pin: &Pin<'_>, tree: &Tree, seen: Option<&Seen>) -> (Vec<String>, bool) {
    let mut faults = Vec::new();
    let standing = tree.standing(pin);
    let mut known = match standing {
        Some(PinStanding::Tagged(_) | PinStanding::OnBranch) => true,
        // A rule says so.
        Some(PinStanding::TagObject { .. }) => true,
        Some(PinStanding::Former | PinStanding::Absent { .. }) => {
            faults.push("by the lock no branch and no tag leads to it".to_owned());
            true
        }
        Some(PinStanding::Open) | None => false,
    };
    if let Some(seen) = seen {
        match seen.leads_to(&pin.commit) {
            Some(true) => known = true,
            Some(false) => {
                known = true;
                faults.push("no branch and no tag of the repository leads to it: an impostor commit, or one that has vanished".to_owned());
            }
            None => {}
        }
        // Of a tag that is there now a rule says so.
        let mut tags = seen.tags.iter();
        let is_told = tags.any(|tag| tag.tag_object.as_ref() == Some(&pin.commit));
        let object = seen.tag_objects.get(&pin.commit).filter(|_| !is_told);
        faults.extend(object.map(|commit| {
            format!("it is a tag object that no tag leads to any more, and no commit; it points at `{commit}`")
        }));
        let upstream = tree.lock.upstream(&pin.repository);
        faults.extend(
            upstream
                .into_iter()
                .flat_map(|upstream| moved(upstream, seen, pin)),
        );
    }
    (faults, !known)
}

/// The tags of this commit that the clone has elsewhere. A tag such as `v4` is made to move.
fn moved(upstream: &Upstream, seen: &Seen, pin: &Pin<'_>) -> Vec<String> {
    let tags = upstream.tags_at(&pin.commit);
    let exact = tags.into_iter().filter(|tag| tag.matches('.').count() >= 2);
    exact
        .filter_map(
            |tag| match seen.tags.iter().find(|found| found.name == tag) {
                Some(found) if found.commit == pin.commit => None,
                Some(found) => Some(format!("`{tag}` has moved to {}", found.commit)),
                None => Some(format!("`{tag}` is gone")),
            },
        )
        .collect()
}

/// What came of a look at each repository that has pins, by its name in lower case.
pub(super) fn look_at_all(
    pins: &[Pin<'_>],
    upstream: Option<&dyn UpstreamRepositories>,
) -> Result<BTreeMap<String, Look>, AppError> {
    let mut wanted = BTreeMap::<String, (String, BTreeSet<String>)>::new();
    for pin in pins {
        let key = pin.repository.to_ascii_lowercase();
        let entry = wanted.entry(key);
        let (_, commits) = entry.or_insert_with(|| (pin.repository.clone(), BTreeSet::new()));
        commits.insert(pin.commit.clone());
    }
    let mut found = BTreeMap::new();
    let Some(upstream) = upstream else {
        return Ok(found);
    };
    for (key, (name, commits)) in wanted {
        let commits: Vec<String> = commits.into_iter().collect();
        let look = upstream.look(&name, &commits).map_err(outside)?;
        found.insert(key, look);
    }
    Ok(found)
}

/// Those of the repositories that are there.
pub(super) fn seen_of(looks: &BTreeMap<String, Look>) -> BTreeMap<String, Seen> {
    let seen = looks.iter().filter_map(|(key, look)| match look {
        Look::Seen(seen) => Some((key.clone(), (**seen).clone())),
        Look::Absent(_) => None,
    });
    seen.collect()
}

/// Upstream cannot be asked.
pub(super) fn outside(message: String) -> AppError {
    AppError::Outside {
        message,
        hint: None,
    }
}
