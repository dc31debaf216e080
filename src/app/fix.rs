//! `pointsman validate --fix` and `--diff`: the edits of findings whose right text is certain, spliced into their files.
//!
//! A file is written whole or not at all, and only where nothing else has changed it meanwhile. Of edits that overlap the
//! first is made, and the checks run again over what came of it, until nothing certain is left. A file in which something
//! could not be read is never touched, no edit may make one unreadable, and none may write a key a second time into an
//! object: most readers lose one of the two without a word. Suppressed findings keep their bytes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use similar::TextDiff;

use crate::check::Checked;
use crate::diag::{Edit, Finding};
use crate::ports::{FileFault, FileKind, Files};
use crate::text::{STDIN, SourceMap};

use super::exit::{AppError, Exit};
use super::validate::{Judged, Request, judge, normal};
use crate::model::policy::enclosed;
use crate::syntax::json;

/// Rounds after which what is left is left: each mends what the one before it has uncovered.
const ROUNDS: usize = 16;

/// What is done with the edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They are written, and what is left is reported.
    Write,
    /// They are shown as a unified difference, and nothing is written.
    Show,
}

/// Checks and mends. The report, or the difference, goes to `out`; what was done to `notes`. Exit status: of what is left
/// for [`Mode::Write`], of what is there for [`Mode::Show`].
///
/// # Errors
/// When a path that was named does not exist, a file cannot be written, or standard input should be.
pub fn run(
    request: &Request,
    mode: Mode,
    files: &dyn Files,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<Exit, AppError> {
    let named = request
        .paths
        .iter()
        .any(|path| normal(path, &request.here) == STDIN);
    if named && mode == Mode::Write {
        return Err(AppError::usage(
            "standard input cannot be edited",
            "name a file, or give `--diff` to see the edits",
        ));
    }
    let drafts = Drafts::over(files);
    let Some(first) = judge(request, &drafts, out)? else {
        return Ok(Exit::Usage);
    };
    let (mended, left) = mend(first, request, &drafts, out)?;
    let changed = drafts.changed();
    for told in &mended.left_out {
        writeln!(notes, "{told}")?;
    }
    match mode {
        Mode::Show => {
            for (path, (old, new)) in &changed {
                difference(path, old, new, out)?;
            }
            let open = left.checked.outcome.findings.len();
            writeln!(
                notes,
                "{} mended by this, {} left",
                counted(mended.findings),
                counted(open)
            )?;
            mended.first.exit(request)
        }
        Mode::Write => {
            drafts.write(&changed)?;
            left.show(request.format, out)?;
            for path in changed.keys() {
                writeln!(notes, "mended {path}")?;
            }
            left.exit(request)
        }
    }
}

fn counted(findings: usize) -> String {
    match findings {
        1 => "1 finding is".to_owned(),
        many => format!("{many} findings are"),
    }
}

/// What was mended in memory.
struct Mended {
    /// How many findings.
    findings: usize,
    /// What was there before.
    first: Judged,
    /// The edits that were left out, in sentences.
    left_out: Vec<String>,
}

/// Mends in rounds; what was mended, and what is left.
fn mend(
    first: Judged,
    request: &Request,
    drafts: &Drafts<'_>,
    out: &mut dyn Write,
) -> Result<(Mended, Judged), AppError> {
    let mut spoiled = BTreeSet::new();
    let mut findings = 0;
    let mut left_out = Vec::new();
    let mut now: Option<Judged> = None;
    for _ in 0..ROUNDS {
        let state = now.as_ref().unwrap_or(&first);
        let mut plan = Plan::of(&state.checked, &spoiled);
        left_out = std::mem::take(&mut plan.left_out);
        if plan.edits.is_empty() {
            break;
        }
        let before = drafts.apply(&plan, &state.checked);
        let Some(next) = judge(request, drafts, out)? else {
            break;
        };
        let unread = unread_paths(&next.checked);
        let doubled =
            |path: &str| repeated_keys(&next.checked, path) > repeated_keys(&state.checked, path);
        let newly: BTreeSet<String> = before
            .keys()
            .filter(|path| unread.contains(*path) || doubled(path))
            .cloned()
            .collect();
        if newly.is_empty() {
            findings += plan.findings;
            now = Some(next);
        } else {
            // No edit may cost a file its reading: this one stays as it was.
            drafts.restore(before, &newly);
            spoiled.extend(newly);
            findings += plan.findings;
            now = judge(request, drafts, out)?;
        }
    }
    let left = match now {
        Some(left) => left,
        None => match judge(request, drafts, out)? {
            Some(left) => left,
            None => return Err(AppError::usage("the spec is wrong", "mend it first")),
        },
    };
    let mended = Mended {
        findings,
        first,
        left_out,
    };
    Ok((mended, left))
}

fn unread_paths(checked: &Checked) -> BTreeSet<String> {
    let unread = checked.outcome.unread.iter();
    unread.map(|unread| unread.path.clone()).collect()
}

/// How many keys of a file are found to stand twice.
fn repeated_keys(checked: &Checked, path: &str) -> usize {
    let findings = checked.outcome.findings.iter();
    findings
        .filter(|finding| finding.rule == "duplicate-json-key")
        .filter(|finding| checked.sources.path(finding.primary.at.file) == path)
        .count()
}

/// The edits of one round, by file, none of which overlap.
#[derive(Default)]
struct Plan {
    edits: BTreeMap<String, Vec<Edit>>,
    findings: usize,
    left_out: Vec<String>,
}

impl Plan {
    /// The safe fixes, in the order of the findings, each whole or not at all.
    fn of(checked: &Checked, spoiled: &BTreeSet<String>) -> Self {
        let mut by_path: BTreeMap<&str, Vec<(&Finding, &[Edit])>> = BTreeMap::new();
        let unread = unread_paths(checked);
        for finding in &checked.outcome.findings {
            let path = checked.sources.path(finding.primary.at.file);
            let untouched = unread.contains(path) || spoiled.contains(path);
            if let Some(edits) = certain(finding).filter(|_| !untouched) {
                by_path.entry(path).or_default().push((finding, edits));
            }
        }
        let mut plan = Self::default();
        for (path, fixes) in by_path {
            plan.take_all(path, &fixes, checked);
        }
        plan
    }

    /// Takes the fixes of a file; where together they write a key twice, one after the other, without those that do.
    fn take_all(&mut self, path: &str, fixes: &[(&Finding, &[Edit])], checked: &Checked) {
        let mut all = Self::default();
        for (_, edits) in fixes {
            all.take(path, edits);
        }
        let file = fixes.first().map(|(finding, _)| finding.primary.at.file);
        let source = file.and_then(|file| checked.sources.get(file));
        let text = source.map_or("", |source| source.text());
        let stood = repeats(path, text);
        let doubles = |plan: &Self| {
            let edits = plan.edits.get(path).map_or(&[][..], Vec::as_slice);
            repeats(path, &spliced(text, edits)) > stood
        };
        if !doubles(&all) {
            self.findings += all.findings;
            self.edits.append(&mut all.edits);
            return;
        }
        let mut kept = Self::default();
        for (finding, edits) in fixes {
            let before = (kept.edits.clone(), kept.findings);
            kept.take(path, edits);
            if kept.findings > before.1 && doubles(&kept) {
                (kept.edits, kept.findings) = before;
                self.left_out.push(format!(
                    "left as it is in {path}: {}; its edit would write a key twice into one object",
                    finding.message
                ));
            }
        }
        self.findings += kept.findings;
        self.edits.append(&mut kept.edits);
    }

    fn take(&mut self, path: &str, edits: &[Edit]) {
        let taken = self.edits.get(path).map_or(&[][..], Vec::as_slice);
        let is_there = |edit: &&Edit| taken.contains(edit);
        let fits = |edit: &&Edit| !taken.iter().any(|other| overlap(other, edit));
        if edits.iter().all(|edit| is_there(&edit) || fits(&edit)) {
            let new: Vec<Edit> = edits
                .iter()
                .filter(|edit| !is_there(edit))
                .cloned()
                .collect();
            self.edits.entry(path.to_owned()).or_default().extend(new);
            self.findings += 1;
        }
    }
}

/// How many keys of a JSON document, and of the policies inside it, stand twice in their objects; none of another language,
/// whose readers tell.
fn repeats(path: &str, text: &str) -> usize {
    let is_json = path == STDIN || path.ends_with("json");
    let mut sources = SourceMap::default();
    let file = sources.add(path, if is_json { text } else { "" });
    let Some(text) = sources.text(file) else {
        return 0;
    };
    let documents = json::read(&text).documents.into_iter();
    documents
        .map(|root| {
            let own = root.repeats().len();
            let inside = enclosed::documents(root).documents;
            let inside = inside.iter().map(|one| one.root.repeats().len());
            own + inside.sum::<usize>()
        })
        .sum()
}

/// The edits of a finding that may be made unseen: safe, and all in the finding's own file.
fn certain(finding: &Finding) -> Option<&[Edit]> {
    let fix = finding.fix.as_ref().filter(|fix| fix.safe)?;
    let file = finding.primary.at.file;
    let edits = fix.edits.as_slice();
    let own = !edits.is_empty() && edits.iter().all(|edit| edit.at.file == file);
    own.then_some(edits)
}

/// Whether two edits meet: they share a byte, or one puts something in where the other begins or ends.
fn overlap(a: &Edit, b: &Edit) -> bool {
    a.at.touches(b.at)
}

/// The text with the edits made.
fn spliced(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.at);
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.at.range();
        made.push_str(text.get(at..range.start).unwrap_or_default());
        made.push_str(&edit.with);
        at = range.end;
    }
    made.push_str(text.get(at..).unwrap_or_default());
    made
}

