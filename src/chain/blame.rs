//! Which link a finding breaks, and to which link a file belongs that could not be read.

use crate::diag::Finding;
use crate::model::spec::Spec;
use crate::rules::{FAMILIES, Rule};
use crate::text::Span;

use super::duties::{Duties, Duty, Holder};

fn family(rule: &str) -> &'static str {
    let has = |(_, rules): &&(&'static str, &'static [&'static Rule])| {
        rules.iter().any(|known| known.id == rule)
    };
    FAMILIES.iter().find(has).map_or("", |(name, _)| name)
}

/// What a finding breaks: links, and the duty that is then not done, where it is about one.
pub(super) struct Blame {
    pub(super) links: Vec<&'static str>,
    pub(super) duty: Option<Duty>,
}

impl From<&'static str> for Blame {
    fn from(link: &'static str) -> Self {
        Self {
            links: vec![link],
            duty: None,
        }
    }
}

impl From<Duty> for Blame {
    fn from(duty: Duty) -> Self {
        Self {
            links: vec![duty.link()],
            duty: Some(duty),
        }
    }
}

/// By what the finding says it is about, else by the monitor that holds its place, else by the family of its rule.
pub(super) fn blame(finding: &Finding, path: &str, spec: &Spec, duties: &Duties) -> Blame {
    if let Some(name) = finding.about {
        return of_name(name);
    }
    if let Some(duty) = duties.at(finding.primary.at) {
        return duty.into();
    }
    let rule = finding.rule;
    match family(rule) {
        "monitor" if path == spec.workflow_path() => "workflow",
        "monitor" => "monitors",
        "trust" => "trust",
        "workflow" if rule.starts_with("ref-guard") || rule.starts_with("job-environment") => {
            "trust"
        }
        "workflow" if rule.starts_with("session-policy-") => "policy",
        "workflow" if rule.starts_with("credentials-") || rule.starts_with("role-") => "role",
        "workflow" | "pin" => "workflow",
        "kubernetes" => "hosts",
        "policy" if path == spec.trust_policy_path() => "trust",
        "policy" => "policy",
        "spec" => "sites",
        "terraform" if rule.starts_with("oidc-") => "trust",
        "terraform" if rule.contains("policy-") || rule.contains("policies") => "policy",
        "terraform" => "records",
        "agreement" if rule.starts_with("policy-") || rule == "role-rights-beyond-spec" => "policy",
        "agreement" if rule == "role-without-trust" => "trust",
        "agreement" if rule.contains("role") => "role",
        "agreement" if rule.starts_with("host-") => "sites",
        "agreement" => "records",
        _ => "",
    }
    .into()
}

/// The links of a duty or an artefact, by its name.
fn of_name(name: &'static str) -> Blame {
    if let Some(duty) = Duty::called(name) {
        return duty.into();
    }
    let links: &[&'static str] = match name {
        // Without a monitor there is no watch, no message and no notice.
        "monitors" => &["heartbeat", "webhook", "monitors"],
        // The module has the role and the records.
        "terraform" => &["role", "records"],
        _ => return name.into(),
    };
    Blame {
        links: links.to_vec(),
        duty: None,
    }
}

/// Rules of which a monitor does its duty still, in another time or for fewer deaths, which the forecast counts.
const COUNTED: [&str; 6] = [
    "accepted-status-counts-failures",
    "detection-too-slow",
    "dispatch-without-resend",
    "monitor-timeout-unsafe",
    "resend-dropped-by-autokuma",
    "resend-too-rare",
];

/// Rules of which the records move all the same: a run keeps the TTL that it finds, and the times in the matrix and in the
/// forecast count that one.
pub(super) const MOVES_ALL_THE_SAME: [&str; 1] = ["record-ttl-differs"];

/// Rules that compare a setting with the spec.
const COMPARING: [&str; 2] = ["edge-watch-differs-from-spec", "monitor-differs-from-spec"];

/// Whether the numbers of a monitor already have in them what a finding in it says.
pub(super) fn is_counted(finding: &Finding, holder: &Holder) -> bool {
    let settings = holder.monitor.config().and_then(|config| config.as_map());
    let mut at_setting = settings.into_iter().flatten().filter(|entry| {
        let whole = entry.key.span().cover(entry.value.span());
        whole.contains(finding.primary.at)
    });
    COUNTED.contains(&finding.rule)
        || COMPARING.contains(&finding.rule)
            && at_setting.any(|entry| holder.duty.counts(entry.key.as_str()))
}

impl Duties {
    /// The duty of the monitor that holds this place, the weightiest of several.
    pub(super) fn at(&self, at: Span) -> Option<Duty> {
        let mut holders = self.holders.iter();
        let holder = holders.find(|holder| holder.holds(at))?;
        Some(holder.duty)
    }
}

/// Whether it is a kustomization of the monitors.
pub(super) fn is_kustomization(path: &str, spec: &Spec) -> bool {
    let name = path.strip_prefix(&format!("{}/", spec.artefacts.monitors));
    matches!(name, Some("kustomization.yaml" | "kustomization.yml"))
}

/// Whether a file belongs to a link, for what was not decided or not read in it.
pub(super) fn is_of(id: &str, path: &str, spec: &Spec, duties: &Duties) -> bool {
    let within = |folder: &str| path.starts_with(&format!("{folder}/"));
    let in_monitors = within(&spec.artefacts.monitors);
    let does = |duty: Duty| duties.paths(duty).iter().any(|known| known == path);
    // What is not read may be the one that is not there.
    let all = is_kustomization(path, spec);
    let may_be = |duty: Duty| all || does(duty) || in_monitors && duties.paths(duty).is_empty();
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
        "heartbeat" => may_be(Duty::EdgeWatch),
        "webhook" => may_be(Duty::Dispatch),
        "workflow" => path == spec.workflow_path(),
        "trust" => path == spec.trust_policy_path(),
        "policy" => within(&spec.artefacts.policies) && path != spec.trust_policy_path(),
        "role" | "records" => within(&spec.artefacts.terraform),
        "monitors" => in_monitors && !does(Duty::EdgeWatch) && !does(Duty::Dispatch),
        _ => false,
    }
}
