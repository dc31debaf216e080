//! Asks every rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Finding, Outcome, RuleCard, Severity, Undecided};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::parts::in_parts;
use crate::rules::{
    Artefact, Check, Rule, Sink, Subject, Tier, Workspace, all, find, for_a_reader,
};
use crate::terraform::block_address;
use crate::text::{FileId, SourceMap, Span};

use super::load::Loaded;
use super::{decided, suppress, trust};

/// What a run ended with, and what is needed to show it.
#[derive(Debug, Default)]
pub struct Checked {
    /// Findings, and what was not decided or not read.
    pub outcome: Outcome,
    /// The files.
    pub sources: SourceMap,
    /// Whether something of the spec's own artefacts is undecided.
    pub spec_undecided: bool,
    /// What was judged. It is large, and who ends the process soon need not take it apart first.
    pub workspace: Workspace,
}

/// Runs all rules over what was loaded.
#[must_use]
pub fn run(loaded: Loaded) -> Checked {
    let Loaded {
        sources,
        workspace,
        suppressions,
        mut findings,
        mut undecided,
        unresolved,
        mut unread,
        files,
        spec_files,
        context_files,
        subject,
        ..
    } = loaded;
    ask_all(&workspace, &sources, &mut findings, &mut undecided);
    if subject == Some(Subject::Trust) {
        undecided.extend(trust::unknown_job(&workspace, &context_files));
    }
    place_in_their_files(&mut findings, &workspace);
    trust::as_severe_as_the_verdict(&mut findings, &workspace);
    let findings = as_severe_as_the_spec_asks(findings, &spec_files);
    // What is suppressed silences nothing else.
    let (findings, mut suppressed) = suppress::apply(findings, &suppressions, &workspace, &sources);
    let mut findings = without_echoes(findings);
    findings.retain(|finding| !context_files.contains(&finding.primary.at.file));
    let mut undecided = still_open(undecided, unresolved, &findings, &workspace);
    undecided.retain(|undecided| !context_files.contains(&undecided.at.file));
    suppressed.retain(|meant| !context_files.contains(&meant.finding.primary.at.file));
    findings.sort_by_cached_key(|finding| order(finding, &sources));
    findings.dedup();
    let findings = once_for_each_text(findings);
    suppressed.sort_by_cached_key(|meant| order(&meant.finding, &sources));
    suppressed.dedup();
    let undecided = once_for_each_address(undecided, &sources);
    unread.sort();
    let verdicts = trust::verdicts(&workspace);
    let decisions = decided::decided(&workspace, &sources);
    let spec_undecided = undecided
        .iter()
        .any(|undecided| spec_files.contains(&undecided.at.file));
    let rules = cards(
        findings
            .iter()
            .chain(suppressed.iter().map(|meant| &meant.finding)),
    );
    Checked {
        outcome: Outcome {
            files,
            findings,
            undecided,
            unread,
            verdicts,
            decisions,
            suppressed,
            rules,
        },
        sources,
        spec_undecided,
        workspace,
    }
}

/// What is an open question: what is told elsewhere as refused is none. A policy that comes to nothing is told all the same,
/// unless what is wrong with it stands in its own text.
fn still_open(
    undecided: Vec<Undecided>,
    unresolved: Vec<Undecided>,
    findings: &[Finding],
    workspace: &Workspace,
) -> Vec<Undecided> {
    let told = told_elsewhere(workspace);
    let is_open = |one: &Undecided| {
        let mut missing = one.missing.iter();
        one.missing.is_empty() || missing.any(|address| !told.contains(address.as_str()))
    };
    let is_shown = |one: &Undecided| {
        let mut places = findings.iter().map(|finding| finding.primary.at);
        places.any(|at| one.at.contains(at))
    };
    let undecided = undecided.into_iter().filter(|one| is_open(one));
    let unresolved = unresolved.into_iter();
    let unresolved = unresolved.filter(|one| is_open(one) || !is_shown(one));
    undecided.chain(unresolved).collect()
}

/// Addresses that are no open question: the module is refused for them, and that is told.
fn told_elsewhere(workspace: &Workspace) -> BTreeSet<&str> {
    let modules = workspace.modules.iter();
    let addresses = modules.flat_map(|module| {
        let undeclared = module.undeclared.iter().map(|one| one.address.as_str());
        let refused = module.refused.iter().map(|one| one.address.as_str());
        undeclared.chain(refused)
    });
    addresses.collect()
}

