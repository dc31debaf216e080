//! Rules over GitHub workflows.

use crate::model::spec::CREDENTIALS;
use crate::model::workflow::{Access, Job, Uses, Workflow};

use super::{Rule, Sink};

mod action_comment_conflict;
mod action_differs_from_spec;
mod action_not_allowed;
mod action_not_pinned_to_commit;
mod action_reference_invalid;
mod aws_key_in_secret;
mod cache_in_privileged_job;
mod call_permissions_missing;
mod calls;
mod checkout_keeps_credentials;
mod command_failure_ignored;
mod concurrency_deadlock;
mod concurrency_group_of_own_workflow;
mod concurrency_group_per_run;
mod concurrency_group_shared;
mod concurrency_missing;
mod concurrency_pending_replaced;
mod concurrency_queue_with_cancel;
mod concurrency_shared_by_callers;
mod credentials_differ_from_spec;
mod credentials_input_refused;
mod dispatch_inputs;
mod dispatch_trigger_missing;
mod executor;
mod executor_not_checked;
mod executor_not_run;
mod expression_in_script;
mod failover_cancel_in_progress;
mod failover_changed_by_another_workflow;
mod failover_on_schedule;
mod failover_other_trigger;
mod foreign_code_in_privileged_run;
mod foreign_job_in_failover_workflow;
mod foreign_setting_in_privileged_job;
mod foreign_step_in_privileged_job;
mod image_not_pinned_to_digest;
mod image_reference_invalid;
mod job_environment_differs_from_spec;
mod job_timeout_missing;
mod outside;
mod permissions_missing;
mod permissions_too_broad;
mod pin_variable_not_passed;
mod pinned;
mod pipe_without_pipefail;
mod ref_guard_missing;
mod ref_guard_never_holds;
mod repository_not_fetched;
mod role_borrowed_by_another_workflow;
mod schedule;
mod schedule_author_left;
mod schedule_best_effort;
mod schedule_disabled_by_inactivity;
mod schedule_not_punctual;
mod schedule_too_often;
mod schedule_top_of_hour;
mod self_hosted_runner_in_privileged_job;
mod session_policy_too_narrow;
mod shell;
mod step_failure_ignored;
mod third_party_action_in_privileged_job;
mod workflow_calls_itself;
mod workflow_differs_from_spec;
mod workflow_key_repeated;
mod workflow_malformed;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &action_comment_conflict::RULE,
    &action_differs_from_spec::RULE,
    &action_not_allowed::RULE,
    &action_not_pinned_to_commit::RULE,
    &action_reference_invalid::RULE,
    &aws_key_in_secret::RULE,
    &cache_in_privileged_job::RULE,
    &call_permissions_missing::RULE,
    &checkout_keeps_credentials::RULE,
    &command_failure_ignored::RULE,
    &concurrency_deadlock::RULE,
    &concurrency_group_of_own_workflow::RULE,
    &concurrency_group_per_run::RULE,
    &concurrency_group_shared::RULE,
    &concurrency_missing::RULE,
    &concurrency_pending_replaced::RULE,
    &concurrency_queue_with_cancel::RULE,
    &concurrency_shared_by_callers::RULE,
    &credentials_differ_from_spec::RULE,
    &credentials_input_refused::RULE,
    &dispatch_inputs::RULE,
    &dispatch_trigger_missing::RULE,
    &executor_not_checked::RULE,
    &executor_not_run::RULE,
    &expression_in_script::RULE,
    &failover_cancel_in_progress::RULE,
    &failover_changed_by_another_workflow::RULE,
    &failover_on_schedule::RULE,
    &failover_other_trigger::RULE,
    &foreign_code_in_privileged_run::RULE,
    &foreign_job_in_failover_workflow::RULE,
    &foreign_setting_in_privileged_job::RULE,
    &foreign_step_in_privileged_job::RULE,
    &image_not_pinned_to_digest::RULE,
    &image_reference_invalid::RULE,
    &job_environment_differs_from_spec::RULE,
    &job_timeout_missing::RULE,
    &permissions_missing::RULE,
    &permissions_too_broad::RULE,
    &pin_variable_not_passed::RULE,
    &pipe_without_pipefail::RULE,
    &ref_guard_missing::RULE,
    &ref_guard_never_holds::RULE,
    &repository_not_fetched::RULE,
    &role_borrowed_by_another_workflow::RULE,
    &schedule_author_left::RULE,
    &schedule_best_effort::RULE,
    &schedule_disabled_by_inactivity::RULE,
    &schedule_not_punctual::RULE,
    &schedule_too_often::RULE,
    &schedule_top_of_hour::RULE,
    &self_hosted_runner_in_privileged_job::RULE,
    &session_policy_too_narrow::RULE,
    &step_failure_ignored::RULE,
    &third_party_action_in_privileged_job::RULE,
    &workflow_calls_itself::RULE,
    &workflow_differs_from_spec::RULE,
    &workflow_key_repeated::RULE,
    &workflow_malformed::RULE,
];

/// Whether a workflow is the one that makes the switch: the spec's, or without a spec one that looks like it, or
/// makes one, and can reach AWS. What such a workflow lacks is a fault; what any other lacks is nobody's business.
fn is_failover(workflow: &Workflow, sink: &Sink<'_>) -> bool {
    let reaches_aws = |job: &Job| {
        let permissions = workflow.permissions_of(job);
        let token = permissions.and_then(|found| found.access("id-token")) == Some(Access::Write);
        let uses = job.steps.iter().filter_map(|step| step.uses.as_ref());
        let mut repositories = uses.filter_map(Uses::repository);
        let envs = job.steps.iter().map(|step| &step.env);
        let mut variables = [&workflow.env, &job.env].into_iter().chain(envs).flatten();
        token
            || repositories.any(|name| name.eq_ignore_ascii_case(CREDENTIALS))
            || variables.any(|variable| variable.name.as_str().starts_with("AWS_"))
    };
    let may_be = may_be_failover(workflow, sink);
    may_be && (sink.spec().is_some() || workflow.jobs.iter().any(reaches_aws))
}

/// Whether a workflow can be taken for the one that makes the switch: the spec's, or without a spec one that looks like
/// it, or makes a switch, and is dispatched. Enough for what stands there and would do harm to a switch. What pushes and pull requests start
/// is a build: tests of a failover, say.
fn may_be_failover(workflow: &Workflow, sink: &Sink<'_>) -> bool {
    let starts = |name: &str| workflow.trigger(name).is_some();
    match sink.spec() {
        Some(spec) => workflow.path == spec.workflow_path(),
        None => {
            let others = ["push", "pull_request", "pull_request_target"];
            starts("workflow_dispatch")
                && !others.into_iter().any(starts)
                && (workflow.looks_like_failover() || workflow.switches_dns())
        }
    }
}

/// The jobs of a failover workflow that can borrow the role; all jobs where none is seen to.
fn switching_jobs(workflow: &Workflow) -> impl Iterator<Item = &Job> + Clone {
    let borrows = |job: &Job| {
        let permissions = workflow.permissions_of(job);
        permissions.and_then(|found| found.access("id-token")) == Some(Access::Write)
    };
    let any = workflow.jobs.iter().any(borrows);
    workflow.jobs.iter().filter(move |job| !any || borrows(job))
}
