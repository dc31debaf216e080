//! Where in the deployment's files a link is broken: the artefact, and the line of what failed where that is known.

use crate::model::policy::PolicyDocument;
use crate::model::workflow::Job;
use crate::report::drill::{LinkRow, LinkState};
use crate::rules::Role;
use crate::syntax::Node;
use crate::text::{Span, Text};

use super::Plan;
use super::cast::Cast;
use super::links::{CONFIRMATION, RECORDS, ROLE, SITES, VISITORS};

/// The place of a broken link, as `path:line`.
pub(super) fn place(plan: &Plan<'_>, cast: &Cast, link: &LinkRow) -> Option<String> {
    if !matches!(link.state, LinkState::Broken | LinkState::NotDecided) {
        return None;
    }
    let span = match link.name {
        "heartbeat" => heartbeat(plan, cast, &link.told),
        "message" => message(plan, &link.told),
        "workflow" => workflow(plan, &link.told),
        ROLE if link.told.starts_with("the spec's role is") => role(plan),
        ROLE => policy(plan, Role::Trust, &link.told).or_else(|| workflow(plan, &link.told)),
        _ if link.told.starts_with("session: ") => workflow(plan, &link.told),
        SITES | CONFIRMATION => policy(plan, Role::ReadZone, &link.told),
        RECORDS => policy(plan, Role::ChangeRecords, &link.told),
        VISITORS => declared(plan, &link.told),
        _ => None,
    }?;
    let path = plan.sources.path(span.file);
    let line = plan.sources.positions(span).map(|(from, _)| from.line);
    Some(line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}")))
}

/// The monitor that is named in what is told.
fn named(plan: &Plan<'_>, told: &str) -> Option<Span> {
    let mut all = plan.workspace.monitors.iter().map(|it| &it.model);
    let own = all.find(|it| {
        let id = it.id.as_ref().map_or("", Text::as_str);
        told.contains(&format!("`{id}`")) || told.contains(&format!("`{}`", it.path))
    })?;
    Some(own.config_span())
}

/// The record of Terraform that is named in what is told: its values, or its head where they stand nowhere.
fn declared(plan: &Plan<'_>, told: &str) -> Option<Span> {
    let module = plan.workspace.own_module()?;
    let mut all = module.records.iter();
    let own = all.find(|record| told.contains(&format!("`{}` of Terraform", record.address)))?;
    Some(own.records.as_ref().map_or(own.head, Node::span))
}

/// The role that Terraform makes: its name, or its head where it has none.
fn role(plan: &Plan<'_>) -> Option<Span> {
    let module = plan.workspace.own_module()?;
    let own = module.own_role(plan.spec)?;
    Some(own.name.as_ref().map_or(own.head, Node::span))
}

fn heartbeat(plan: &Plan<'_>, cast: &Cast, told: &str) -> Option<Span> {
    if let Some(record) = declared(plan, told) {
        return Some(record);
    }
    if told.contains("record of its own") {
        return Some(plan.spec.at("/origin/name"));
    }
    // What no monitor does has no place, but where one is named.
    if let Some(named) = named(plan, told) {
        return Some(named);
    }
    if told.contains("is missing, or does not") {
        return None;
    }
    let watch = cast.watch.as_deref()?;
    let mut all = plan.workspace.monitors.iter().map(|it| &it.model);
    let own = all.find(|it| it.id.as_ref().is_some_and(|id| id.as_str() == watch))?;
    Some(own.config_span())
}

/// The part of the notification that GitHub's answer is about.
fn message(plan: &Plan<'_>, told: &str) -> Option<Span> {
    if told.contains("workflow_dispatch") || told.contains("Required input") {
        return workflow(plan, told);
    }
    if told.contains("is missing, or does not") {
        return None;
    }
    let starts = ["GitHub answers", "GitHub gives", "the call"];
    if !starts.iter().any(|start| told.starts_with(start))
        && let Some(named) = named(plan, told)
    {
        return Some(named);
    }
    let dispatch = plan.spec.monitors.dispatch.as_str();
    let mut all = plan.workspace.monitors.iter().map(|it| &it.model);
    let own = all.find(|it| it.id.as_ref().is_some_and(|id| id.as_str() == dispatch))?;
    let webhook = own.webhook.as_ref()?;
    let headers = &webhook.headers_text;
    let part = if told.contains("wasn't supplied") || told.contains(" 401") || told.contains(" 403")
    {
        headers
    } else if told.contains("No ref") || told.contains("nexpected inputs") {
        &webhook.body
    } else {
        &webhook.url
    };
    Some(part.as_ref().map_or(webhook.span, Text::span))
}

fn workflow(plan: &Plan<'_>, told: &str) -> Option<Span> {
    let mut all = plan.workspace.workflows.iter();
    let own = all.find(|it| it.role == Some(Role::Workflow))?;
    let own = &own.model;
    let job = own.jobs.first();
    let condition = job.and_then(|job: &Job| job.condition.as_ref());
    let steps = own.jobs.iter().flat_map(|job| &job.steps);
    let mut steps = steps.filter(|step| {
        let texts = [&step.name, &step.run].into_iter().flatten();
        let uses = step.uses.as_ref().map(|uses| &uses.text);
        let mut texts = texts.chain(uses);
        texts.any(|text| told.contains(&format!("step `{}`", text.as_str().trim())))
    });
    let group = own.concurrency.as_ref().and_then(|it| it.group.as_ref());
    let span = if told.contains("Required input") {
        let trigger = own.trigger("workflow_dispatch");
        let mut inputs = trigger.iter().flat_map(|trigger| trigger.inputs());
        let named = inputs.find(|input| told.contains(&format!("'{}'", input.key.as_str())));
        named.map(|input| input.key.span())
    } else if told.contains("workflow_dispatch") {
        own.on.as_ref().map(Text::span)
    } else if let Some(step) = steps.next() {
        Some(step.span)
    } else if told.contains("cancel-in-progress") {
        group.map(Text::span)
    } else if told.starts_with("its job is skipped") {
        condition.map(Text::span)
    } else {
        job.map(|job| job.span)
    };
    Some(span.unwrap_or_else(|| own.root.span()))
}

/// The statement that the reasons name, of the policy in the place that they name.
fn policy(plan: &Plan<'_>, role: Role, told: &str) -> Option<Span> {
    let from = told.strip_prefix("as the fault has it: ").unwrap_or(told);
    let in_terraform = match from.split_once(": ") {
        Some(("files", _)) => false,
        Some(("terraform", _)) => true,
        _ => return None,
    };
    let mut all = plan.workspace.policies_as(role);
    let own: &PolicyDocument = all.find(|it| it.address.is_some() == in_terraform)?;
    let named = own.statements.iter().find(|statement| {
        let sid = statement.sid.as_ref().map(Text::as_str);
        sid.is_some_and(|sid| told.contains(&format!("(`{sid}`)")))
    });
    Some(named.map_or_else(|| own.span(), |statement| statement.span))
}
