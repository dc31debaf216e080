//! GitHub's OIDC tokens as AWS trust policies see them: the grammar of subjects, the claims of a token, and which parts
//! of a trust policy are about them. Sources: GitHub docs, "OpenID Connect reference"; IAM User Guide, "Available keys
//! for AWS OIDC federation".

mod claims;
mod policy;
mod repository;
mod subject;

pub use claims::{Claims, claim_keys};
pub use policy::{
    ASSUME_WITH_WEB_IDENTITY, GitHubStatement, ProviderFault, account_of, claim_of,
    github_statements, issuer_of, means_github, provider_fault, statements_about_github,
};
pub use repository::{IMMUTABLE_SINCE, Repository, RepositoryError};
pub use subject::{Context, Subject, SubjectFault, SubjectRepository};
