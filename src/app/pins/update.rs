//! `pointsman pins update`: newer versions for pins, written into the bytes of commit and comment alone.
//!
//! How old a version is, its repository says, and whoever makes commits and tags there dates them. The latest of all dates is
//! taken, with those of the commits before; a release is dated by GitHub itself (`--online`), and a version that the lock did
//! not know on the day of the last look is no older than that. What is left: a version without a release in a repository
//! that no lock knows yet, whose commits, made on an old one, are all dated back.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde_json::{Value, json};

use crate::app::{AppError, Exit, SpecChoice, spec};
use crate::model::calendar::Day;
use crate::model::pins::{LOCK_FILE, PinsLock, Upstream, Version, exact_tag};
use crate::model::spec::Spec;
use crate::model::workflow::dated_words;
use crate::ports::{Files, Look, Seen, SeenTag, UpstreamRepositories};
use crate::report::Format;
use crate::text::{SourceMap, Span, nearest};

use super::verify::{look_at_all, outside, seen_of};
use super::{Pin, Tree, write_rows};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Versions that are younger are left for later: most that are harmful are found out in their first days.
    pub min_age: i64,
    /// Whether a version with another first number may be taken: it may break what uses it.
    pub major: bool,
    /// Today.
    pub today: Day,
    /// Only this repository.
    pub repository: Option<String>,
    /// Whether to write nothing.
    pub dry_run: bool,
    /// Where the spec is.
    pub spec: SpecChoice,
    /// The form of the output.
    pub format: Format,
}

/// What is done about a pin.
enum Step<'a> {
    /// A newer version, and what else is to be said.
    Raise(&'a SeenTag, String),
    /// Nothing, and it is right so.
    Keep(String),
    /// Nothing, since it cannot be known what is right.
    Open(String),
    /// Nothing, since the pin itself is no commit of the repository.
    Refuse,
}

/// Raises pins to the newest version that is old enough, and renews the lock; says to `out` what became of each.
///
/// # Errors
/// When a file cannot be read or written, or a clone cannot be asked.
pub fn run(
    request: &Request,
    files: &dyn Files,
    upstream: &dyn UpstreamRepositories,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let (spec, spec_sources) = match spec::find(&request.spec, files, request.format, out)? {
        spec::Found::Read(spec, sources) => (Some(*spec), sources),
        spec::Found::Settings(..) | spec::Found::Absent => (None, SourceMap::default()),
        spec::Found::Wrong => return Ok(Exit::Usage),
    };
    let tree = Tree::read(files)?;
    let mut pins = tree.pins();
    if let Some(wanted) = &request.repository {
        let named: BTreeSet<String> = pins.iter().map(|pin| pin.repository.clone()).collect();
        pins.retain(|pin| pin.repository.eq_ignore_ascii_case(wanted));
        if pins.is_empty() {
            return Err(no_such_pin(wanted, &named));
        }
    }
    let looks = look_at_all(&pins, Some(upstream))?;
    let mut seen = seen_of(&looks);
    not_before_the_last_look(&mut seen, &tree.lock);
    let mut dated = BTreeSet::new();
    for pin in &pins {
        if let Some(seen) = seen.get_mut(&pin.repository.to_ascii_lowercase()) {
            date_candidates(pin, seen, request, upstream, &mut dated)?;
        }
    }
    let (mut rows, mut edits) = (Vec::new(), Vec::new());
    let (mut refused, mut open) = (false, !tree.loaded.unread.is_empty());
    for pin in &pins {
        let key = pin.repository.to_ascii_lowercase();
        let step = match looks.get(&key) {
            Some(Look::Absent(why)) => Step::Open(format!("the repository is not at hand: {why}")),
            Some(Look::Seen(_)) | None => step(pin, &tree, seen.get(&key), request),
        };
        let step = with_edits(step, pin, &tree.loaded.sources, &mut edits);
        refused |= matches!(step, Step::Refuse);
        open |= matches!(step, Step::Open(_));
        rows.push(told(pin, &step));
    }
    let mut of_spec = Vec::new();
    if !request.dry_run {
        write(&tree.loaded.sources, edits, files)?;
        if let Some(spec) = &spec {
            of_spec = edits_of_spec(spec, &pins, &seen, &tree, request);
            write(&spec_sources, of_spec.clone(), files)?;
        }
        renew(&tree, &pins, &seen, request, files)?;
    }
    write_rows(request.format, "pins", &rows, out)?;
    if !of_spec.is_empty() && matches!(request.format, Format::Human { .. }) {
        writeln!(
            out,
            "the spec names other commits now: `pointsman generate` writes what follows from it, and its lock"
        )?;
    }
    Ok(match (refused, open) {
        (true, _) => Exit::Findings,
        (false, true) => Exit::Unread,
        (false, false) => Exit::Clean,
    })
}

