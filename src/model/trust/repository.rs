//! The repository whose job borrows the role: from the spec, or from the flags of `validate trust`.

use crate::model::calendar::Day;
use crate::model::facts::RepositoryFacts;
use crate::model::spec::{
    IssuerKind, OIDC_AUDIENCE, OIDC_ISSUER, Spec, SubjectFormat, TEMPLATE_KEYS, templated,
};

use super::claims::Claims;
use super::subject::{Context, Subject, SubjectRepository};

/// Repositories that are created, renamed or transferred after this day have immutable subjects.
pub const IMMUTABLE_SINCE: &str = "2026-07-15";

/// Which job may borrow the role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The owner's name.
    pub owner: String,
    /// The owner's id; obligatory in the immutable format.
    pub owner_id: Option<u64>,
    /// The repository's name.
    pub repository: String,
    /// The repository's id; obligatory in the immutable format.
    pub repository_id: Option<u64>,
    /// The branch that the job runs on.
    pub branch: String,
    /// How GitHub writes this repository's subject.
    pub format: SubjectFormat,
    /// The job's environment, if it has one.
    pub environment: Option<String>,
    /// The claims of its own subject template; none for the default subject.
    pub subject_claims: Vec<String>,
    /// Who issues its tokens, without scheme.
    pub issuer: String,
    /// The workflow's path, if it is known.
    pub workflow: Option<String>,
    /// The workflow's `name`, if its file is known.
    pub workflow_name: Option<String>,
    /// ARN of the provider, if the account is known.
    pub provider: Option<String>,
    /// The day on which the job asks, if it is known.
    pub day: Option<Day>,
    /// Whether the spec or a flag says that this job is meant; else facts beside the policy say which repository it is,
    /// and its branch and environment are not known.
    pub asked: bool,
}

/// Why a repository cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryError {
    /// Not `owner/name`.
    #[error("`{0}` is no repository; `owner/name` is expected")]
    Name(String),
    /// A ref that is no branch.
    #[error("`{0}` is no branch")]
    Branch(String),
    /// The immutable format without both ids.
    #[error("the immutable format needs the owner's and the repository's id")]
    Ids,
    /// The immutable format at a GitHub Enterprise Server.
    #[error(
        "`{0}` issues no immutable subjects: GitHub Enterprise Server has the classic format alone"
    )]
    NoImmutable(String),
    /// An issuer that is not one of GitHub's.
    #[error("`{0}` issues none of GitHub's tokens")]
    Issuer(String),
    /// A claim of the template whose value is not known here.
    #[error("what `{0}` says in a subject is not known here; known are `{known}`", known = TEMPLATE_KEYS.join("`, `"))]
    Claim(String),
}

impl Repository {
    /// The repository `owner/name` with the branch `main` and the immutable format.
    ///
    /// # Errors
    /// When `name` is not `owner/name`.
    pub fn named(name: &str) -> Result<Self, RepositoryError> {
        let parts = name.split_once('/');
        let is_right = |(owner, name): &(&str, &str)| {
            !owner.is_empty() && !name.is_empty() && !name.contains('/')
        };
        let Some((owner, repository)) = parts.filter(is_right) else {
            return Err(RepositoryError::Name(name.to_owned()));
        };
        Ok(Self {
            owner: owner.to_owned(),
            owner_id: None,
            repository: repository.to_owned(),
            repository_id: None,
            branch: "main".to_owned(),
            format: SubjectFormat::Immutable,
            environment: None,
            subject_claims: Vec::new(),
            issuer: OIDC_ISSUER.to_owned(),
            workflow: None,
            workflow_name: None,
            provider: None,
            day: None,
            asked: true,
        })
    }

    /// The same for a job on `branch`, written as the branch's name or as its full ref.
    ///
    /// # Errors
    /// When it is a ref of something else, a tag for example, or empty.
    pub fn on_branch(self, branch: &str) -> Result<Self, RepositoryError> {
        let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        if name.is_empty() || name.starts_with("refs/") {
            return Err(RepositoryError::Branch(branch.to_owned()));
        }
        Ok(Self {
            branch: name.to_owned(),
            ..self
        })
    }

