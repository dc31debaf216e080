//! An artefact that the spec needs is not there.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::model::spec::Spec;
use crate::rules::{Artefact, Check, Role, Rule, Sink, Subject, Tier, Workspace};
use crate::terraform::{AttachedPolicy, Declarations, PolicyText};

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
    let whole = workspace.whole || workspace.wholly.is_some();
    let Some(spec) = workspace.spec.as_ref().filter(|_| whole) else {
        return;
    };
    let asked = |subjects: &[Subject]| workspace.wholly.is_none_or(|it| subjects.contains(&it));
    for (subjects, what, path, pointer, there) in wanted(workspace, spec) {
        let hidden = |folder: &String| {
            path.strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !there && asked(subjects) && !workspace.unlisted.iter().any(hidden) {
            let label = spec.label(pointer);
            sink.report(label.at, format!("the {what}, `{path}`, is not there"))
                .help("write it with `pointsman generate`");
        }
    }
    let Some(module) = workspace.own_module() else {
        return;
    };
    for (what, pointer) in undeclared(workspace, spec, module) {
        let label = spec.label(pointer);
        if let Some((why, missing)) = module.beyond() {
            let what = format!("whether the {what} is declared");
            sink.undecided(label.at, what, why, missing);
            continue;
        }
        let message = format!("the {what} is not declared in `{}`", module.folder);
        sink.report(label.at, message)
            .help("write the module with `pointsman generate`");
    }
}

/// What the spec's module does not declare: the role, or one of its policies.
fn undeclared(
    workspace: &Workspace,
    spec: &Spec,
    module: &Declarations,
) -> Vec<(&'static str, &'static str)> {
    // What is given to another role is not there for this one.
    let elsewhere = |address: &str| {
        module.grants.iter().any(|grant| {
            let own = address == format!("{}.policy", grant.address);
            let known = grant.roles.iter().all(|role| role.as_str().is_some());
            own && known && !module.is_granted(spec, grant)
        })
    };
    let of_module = |artefact: &&Artefact<PolicyDocument>| {
        let policy = &artefact.model;
        let address = policy.address.as_deref();
        module.files.contains(&policy.span().file)
            && address.is_some_and(|address| !elsewhere(address))
    };
    let known = |policy: &AttachedPolicy| matches!(policy.text, PolicyText::Tree(_));
    let policies: Vec<Option<Role>> = workspace
        .policies
        .iter()
        .filter(of_module)
        .map(|artefact| artefact.role)
        .collect();
    let is_there = |role| policies.contains(&Some(role));
    if module.roles.is_empty() {
        return vec![("role", "/aws/role")];
    }
    // One that is not known, or that allows something else, may be the one that is meant.
    if !module.policies.iter().all(known) || is_there(Role::Other) {
        return Vec::new();
    }
    let wanted = [
        ("change policy", Role::ChangeRecords),
        ("read policy", Role::ReadZone),
    ];
    let missing = wanted.into_iter().filter(|(_, role)| !is_there(*role));
    missing
        .map(|(what, _)| (what, "/artefacts/terraform"))
        .collect()
}

type Wanted = (&'static [Subject], &'static str, String, &'static str, bool);

const POLICY: &[Subject] = &[Subject::Policy];
const TRUST: &[Subject] = &[Subject::Policy, Subject::Trust];

fn wanted(workspace: &Workspace, spec: &Spec) -> Vec<Wanted> {
    let (paths, artefacts) = (&workspace.paths, &spec.artefacts);
    let file = |path: &str| paths.contains(path);
    let below = |folder: &str, ending: &str| {
        paths
            .iter()
            .any(|path| path.starts_with(&format!("{folder}/")) && path.ends_with(ending))
    };
    let policies = [
        (POLICY, "change policy", spec.change_policy_path()),
        (POLICY, "read policy", spec.read_policy_path()),
        (TRUST, "trust policy", spec.trust_policy_path()),
    ];
    let policy = |(subjects, what, path): (&'static [Subject], &'static str, String)| {
        let there = file(&path);
        (subjects, what, path, "/artefacts/policies", there)
    };
    let mut wanted: Vec<Wanted> = policies.into_iter().map(policy).collect();
    let (terraform, monitors) = (&artefacts.terraform, &artefacts.monitors);
    let workflow = spec.workflow_path();
    let there = file(&workflow);
    wanted.push((
        &[Subject::Terraform],
        "Terraform module",
        terraform.clone(),
        "/artefacts/terraform",
        below(terraform, ".tf"),
    ));
    wanted.push((
        &[Subject::Workflow],
        "workflow",
        workflow,
        "/github/workflow",
        there,
    ));
    wanted.push((
        &[Subject::Monitors],
        "folder of monitors",
        monitors.clone(),
        "/artefacts/monitors",
        below(monitors, ".yaml") || below(monitors, ".yml"),
    ));
    wanted
}