/// The step with its edits taken in; where they cannot be made, it is left open.
fn with_edits<'a>(
    step: Step<'a>,
    pin: &Pin<'_>,
    sources: &SourceMap,
    edits: &mut Vec<Edit>,
) -> Step<'a> {
    let Step::Raise(tag, beside) = step else {
        return step;
    };
    match edits_of(pin, tag, sources) {
        Ok(of_pin) => {
            edits.extend(of_pin);
            Step::Raise(tag, beside)
        }
        Err(why) => Step::Open(format!("{why}; raise it to `{}` by hand", tag.name)),
    }
}

/// No pin is of the repository that was asked for.
fn no_such_pin(wanted: &str, named: &BTreeSet<String>) -> AppError {
    let all = named.iter().map(String::as_str);
    let hint = match (nearest(wanted, all), named.is_empty()) {
        (Some(meant), _) => format!("it may be meant as `{meant}`"),
        (None, true) => "nothing below the working directory is pinned to a commit".to_owned(),
        (None, false) => {
            let all: Vec<&str> = named.iter().map(String::as_str).collect();
            format!("pinned are `{}`", all.join("`, `"))
        }
    };
    AppError::usage(
        format!("no action or workflow of `{wanted}` is pinned here"),
        hint,
    )
}

fn step<'a>(pin: &Pin<'_>, tree: &Tree, seen: Option<&'a Seen>, request: &Request) -> Step<'a> {
    let Some(seen) = seen else {
        return Step::Open("the repository is not at hand".to_owned());
    };
    let former = tree.lock.upstream(&pin.repository);
    let former = former.is_some_and(|known| known.former_commits.contains(&pin.commit));
    match seen.leads_to(&pin.commit) {
        Some(true) => {}
        Some(false) | None if former => {}
        Some(false) => return Step::Refuse,
        None => return Step::Open(seen.open.get(&pin.commit).cloned().unwrap_or_default()),
    }
    let Some(current) = current(pin, seen) else {
        return Step::Open("which version the commit is, is not known".to_owned());
    };
    let (newer, major) = newer(&current, seen, request);
    let major = major.map_or_else(String::new, |tag| {
        format!(
            "; `{}` is a new major version, which `--major` takes",
            tag.name
        )
    });
    let is_old_enough = |tag: &&&SeenTag| is_old_enough(tag, request);
    match (newer.iter().find(is_old_enough), newer.first()) {
        (Some(tag), _) if tag.commit != pin.commit => Step::Raise(tag, major),
        (None, None) if !major.is_empty() => {
            Step::Keep(format!("it is the newest of its major version{major}"))
        }
        (Some(_), _) | (None, None) => Step::Keep(format!("it is the newest version{major}")),
        (None, Some(tag)) => {
            let days = request.min_age;
            let (name, date) = (&tag.name, &tag.date);
            Step::Keep(match date.as_str() {
                "" => format!("nobody says how old `{name}` is{major}"),
                date => format!("`{name}` of {date} is younger than {days} days{major}"),
            })
        }
    }
}

/// The versions after `current`, newest first: those that may be taken, and the newest that may not since it is another
/// major version.
fn newer<'a>(
    current: &Version,
    seen: &'a Seen,
    request: &Request,
) -> (Vec<&'a SeenTag>, Option<&'a SeenTag>) {
    let later = |tag: &'a SeenTag| {
        let version = Version::parse(&tag.name)?;
        (version.is_after(current) && !version.is_prerelease).then_some((version, tag))
    };
    let mut newer: Vec<(Version, &SeenTag)> = seen.tags.iter().filter_map(later).collect();
    newer.sort_by(|(one, _), (other, _)| other.numbers.cmp(&one.numbers));
    let (fit, major): (Vec<_>, Vec<_>) = newer
        .into_iter()
        .partition(|(version, _)| request.major || version.is_compatible(current));
    let fit = fit.into_iter().map(|(_, tag)| tag).collect();
    (fit, major.into_iter().map(|(_, tag)| tag).next())
}