    /// The same with tokens of this issuer, a URL or what stands behind its scheme.
    ///
    /// # Errors
    /// When it is not one of GitHub's.
    pub fn issued_by(self, url: &str) -> Result<Self, RepositoryError> {
        let issuer = url.strip_prefix("https://").unwrap_or(url);
        let issuer = issuer.trim_end_matches('/').to_owned();
        match IssuerKind::of(&issuer) {
            Some(_) => Ok(Self { issuer, ..self }),
            None => Err(RepositoryError::Issuer(url.to_owned())),
        }
    }

    /// The same, if it has all that its format needs.
    ///
    /// # Errors
    /// When an id is missing, or a claim of the template is not known.
    pub fn checked(self) -> Result<Self, RepositoryError> {
        let unknown = |key: &&String| !TEMPLATE_KEYS.contains(&key.as_str());
        if let Some(claim) = self.subject_claims.iter().find(unknown) {
            return Err(RepositoryError::Claim(claim.clone()));
        }
        if self.format == SubjectFormat::Immutable && self.issuer_kind() == IssuerKind::Server {
            return Err(RepositoryError::NoImmutable(self.issuer));
        }
        let complete = self.owner_id.is_some() && self.repository_id.is_some();
        if self.format == SubjectFormat::Immutable && !complete {
            Err(RepositoryError::Ids)
        } else {
            Ok(self)
        }
    }

    /// The repository of the spec.
    #[must_use]
    pub fn of_spec(spec: &Spec) -> Self {
        let github = &spec.github;
        Self {
            owner: github.owner.clone(),
            owner_id: Some(github.owner_id),
            repository: github.repository.clone(),
            repository_id: Some(github.repository_id),
            branch: github.branch.clone(),
            format: github.subject_format,
            environment: github.environment.clone(),
            subject_claims: github.subject_claims.clone(),
            issuer: spec.oidc_issuer().to_owned(),
            workflow: Some(spec.workflow_path()),
            workflow_name: None,
            provider: Some(spec.oidc_provider_arn()),
            day: None,
            asked: true,
        }
    }

    /// The repository that facts speak of, if they say how its subjects are written: by their own word, or since it was
    /// transferred after the day on which the format changed (GitHub Docs, "OpenID Connect reference": 2026-07-15).
    #[must_use]
    pub fn of_facts(facts: &RepositoryFacts) -> Option<Self> {
        let moved = facts.transferred.as_deref().and_then(Day::parse);
        let changed = Day::parse(IMMUTABLE_SINCE)?;
        let is_immutable = facts
            .is_immutable
            .or_else(|| moved.map(|day| day > changed))?;
        let format = if is_immutable {
            SubjectFormat::Immutable
        } else {
            SubjectFormat::Classic
        };
        let (owner, name) = (facts.owner.as_ref()?, facts.name.as_ref()?);
        let found = Self {
            owner_id: facts.owner_id,
            repository_id: facts.repository_id,
            format,
            asked: false,
            ..Self::named(&format!("{owner}/{name}")).ok()?
        };
        found.checked().ok()
    }

    /// The context of the job.
    #[must_use]
    pub fn context(&self) -> Context {
        match &self.environment {
            Some(environment) => Context::Environment(environment.clone()),
            None => Context::Branch(self.branch.clone()),
        }
    }

    /// The repository part of a subject in `format`; ids that are not known are 0.
    #[must_use]
    pub fn subject_repository(&self, format: SubjectFormat) -> SubjectRepository {
        match format {
            SubjectFormat::Classic => SubjectRepository::Classic {
                owner: self.owner.clone(),
                name: self.repository.clone(),
            },
            SubjectFormat::Immutable => SubjectRepository::Immutable {
                owner: self.owner.clone(),
                owner_id: self.owner_id.unwrap_or_default().to_string(),
                name: self.repository.clone(),
                repository_id: self.repository_id.unwrap_or_default().to_string(),
            },
        }
    }

    /// The subject of this repository's job in `format` and `context`, as its template writes it.
    #[must_use]
    pub fn subject_in(&self, format: SubjectFormat, context: Context) -> Subject {
        let mut claims = self.claims_without_subject();
        claims = match &context {
            Context::Branch(branch) => claims.with("ref", format!("refs/heads/{branch}")),
            Context::Tag(tag) => claims.with("ref", format!("refs/tags/{tag}")),
            Context::PullRequest => claims.with("ref", "refs/pull/7/merge"),
            Context::Environment(name) => claims.with("environment", name.clone()),
        };
        self.subject_of(self.subject_repository(format), context, &claims)
    }

