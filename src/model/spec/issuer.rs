//! Who issues GitHub's tokens, and how a template writes their subjects.
//!
//! Sources: GitHub Docs, "OpenID Connect reference" ("Customizing the token claims", "Switching to a unique token URL"), and
//! the same page of GitHub Enterprise Server (`https://HOSTNAME/_services/token`) and of GHE.com
//! (`https://token.actions.SUBDOMAIN.ghe.com`); the file github.md.

use super::{Spec, SubjectFormat};

/// The issuer of github.com, as its OIDC provider and its condition keys name it.
pub const OIDC_ISSUER: &str = "token.actions.githubusercontent.com";

/// Where an issuer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuerKind {
    /// github.com: for everybody, or with an enterprise's slug behind it.
    Public,
    /// An enterprise's own name below ghe.com.
    DataResidency,
    /// A GitHub Enterprise Server.
    Server,
}

impl IssuerKind {
    /// What kind of issuer of GitHub's tokens this is, without its scheme; `None` for somebody else's.
    #[must_use]
    pub fn of(issuer: &str) -> Option<Self> {
        let issuer = issuer.to_ascii_lowercase();
        let (host, path) = issuer.split_once('/').unwrap_or((&issuer, ""));
        let is_label = |label: &str| {
            let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            !label.is_empty() && label.bytes().all(letter)
        };
        if host == OIDC_ISSUER {
            return (path.is_empty() || is_label(path)).then_some(Self::Public);
        }
        let below = host.strip_prefix("token.actions.");
        if let Some(name) = below.and_then(|below| below.strip_suffix(".ghe.com")) {
            return (is_label(name) && path.is_empty()).then_some(Self::DataResidency);
        }
        (path == "_services/token" && host.contains('.')).then_some(Self::Server)
    }

    /// Whether AWS is known to hand on more of its tokens than `aud` and `sub` (`claim_keys.txt` speaks of github.com).
    #[must_use]
    pub fn has_claim_keys(self) -> bool {
        self == Self::Public
    }
}

/// The claims that a template may hold in a spec: those whose value the spec fixes. Others are chosen by whoever starts or
/// edits a run (`actor`, `workflow`), or differ from run to run.
pub const TEMPLATE_KEYS: [&str; 13] = [
    "repo",
    "context",
    "repository",
    "repository_id",
    "repository_owner",
    "repository_owner_id",
    "ref",
    "ref_type",
    "environment",
    "event_name",
    "job_workflow_ref",
    "workflow_ref",
    "runner_environment",
];

/// The subject that a template of these claims writes. `repo` and `context` are written as in the default; `claim` gives
/// the token's others, from which some follow.
#[must_use]
pub fn templated<'a>(
    keys: &[String],
    repository: &str,
    context: &str,
    claim: impl Fn(&str) -> Option<&'a str>,
) -> Vec<(String, String)> {
    let of_owner = || claim("repository").and_then(|name| name.split('/').next());
    let git_ref = claim("ref").unwrap_or_default();
    let value = |key: &str| {
        let value = match key {
            "repo" => Some(repository),
            "repository_owner" => of_owner(),
            "ref_type" if git_ref.starts_with("refs/tags/") => Some("tag"),
            "ref_type" => Some("branch"),
            "event_name" if git_ref.starts_with("refs/pull/") => Some("pull_request"),
            "event_name" => Some("workflow_dispatch"),
            "workflow_ref" => claim("job_workflow_ref"),
            "runner_environment" => Some("github-hosted"),
            other => claim(other),
        };
        value.unwrap_or_default().to_owned()
    };
    let pair = |key: &String| match key.as_str() {
        "context" => match context.split_once(':') {
            Some((kind, rest)) => (kind.to_owned(), rest.replace("%3A", ":")),
            None => (key.clone(), context.to_owned()),
        },
        key => (key.to_owned(), value(key)),
    };
    keys.iter().map(pair).collect()
}

/// Pairs as they stand in a subject: a colon inside a value is `%3A`, and the context of a pull request is one word.
#[must_use]
pub fn pairs_as_text(pairs: &[(String, String)]) -> String {
    let parts = pairs.iter().map(|(key, value)| {
        let value = value.replace(':', "%3A");
        if key == "context" {
            value
        } else {
            format!("{key}:{value}")
        }
    });
    parts.collect::<Vec<_>>().join(":")
}

impl Spec {
    /// The issuer of the workflow's tokens, without its scheme: part of the provider's ARN and of each condition key.
    #[must_use]
    pub fn oidc_issuer(&self) -> &str {
        let url = self.github.oidc_issuer.as_deref();
        url.map_or(OIDC_ISSUER, |url| {
            url.strip_prefix("https://")
                .unwrap_or(url)
                .trim_end_matches('/')
        })
    }

