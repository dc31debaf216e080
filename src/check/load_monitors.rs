//! Monitors and notifications in Kuma's own spelling, JSON or YAML, to models.

use crate::model::monitor::{self, Form, Monitor};
use crate::model::spec::Spec;
use crate::rules::{Artefact, Role, Subject};
use crate::syntax::{Node, json};
use crate::text::{FileId, Text};

use super::load::{Loaded, Options, Standing};
use super::load_kubernetes::changes;

/// What is said of a template that only Helm or Kustomize can fill in.
const RENDER: &str =
    "this is a template of Helm; render it with `helm template` and check what comes out";
const PATCHES: &str = "a kustomization changes the monitors here; render it with `kubectl kustomize` and check what comes out";

/// Why a YAML text with entities cannot be judged before it is rendered. AutoKuma's own templates stand in values.
pub(super) fn must_be_rendered(text: &str) -> Option<&'static str> {
    let helm = [
        "{{-",
        ".Values",
        ".Release",
        ".Chart",
        "{{ include",
        "{{ template",
        "{{ if",
        "{{ range",
        "{{ with",
    ];
    let inside = |at: usize| text.get(at..).and_then(|rest| rest.split("}}").next());
    let mut actions = text.match_indices("{{").filter_map(|(at, _)| inside(at));
    let is_helm = |action: &str| {
        let ends = action.ends_with('-');
        ends || helm.iter().any(|sign| action.contains(sign))
    };
    actions.any(is_helm).then_some(RENDER)
}

/// Whether the documents are a kustomization; its own kind may be left out in a file of that name.
pub(super) fn is_kustomization(path: &str, documents: &[Node]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let named = ["kustomization.yaml", "kustomization.yml"].contains(&name);
    documents.iter().any(|node| match node.get("kind") {
        Some(kind) => kind.as_str() == Some("Kustomization"),
        None => named && node.as_map().is_some(),
    })
}

/// Why monitors cannot be judged beside a kustomization that changes them.
pub(super) fn changed_by(path: &str, documents: &[Node]) -> Option<&'static str> {
    let any = is_kustomization(path, documents) && documents.iter().any(changes);
    any.then_some(PATCHES)
}

impl Loaded {
    /// Whether it declares monitors or notifications, or could not be read; `None` where it is another thing.
    pub(super) fn take_monitors_json(
        &mut self,
        file: FileId,
        path: &str,
        text: &Text,
        (standing, role): (Standing, Option<Role>),
        options: Options,
    ) -> Option<bool> {
        let wanted = options
            .subject
            .is_none_or(|subject| subject == Subject::Monitors);
        let only = options.subject == Some(Subject::Monitors);
        let named = standing == Standing::Named;
        if !wanted || !(monitor::looks_exported(path, text.as_str()) || only && named) {
            return only.then_some(false);
        }
        let parsed = json::read(text);
        if !parsed.faults.is_empty() {
            // Of a text that only looks alike, other readers may know more.
            let marked = monitor::looks_exported("", text.as_str());
            return (marked || only).then(|| self.faults(file, &parsed));
        }
        let documents = parsed.documents.iter();
        let found: Vec<Monitor> = documents
            .flat_map(|root| monitor::declared(path, Form::Kuma, root))
            .collect();
        if found.is_empty() {
            if only && named {
                let reason = format!("`{path}` declares no monitor and no notification");
                self.unread(file, None, reason);
            }
            return only.then_some(named);
        }
        self.add_declared(found, role);
        Some(true)
    }

    /// Whether the documents of a YAML file are lists of monitors.
    pub(super) fn add_listed(
        &mut self,
        path: &str,
        documents: &[Node],
        role: Option<Role>,
    ) -> bool {
        let found: Vec<Monitor> = documents
            .iter()
            .flat_map(|root| monitor::declared(path, Form::Listed, root))
            .collect();
        let any = !found.is_empty();
        self.add_declared(found, role);
        any
    }

    /// Kuma refers to notifications by number. What each of them is to the spec is seen where it is declared: the one
    /// that starts the workflow, and those that reach people.
    pub(super) fn call_by_the_spec(&mut self, spec: &Spec) {
        let names = &spec.monitors;
        let of_kuma = |monitor: &Monitor| monitor.form == Form::Kuma;
        let starts = |monitor: &Monitor| {
            let hook = monitor.webhook.as_ref();
            hook.is_some_and(monitor::Webhook::is_dispatch)
        };
        let all = self.workspace.monitors.iter().map(|it| &it.model);
        let known: Vec<(String, String, String)> = all
            .filter(|monitor| of_kuma(monitor) && monitor.is("notification"))
            .filter_map(|monitor| {
                let name = if starts(monitor) {
                    &names.dispatch
                } else {
                    &names.people
                };
                let number = monitor.id.as_ref()?.as_str().to_owned();
                Some((monitor.folder().to_owned(), number, name.clone()))
            })
            .collect();
        for Artefact { model, .. } in &mut self.workspace.monitors {
            if !of_kuma(model) {
                continue;
            }
            let here = known.iter().filter(|(folder, ..)| folder == model.folder());
            model.known = here
                .map(|(_, number, name)| (number.clone(), name.clone()))
                .collect();
            if let Some(number) = model.id.take() {
                let called = model.is("notification") && starts(model);
                model.id = Some(if called {
                    Text::verbatim(names.dispatch.as_str(), number.span())
                } else {
                    number
                });
            }
        }
    }

    fn add_declared(&mut self, found: Vec<Monitor>, role: Option<Role>) {
        let artefacts = found.into_iter().map(|model| Artefact { model, role });
        self.workspace.monitors.extend(artefacts);
    }
}
