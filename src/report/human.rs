//! For a person: each finding with an excerpt of the source, the failing bytes marked, and what to do.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet};

use crate::diag::{Finding, Fix, Label, Outcome, Severity, Undecided, Unread};
use crate::parts::in_parts;
use crate::text::{FileId, Source, SourceMap, Span};

use super::summary_line;

/// What stands further behind the start of its line is not drawn: each byte before it costs time, and of a minified document
/// nobody reads so much.
const MAX_EXCERPT: usize = 4_000;

pub(super) fn render(
    outcome: &Outcome,
    sources: &SourceMap,
    colour: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    for unread in &outcome.unread {
        writeln!(
            out,
            "{}\n",
            renderer.render(&[unread_group(unread, sources)])
        )?;
    }
    let shown = |finding: &Finding| renderer.render(&finding_groups(finding, sources));
    in_order(&outcome.findings, shown, out)?;
    for undecided in &outcome.undecided {
        writeln!(
            out,
            "{}\n",
            renderer.render(&[undecided_group(undecided, sources)])
        )?;
    }
    for decided in &outcome.decisions {
        let (path, policy) = (&decided.path, &decided.policy);
        writeln!(
            out,
            "{path}: {policy}: {} ({})",
            decided.decision, decided.why
        )?;
    }
    if !outcome.decisions.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", summary_line(outcome))
}

/// How many findings are drawn before they are written, and how many of them a thread draws before it takes more.
const AT_ONCE: usize = 512;
const PART: usize = 16;

/// Writes what `shown` makes of each finding, in order. Long lines take long to draw, so that two threads do it.
fn in_order(
    findings: &[Finding],
    shown: impl Fn(&Finding) -> String + Sync,
    out: &mut dyn Write,
) -> io::Result<()> {
    for some in findings.chunks(AT_ONCE) {
        let draw = |part: Vec<&Finding>| part.into_iter().map(&shown).collect::<Vec<String>>();
        for drawn in in_parts(some.iter(), PART, draw).into_iter().flatten() {
            writeln!(out, "{drawn}\n")?;
        }
    }
    Ok(())
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

fn finding_groups<'a>(finding: &'a Finding, sources: &'a SourceMap) -> Vec<Group<'a>> {
    let title = level(finding.severity)
        .primary_title(cut(&finding.message))
        .id(finding.rule);
    let mut group =
        Group::with_title(title).elements(excerpts(&finding.primary, &finding.related, sources));
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(cut(help)));
    }
    let mut groups = vec![group];
    // A difference is read as advice to take it; what may be meant otherwise is told in the help.
    let certain = finding.fix.as_ref().filter(|fix| fix.safe);
    groups.extend(certain.and_then(|fix| patch(fix, sources)));
    groups
}

/// No terminal shows more of one sentence to any use; the other forms have it whole.
const MAX_SENTENCE: usize = 1_000;

/// The beginning of a long sentence, and how long it is.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_SENTENCE {
        return Cow::Borrowed(text);
    }
    let start: String = text.chars().take(MAX_SENTENCE / 2).collect();
    Cow::Owned(format!(
        "{start}… ({} characters in all)",
        text.chars().count()
    ))
}

/// One excerpt for each file, the file of the primary place first.
fn excerpts<'a>(
    primary: &'a Label,
    related: &'a [Label],
    sources: &'a SourceMap,
) -> Vec<Element<'a>> {
    let mut files: Vec<FileId> = vec![primary.at.file];
    for label in related {
        if !files.contains(&label.at.file) {
            files.push(label.at.file);
        }
    }
    let excerpt = |file: FileId| {
        let mut labels: Vec<(AnnotationKind, &Label)> = Vec::new();
        if file == primary.at.file {
            labels.push((AnnotationKind::Primary, primary));
        }
        let others = related.iter().filter(|label| label.at.file == file);
        labels.extend(others.map(|label| (AnnotationKind::Context, label)));
        draw(file, &labels, sources)
    };
    files.into_iter().filter_map(excerpt).collect()
}

fn draw<'a>(
    file: FileId,
    labels: &[(AnnotationKind, &'a Label)],
    sources: &'a SourceMap,
) -> Option<Element<'a>> {
    let source = sources.get(file)?;
    let spans = labels.iter().map(|(_, label)| label.at);
    let covered = spans.reduce(Span::cover)?;
    let window = window(source, covered).up_to(covered.end as usize);
    if window.text.len() > MAX_EXCERPT {
        let place = source
            .lines()
            .position(source.text(), labels.first()?.1.at.start as usize);
        return Some(
            Origin::path(source.path())
                .line(place.line)
                .char_column(place.column)
                .into(),
        );
    }
    let mut snippet = Snippet::source(window.text)
        .path(source.path())
        .line_start(window.line);
    for (kind, label) in labels {
        let annotation = kind.span(within(&window, label.at));
        let text = Some(label.text.as_str()).filter(|text| !text.is_empty());
        snippet = snippet.annotation(annotation.label(text));
    }
    Some(snippet.into())
}

