//! The repository, the account and the actions: what `[github]`, `[aws]` and `[[actions]]` may hold.

#[cfg(feature = "lint")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How GitHub writes the `sub` claim of this repository (GitHub docs, "OpenID Connect reference").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SubjectFormat {
    /// `repo:OWNER@OWNER_ID/NAME@REPOSITORY_ID:…`: repositories created, renamed or transferred after 2026-07-15.
    Immutable,
    /// `repo:OWNER/NAME:…`: older ones.
    Classic,
}

/// The repository and the workflow that makes the switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GitHub {
    /// The account or organisation that owns the repository.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$"), extend("x-allowed" = "up to 39 letters, digits and inner hyphens")))]
    pub owner: String,
    /// The owner's numeric id: `gh api users/OWNER --jq .id`.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 9_007_199_254_740_991_u64), extend("x-allowed" = "the number that GitHub gives, without quotes")))]
    pub owner_id: u64,
    /// The repository's name, without its owner.
    #[serde(default = "repository")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9._-]{1,100}$"), extend("x-allowed" = "up to 100 letters, digits, `.`, `_` and `-`")))]
    pub repository: String,
    /// The repository's numeric id: `gh api repos/OWNER/NAME --jq .id`.
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 9_007_199_254_740_991_u64), extend("x-allowed" = "the number that GitHub gives, without quotes")))]
    pub repository_id: u64,
    /// The branch that the workflow runs on; the dispatch body names it.
    #[serde(default = "branch")]
    pub branch: String,
    /// How GitHub writes this repository's subject: `immutable` when it was created, renamed or transferred after 2026-07-15, else `classic`.
    #[serde(default = "subject_format")]
    pub subject_format: SubjectFormat,
    /// The claims that this repository's own subject template writes, in its order, as `include_claim_keys` of `gh api repos/OWNER/NAME/actions/oidc/customization/sub` lists them; none for the default subject.
    #[serde(default)]
    pub subject_claims: Vec<String>,
    /// Who issues the tokens, if that is not github.com: `https://HOST/_services/token` of GitHub Enterprise Server, `https://token.actions.NAME.ghe.com`, or `https://token.actions.githubusercontent.com/ENTERPRISE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = r"^https://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9_-]+)*$"), extend("x-allowed" = "a URL with `https` and without a final slash, as tokens have it in `iss`")))]
    pub oidc_issuer: Option<String>,
    /// The deployment environment of the job, if it has one; it then stands in the subject instead of the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The workflow's file name below `.github/workflows`.
    #[serde(default = "workflow")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,90}\.ya?ml$"), extend("x-allowed" = "a file name of letters, digits, `.`, `_` and `-` that ends with `.yml` or `.yaml`, without a folder")))]
    pub workflow: String,
    /// The repository variable by which a person pins a site.
    #[serde(default = "variable")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Z_][A-Z0-9_]{0,99}$"), extend("x-allowed" = "capital letters, digits and `_`, not beginning with a digit")))]
    pub variable: String,
    /// The concurrency group that lets only one run work at a time.
    #[serde(default = "concurrency_group")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9._-]{1,100}$"), extend("x-allowed" = "a fixed text of letters, digits, `.`, `_` and `-`")))]
    pub concurrency_group: String,
    /// Minutes after which GitHub ends the job.
    #[serde(default = "job_timeout_minutes")]
    #[cfg_attr(feature = "lint", schemars(range(min = 1, max = 360)))]
    pub job_timeout_minutes: u32,
}

/// The account and the role that the workflow borrows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Aws {
    /// The account's number.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[0-9]{12}$"), extend("x-allowed" = "12 digits, in quotes")))]
    pub account: String,
    /// The partition: `aws`, `aws-cn` or `aws-us-gov`.
    #[serde(default = "partition")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^aws(-[a-z]+)*$"), extend("x-allowed" = "`aws`, `aws-cn` or `aws-us-gov`")))]
    pub partition: String,
    /// The role's name.
    #[serde(default = "role")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9+=,.@_-]{1,64}$"), extend("x-allowed" = "up to 64 letters, digits and `+=,.@_-`, without a path")))]
    pub role: String,
    /// The region whose STS is asked; any but `us-east-1`, on which Route 53's own changes depend already.
    #[serde(default = "sts_region")]
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[a-z]{2}(-[a-z]+)+-[0-9]$"), extend("x-allowed" = "a region such as `ap-northeast-2`")))]
    pub sts_region: String,
    /// Seconds that borrowed credentials live; 900 to 43200.
    #[serde(default = "session_seconds")]
    #[cfg_attr(feature = "lint", schemars(range(min = 900, max = 43200)))]
    pub session_seconds: u32,
}

/// An external action that the workflow may use, at one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "lint", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The action, `owner/name`.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9-]+/[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$"), extend("x-allowed" = "`owner/name`, without `@` and a version")))]
    pub uses: String,
    /// The full commit SHA.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[0-9a-f]{40}$"), extend("x-allowed" = "the 40 small hexadecimal digits of a commit")))]
    pub commit: String,
    /// The version that this commit is, for the reader; `v7.0.1`.
    #[cfg_attr(feature = "lint", schemars(regex(pattern = "^[A-Za-z0-9._/+-]{1,64}$"), extend("x-allowed" = "a tag such as `v7.0.1`")))]
    pub version: String,
}

fn repository() -> String {
    "dns-failover".to_owned()
}

fn branch() -> String {
    "main".to_owned()
}

fn subject_format() -> SubjectFormat {
    SubjectFormat::Immutable
}

fn workflow() -> String {
    "dns-failover.yml".to_owned()
}

fn variable() -> String {
    "PIN_SITE".to_owned()
}

fn concurrency_group() -> String {
    "dns-failover".to_owned()
}

fn job_timeout_minutes() -> u32 {
    20
}

fn partition() -> String {
    "aws".to_owned()
}

fn role() -> String {
    "dns-failover".to_owned()
}

fn sts_region() -> String {
    "ap-northeast-2".to_owned()
}

fn session_seconds() -> u32 {
    3600
}

/// The two external actions of the reference deployment.
pub(in crate::model::spec) fn actions() -> Vec<Action> {
    let action = |uses: &str, commit: &str, version: &str| Action {
        uses: uses.to_owned(),
        commit: commit.to_owned(),
        version: version.to_owned(),
    };
    vec![
        action(
            "actions/checkout",
            "3d3c42e5aac5ba805825da76410c181273ba90b1",
            "v7.0.1",
        ),
        action(
            "aws-actions/configure-aws-credentials",
            "e6de054238d6b7531b4efff3b6587d9aade6a06c",
            "v6.2.3",
        ),
    ]
}