/// Counts pointers into a document from the file that it stands in.
fn place_in_their_files(findings: &mut [Finding], workspace: &Workspace) {
    let policies = workspace.policies.iter().map(|artefact| &artefact.model);
    let inside = policies.filter(|policy| policy.bare || !policy.place.is_empty());
    let mut places: Vec<(Span, &PolicyDocument)> =
        inside.map(|policy| (policy.span(), policy)).collect();
    places.sort_by_key(|(span, _)| *span);
    for finding in findings {
        let at = finding.primary.at;
        let before =
            places.partition_point(|(span, _)| (span.file, span.start) <= (at.file, at.start));
        let place = before.checked_sub(1).and_then(|index| places.get(index));
        if let (Some((span, policy)), Some(pointer)) = (place, &mut finding.pointer)
            && span.contains(at)
        {
            *pointer = policy.from_its_file(pointer);
        }
    }
}

/// The cards of the rules of these findings, by id.
pub fn cards<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<RuleCard> {
    let ids: BTreeSet<&str> = findings.map(|finding| finding.rule).collect();
    let card = |rule: &'static Rule| RuleCard {
        id: rule.id,
        summary: rule.summary,
        severity: rule.severity,
        kind: rule.check.kind(),
        page: for_a_reader(rule.page),
    };
    ids.into_iter().filter_map(find).map(card).collect()
}

/// Findings are sorted by this: place, rule, message.
fn order(finding: &Finding, sources: &SourceMap) -> ((String, u32, u32), &'static str, String) {
    let place = key(finding.primary.at, sources);
    (place, finding.rule, finding.message.clone())
}

/// What is sorted by place is sorted by this.
fn key(at: Span, sources: &SourceMap) -> (String, u32, u32) {
    (sources.path(at.file).to_owned(), at.start, at.end)
}

/// What the same text makes of several resources for one reason is told once, with the count of the others. The findings
/// are sorted by place.
fn once_for_each_text(all: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<(Finding, String, usize)> = Vec::new();
    for finding in all {
        let cause = without_instances(&finding.message);
        let at = finding.primary.at;
        let here = kept.iter_mut().rev();
        let mut here = here.take_while(|(other, ..)| other.primary.at == at);
        let same = here.find(|(other, told, _)| {
            other.rule == finding.rule && *told == cause && other.severity == finding.severity
        });
        match same {
            Some((_, _, count)) => *count += 1,
            None => kept.push((finding, cause, 0)),
        }
    }
    let told = kept.into_iter().map(|(mut finding, _, others)| {
        if others > 0 {
            let noun = if others == 1 { "address" } else { "addresses" };
            finding.message = format!("{} (and of {others} more {noun})", finding.message);
        }
        finding
    });
    told.collect()
}

/// A message without what tells apart the instances of one block: keys, and the calls of its module.
fn without_instances(message: &str) -> String {
    if !message.contains(['[', '.']) {
        return message.to_owned();
    }
    let shown = message.split('`').enumerate().map(|(at, part)| {
        if at % 2 == 0 {
            return part.to_owned();
        }
        let block = block_address(part);
        let mut rest = block.as_str();
        while let Some(behind) = rest.strip_prefix("module.") {
            rest = behind.split_once('.').map_or("", |(_, rest)| rest);
        }
        rest.to_owned()
    });
    shown.collect::<Vec<String>>().join("`")
}

/// What one module leaves open for want of an address is told once for each address, at the first place; how many
/// others there are is told with it.
fn once_for_each_address(mut all: Vec<Undecided>, sources: &SourceMap) -> Vec<Undecided> {
    all.sort_by_cached_key(|undecided| {
        (
            key(undecided.at, sources),
            undecided.what.clone(),
            undecided.why.clone(),
        )
    });
    all.dedup();
    let mut told: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut others: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut kept: Vec<Undecided> = Vec::new();
    for undecided in all {
        let path = sources.path(undecided.at.file);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let of_folder = |address: &String| (folder.to_owned(), address.clone());
        let before = undecided
            .missing
            .iter()
            .map(|address| told.get(&of_folder(address)));
        let before: Option<Vec<usize>> = before.map(Option::<&usize>::copied).collect();
        let of_module = name.ends_with(".tf");
        match before.and_then(|places| places.first().copied()) {
            Some(first) if of_module => others.entry(first).or_default().push(undecided.what),
            Some(_) | None => {
                for address in undecided.missing.iter().filter(|_| of_module) {
                    told.entry(of_folder(address)).or_insert(kept.len());
                }
                kept.push(undecided);
            }
        }
    }
    for (at, others) in others {
        if let Some(first) = kept.get_mut(at) {
            first.what.push_str(&and_more(&others));
        }
    }
    kept
}