/// How many bytes of a line behind the marked ones are looked at.
const BEHIND: usize = 400;

/// The lines that an excerpt is drawn from.
struct Window<'a> {
    text: &'a str,
    start: usize,
    line: usize,
}

impl Window<'_> {
    /// Without what follows far behind byte `end` of the file: no more of a line is drawn than the screen is wide.
    fn up_to(mut self, end: usize) -> Self {
        let mut kept = (end.saturating_sub(self.start).saturating_add(BEHIND)).min(self.text.len());
        while !self.text.is_char_boundary(kept) {
            kept -= 1;
        }
        self.text = self.text.get(..kept).unwrap_or_default();
        self
    }
}

fn window(source: &Source, span: Span) -> Window<'_> {
    let (text, lines) = (source.text(), source.lines());
    let first = lines.position(text, span.start as usize).line;
    let last = lines.position(text, span.end as usize).line;
    let start = lines.line_start(first).unwrap_or(0);
    let end = lines.line_start(last + 1).unwrap_or(text.len());
    Window {
        text: text.get(start..end).unwrap_or_default(),
        start,
        line: first,
    }
}

/// `span` in a window, on character borders; a place of no length becomes one character long where there is one.
fn within(window: &Window<'_>, span: Span) -> Range<usize> {
    let clamp = |offset: u32| {
        let mut at = (offset as usize)
            .saturating_sub(window.start)
            .min(window.text.len());
        while !window.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = clamp(span.start);
    let mut end = clamp(span.end).max(start);
    if start == end {
        let next = window
            .text
            .get(start..)
            .and_then(|rest| rest.chars().next())
            .filter(|next| *next != '\n');
        end += next.map_or(0, char::len_utf8);
    }
    start..end
}

fn patch<'a>(fix: &'a Fix, sources: &'a SourceMap) -> Option<Group<'a>> {
    let first = fix.edits.first()?;
    let source = sources.get(first.at.file)?;
    let span = fix.edits.iter().map(|edit| edit.at).reduce(Span::cover)?;
    let window = window(source, span);
    if window.text.len() > MAX_EXCERPT {
        return None;
    }
    let patches = fix
        .edits
        .iter()
        .filter(|edit| edit.at.file == first.at.file)
        .map(|edit| {
            let exact = clamp_exact(&window, edit.at);
            Patch::new(exact, edit.with.as_str())
        });
    let snippet = Snippet::source(window.text)
        .path(source.path())
        .line_start(window.line)
        .patches(patches);
    Some(Group::with_title(Level::HELP.secondary_title(&fix.title)).element(snippet))
}

fn clamp_exact(window: &Window<'_>, span: Span) -> Range<usize> {
    let inside = |offset: u32| {
        (offset as usize)
            .saturating_sub(window.start)
            .min(window.text.len())
    };
    inside(span.start)..inside(span.end).max(inside(span.start))
}

fn unread_group<'a>(unread: &'a Unread, sources: &'a SourceMap) -> Group<'a> {
    let title = Level::ERROR
        .with_name("unread")
        .primary_title(&unread.reason);
    let group = Group::with_title(title);
    match unread.at {
        Some(at) => {
            let label = Label {
                at,
                text: String::new(),
            };
            group.elements(bare(&label, sources))
        }
        None => group.element(Origin::path(&unread.path)),
    }
}

fn undecided_group<'a>(undecided: &'a Undecided, sources: &'a SourceMap) -> Group<'a> {
    let title = Level::WARNING.with_name("undecided").primary_title(format!(
        "{}: {}",
        cut(&undecided.what),
        cut(&undecided.why)
    ));
    let label = Label {
        at: undecided.at,
        text: String::new(),
    };
    let mut group = Group::with_title(title).elements(bare(&label, sources));
    if !undecided.missing.is_empty() {
        let missing: Vec<String> = undecided
            .missing
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        group = group
            .element(Level::HELP.message(format!("what would decide it: {}", missing.join(", "))));
    }
    group
}

/// An excerpt with one unlabelled mark.
fn bare<'a>(label: &Label, sources: &'a SourceMap) -> Vec<Element<'a>> {
    let Some(source) = sources.get(label.at.file) else {
        return Vec::new();
    };
    let window = window(source, label.at);
    if window.text.len() > MAX_EXCERPT {
        let place = source
            .lines()
            .position(source.text(), label.at.start as usize);
        return vec![
            Origin::path(source.path())
                .line(place.line)
                .char_column(place.column)
                .into(),
        ];
    }
    let annotation = AnnotationKind::Primary.span(within(&window, label.at));
    vec![
        Snippet::source(window.text)
            .path(source.path())
            .line_start(window.line)
            .annotation(annotation)
            .into(),
    ]
}