    /// What kind of issuer it is.
    #[must_use]
    pub fn issuer_kind(&self) -> IssuerKind {
        IssuerKind::of(self.oidc_issuer()).unwrap_or(IssuerKind::Public)
    }

    /// Where GitHub's API stands: beside the issuer.
    #[must_use]
    pub fn api_url(&self) -> String {
        let issuer = self.oidc_issuer();
        match self.issuer_kind() {
            IssuerKind::Public => "https://api.github.com".to_owned(),
            IssuerKind::DataResidency => {
                let host = issuer.strip_prefix("token.actions.").unwrap_or(issuer);
                format!("https://api.{host}")
            }
            IssuerKind::Server => {
                let host = issuer.split('/').next().unwrap_or(issuer);
                format!("https://{host}/api/v3")
            }
        }
    }

    /// The host of GitHub's API.
    #[must_use]
    pub fn api_host(&self) -> String {
        let url = self.api_url();
        let host = url.strip_prefix("https://").unwrap_or(&url).split('/');
        host.take(1).collect()
    }

    /// The subject with this repository part and this context, as the template of the spec writes it.
    pub(super) fn templated_subject(&self, repository: &str, context: &str) -> Option<String> {
        let github = &self.github;
        if github.subject_claims.is_empty() {
            return None;
        }
        let (name, git_ref) = (self.repository(), self.git_ref());
        let workflow = format!("{name}/{}@{git_ref}", self.workflow_path());
        let (owner_id, id) = (
            github.owner_id.to_string(),
            github.repository_id.to_string(),
        );
        let claim = |key: &str| match key {
            "repository" => Some(name.as_str()),
            "repository_id" => Some(id.as_str()),
            "repository_owner_id" => Some(owner_id.as_str()),
            "ref" => Some(git_ref.as_str()),
            "environment" => github.environment.as_deref(),
            "job_workflow_ref" => Some(workflow.as_str()),
            _ => None,
        };
        let pairs = templated(&github.subject_claims, repository, context, claim);
        Some(pairs_as_text(&pairs))
    }

    /// Whether the subject leaves the branch open, so that `ref` is asked for beside it.
    #[must_use]
    pub fn subject_leaves_ref_open(&self) -> bool {
        let github = &self.github;
        let has = |key: &str| github.subject_claims.iter().any(|claim| claim == key);
        let context = github.subject_claims.is_empty() || has("context");
        !(has("ref") || context && github.environment.is_none())
    }

    /// Whether the subject's names could be had again by somebody else, so that the id is asked for beside it.
    #[must_use]
    pub fn subject_leaves_id_open(&self) -> bool {
        let github = &self.github;
        let has = |key: &str| github.subject_claims.iter().any(|claim| claim == key);
        let with_ids = github.subject_format == SubjectFormat::Immutable
            && (github.subject_claims.is_empty() || has("repo"));
        !(with_ids || has("repository_id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_issuer_of_github_is_known_by_its_form_and_no_other() {
        for (issuer, kind) in [
            (
                "token.actions.githubusercontent.com",
                Some(IssuerKind::Public),
            ),
            (
                "token.actions.githubusercontent.com/octo-corp",
                Some(IssuerKind::Public),
            ),
            (
                "token.actions.octo-corp.ghe.com",
                Some(IssuerKind::DataResidency),
            ),
            ("ghes.example.com/_services/token", Some(IssuerKind::Server)),
            (
                "ghes.example.com:8443/_services/token",
                Some(IssuerKind::Server),
            ),
            ("ghes.example.com/_services/vstoken", None),
            ("token.actions.githubusercontent.com.example.com", None),
            ("token.actions.a.b.ghe.com", None),
            ("token.actions.ghe.com", None),
            ("gitlab.example.com", None),
        ] {
            assert_eq!(IssuerKind::of(issuer), kind, "{issuer}");
        }
    }

    #[test]
    fn a_template_writes_its_claims_in_its_order() {
        let keys = ["repo", "context", "job_workflow_ref", "repository_owner"].map(str::to_owned);
        let claim = |key: &str| match key {
            "repository" => Some("acme/app"),
            "job_workflow_ref" => Some("acme/app/w.yml@refs/heads/a:b"),
            _ => None,
        };
        let written =
            |context: &str| pairs_as_text(&templated(&keys, "acme@1/app@2", context, claim));
        assert_eq!(
            written("environment:P%3A1"),
            "repo:acme@1/app@2:environment:P%3A1:job_workflow_ref:acme/app/w.yml@refs/heads/a%3Ab:repository_owner:acme"
        );
        assert!(
            written("pull_request").starts_with("repo:acme@1/app@2:pull_request:job_workflow_ref:")
        );
    }
}
