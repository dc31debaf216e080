//! Rules over Uptime Kuma monitors and notifications.

use crate::model::monitor::{Form, Monitor, Webhook};
use crate::model::workflow::Workflow;
use crate::text::{Span, Text};

use super::{Rule, Sink, Workspace};

mod accepted_status_counts_failures;
mod accepted_status_invalid;
mod accepted_status_without_success;
mod away;
mod away_from_spec;
mod detection_too_slow;
mod dispatch_body_beyond_ref;
mod dispatch_body_invalid;
mod dispatch_differs_from_spec;
mod dispatch_event_unheard;
mod dispatch_header_missing;
mod dispatch_input_refused;
mod dispatch_method_invalid;
mod dispatch_on_expiry_notice;
mod dispatch_url_invalid;
mod dispatch_watch_follows_redirects;
mod dispatch_watch_paused;
mod dispatch_without_resend;
mod dispatch_workflow_disabled;
mod dispatch_workflow_unknown;
mod dispatched_without_trigger;
mod dns_condition_incomplete;
mod dns_monitor_differs_from_spec;
mod dns_without_condition;
mod edge_watch_differs_from_spec;
mod kuma_settings;
mod monitor_differs_from_spec;
mod monitor_duty_missing;
mod monitor_entity_differs_from_spec;
mod monitor_id_repeated;
mod monitor_key_repeated;
mod monitor_malformed;
mod monitor_number_absurd;
mod monitor_setting_unknown;
mod monitor_setting_wrong_type;
mod monitor_template_refused;
mod monitor_timeout_unsafe;
mod monitor_type_unknown;
mod notification_unknown;
mod people_behind_dispatch;
mod resend_dropped_by_autokuma;
mod resend_too_rare;
mod settings;
mod token_in_file;
mod watch_host_switched;
mod watch_upside_down;
mod webhook_template_breaks_json;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &accepted_status_counts_failures::RULE,
    &accepted_status_invalid::RULE,
    &accepted_status_without_success::RULE,
    &detection_too_slow::RULE,
    &dispatch_body_beyond_ref::RULE,
    &dispatch_body_invalid::RULE,
    &dispatch_differs_from_spec::RULE,
    &dispatch_event_unheard::RULE,
    &dispatch_header_missing::RULE,
    &dispatch_input_refused::RULE,
    &dispatch_method_invalid::RULE,
    &dispatch_on_expiry_notice::RULE,
    &dispatch_url_invalid::RULE,
    &dispatch_watch_follows_redirects::RULE,
    &dispatch_watch_paused::RULE,
    &dispatch_without_resend::RULE,
    &dispatch_workflow_disabled::RULE,
    &dispatch_workflow_unknown::RULE,
    &dispatched_without_trigger::RULE,
    &dns_condition_incomplete::RULE,
    &dns_monitor_differs_from_spec::RULE,
    &dns_without_condition::RULE,
    &edge_watch_differs_from_spec::RULE,
    &monitor_differs_from_spec::RULE,
    &monitor_duty_missing::RULE,
    &monitor_entity_differs_from_spec::RULE,
    &monitor_id_repeated::RULE,
    &monitor_key_repeated::RULE,
    &monitor_malformed::RULE,
    &monitor_number_absurd::RULE,
    &monitor_setting_unknown::RULE,
    &monitor_setting_wrong_type::RULE,
    &monitor_template_refused::RULE,
    &monitor_timeout_unsafe::RULE,
    &monitor_type_unknown::RULE,
    &notification_unknown::RULE,
    &people_behind_dispatch::RULE,
    &resend_dropped_by_autokuma::RULE,
    &resend_too_rare::RULE,
    &token_in_file::RULE,
    &watch_host_switched::RULE,
    &watch_upside_down::RULE,
    &webhook_template_breaks_json::RULE,
];

/// The webhook of a notification that starts a workflow.
fn dispatch(monitor: &Monitor) -> Option<&Webhook> {
    monitor
        .webhook
        .as_ref()
        .filter(|webhook| webhook.is_dispatch())
}

/// Whether a monitor asks over HTTP.
fn is_http(monitor: &Monitor) -> bool {
    monitor.is_http()
}

/// The notification by which a monitor starts the workflow: the spec's, or one that is declared beside it.
fn dispatch_of(monitor: &Monitor, workspace: &Workspace, sink: &Sink<'_>) -> Option<Text> {
    let of_spec = |id: &str| sink.spec().is_some_and(|spec| spec.monitors.dispatch == id);
    let declared = |id: &str| {
        // Numbers of Kuma's mean something within one export; a notification alone beside a monitor is the one it sends.
        let near = |other: &Monitor| {
            other.form == monitor.form
                && (monitor.form == Form::Entity || other.folder() == monitor.folder())
        };
        let named = |other: &Monitor| {
            let same = match &other.id {
                Some(found) => found.as_str() == id,
                None => other.form == Form::Kuma,
            };
            same && near(other)
        };
        workspace
            .monitors
            .iter()
            .any(|artefact| named(&artefact.model) && dispatch(&artefact.model).is_some())
    };
    let mut ids = monitor.notifications().into_iter();
    ids.find(|id| of_spec(id.as_str()) || declared(id.as_str()))
}

/// Whether a setting of this monitor cannot be judged, since what is left out is not known; that is told.
fn is_left_open(monitor: &Monitor, setting: &str, at: Span, sink: &mut Sink<'_>) -> bool {
    let open = monitor.is_abridged() && monitor.setting(setting).is_none();
    if open {
        let key = monitor.spelling(setting);
        sink.undecided(
            at,
            format!("whether `{key}` is right"),
            format!("the monitor is abridged, and `{key}` is not given"),
            Vec::new(),
        );
    }
    open
}

/// Whether only the address of a dispatch is given, so that how it posts is not known.
fn is_posted_unseen(monitor: &Monitor, webhook: &Webhook) -> bool {
    monitor.form == Form::Kuma && webhook.is_address_alone()
}

/// Whether the text is a template, filled in when it is sent.
fn holds_template(text: &Text) -> bool {
    text.as_str().contains("{{") || text.as_str().contains("{%")
}

/// Whether a value is filled in before it is read: by `AutoKuma`, or by whoever puts a file of Kuma's in.
fn is_filled_in(text: &Text) -> bool {
    holds_template(text) || text.as_str().contains("${")
}

/// Whether the webhook's URL names this workflow's file.
fn names_workflow(webhook: &Webhook, workflow: &Workflow) -> bool {
    let file = workflow.path.rsplit('/').next().unwrap_or_default();
    webhook
        .url
        .as_ref()
        .is_some_and(|url| url.as_str().contains(&format!("/workflows/{file}/")))
}