/// How many other places there are; whole policies among them are named.
fn and_more(others: &[String]) -> String {
    let noun = if others.len() == 1 { "place" } else { "places" };
    let policies = others.iter().filter_map(|what| {
        let address = what.strip_prefix("the policy `")?.strip_suffix('`')?;
        (!address.contains('`')).then_some(address)
    });
    let policies: Vec<&str> = policies.collect();
    let named = if policies.is_empty() {
        String::new()
    } else {
        format!(", `{}` among them", policies.join("`, `"))
    };
    format!(", and {} more {noun}{named}", others.len())
}

/// With a spec, what weakens one of its own artefacts is an error. A rule of notes speaks of what works all the same.
fn as_severe_as_the_spec_asks(
    mut findings: Vec<Finding>,
    spec_files: &BTreeSet<FileId>,
) -> Vec<Finding> {
    for finding in &mut findings {
        let weakens = find(finding.rule).is_none_or(|rule| rule.severity > Severity::Note);
        if weakens
            && finding.severity == Severity::Warning
            && spec_files.contains(&finding.primary.at.file)
        {
            finding.severity = Severity::Error;
        }
    }
    findings
}

fn ask_all(
    workspace: &Workspace,
    sources: &SourceMap,
    findings: &mut Vec<Finding>,
    undecided: &mut Vec<Undecided>,
) {
    let (of_policies, others): (Vec<_>, Vec<_>) =
        all().partition(|rule| matches!(rule.check, Check::Policy(_) | Check::Trust(_)));
    let policies = workspace.policies.iter();
    let asked = in_parts(policies, PART, |part| {
        told(&of_policies, workspace, &part, sources)
    });
    for (more, open) in asked {
        findings.extend(more);
        undecided.extend(open);
    }
    for rule in others {
        let spec = workspace.spec.as_ref();
        let mut sink = Sink::new(rule, spec, sources, findings, undecided).within(workspace);
        ask(rule, workspace, &mut sink);
    }
}

/// How many policies a thread looks at before it takes more.
const PART: usize = 4;

type Told = (Vec<Finding>, Vec<Undecided>);

