//! The links, and which finding breaks which.

use crate::check::Checked;
use crate::diag::{Finding, Severity};
use crate::model::spec::Spec;
use crate::rules::{FAMILIES, Rule, Workspace};

use super::duties::Duties;

/// How a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It was checked, and nothing breaks it.
    Good,
    /// Something breaks it.
    Broken,
    /// It could not be decided, or a file of it was not read.
    Undecided,
    /// No files were given for it.
    NotGiven,
}

impl State {
    /// The word used in every output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Broken => "broken",
            Self::Undecided => "undecided",
            Self::NotGiven => "not given",
        }
    }
}

/// Whether a link must change something, or only answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plane {
    /// It changes something: the less available half.
    Control,
    /// It answers from what is there.
    Data,
}

impl Plane {
    /// The word used in every output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Control => "control plane",
            Self::Data => "data plane",
        }
    }
}

/// One link of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub id: &'static str,
    /// Where it begins: what, and the files.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Where the two are declared.
    pub places: Vec<String>,
    /// Where it runs.
    pub region: String,
    /// Whether it must change something.
    pub plane: Plane,
    /// How it is.
    pub state: State,
    /// What breaks it or leaves it open, with places; also what weakens it.
    pub why: Vec<String>,
}

/// The ids of the links, in their order.
const IDS: [&str; 10] = [
    "heartbeat",
    "webhook",
    "workflow",
    "trust",
    "role",
    "policy",
    "records",
    "sites",
    "hosts",
    "monitors",
];

/// The chain of a deployment. `files` are the workspace's facts, taken before the checks consumed it.
#[must_use]
pub fn links(spec: &Spec, duties: &Duties, given: &Given, checked: &Checked) -> Vec<Link> {
    let mut links: Vec<Link> = IDS
        .into_iter()
        .map(|id| drafted(id, spec, duties, given))
        .collect();
    let of_spec = checked.sources.path(spec.at("").file);
    for link in links.iter_mut().filter(|link| link.id == "sites") {
        link.places.push(of_spec.to_owned());
    }
    for finding in &checked.outcome.findings {
        let path = checked.sources.path(finding.primary.at.file).to_owned();
        let id = link_of(finding, &path, spec, duties);
        let line = checked
            .sources
            .positions(finding.primary.at)
            .map_or(1, |(start, _)| start.line);
        let Some(link) = links.iter_mut().find(|link| link.id == id) else {
            continue;
        };
        link.why.push(format!(
            "{path}:{line}: {} [{}] {}",
            finding.severity.word(),
            finding.rule,
            finding.message
        ));
        if finding.severity == Severity::Error {
            link.state = State::Broken;
        }
    }
    let open = checked.outcome.undecided.iter().map(|open| {
        (
            checked.sources.path(open.at.file).to_owned(),
            format!("{}: {}", open.what, open.why),
        )
    });
    let unread = checked
        .outcome
        .unread
        .iter()
        .map(|unread| (unread.path.clone(), format!("not read: {}", unread.reason)));
    for (path, why) in open.chain(unread) {
        for link in links
            .iter_mut()
            .filter(|link| is_of(link.id, &path, spec, duties))
        {
            if link.state != State::Broken {
                link.state = State::Undecided;
            }
            link.why.push(format!("{path}: {why}"));
        }
    }
    links
}

/// What there was to look at.
#[derive(Debug, Clone, Default)]
pub struct Given {
    workflow: bool,
    terraform: bool,
    policies: bool,
    trust: bool,
}

impl Given {
    /// What a workspace holds.
    #[must_use]
    pub fn of(spec: &Spec, workspace: &Workspace) -> Self {
        let within = |folder: &str| {
            workspace
                .paths
                .iter()
                .any(|path| path.starts_with(&format!("{folder}/")))
        };
        Self {
            workflow: workspace.paths.contains(&spec.workflow_path()),
            terraform: within(&spec.artefacts.terraform),
            policies: within(&spec.artefacts.policies),
            trust: workspace.paths.contains(&spec.trust_policy_path())
                || within(&spec.artefacts.terraform),
        }
    }
}

