//! What follows from the spec: the names, numbers and texts that the artefacts must carry.

use crate::model::dns::RecordName;

use super::{Host, Site, Spec, SubjectFormat};

/// The audience that STS expects (aws-actions/configure-aws-credentials, README).
pub const OIDC_AUDIENCE: &str = "sts.amazonaws.com";

/// The action that fetches the repository.
pub const CHECKOUT: &str = "actions/checkout";

/// The action that borrows the role.
pub const CREDENTIALS: &str = "aws-actions/configure-aws-credentials";

/// The program that makes the switch, as it lies in the repository.
pub const EXECUTOR: &str = "bin/pointsman-switch";

/// The file with the executor's SHA-256, in the form that `sha256sum --check` reads.
pub const EXECUTOR_SUM: &str = "bin/pointsman-switch.sha256";

/// `AutoKuma` ids of the monitors, which are also the names of their files.
pub const MONITOR_IDS: [&str; 5] = [
    "edge-watch",
    "edge-notice",
    "transition-notice",
    "failback-retry",
    "token-check",
];

/// The folder in which GitHub looks for workflows.
pub const WORKFLOW_FOLDER: &str = ".github/workflows";

impl Spec {
    /// The site that serves in quiet times.
    #[must_use]
    pub fn home(&self) -> Option<&Site> {
        self.sites.first()
    }

    /// The other sites, in order of preference.
    #[must_use]
    pub fn standbys(&self) -> &[Site] {
        self.sites.get(1..).unwrap_or(&[])
    }

    /// The site of this name.
    #[must_use]
    pub fn site(&self, name: &str) -> Option<&Site> {
        self.sites.iter().find(|site| site.name == name)
    }

    /// Names of the records that the switch moves, in written order.
    #[must_use]
    pub fn record_names(&self) -> &[RecordName] {
        &self.records.names
    }

    /// The hosts that `site` serves.
    pub fn hosts_at<'a>(&'a self, site: &'a str) -> impl Iterator<Item = &'a Host> {
        self.hosts
            .iter()
            .filter(move |host| !host.absent_at.contains(site))
    }

    /// The branch as a full ref: `refs/heads/main`.
    #[must_use]
    pub fn git_ref(&self) -> String {
        format!("refs/heads/{}", self.github.branch)
    }

    /// `owner/name`.
    #[must_use]
    pub fn repository(&self) -> String {
        format!("{}/{}", self.github.owner, self.github.repository)
    }

    /// Whether an input of `actions/checkout` says what holds without it: this repository, and the commit that was
    /// dispatched.
    #[must_use]
    pub fn is_own_checkout(&self, input: &str, value: &str) -> bool {
        let value: String = value.split_whitespace().collect();
        match input.to_ascii_lowercase().as_str() {
            "repository" => {
                value == "${{github.repository}}" || value.eq_ignore_ascii_case(&self.repository())
            }
            "ref" => {
                ["${{github.sha}}", "${{github.ref}}"].contains(&value.as_str())
                    || value == self.git_ref()
                    || value == self.github.branch
            }
            _ => false,
        }
    }

    /// The exact `sub` claim of the workflow's token. An environment stands in it instead of the branch, and a `:`
    /// inside a value is written `%3A` (GitHub docs, "OpenID Connect reference").
    #[must_use]
    pub fn subject(&self) -> String {
        let github = &self.github;
        let repository = match github.subject_format {
            SubjectFormat::Immutable => format!(
                "{}@{}/{}@{}",
                github.owner, github.owner_id, github.repository, github.repository_id
            ),
            SubjectFormat::Classic => self.repository(),
        };
        let context = match &github.environment {
            Some(environment) => format!("environment:{}", environment.replace(':', "%3A")),
            None => format!("ref:{}", self.git_ref().replace(':', "%3A")),
        };
        self.templated_subject(&repository, &context)
            .unwrap_or_else(|| format!("repo:{repository}:{context}"))
    }

    /// ARN of the role that the workflow borrows.
    #[must_use]
    pub fn role_arn(&self) -> String {
        let aws = &self.aws;
        format!(
            "arn:{}:iam::{}:role/{}",
            aws.partition, aws.account, aws.role
        )
    }

