//! An artefact that the spec needs is not there.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::Spec;
use crate::rules::{Artefact, Check, Role, Rule, Sink, Subject, Tier, Workspace};
use crate::terraform::{AttachedPolicy, Declarations, PolicyText};
use crate::text::Span;

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
    for Wanted {
        subjects,
        what,
        name,
        path,
        pointer,
        there,
        given,
    } in wanted(workspace, spec)
    {
        let hidden = |folder: &String| {
            path.strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !there && asked(subjects) && !workspace.unlisted.iter().any(hidden) {
            let label = spec.label(pointer);
            let draft = sink
                .report(label.at, format!("the {what}, `{path}`, is not there"))
                .help("write it with `pointsman generate`");
            // Where nothing of an artefact was given, the chain has a link without files, which breaks nothing.
            draft.about(if given { name } else { NOTHING });
        }
    }
    let Some(module) = workspace.own_module() else {
        return;
    };
    undeclared(workspace, spec, module, sink);
}

/// What the spec's module does not declare, or gives to nobody: the role, or one of its policies.
fn undeclared(workspace: &Workspace, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    // That it is written down, but never made, is told there.
    if module.unmade_role(spec).is_some() {
        return;
    }
    if module.roles.is_empty() {
        let gap = Gap {
            what: "role",
            name: "role",
            pointer: "/aws/role",
            covers: None,
            astray: None,
        };
        return gap.tell(spec, module, sink);
    }
    // Which role the policies ought to be given to is not decided; that is told.
    if module.own_role(spec).is_none() {
        return;
    }
    if module.unmade_policies(spec).next().is_some() {
        return;
    }
    // One that is not known or not JSON may be the one that is meant; that is told where it stands.
    let unread = |policy: &AttachedPolicy| {
        !matches!(policy.text, PolicyText::Tree(_))
            && module.gives(spec, &policy.address) != Some(false)
    };
    if module.policies.iter().any(unread) {
        return;
    }
    ungiven(workspace, spec, module, sink);
}

/// The policies that the role does not get.
fn ungiven(workspace: &Workspace, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    let of_module = |artefact: &&Artefact<PolicyDocument>| {
        module.files.contains(&artefact.model.span().file)
            && artefact.model.kind != PolicyKind::Trust
    };
    let all = workspace.policies.iter().filter(of_module);
    let is_given = |artefact: &&Artefact<PolicyDocument>| {
        let address = artefact.model.address.as_deref();
        address.is_some_and(|address| module.gives(spec, address) != Some(false))
    };
    let (given, astray): (Vec<_>, Vec<_>) = all.partition(is_given);
    let mut others = given
        .iter()
        .filter(|artefact| artefact.role == Some(Role::Other));
    let wanted = [
        ("change policy", Role::ChangeRecords),
        ("read policy", Role::ReadZone),
    ];
    for (what, role) in wanted {
        if given.iter().any(|artefact| artefact.role == Some(role)) {
            continue;
        }
        // What allows something else may be this one with a fault in it: then the fault is what is told.
        let other = others.next().map(|artefact| &artefact.model);
        let incomplete = other.filter(|policy| policy.statements.iter().any(|one| one.incomplete));
        if let Some(policy) = incomplete {
            let address = policy.address.clone().unwrap_or_default();
            let what = format!("whether `{address}` is the {what}");
            sink.undecided(
                policy.span(),
                what,
                "a part of it is not known",
                vec![address],
            );
            continue;
        }
        let of_role = astray.iter().find(|artefact| artefact.role == Some(role));
        let gap = Gap {
            what,
            name: "policy",
            pointer: "/artefacts/terraform",
            covers: other.map(PolicyDocument::span),
            astray: of_role.map(|artefact| artefact.model.span()),
        };
        gap.tell(spec, module, sink);
    }
}

/// One thing that the module does not declare.
struct Gap {
    what: &'static str,
    /// The artefact to which it belongs.
    name: &'static str,
    pointer: &'static str,
    /// What may be meant for it.
    covers: Option<Span>,
    /// What would be it, if it were given to the role.
    astray: Option<Span>,
}

impl Gap {
    fn tell(&self, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
        let (what, label) = (self.what, spec.label(self.pointer));
        if let Some((why, missing)) = module.beyond() {
            let what = format!("whether the {what} is declared");
            return sink.undecided(label.at, what, why, missing);
        }
        let (folder, role) = (&module.folder, &spec.aws.role);
        let message = match self.astray {
            Some(_) => {
                format!("the {what} is declared in `{folder}`, but not given to the role `{role}`")
            }
            None => format!("the {what} is not declared in `{folder}`"),
        };
        let draft = sink
            .report(label.at, message)
            .covers(self.covers.unwrap_or(label.at))
            .about(self.name)
            .help("write the module with `pointsman generate`");
        if let Some(astray) = self.astray {
            draft.related(astray, "this is given to another role, or to none");
        }
    }
}

/// An artefact that the spec needs.
struct Wanted {
    subjects: &'static [Subject],
    what: &'static str,
    /// Its name for those who judge the chain.
    name: &'static str,
    path: String,
    pointer: &'static str,
    there: bool,
    /// Whether there is a folder where it belongs.
    given: bool,
}

/// No part of the chain.
const NOTHING: &str = "";

const POLICY: &[Subject] = &[Subject::Policy];
const TRUST: &[Subject] = &[Subject::Policy, Subject::Trust];

fn wanted(workspace: &Workspace, spec: &Spec) -> Vec<Wanted> {
    let (paths, artefacts) = (&workspace.paths, &spec.artefacts);
    let is_there = |folder: &str| workspace.folders.iter().any(|it| it == folder);
    let file = |path: &str| paths.contains(path);
    let below = |folder: &str, ending: &str| {
        paths
            .iter()
            .any(|path| path.starts_with(&format!("{folder}/")) && path.ends_with(ending))
    };
    let policies = [
        (POLICY, "change policy", "policy", spec.change_policy_path()),
        (POLICY, "read policy", "policy", spec.read_policy_path()),
        (TRUST, "trust policy", "trust", spec.trust_policy_path()),
    ];
    let policies = policies
        .into_iter()
        .map(|(subjects, what, name, path)| Wanted {
            subjects,
            what,
            name,
            there: file(&path),
            path,
            pointer: "/artefacts/policies",
            given: is_there(&artefacts.policies),
        });
    let mut wanted: Vec<Wanted> = policies.collect();
    let (terraform, monitors) = (&artefacts.terraform, &artefacts.monitors);
    let workflow = spec.workflow_path();
    let there = file(&workflow);
    let folder = workflow.rsplit_once('/').map_or("", |(folder, _)| folder);
    wanted.push(Wanted {
        subjects: &[Subject::Terraform],
        what: "Terraform module",
        name: "terraform",
        path: terraform.clone(),
        pointer: "/artefacts/terraform",
        there: below(terraform, ".tf"),
        given: is_there(terraform),
    });
    wanted.push(Wanted {
        subjects: &[Subject::Workflow],
        what: "workflow",
        name: "workflow",
        path: workflow.clone(),
        pointer: "/github/workflow",
        there,
        given: is_there(folder),
    });
    wanted.push(Wanted {
        subjects: &[Subject::Monitors],
        what: "folder of monitors",
        name: "monitors",
        path: monitors.clone(),
        pointer: "/artefacts/monitors",
        there: [".yaml", ".yml", ".json"]
            .iter()
            .any(|ending| below(monitors, ending)),
        // They may stand in Uptime Kuma alone.
        given: below(monitors, ""),
    });
    wanted
}
