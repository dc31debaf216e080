//! Which link a finding breaks, and to which link a file belongs that could not be read.

use crate::diag::Finding;
use crate::model::spec::Spec;
use crate::rules::{FAMILIES, Rule};

use super::duties::Duties;

fn family(rule: &str) -> &'static str {
    let has = |(_, rules): &&(&'static str, &'static [&'static Rule])| {
        rules.iter().any(|known| known.id == rule)
    };
    FAMILIES.iter().find(has).map_or("", |(name, _)| name)
}

/// Which link a finding breaks: by the family of its rule, and within the monitors by the file.
pub(super) fn link_of(finding: &Finding, path: &str, spec: &Spec, duties: &Duties) -> &'static str {
    let rule = finding.rule;
    match family(rule) {
        "monitor" => monitor_link(finding, path, duties),
        "trust" => "trust",
        "workflow" if rule.starts_with("ref-guard") || rule.starts_with("job-environment") => {
            "trust"
        }
        "workflow" if rule.starts_with("credentials-") || rule.starts_with("role-") => "role",
        "workflow" | "pin" => "workflow",
        "kubernetes" => "hosts",
        "policy" if path == spec.trust_policy_path() => "trust",
        "policy" => "policy",
        "spec" => "sites",
        "terraform" if rule.starts_with("oidc-") => "trust",
        "terraform" if rule.contains("policy-") || rule.contains("policies") => "policy",
        "terraform" => "records",
        "agreement" if rule == "artefact-missing" => missing_link(&finding.message, spec, duties),
        "agreement" if rule.starts_with("policy-") || rule == "role-rights-beyond-spec" => "policy",
        "agreement" if rule == "role-without-trust" => "trust",
        "agreement" if rule.contains("role") => "role",
        "agreement"
            if rule == "needed-resource-not-once" && finding.message.contains("aws_iam") =>
        {
            "role"
        }
        "agreement" if rule.starts_with("host-") => "sites",
        "agreement" => "records",
        _ => "",
    }
}

fn monitor_link(finding: &Finding, path: &str, duties: &Duties) -> &'static str {
    if finding.rule.starts_with("dispatch-body")
        || finding.rule.starts_with("dispatch-header")
        || duties.dispatch.iter().any(|known| known == path)
    {
        "webhook"
    } else if duties.edge_watch.iter().any(|known| known == path)
        || finding.message.contains("edge-watch")
        || finding.message.contains("edge_watch")
    {
        "heartbeat"
    } else if finding.message.contains("`dispatch`") {
        "webhook"
    } else {
        "monitors"
    }
}

/// A file that is not there breaks the link that it belongs to; its path stands in the message.
fn missing_link(message: &str, spec: &Spec, duties: &Duties) -> &'static str {
    let named = |path: &str| message.contains(path);
    if named(&spec.workflow_path()) {
        "workflow"
    } else if named(&spec.trust_policy_path()) {
        "trust"
    } else if named(&format!("{}/", spec.artefacts.monitors)) {
        if named("dispatch") {
            "webhook"
        } else if named("edge-watch") || duties.edge_watch.is_empty() {
            "heartbeat"
        } else {
            "monitors"
        }
    } else if named(&format!("{}/", spec.artefacts.policies)) {
        "policy"
    } else {
        "records"
    }
}

/// Whether a file belongs to a link, for what was not decided or not read in it.
pub(super) fn is_of(id: &str, path: &str, spec: &Spec, duties: &Duties) -> bool {
    let within = |folder: &str| path.starts_with(&format!("{folder}/"));
    let among = |paths: &[String]| paths.iter().any(|known| known == path);
    match id {
        "hosts" => {
            let artefacts = &spec.artefacts;
            let others = [
                &artefacts.terraform,
                &artefacts.policies,
                &artefacts.monitors,
            ];
            let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
            is_yaml
                && path != spec.workflow_path()
                && !others.into_iter().any(|folder| within(folder))
        }
        "heartbeat" => {
            among(&duties.edge_watch)
                || (within(&spec.artefacts.monitors) && duties.edge_watch.is_empty())
        }
        "webhook" => {
            among(&duties.dispatch)
                || (within(&spec.artefacts.monitors) && duties.dispatch.is_empty())
        }
        "workflow" => path == spec.workflow_path(),
        "trust" => path == spec.trust_policy_path(),
        "policy" => within(&spec.artefacts.policies) && path != spec.trust_policy_path(),
        "role" | "records" => within(&spec.artefacts.terraform),
        "monitors" => {
            within(&spec.artefacts.monitors)
                && !among(&duties.edge_watch)
                && !among(&duties.dispatch)
        }
        _ => false,
    }
}