    /// The subject of a job with these claims, written by this repository's template; other repositories may have the same.
    #[must_use]
    pub fn subject_of(
        &self,
        repository: SubjectRepository,
        context: Context,
        claims: &Claims,
    ) -> Subject {
        if self.subject_claims.is_empty() {
            return Subject::Default {
                repository,
                context,
            };
        }
        let (repository, context) = (repository.to_string(), context.to_string());
        let claim = |key: &str| claims.get(key);
        Subject::Custom(templated(
            &self.subject_claims,
            &repository,
            &context,
            claim,
        ))
    }

    /// The subject of the job.
    #[must_use]
    pub fn subject(&self) -> Subject {
        self.subject_in(self.format, self.context())
    }

    /// The subject in the withdrawn preview of the immutable format, with a hyphen before each id.
    #[must_use]
    pub fn preview_subject(&self, context: Context) -> Option<Subject> {
        Some(Subject::Default {
            repository: SubjectRepository::Classic {
                owner: format!("{}-{}", self.owner, self.owner_id?),
                name: format!("{}-{}", self.repository, self.repository_id?),
            },
            context,
        })
    }

    /// The token of the job.
    #[must_use]
    pub fn claims(&self) -> Claims {
        self.claims_without_subject()
            .with("sub", self.subject().to_string())
    }

    fn claims_without_subject(&self) -> Claims {
        let git_ref = format!("refs/heads/{}", self.branch);
        let workflow = self.workflow.as_deref();
        let workflow = workflow.unwrap_or(".github/workflows/dns-failover.yml");
        let full_name = format!("{}/{}", self.owner, self.repository);
        let mut claims = Claims::default()
            .with("aud", OIDC_AUDIENCE)
            .with(
                "job_workflow_ref",
                format!("{full_name}/{workflow}@{git_ref}"),
            )
            .with("ref", git_ref)
            .with("repository", full_name)
            .with("actor", "the-operator")
            .with("actor_id", "300003")
            .with(
                "workflow",
                self.workflow_name.as_deref().unwrap_or("dns-failover"),
            );
        if let Some(id) = self.owner_id {
            claims = claims.with("repository_owner_id", id.to_string());
        }
        if let Some(id) = self.repository_id {
            claims = claims.with("repository_id", id.to_string());
        }
        if let Some(environment) = &self.environment {
            claims = claims.with("environment", environment.clone());
        }
        claims
    }

    /// The claims that the job's token carries with a value that is not known here: [`Self::claims`] has an example.
    #[must_use]
    pub fn unknown_claims(&self) -> Vec<&'static str> {
        let mut unknown = vec!["actor", "actor_id", "enterprise_id"];
        let known = [
            ("workflow", self.workflow_name.is_some()),
            ("job_workflow_ref", self.workflow.is_some()),
            ("repository_owner_id", self.owner_id.is_some()),
            ("repository_id", self.repository_id.is_some()),
        ];
        unknown.extend(
            known
                .into_iter()
                .filter_map(|(claim, known)| (!known).then_some(claim)),
        );
        unknown
    }

    /// What kind of issuer its tokens have.
    #[must_use]
    pub fn issuer_kind(&self) -> IssuerKind {
        IssuerKind::of(&self.issuer).unwrap_or(IssuerKind::Public)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enterprise_server_has_no_immutable_subjects() {
        let server = Repository {
            owner_id: Some(1),
            repository_id: Some(2),
            ..Repository::named("acme/app").unwrap()
        };
        let server = server
            .issued_by("https://ghes.example.com/_services/token")
            .unwrap();
        assert!(matches!(
            server.clone().checked(),
            Err(RepositoryError::NoImmutable(_))
        ));
        let classic = Repository {
            format: SubjectFormat::Classic,
            ..server
        };
        assert!(classic.checked().is_ok());
    }

    #[test]
    fn a_branch_is_taken_as_a_name_or_as_a_full_ref_and_a_tag_is_refused() {
        let on = |branch: &str| Repository::named("acme/app")?.on_branch(branch);
        assert_eq!(on("main").unwrap().branch, "main");
        assert_eq!(on("refs/heads/a/b").unwrap().branch, "a/b");
        for wrong in ["refs/tags/v1", "refs/heads/", ""] {
            assert_eq!(on(wrong), Err(RepositoryError::Branch(wrong.to_owned())));
        }
    }
}