#[expect(clippy::too_many_lines, reason = "one arm for each link, side by side")]
fn drafted(id: &'static str, spec: &Spec, duties: &Duties, given: &Given) -> Link {
    let workflow = spec.workflow_path();
    let (terraform, policies) = (
        format!("{}/", spec.artefacts.terraform),
        spec.artefacts.policies.clone(),
    );
    let names: Vec<String> = spec.records.names.iter().map(ToString::to_string).collect();
    let sites: Vec<&str> = spec.sites.iter().map(|site| site.name.as_str()).collect();
    let standby = spec
        .standbys()
        .first()
        .map_or("the standby", |site| site.name.as_str());
    let at_kuma = format!("Uptime Kuma, at {standby}");
    let watches: Vec<String> = [
        &duties.edge_notice,
        &duties.transition_notice,
        &duties.failback_retry,
        &duties.token_check,
    ]
    .into_iter()
    .flatten()
    .cloned()
    .collect();
    let aws = |region: &str| format!("AWS, {region}");
    let (from, to, places, region, plane, there) = match id {
        "heartbeat" => (
            format!("heartbeat of {}", spec.origin.name),
            format!("notification `{}`", spec.monitors.dispatch),
            [duties.edge_watch.clone(), duties.dispatch.clone()].concat(),
            at_kuma,
            Plane::Data,
            duties.given,
        ),
        "webhook" => (
            format!("notification `{}`", spec.monitors.dispatch),
            spec.dispatch_url(),
            [duties.dispatch.clone(), vec![workflow]].concat(),
            "GitHub, API".to_owned(),
            Plane::Control,
            duties.given,
        ),
        "workflow" => (
            spec.dispatch_url(),
            format!(
                "a run of {} on {}",
                spec.github.workflow, spec.github.branch
            ),
            vec![workflow],
            "GitHub, Actions".to_owned(),
            Plane::Control,
            given.workflow,
        ),
        "trust" => (
            format!("ref {}", spec.git_ref()),
            format!("subject {}", spec.subject()),
            vec![workflow, spec.trust_policy_path()],
            aws(&format!("STS in {}", spec.aws.sts_region)),
            Plane::Data,
            given.trust || given.workflow,
        ),
        "role" => (
            "the job's token".to_owned(),
            spec.role_arn(),
            vec![workflow, terraform],
            "AWS, IAM (changed in us-east-1, asked everywhere)".to_owned(),
            Plane::Data,
            given.terraform || given.workflow,
        ),
        "policy" => (
            spec.role_arn(),
            format!("{policies}/ and {terraform}"),
            vec![
                spec.change_policy_path(),
                spec.read_policy_path(),
                terraform,
            ],
            "AWS, IAM (changed in us-east-1, asked everywhere)".to_owned(),
            Plane::Data,
            given.policies || given.terraform,
        ),
        "records" => (
            format!("zone {}", spec.zone.id),
            names.join(", "),
            vec![spec.change_policy_path(), terraform],
            aws("Route 53's API in us-east-1"),
            Plane::Control,
            given.terraform,
        ),
        "sites" => (
            names.join(", "),
            sites.join(", "),
            Vec::new(),
            aws("Route 53's name servers, global"),
            Plane::Data,
            true,
        ),
        "hosts" => (
            sites.join(", "),
            format!(
                "{} hosts: certificate, Gateway and VirtualService each",
                spec.hosts.len()
            ),
            Vec::new(),
            standby.to_owned(),
            Plane::Data,
            false,
        ),
        _ => (
            "people".to_owned(),
            "notice, transition, retry, token".to_owned(),
            watches,
            at_kuma,
            Plane::Data,
            duties.given,
        ),
    };
    Link {
        id,
        from,
        to,
        places,
        region,
        plane,
        state: if there { State::Good } else { State::NotGiven },
        why: Vec::new(),
    }
}

fn family(rule: &str) -> &'static str {
    let has = |(_, rules): &&(&'static str, &'static [&'static Rule])| {
        rules.iter().any(|known| known.id == rule)
    };
    FAMILIES.iter().find(has).map_or("", |(name, _)| name)
}

/// Which link a finding breaks: by the family of its rule, and within the monitors by the file.
fn link_of(finding: &Finding, path: &str, spec: &Spec, duties: &Duties) -> &'static str {
    let rule = finding.rule;
    match family(rule) {
        "monitor" => monitor_link(finding, path, duties),
        "trust" => "trust",
        "workflow" if rule.starts_with("ref-guard") || rule.starts_with("job-environment") => {
            "trust"
        }
        "workflow" if rule.starts_with("credentials-") || rule.starts_with("role-") => "role",
        "workflow" | "pin" => "workflow",
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
fn is_of(id: &str, path: &str, spec: &Spec, duties: &Duties) -> bool {
    let within = |folder: &str| path.starts_with(&format!("{folder}/"));
    let among = |paths: &[String]| paths.iter().any(|known| known == path);
    match id {
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