fn is_old_enough(tag: &SeenTag, request: &Request) -> bool {
    let day = Day::parse(&tag.date);
    day.is_some_and(|day| request.today.0 - day.0 >= request.min_age)
}

/// A tag that the lock does not know, or knows at another commit, is no older than the look that the lock is of. One that it
/// knows keeps the day that it was found to have.
fn not_before_the_last_look(seen: &mut BTreeMap<String, Seen>, lock: &PinsLock) {
    for (repository, seen) in seen {
        let Some(known) = lock.upstream(repository) else {
            continue;
        };
        for tag in &mut seen.tags {
            let same = known.tags.get(&tag.name);
            let bound = match same.filter(|known| known.commit == tag.commit) {
                Some(same) => same.date.as_ref(),
                None => known.seen.as_ref().filter(|_| known.all_tags),
            };
            let bound = bound.cloned().unwrap_or_default();
            tag.date = std::mem::take(&mut tag.date).max(bound);
        }
    }
}

/// Asks how old the versions are that `pin` may be raised to, newest first, until one is old enough; those that are `dated`
/// already are not asked for again.
fn date_candidates(
    pin: &Pin<'_>,
    seen: &mut Seen,
    request: &Request,
    upstream: &dyn UpstreamRepositories,
    dated: &mut BTreeSet<(String, String)>,
) -> Result<(), AppError> {
    let Some(current) = current(pin, seen) else {
        return Ok(());
    };
    let (newer, _) = newer(&current, seen, request);
    let names: Vec<String> = newer.into_iter().map(|tag| tag.name.clone()).collect();
    for name in names {
        let Some(tag) = seen.tags.iter_mut().find(|tag| tag.name == name) else {
            continue;
        };
        if dated.insert((pin.repository.to_ascii_lowercase(), name)) {
            let day = upstream.day_of(&pin.repository, tag).map_err(outside)?;
            tag.date = day.unwrap_or_default().max(std::mem::take(&mut tag.date));
        }
        if is_old_enough(tag, request) {
            break;
        }
    }
    Ok(())
}

/// The version that a pin has: that of the commit's tags, else that of its comment.
fn current(pin: &Pin<'_>, seen: &Seen) -> Option<Version> {
    let leads_here = |tag: &&SeenTag| {
        tag.commit == pin.commit || tag.tag_object.as_deref() == Some(pin.commit.as_str())
    };
    let tags: Vec<&str> = seen
        .tags
        .iter()
        .filter(leads_here)
        .map(|tag| tag.name.as_str())
        .collect();
    let named = pin.uses.commented_version();
    let name = exact_tag(&tags).map(str::to_owned).or(named)?;
    Version::parse(&name)
}

/// An edit: bytes, and what replaces them.
type Edit = (Span, String);

/// Why a comment near a pin leaves it alone.
const UNCERTAIN: &str = "a comment near it names a version, and which pin it means is not certain";

