//! An artefact that the spec needs is not there.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "artefact-missing",
    aliases: &[],
    summary: "an artefact that the spec needs is not there",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("artefact_missing.md"),
    check: Check::Whole(check),
};

/// Only a run over the whole deployment can say that something is missing.
fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = workspace.spec.as_ref().filter(|_| workspace.whole) else {
        return;
    };
    for (what, path, pointer, there) in wanted(workspace, spec) {
        if !there {
            let label = spec.label(pointer);
            sink.report(label.at, format!("the {what}, `{path}`, is not there"))
                .help("write it with `pointsman generate`");
        }
    }
}

type Wanted = (&'static str, String, &'static str, bool);

fn wanted(workspace: &Workspace, spec: &Spec) -> Vec<Wanted> {
    let (paths, artefacts) = (&workspace.paths, &spec.artefacts);
    let file = |path: &str| paths.contains(path);
    let below = |folder: &str, ending: &str| {
        paths
            .iter()
            .any(|path| path.starts_with(&format!("{folder}/")) && path.ends_with(ending))
    };
    let policies = [
        ("change policy", spec.change_policy_path()),
        ("read policy", spec.read_policy_path()),
        ("trust policy", spec.trust_policy_path()),
    ];
    let policy = |(what, path): (&'static str, String)| {
        let there = file(&path);
        (what, path, "/artefacts/policies", there)
    };
    let mut wanted: Vec<Wanted> = policies.into_iter().map(policy).collect();
    let (terraform, monitors) = (&artefacts.terraform, &artefacts.monitors);
    let workflow = spec.workflow_path();
    let there = file(&workflow);
    wanted.push((
        "Terraform module",
        terraform.clone(),
        "/artefacts/terraform",
        below(terraform, ".tf"),
    ));
    wanted.push(("workflow", workflow, "/github/workflow", there));
    wanted.push((
        "folder of monitors",
        monitors.clone(),
        "/artefacts/monitors",
        below(monitors, ".yaml"),
    ));
    wanted
}