    /// ARN of the hosted zone.
    #[must_use]
    pub fn zone_arn(&self) -> String {
        format!(
            "arn:{}:route53:::hostedzone/{}",
            self.aws.partition, self.zone.id
        )
    }

    /// ARN of every change, which is what `route53:GetChange` is asked about.
    #[must_use]
    pub fn change_arn(&self) -> String {
        format!("arn:{}:route53:::change/*", self.aws.partition)
    }

    /// ARN of the account's provider for GitHub's tokens.
    #[must_use]
    pub fn oidc_provider_arn(&self) -> String {
        let aws = &self.aws;
        format!(
            "arn:{}:iam::{}:oidc-provider/{}",
            aws.partition,
            aws.account,
            self.oidc_issuer()
        )
    }

    /// Path of the workflow from the repository's root.
    #[must_use]
    pub fn workflow_path(&self) -> String {
        format!("{}/{}", self.workflow_folder(), self.github.workflow)
    }

    /// The workflow at GitHub's API.
    #[must_use]
    pub fn workflow_url(&self) -> String {
        format!(
            "{}/repos/{}/actions/workflows/{}",
            self.api_url(),
            self.repository(),
            self.github.workflow
        )
    }

    /// Where a dispatch is posted (GitHub REST, "Create a workflow dispatch event").
    #[must_use]
    pub fn dispatch_url(&self) -> String {
        self.workflow_url() + "/dispatches"
    }

    /// Whether a URL is the workflow's in GitHub's API, with `behind` behind it: names of owners and repositories know no
    /// case there, nor does the host.
    #[must_use]
    pub fn is_workflow_url(&self, url: &str, behind: &str) -> bool {
        let wanted = self.workflow_url();
        let repository = self.api_url().len() + "/repos/".len() + self.repository().len();
        let whole = url.get(..repository).zip(wanted.get(..repository));
        let alike = whole.is_some_and(|(found, wanted)| found.eq_ignore_ascii_case(wanted));
        let rest = wanted.get(repository..).unwrap_or_default();
        let found = url
            .get(repository..)
            .and_then(|found| found.strip_prefix(rest));
        alike && found == Some(behind)
    }

    /// The fixed body of a dispatch: the branch and nothing else.
    #[must_use]
    pub fn dispatch_body(&self) -> String {
        serde_json::json!({ "ref": self.github.branch }).to_string()
    }

    /// The host that the monitor watches, as a URL.
    #[must_use]
    pub fn origin_url(&self) -> String {
        format!("https://{}/", self.origin.name)
    }

    /// Path of the policy that allows the change.
    #[must_use]
    pub fn change_policy_path(&self) -> String {
        format!("{}/change-records.json", self.artefacts.policies)
    }

    /// Path of the policy that allows reading.
    #[must_use]
    pub fn read_policy_path(&self) -> String {
        format!("{}/read-zone.json", self.artefacts.policies)
    }

    /// Path of the table of requests that the policies are held to.
    #[must_use]
    pub fn cases_path(&self) -> String {
        format!("{}/cases.toml", self.artefacts.policies)
    }

    /// Path of the trust policy.
    #[must_use]
    pub fn trust_policy_path(&self) -> String {
        format!("{}/trust.json", self.artefacts.policies)
    }

    /// The site whose cluster a manifest is for: the one that a folder of its path is named after, else the only standby.
    #[must_use]
    pub fn site_of_manifest(&self, path: &str) -> Option<&Site> {
        let mut folders = path.rsplit('/').skip(1);
        let named = folders.find_map(|folder| self.site(folder));
        named.or_else(|| match self.standbys() {
            [only] => Some(only),
            _ => None,
        })
    }

    /// From the first probe of a return home to the last answer, in seconds: the pauses between the probes and a whole
    /// time-out. A probe that takes its whole time-out fails and ends the row.
    #[must_use]
    pub fn failback_seconds(&self) -> u64 {
        u64::from(self.failback.probes.saturating_sub(1))
            * u64::from(self.failback.interval_seconds)
            + u64::from(self.probe.timeout_seconds)
    }
}