/// The commit, and the version in the comment; why not, where a comment that names a version would be left behind or the
/// bytes of the commit do not stand in one piece. A pin without a comment gets one where its line ends with it; behind a
/// value of several lines none can stand.
fn edits_of(pin: &Pin<'_>, tag: &SeenTag, sources: &SourceMap) -> Result<Vec<Edit>, &'static str> {
    let at = pin.uses.text.span();
    let text = sources.get(at.file).map_or("", |source| source.text());
    let commit = pin.uses.reference_span();
    if text.get(commit.range()) != pin.uses.reference() {
        return Err("its commit is written with escapes or over several lines");
    }
    let mut edits = vec![(commit, tag.commit.clone())];
    if let Some(comment) = pin.uses.version_comment() {
        let at = match comment.date_at {
            Some(date) => comment.reference_at.cover(date),
            None => comment.reference_at,
        };
        edits.push((at, tag.name.clone()));
        return Ok(edits);
    }
    if let Some(comment) = pin.uses.any_comment() {
        for (_, at, is_date) in dated_words(comment) {
            let with = if is_date { &tag.date } else { &tag.name };
            if with.is_empty() {
                return Err("nobody says how old the version is, and its comment has a date");
            }
            edits.push((at, with.clone()));
        }
        return Ok(edits);
    }
    let mut lines = text.get(at.end as usize..).unwrap_or_default().lines();
    let rest = lines.next().unwrap_or_default();
    let written = text.get(at.range()).unwrap_or_default();
    let is_beside = says_version(rest) || lines.next().is_some_and(says_version);
    if is_beside || written.lines().any(says_version) {
        return Err(UNCERTAIN);
    }
    if rest.trim().is_empty() && !written.contains('\n') {
        let behind = Span {
            start: at.end,
            ..at
        };
        edits.push((behind, format!(" # {}", tag.name)));
    }
    Ok(edits)
}

/// Whether a line, or what is left of one, ends in a comment that names a version and belongs to no other `uses`.
fn says_version(line: &str) -> bool {
    let Some((before, comment)) = line.split_once('#') else {
        return false;
    };
    let mut words = comment.split_whitespace();
    let exact = |word: &str| Version::parse(word).is_some() && word.contains('.');
    !before.contains("uses")
        && words.any(|word| exact(word) || word.starts_with('v') && Version::parse(word).is_some())
}

/// The same in `[[actions]]` of the spec, from which the workflow is generated.
fn edits_of_spec(
    spec: &Spec,
    pins: &[Pin<'_>],
    seen: &BTreeMap<String, Seen>,
    tree: &Tree,
    request: &Request,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (index, action) in spec.actions.iter().enumerate() {
        let of_action = |pin: &&Pin<'_>| {
            pin.commit == action.commit && action.uses.starts_with(&pin.repository)
        };
        let Some(pin) = pins.iter().find(of_action) else {
            continue;
        };
        let seen = seen.get(&pin.repository.to_ascii_lowercase());
        if let Step::Raise(tag, _) = step(pin, tree, seen, request) {
            for (key, value) in [("commit", &tag.commit), ("version", &tag.name)] {
                let at = spec.at(&format!("/actions/{index}/{key}"));
                edits.push((at, format!("\"{value}\"")));
            }
        }
    }
    edits
}

fn told(pin: &Pin<'_>, step: &Step<'_>) -> (String, Value) {
    let (word, to, words) = match step {
        Step::Raise(tag, beside) => ("raised", Some(tag.name.as_str()), format!("raised to {} of {}, {}{beside}", tag.name, tag.date, tag.commit)),
        Step::Keep(why) => ("kept", None, format!("kept: {why}")),
        Step::Open(why) => ("undecided", None, format!("left alone: {why}")),
        Step::Refuse => (
            "refused",
            None,
            "left alone: no branch and no tag leads to its commit, an impostor or one that has vanished; see to it by hand".to_owned(),
        ),
    };
    let Pin {
        path,
        line,
        repository,
        commit,
        ..
    } = pin;
    (
        format!("{path}:{line}: {repository}: {words}"),
        json!({ "path": path, "line": line, "repository": repository, "from": commit, "to": to, "step": word, "why": words }),
    )
}

/// Writes the edits into their files; no other byte of them changes.
fn write(sources: &SourceMap, mut edits: Vec<Edit>, files: &dyn Files) -> Result<(), AppError> {
    edits.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    edits.dedup();
    let mut texts = BTreeMap::new();
    for (at, with) in edits {
        let Some(source) = sources.get(at.file) else {
            continue;
        };
        let text = texts
            .entry(source.path().to_owned())
            .or_insert_with(|| source.text().to_owned());
        text.replace_range(at.range(), &with);
    }
    for (path, text) in texts {
        files.write_atomically(&path, text.as_bytes())?;
    }
    Ok(())
}

/// Takes what was seen into the lock.
fn renew(
    tree: &Tree,
    pins: &[Pin<'_>],
    seen: &BTreeMap<String, Seen>,
    request: &Request,
    files: &dyn Files,
) -> Result<(), AppError> {
    let mut lock = tree.lock.clone();
    let day = request.today.to_string();
    for (key, seen) in seen {
        let of_it = |pin: &&Pin<'_>| pin.repository.eq_ignore_ascii_case(key);
        let Some(pin) = pins.iter().find(of_it) else {
            continue;
        };
        let at = pin.uses.text.span();
        let newer = Upstream::of_look(&pin.repository, seen, at, &day);
        let merged = match lock.repositories.remove(key) {
            Some(before) => before.renewed(newer).0,
            None => newer,
        };
        lock.repositories.insert(key.clone(), merged);
    }
    files.write_atomically(LOCK_FILE, lock.to_toml().as_bytes())?;
    Ok(())
}