/// What `rules`, which look at one policy each, say of some policies.
fn told(
    rules: &[&'static Rule],
    workspace: &Workspace,
    policies: &[&Artefact<PolicyDocument>],
    sources: &SourceMap,
) -> Told {
    let (mut findings, mut undecided) = Told::default();
    let spec = workspace.spec.as_ref();
    // One policy after the other: its tree stays in the caches while all rules look at it.
    for Artefact { model: policy, .. } in policies {
        for rule in rules {
            let of_trust = policy.kind == PolicyKind::Trust;
            let check = match rule.check {
                Check::Policy(check) => check,
                Check::Trust(check) if of_trust => check,
                Check::Trust(_)
                | Check::Terraform(_)
                | Check::Workflow(_)
                | Check::Steps(_)
                | Check::Monitor(_)
                | Check::Batch(_)
                | Check::Decider(_)
                | Check::Script(_)
                | Check::Simulation(_)
                | Check::Whole(_)
                | Check::Reader => continue,
            };
            let mut sink =
                Sink::new(rule, spec, sources, &mut findings, &mut undecided).within(workspace);
            check(policy, &mut sink);
        }
    }
    (findings, undecided)
}

fn ask(rule: &'static Rule, workspace: &Workspace, sink: &mut Sink<'_>) {
    match rule.check {
        Check::Terraform(check) => {
            for module in &workspace.modules {
                check(module, sink);
            }
        }
        Check::Workflow(check) => {
            for artefact in &workspace.workflows {
                check(&artefact.model, sink);
            }
        }
        Check::Steps(check) => {
            for file in workspace.step_files() {
                check(file, sink);
            }
        }
        Check::Monitor(check) => {
            for artefact in &workspace.monitors {
                check(&artefact.model, workspace, sink);
            }
        }
        Check::Batch(check) => {
            for batch in &workspace.batches {
                check(batch, sink);
            }
        }
        Check::Decider(check) => {
            for deciders in &workspace.deciders {
                check(deciders, sink);
            }
        }
        Check::Script(check) => {
            for script in &workspace.scripts {
                check(script, sink);
            }
        }
        Check::Simulation(check) => {
            for simulation in &workspace.simulations {
                check(simulation, workspace, sink);
            }
        }
        Check::Whole(check) => check(workspace, sink),
        Check::Policy(_) | Check::Trust(_) | Check::Reader => {}
    }
}

/// One fault, one finding: drops what a more specific rule has said about the same bytes, and said no milder.
fn without_echoes(findings: Vec<Finding>) -> Vec<Finding> {
    let tiers: BTreeMap<&str, Tier> = all().map(|rule| (rule.id, rule.tier)).collect();
    let tier = |finding: &Finding| tiers.get(finding.rule).copied().unwrap_or(Tier::Specific);
    let said = |limit: Tier, least: Severity| {
        let counts = |finding: &&Finding| tier(finding) <= limit && finding.severity >= least;
        Places::new(
            findings
                .iter()
                .filter(counts)
                .map(|finding| finding.primary.at),
        )
    };
    let severities = [Severity::Note, Severity::Warning, Severity::Error];
    let lower = [Tier::Specific, Tier::General, Tier::Agreement, Tier::Proof];
    let [notes, warnings, errors] = severities.map(|least| lower.map(|limit| said(limit, least)));
    let echo = |finding: &Finding| {
        let below = match tier(finding) {
            Tier::Specific => return false,
            Tier::General => 0,
            Tier::Agreement => 1,
            Tier::Proof => 2,
            Tier::Remainder => 3,
        };
        let of_severity = match finding.severity {
            Severity::Note => &notes,
            Severity::Warning => &warnings,
            Severity::Error => &errors,
        };
        of_severity
            .get(below)
            .is_some_and(|places| places.touch(finding.covers) || places.touch(finding.primary.at))
    };
    let echoes: Vec<bool> = findings.iter().map(echo).collect();
    let kept = findings.into_iter().zip(echoes).filter(|(_, echo)| !echo);
    kept.map(|(finding, _)| finding).collect()
}

/// Many spans, sorted so that asking whether one of them touches another takes the logarithm of their number.
struct Places {
    /// By start; each with the furthest end of all spans of its file up to it.
    spans: Vec<(Span, u32)>,
    /// The spans that hold no byte, by start.
    empty: Vec<Span>,
}

impl Places {
    fn new(all: impl Iterator<Item = Span>) -> Self {
        let (mut empty, mut full): (Vec<Span>, Vec<Span>) = all.partition(|span| span.is_empty());
        empty.sort();
        full.sort();
        let mut furthest: Option<(FileId, u32)> = None;
        let spans = full.into_iter().map(|span| {
            let end = match furthest {
                Some((file, end)) if file == span.file => end.max(span.end),
                _ => span.end,
            };
            furthest = Some((span.file, end));
            (span, end)
        });
        Self {
            spans: spans.collect(),
            empty,
        }
    }

    /// Whether one of them touches `other`, in the sense of [`Span::touches`].
    fn touch(&self, other: Span) -> bool {
        let before = self.spans.partition_point(|(span, _)| {
            (span.file, span.start) < (other.file, other.end)
                || (other.is_empty() && (span.file, span.start) == (other.file, other.end))
        });
        let last = before.checked_sub(1).and_then(|at| self.spans.get(at));
        let full = last.is_some_and(|(span, end)| {
            let reaches = if other.is_empty() {
                *end >= other.start
            } else {
                *end > other.start
            };
            span.file == other.file && reaches
        });
        let from = self
            .empty
            .partition_point(|span| (span.file, span.start) < (other.file, other.start));
        full || self.empty.get(from).is_some_and(|span| span.touches(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorted_places_touch_what_any_of_them_touches(
            spans in prop::collection::vec((0_usize..2, 0_usize..12, 0_usize..4), 0..8),
            (file, start, length) in (0_usize..2, 0_usize..12, 0_usize..4),
        ) {
            let mut sources = SourceMap::default();
            let files = [sources.add("a", ""), sources.add("b", "")];
            let span = |(file, start, length): (usize, usize, usize)| Span::new(files[file], start, start + length);
            let spans: Vec<Span> = spans.into_iter().map(span).collect();
            let other = span((file, start, length));
            let any = spans.iter().any(|span| span.touches(other));
            prop_assert_eq!(Places::new(spans.into_iter()).touch(other), any);
        }
    }
}
