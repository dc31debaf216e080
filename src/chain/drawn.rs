//! The links before they are judged: where each begins and ends, where it is declared, where it runs.

use crate::model::spec::Spec;

use super::duties::{Duties, Duty};
use super::given::Given;
use super::links::{Link, Plane, State};

const IAM: &str = "AWS, IAM (changed in us-east-1, asked everywhere)";

/// The links of a deployment, in their order.
pub(super) fn drawn(spec: &Spec, duties: &Duties, given: &Given) -> Vec<Link> {
    let mut links = Vec::from(to_github(spec, duties, given));
    links.extend(into_aws(spec, given));
    links.extend(to_visitors(spec, given));
    links.push(watching(spec, duties));
    links
}

fn link(id: &'static str, (from, to): (String, String), plane: Plane, there: bool) -> Link {
    Link {
        id,
        from,
        to,
        places: Vec::new(),
        region: String::new(),
        plane,
        state: if there { State::Good } else { State::NotGiven },
        why: Vec::new(),
        weak: Vec::new(),
        hosts: Vec::new(),
    }
}

impl Link {
    fn at(mut self, region: impl Into<String>, places: Vec<String>) -> Self {
        self.region = region.into();
        self.places = places;
        self
    }
}

/// The first standby, where Uptime Kuma runs.
fn standby(spec: &Spec) -> &str {
    let first = spec.standbys().first();
    first.map_or("the standby", |site| site.name.as_str())
}

/// Where the spec wants Uptime Kuma, which no file says: anywhere that does not die with home.
fn kuma(spec: &Spec) -> String {
    let home = spec.home().map_or("home", |site| site.name.as_str());
    format!("Uptime Kuma, away from {home}")
}

fn to_github(spec: &Spec, duties: &Duties, given: &Given) -> [Link; 3] {
    let notification = format!("notification `{}`", spec.monitors.dispatch);
    let run = format!(
        "a run of {} on {}",
        spec.github.workflow, spec.github.branch
    );
    let heart = format!("heartbeat of {}", spec.origin.name);
    let workflow = spec.workflow_path();
    let (dispatch, watch) = (duties.paths(Duty::Dispatch), duties.paths(Duty::EdgeWatch));
    let (sends, watches) = (!dispatch.is_empty(), !watch.is_empty());
    let called = [dispatch.clone(), vec![workflow.clone()]].concat();
    let mut watched = [watch, dispatch].concat();
    watched.dedup();
    let url = spec.dispatch_url();
    [
        link(
            "heartbeat",
            (heart, notification.clone()),
            Plane::Data,
            watches,
        )
        .at(kuma(spec), watched),
        link(
            "webhook",
            (notification, url.clone()),
            Plane::Control,
            sends,
        )
        .at("GitHub, API", called),
        link("workflow", (url, run), Plane::Control, given.workflow)
            .at("GitHub, Actions", vec![workflow]),
    ]
}

fn into_aws(spec: &Spec, given: &Given) -> [Link; 3] {
    let workflow = spec.workflow_path();
    let terraform = format!("{}/", spec.artefacts.terraform);
    let granted = format!("{}/ and {terraform}", spec.artefacts.policies);
    let role = spec.role_arn();
    let policies = vec![
        spec.change_policy_path(),
        spec.read_policy_path(),
        terraform.clone(),
    ];
    [
        link(
            "trust",
            (
                format!("ref {}", spec.git_ref()),
                format!("subject {}", spec.subject()),
            ),
            Plane::Data,
            given.trust || given.workflow,
        )
        .at(
            format!("AWS, STS in {}", spec.aws.sts_region),
            vec![workflow.clone(), spec.trust_policy_path()],
        ),
        link(
            "role",
            ("the job's token".to_owned(), role.clone()),
            Plane::Data,
            given.terraform || given.workflow,
        )
        .at(IAM, vec![workflow, terraform]),
        link(
            "policy",
            (role, granted),
            Plane::Data,
            given.policies || given.terraform,
        )
        .at(IAM, policies),
    ]
}

fn to_visitors(spec: &Spec, given: &Given) -> [Link; 3] {
    let names: Vec<String> = spec.records.names.iter().map(ToString::to_string).collect();
    let names = names.join(", ");
    let sites: Vec<&str> = spec.sites.iter().map(|site| site.name.as_str()).collect();
    let sites = sites.join(", ");
    let hosts = format!(
        "{} hosts: certificate, gateway and route each",
        spec.hosts.len()
    );
    let declared = vec![
        spec.change_policy_path(),
        format!("{}/", spec.artefacts.terraform),
    ];
    let mut ready = link(
        "hosts",
        (sites.clone(), hosts),
        Plane::Data,
        !given.manifests.is_empty(),
    )
    .at(
        format!("the cluster of {}", standby(spec)),
        given.manifests.clone(),
    );
    ready.why_not_given(spec, given);
    [
        link(
            "records",
            (format!("zone {}", spec.zone.id), names.clone()),
            Plane::Control,
            given.terraform,
        )
        .at("AWS, Route 53's API in us-east-1", declared),
        link("sites", (names, sites), Plane::Data, true)
            .at("AWS, Route 53's name servers, global", Vec::new()),
        ready,
    ]
}

fn watching(spec: &Spec, duties: &Duties) -> Link {
    let others = [
        Duty::EdgeNotice,
        Duty::TransitionNotice,
        Duty::FailbackRetry,
        Duty::TokenCheck,
    ];
    let mut watches: Vec<String> = others
        .into_iter()
        .flat_map(|duty| duties.paths(duty))
        .collect();
    watches.dedup();
    let given = !watches.is_empty();
    let ends = (
        "people".to_owned(),
        "notice, transition, retry, token".to_owned(),
    );
    link("monitors", ends, Plane::Data, given).at(kuma(spec), watches)
}