fn difference(path: &str, old: &[u8], new: &[u8], out: &mut dyn Write) -> Result<(), AppError> {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let difference = TextDiff::from_lines(&*old, &*new);
    let mut unified = difference.unified_diff();
    // As git writes the path of a file outside of its folder.
    let path = path.trim_start_matches('/');
    write!(
        out,
        "{}",
        unified.header(&format!("a/{path}"), &format!("b/{path}"))
    )?;
    Ok(())
}

/// Files as they are, with edits on top that are only in memory.
struct Drafts<'a> {
    under: &'a dyn Files,
    /// What was read of each file, so that standard input is read once and each file is seen in one state.
    read: RefCell<BTreeMap<String, Vec<u8>>>,
    drafts: RefCell<BTreeMap<String, Vec<u8>>>,
}

/// Old and new bytes by path.
type Changed = BTreeMap<String, (Vec<u8>, Vec<u8>)>;

impl<'a> Drafts<'a> {
    fn over(under: &'a dyn Files) -> Self {
        Self {
            under,
            read: RefCell::default(),
            drafts: RefCell::default(),
        }
    }

    /// Makes the edits; the drafts as they were before.
    fn apply(&self, plan: &Plan, checked: &Checked) -> BTreeMap<String, Option<Vec<u8>>> {
        let mut before = BTreeMap::new();
        for (path, edits) in &plan.edits {
            let Some(first) = edits.first() else { continue };
            let text = checked
                .sources
                .get(first.at.file)
                .map_or("", |source| source.text());
            let new = spliced(text, edits).into_bytes();
            let old = self.drafts.borrow_mut().insert(path.clone(), new);
            before.insert(path.clone(), old);
        }
        before
    }

    fn restore(&self, before: BTreeMap<String, Option<Vec<u8>>>, paths: &BTreeSet<String>) {
        let mut drafts = self.drafts.borrow_mut();
        for (path, old) in before {
            if paths.contains(&path) {
                match old {
                    Some(old) => drafts.insert(path, old),
                    None => drafts.remove(&path),
                };
            }
        }
    }

    fn changed(&self) -> Changed {
        let read = self.read.borrow();
        let drafts = self.drafts.borrow();
        let both = drafts.iter().filter_map(|(path, new)| {
            let old = read.get(path)?;
            (old != new).then(|| (path.clone(), (old.clone(), new.clone())))
        });
        both.collect()
    }

    /// Writes what has changed, file by file; a file that somebody else has changed since it was read is left alone.
    fn write(&self, changed: &Changed) -> Result<(), AppError> {
        for (path, (old, new)) in changed {
            if self.under.read(path)? != *old {
                return Err(AppError::Files(FileFault {
                    path: path.clone(),
                    reason: "was changed by another program meanwhile; run again".to_owned(),
                    missing: false,
                }));
            }
            self.under.write_atomically(path, new)?;
        }
        Ok(())
    }
}

impl Files for Drafts<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        if let Some(draft) = self.drafts.borrow().get(path) {
            return Ok(draft.clone());
        }
        if let Some(read) = self.read.borrow().get(path) {
            return Ok(read.clone());
        }
        let bytes = self.under.read(path)?;
        self.read
            .borrow_mut()
            .insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn write_atomically(&self, path: &str, bytes: &[u8]) -> Result<(), FileFault> {
        self.drafts
            .borrow_mut()
            .insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        self.under.kind(path)
    }

    fn is_link(&self, path: &str) -> bool {
        self.under.is_link(path)
    }

    fn leads_outside(&self, path: &str) -> bool {
        self.under.leads_outside(path)
    }

    fn leads_out_of(&self, path: &str, folder: &str) -> bool {
        self.under.leads_out_of(path, folder)
    }

    fn linked_folders(&self, root: &str) -> Vec<String> {
        self.under.linked_folders(root)
    }

    fn walk(&self, root: &str, ignored: bool) -> (Vec<String>, Vec<FileFault>) {
        self.under.walk(root, ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{SourceMap, Span};

    #[test]
    fn of_edits_that_meet_the_first_is_made_and_equal_ones_are_one() {
        let mut sources = SourceMap::default();
        let file = sources.add("a", "abcdef");
        let edit = |start, end, with: &str| Edit {
            at: Span::new(file, start, end),
            with: with.to_owned(),
        };
        let mut plan = Plan::default();
        plan.take("a", &[edit(1, 2, "X")]);
        plan.take("a", &[edit(1, 2, "X"), edit(4, 4, "!")]);
        plan.take("a", &[edit(5, 6, ""), edit(1, 3, "Y")]);
        plan.take("a", &[edit(4, 4, "?")]);
        assert_eq!(plan.findings, 2);
        assert_eq!(spliced("abcdef", &plan.edits["a"]), "aXcd!ef");
    }
}
