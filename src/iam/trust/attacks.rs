//! The tokens of everybody else: what an attacker can make GitHub sign, class by class.

use crate::model::policy::{PolicyDocument, has_wildcard};
use crate::model::spec::{IssuerKind, SubjectFormat};
use crate::model::trust::{
    Claims, Context, Repository, Subject, SubjectRepository, claim_keys, github_statements,
};

use super::forge;

/// What it takes to get such a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threat {
    /// Write access to the repository, on another ref or in a pull request.
    SameRepository,
    /// A job of the same branch in another context, or of the same environment from another ref.
    SameBranchOtherContext,
    /// Another repository of the same owner.
    SameOwner,
    /// Any account of GitHub.
    Anyone,
    /// The names, after the owner gave them up, with new ids.
    Recycled,
    /// The names, after the owner gave them up, in a repository that still writes classic subjects.
    RecycledClassic,
    /// A token in which a claim is absent, or that is meant for another audience.
    MissingClaim,
    /// A token with a subject that GitHub is not known to write.
    Unwritten,
}

impl Threat {
    /// The word of the JSON form.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SameRepository => "same-repo",
            Self::SameBranchOtherContext => "same-repo-main-other-context",
            Self::SameOwner => "same-org",
            Self::Anyone => "any",
            Self::Recycled => "recycled-immutable",
            Self::RecycledClassic => "recycled-classic",
            Self::MissingClaim => "missing-claim",
            Self::Unwritten => "unwritten",
        }
    }

    /// How few may have such a token: 0 for what anybody may have. The widest attack is told first.
    #[must_use]
    pub fn narrowness(self) -> u8 {
        match self {
            Self::Anyone => 0,
            Self::SameOwner => 1,
            Self::Recycled | Self::RecycledClassic => 2,
            Self::SameRepository | Self::SameBranchOtherContext => 3,
            Self::MissingClaim | Self::Unwritten => 4,
        }
    }

    /// Whether it takes more than an attacker can usually do.
    #[must_use]
    pub fn is_weak(self) -> bool {
        match self {
            Self::SameBranchOtherContext
            | Self::RecycledClassic
            | Self::MissingClaim
            | Self::Unwritten => true,
            Self::SameRepository | Self::SameOwner | Self::Anyone | Self::Recycled => false,
        }
    }
}

/// A token that must not be let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attack {
    /// What it takes.
    pub threat: Threat,
    /// Whose it is, in words.
    pub name: String,
    /// What it carries.
    pub claims: Claims,
}

impl Attack {
    /// The tokens that whoever makes the attack may have: the one that it carries, and those in which the claims are as each
    /// statement of `document` asks whose values are for the attacker to choose, or are as likely the attacker's as the
    /// job's.
    ///
    /// Anybody names a workflow as they like (`workflow`). Who works in the same repository may be the person, and is of the
    /// enterprise, that the policy asks for; another repository of the same owner is of the same enterprise (GitHub Docs,
    /// "OpenID Connect reference", the claims of a token).
    pub(super) fn tokens(&self, document: &PolicyDocument, repository: &Repository) -> Vec<Claims> {
        let of_owner = ["enterprise_id", "repository_owner_id"];
        let unknown = repository.unknown_claims();
        let free: Vec<&str> = match self.threat {
            Threat::SameRepository | Threat::SameBranchOtherContext => unknown
                .into_iter()
                .filter(|claim| *claim != "job_workflow_ref")
                .collect(),
            Threat::SameOwner => of_owner
                .into_iter()
                .filter(|claim| unknown.contains(claim))
                .collect(),
            Threat::Anyone
            | Threat::Recycled
            | Threat::RecycledClassic
            | Threat::MissingClaim
            | Threat::Unwritten => Vec::new(),
        };
        let names_workflow = self.claims.get("workflow").map(|_| "workflow");
        let free: Vec<&str> = free.into_iter().chain(names_workflow).collect();
        let mut tokens = vec![self.claims.clone()];
        for one in github_statements(document) {
            let mut claims = self.claims.clone();
            for claim in &free {
                for condition in one.claim(claim) {
                    let value = condition.values.first().map(|value| value.text.as_str());
                    let value = value.unwrap_or_default().replace(['*', '?'], "x");
                    claims = claims.with(claim, value);
                }
            }
            if !tokens.contains(&claims) {
                tokens.push(claims);
            }
        }
        tokens
    }
}

/// All attacks on `repository`; those with custom templates follow what `document` asks for.
#[must_use]
pub fn attacks(document: &PolicyDocument, repository: &Repository) -> Vec<Attack> {
    let mut all = Attacks {
        repository,
        found: Vec::new(),
    };
    all.same_repository();
    all.same_owner();
    all.anyone();
    // Who may have a name at an enterprise's own GitHub, the enterprise decides.
    if repository.issuer_kind() == IssuerKind::Public {
        all.recycled();
    }
    all.neighbouring_ids(document);
    all.custom_templates(document);
    all.missing_claims();
    all.found
}

/// Tokens of this repository's job in the formats and contexts that it does not have (any more).
#[must_use]
pub fn stale_tokens(repository: &Repository) -> Vec<Attack> {
    let own = repository.claims();
    let stale = |name: &str, subject: &Subject| Attack {
        threat: Threat::RecycledClassic,
        name: name.to_owned(),
        claims: own.clone().with("sub", subject.to_string()),
    };
    let mut found = Vec::new();
    if !repository.subject_claims.is_empty() {
        for format in [SubjectFormat::Classic, SubjectFormat::Immutable] {
            let subject = Subject::Default {
                repository: repository.subject_repository(format),
                context: repository.context(),
            };
            found.push(stale("the default subject, without the template", &subject));
        }
    }
    for (format, word) in [
        (SubjectFormat::Classic, "the classic subject"),
        (SubjectFormat::Immutable, "the immutable subject"),
    ] {
        if repository.format != format {
            found.push(stale(
                word,
                &repository.subject_in(format, repository.context()),
            ));
        }
        if repository.environment.is_some() {
            let branch = Context::Branch(repository.branch.clone());
            let name = format!("{word} of a job without environment");
            let subject = repository.subject_in(format, branch);
            let claims = own.clone().without("environment");
            found.push(Attack {
                claims: claims.with("sub", subject.to_string()),
                ..stale(&name, &subject)
            });
        }
    }
    if repository.format == SubjectFormat::Immutable {
        let preview = repository.preview_subject(repository.context());
        found.extend(
            preview
                .map(|subject| stale("the withdrawn preview of the immutable subject", &subject)),
        );
    }
    found
}

struct Attacks<'a> {
    repository: &'a Repository,
    found: Vec<Attack>,
}

/// A repository that an attacker works in.
struct Lair<'a> {
    owner: &'a str,
    owner_id: Option<u64>,
    name: &'a str,
    id: u64,
}

const STRANGER_ID: u64 = 900_001;

impl Lair<'_> {
    fn subject_repository(&self, format: SubjectFormat) -> SubjectRepository {
        match format {
            SubjectFormat::Classic => SubjectRepository::Classic {
                owner: self.owner.to_owned(),
                name: self.name.to_owned(),
            },
            SubjectFormat::Immutable => SubjectRepository::Immutable {
                owner: self.owner.to_owned(),
                owner_id: self.owner_id.unwrap_or(STRANGER_ID).to_string(),
                name: self.name.to_owned(),
                repository_id: self.id.to_string(),
            },
        }
    }
}

impl Attacks<'_> {
    fn push(&mut self, threat: Threat, name: impl Into<String>, claims: Claims) {
        self.found.push(Attack {
            threat,
            name: name.into(),
            claims,
        });
    }

    /// The token of a job in another repository, which may be younger or older than this one and so write the other format.
    fn push_in_both_formats(
        &mut self,
        threat: Threat,
        name: &str,
        lair: &Lair<'_>,
        context: &Context,
    ) {
        let other = match self.repository.format {
            SubjectFormat::Immutable => SubjectFormat::Classic,
            SubjectFormat::Classic => SubjectFormat::Immutable,
        };
        for format in [self.repository.format, other] {
            self.push_foreign(threat, name, lair, format, context);
        }
    }

    /// The token of a job in another repository, with the default subject and by the template that this repository has.
    fn push_foreign(
        &mut self,
        threat: Threat,
        name: &str,
        lair: &Lair<'_>,
        format: SubjectFormat,
        context: &Context,
    ) {
        let claims = self.foreign(lair, format, context.clone());
        if !self.repository.subject_claims.is_empty() {
            let part = lair.subject_repository(format);
            let subject = self.repository.subject_of(part, context.clone(), &claims);
            let written = claims.clone().with("sub", subject.to_string());
            self.push(threat, name, written);
        }
        self.push(threat, name, claims);
    }

    /// The token of a job in this repository.
    fn own(&self, context: Context, git_ref: &str) -> Claims {
        let repository = self.repository;
        let environment = match &context {
            Context::Environment(name) => Some(name.clone()),
            Context::Branch(_) | Context::Tag(_) | Context::PullRequest => None,
        };
        let full_name = format!("{}/{}", repository.owner, repository.repository);
        let workflow = format!("{full_name}/.github/workflows/other.yml@{git_ref}");
        let claims = repository
            .claims()
            .with("ref", git_ref)
            .with("job_workflow_ref", workflow)
            .without("environment");
        let claims = match environment {
            Some(name) => claims.with("environment", name),
            None => claims,
        };
        let own = repository.subject_repository(repository.format);
        let subject = repository.subject_of(own, context, &claims);
        claims.with("sub", subject.to_string())
    }

    fn same_repository(&mut self) {
        let main = self.repository.branch.clone();
        let capital: String = {
            let mut letters = main.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        };
        let mut cut = main.clone();
        let last = cut.pop();
        let other = if last == Some('x') { 'y' } else { 'x' };
        let branches = [
            "dev".to_owned(),
            format!("{main}-x"),
            format!("x/{main}"),
            format!("{main}/x"),
            main.to_ascii_uppercase(),
            capital,
            format!("{cut}{other}"),
            format!("do{main}"),
            cut,
        ];
        for branch in branches {
            if branch != main && !branch.is_empty() {
                let git_ref = format!("refs/heads/{branch}");
                let name = format!("a job of the branch `{branch}` of this repository");
                let claims = self.own(Context::Branch(branch), &git_ref);
                self.push(Threat::SameRepository, name, claims);
            }
        }
        for tag in ["v1".to_owned(), main.clone(), format!("heads/{main}")] {
            let git_ref = format!("refs/tags/{tag}");
            let name = format!("a job of the tag `{tag}` of this repository");
            let claims = self.own(Context::Tag(tag), &git_ref);
            self.push(Threat::SameRepository, name, claims);
        }
        let claims = self.own(Context::PullRequest, "refs/pull/7/merge");
        self.push(
            Threat::SameRepository,
            "a pull request of this repository",
            claims,
        );
        let names_workflow =
            |key: &String| matches!(key.as_str(), "job_workflow_ref" | "workflow_ref");
        if self.repository.subject_claims.iter().any(names_workflow) {
            let claims = self.own(self.repository.context(), &format!("refs/heads/{main}"));
            let text = format!("a job of `{main}` in another workflow of this repository");
            self.push(Threat::SameBranchOtherContext, text, claims);
        }
        self.environments(&main);
    }

    fn environments(&mut self, main: &str) {
        let on_main = format!("refs/heads/{main}");
        let target = format!("ref:refs/heads/{main}");
        for name in ["production", "Production:V1", "dev/main", &target] {
            let own = self.repository.environment.as_deref() == Some(name);
            let environment = || Context::Environment(name.to_owned());
            if !own && matches!(name, "production" | "Production:V1") {
                let text = format!("a job of `{main}` with the environment `{name}`");
                let claims = self.own(environment(), &on_main);
                self.push(Threat::SameBranchOtherContext, text, claims);
            }
            if !own {
                let text = format!("a job of the branch `dev` with the environment `{name}`");
                let claims = self.own(environment(), "refs/heads/dev");
                self.push(Threat::SameRepository, text, claims);
            }
        }
        if let Some(name) = self.repository.environment.clone() {
            let text = format!("a job of the branch `dev` with the environment `{name}`");
            let claims = self.own(Context::Environment(name), "refs/heads/dev");
            self.push(Threat::SameBranchOtherContext, text, claims);
            let text = format!("a job of `{main}` without the environment");
            let claims = self.own(Context::Branch(main.to_owned()), &on_main);
            self.push(Threat::SameBranchOtherContext, text, claims);
        }
    }

    /// The token of a job in another repository.
    fn foreign(&self, lair: &Lair<'_>, format: SubjectFormat, context: Context) -> Claims {
        let git_ref = match &context {
            Context::Branch(branch) => format!("refs/heads/{branch}"),
            Context::Tag(tag) => format!("refs/tags/{tag}"),
            Context::PullRequest => "refs/pull/7/merge".to_owned(),
            Context::Environment(_) => format!("refs/heads/{}", self.repository.branch),
        };
        let environment = match &context {
            Context::Environment(name) => Some(name.clone()),
            Context::Branch(_) | Context::Tag(_) | Context::PullRequest => None,
        };
        let owner_id = lair.owner_id.unwrap_or(STRANGER_ID);
        let repository = lair.subject_repository(format);
        let own = self.repository.claims();
        let path = own.get("job_workflow_ref").unwrap_or_default();
        let path = path.splitn(3, '/').nth(2).unwrap_or_default().to_owned();
        let full_name = format!("{}/{}", lair.owner, lair.name);
        let claims = own
            .with(
                "sub",
                Subject::Default {
                    repository,
                    context,
                }
                .to_string(),
            )
            .with("ref", git_ref)
            .with("job_workflow_ref", format!("{full_name}/{path}"))
            .with("repository", full_name)
            .with("repository_id", lair.id.to_string())
            .with("repository_owner_id", owner_id.to_string())
            .with("actor", "a-stranger")
            .with("actor_id", "900003")
            .with("enterprise_id", "900006")
            .without("environment");
        match environment {
            Some(name) => claims.with("environment", name),
            None => claims,
        }
    }

    fn main(&self) -> Context {
        Context::Branch(self.repository.branch.clone())
    }

    fn same_owner(&mut self) {
        let repository = self.repository.clone();
        let (owner, owner_id) = (repository.owner.as_str(), repository.owner_id);
        let longer = format!("{}-x", repository.repository);
        for (name, words) in [
            ("sibling", "another repository"),
            (longer.as_str(), "a repository with a longer name"),
        ] {
            let lair = Lair {
                owner,
                owner_id,
                name,
                id: 900_002,
            };
            for context in [
                self.main(),
                Context::PullRequest,
                Context::Environment("production".to_owned()),
            ] {
                let text = format!("a job of {words} of the owner `{owner}` (`{context}`)");
                self.push_in_both_formats(Threat::SameOwner, &text, &lair, &context);
            }
            if name == "sibling" {
                self.owner_templates(&lair);
            }
        }
    }

    /// What a sibling can write into its subject by a custom template.
    fn owner_templates(&mut self, lair: &Lair<'_>) {
        let repository = self.repository;
        let base = self.foreign(lair, repository.format, self.main());
        let mut subjects = vec![
            format!("repository_owner:{}", repository.owner),
            format!(
                "job_workflow_ref:{}/shared/.github/workflows/deploy.yml@refs/heads/main",
                repository.owner
            ),
        ];
        if let Some(id) = repository.owner_id {
            subjects.push(format!("repository_owner_id:{id}"));
        }
        for subject in subjects {
            let text = format!(
                "another repository of the owner `{}` with a custom template",
                repository.owner
            );
            self.push(Threat::SameOwner, text, base.clone().with("sub", subject));
        }
    }

    fn anyone(&mut self) {
        let repository = self.repository.clone();
        let evil = format!("{}-evil", repository.owner);
        let corp = format!("{}corp", repository.owner);
        let longer = format!("{}-2", repository.repository);
        let lairs = [
            (evil.as_str(), repository.repository.as_str()),
            (corp.as_str(), longer.as_str()),
            ("mallory", "evil"),
            ("mallory", repository.repository.as_str()),
        ];
        for (owner, name) in lairs {
            let lair = Lair {
                owner,
                owner_id: None,
                name,
                id: 900_004,
            };
            for context in [
                self.main(),
                Context::Environment("production".to_owned()),
                Context::PullRequest,
            ] {
                let text =
                    format!("a job of the stranger's repository `{owner}/{name}` (`{context}`)");
                self.push_in_both_formats(Threat::Anyone, &text, &lair, &context);
            }
        }
        self.callers();
        self.extended_ids();
    }

    /// A stranger's repository that calls this one's workflow, or a public one.
    fn callers(&mut self) {
        let lair = Lair {
            owner: "mallory",
            owner_id: None,
            name: "evil",
            id: 900_004,
        };
        let own = self.repository.claims();
        let called = own.get("job_workflow_ref").unwrap_or_default();
        let claims = self.foreign(&lair, self.repository.format, self.main());
        let text = "a job of a stranger's repository that calls this workflow";
        self.push(
            Threat::Anyone,
            text,
            claims.with("job_workflow_ref", called),
        );
    }

    /// Ids that begin with the real ones.
    fn extended_ids(&mut self) {
        let repository = self.repository.clone();
        let (Some(owner_id), Some(id)) = (repository.owner_id, repository.repository_id) else {
            return;
        };
        let names_are_public = repository.issuer_kind() == IssuerKind::Public;
        if repository.format == SubjectFormat::Classic && !names_are_public {
            return;
        }
        let lair = Lair {
            owner: &repository.owner,
            owner_id: Some(owner_id.saturating_mul(10)),
            name: &repository.repository,
            id: id.saturating_mul(10),
        };
        let (threat, text) = match repository.format {
            SubjectFormat::Immutable => (
                Threat::Recycled,
                format!("{}, with ids that begin with the real ones", self.heir()),
            ),
            SubjectFormat::Classic => (Threat::RecycledClassic, self.heir()),
        };
        let main = self.main();
        self.push_foreign(threat, &text, &lair, repository.format, &main);
    }

    /// One id that begins as the real one, or differs in its last digit, beside the other real one: what a wildcard in one
    /// id lets in.
    fn neighbouring_ids(&mut self, document: &PolicyDocument) {
        let repository = self.repository;
        let ids = repository.owner_id.zip(repository.repository_id);
        // Without a subject the claims with the ids are compared whole.
        let mut subjects = github_statements(document).flat_map(|one| one.claim("sub"));
        let (Some((owner_id, id)), Some(_)) = (ids, subjects.next()) else {
            return;
        };
        if repository.format != SubjectFormat::Immutable {
            return;
        }
        let near = |id: u64| {
            [
                id.saturating_mul(10).saturating_add(1),
                id - id % 10 + (id + 1) % 10,
            ]
        };
        let pairs = near(owner_id).map(|near| (near, id));
        for (owner_id, near_id) in pairs
            .into_iter()
            .chain(near(id).map(|near| (owner_id, near)))
        {
            // No two repositories have one id; beside `repo` it stands for what a wildcard in the owner's takes.
            let keys = &repository.subject_claims;
            if near_id == id && !keys.is_empty() && !keys.iter().any(|key| key == "repo") {
                continue;
            }
            let lair = Lair {
                owner: &repository.owner,
                owner_id: Some(owner_id),
                name: &repository.repository,
                id: near_id,
            };
            let text = format!("{}, with an id that begins as the real one", self.heir());
            let main = self.main();
            self.push_foreign(Threat::Recycled, &text, &lair, repository.format, &main);
        }
    }

    /// Who has the names after the owner gave them up.
    fn heir(&self) -> String {
        let (owner, name) = (&self.repository.owner, &self.repository.repository);
        format!("whoever later registers the freed names `{owner}/{name}`")
    }

    fn recycled(&mut self) {
        let repository = self.repository.clone();
        let lair = Lair {
            owner: &repository.owner,
            owner_id: None,
            name: &repository.repository,
            id: 900_005,
        };
        let contexts = [repository.context(), self.main()];
        for context in contexts {
            let heir = self.heir();
            self.push_foreign(
                Threat::Recycled,
                &heir,
                &lair,
                SubjectFormat::Immutable,
                &context,
            );
            let classic = SubjectFormat::Classic;
            self.push_foreign(Threat::RecycledClassic, &heir, &lair, classic, &context);
        }
    }

    /// Subjects that custom templates write: of keys whose values the workflow's author chooses, after what the document
    /// asks for.
    fn custom_templates(&mut self, document: &PolicyDocument) {
        let lair = Lair {
            owner: "mallory",
            owner_id: None,
            name: "evil",
            id: 900_004,
        };
        let base = self.foreign(&lair, self.repository.format, self.main());
        let mut subjects = vec![
            "environment:production".to_owned(),
            format!("ref:refs/heads/{}", self.repository.branch),
            format!(
                "environment:x repo{}",
                self.repository.subject().to_string().replace(':', "%3A")
            ),
            "repository_visibility:public".to_owned(),
            "actor:a-stranger".to_owned(),
        ];
        let strange = self.strange_pairs();
        let own = self.repository.subject_repository(self.repository.format);
        let own = ["", ":environment:x"].map(|behind| [format!("repo:{own}{behind}")]);
        let job = self.repository.subject().to_string();
        let on_branch = Subject::Default {
            repository: self.repository.subject_repository(self.repository.format),
            context: self.main(),
        }
        .to_string();
        for condition in github_statements(document).flat_map(|one| one.claim("sub")) {
            for value in &condition.values {
                let pattern = value.text.as_str();
                subjects.extend(forge::subject(pattern, &strange, false));
                if !has_wildcard(pattern) {
                    continue;
                }
                let dev = Context::Branch("dev".to_owned());
                let mut forged = own
                    .iter()
                    .filter_map(|own| forge::subject(pattern, own, true));
                if let Some(subject) = forged.find(|subject| *subject != job) {
                    let claims = self.own(dev.clone(), "refs/heads/dev").with("sub", subject);
                    let text = "a job of this repository with a custom template";
                    // With the job's branch as its context it is no other branch's.
                    let is_same = claims.subject().starts_with(&format!("{on_branch}:"));
                    let threat = if is_same {
                        Threat::SameBranchOtherContext
                    } else {
                        Threat::SameRepository
                    };
                    self.push(threat, text, claims);
                }
            }
        }
        for subject in subjects {
            let text = "a job of a stranger's repository with a custom template";
            self.push(Threat::Anyone, text, base.clone().with("sub", subject));
        }
    }

    /// The pairs that name a stranger's repository.
    fn strange_pairs(&self) -> Vec<String> {
        let repository = self.repository;
        let (before, behind) = (
            format!("x-{}", repository.owner),
            format!("{}-x", repository.owner),
        );
        let longer = format!("x-{}", repository.repository);
        let mut pairs = Vec::new();
        for (owner, name) in [
            ("mallory", "evil"),
            (&before, &repository.repository),
            (&behind, &longer),
        ] {
            let lair = Lair {
                owner,
                owner_id: None,
                name,
                id: 900_004,
            };
            for format in [SubjectFormat::Immutable, SubjectFormat::Classic] {
                pairs.push(format!("repo:{}", lair.subject_repository(format)));
            }
            pairs.push(format!("repository:{owner}/{name}"));
            pairs.push(format!("repository_owner:{owner}"));
            pairs.push(format!("actor:{owner}"));
            pairs.push(format!(
                "job_workflow_ref:{owner}/{name}/.github/workflows/x.yml@refs/heads/main"
            ));
        }
        pairs
    }

    fn missing_claims(&mut self) {
        let lair = Lair {
            owner: "mallory",
            owner_id: None,
            name: "evil",
            id: 900_004,
        };
        let stranger = self.foreign(&lair, self.repository.format, self.main());
        for claim in claim_keys() {
            if stranger.get(claim).is_some() {
                let text = format!("a stranger's token without the claim `{claim}`");
                self.push(Threat::MissingClaim, text, stranger.clone().without(claim));
            }
        }
        let bare = Claims::default();
        self.push(Threat::MissingClaim, "a token without any claim", bare);
        let own = self.repository.claims();
        self.push(
            Threat::MissingClaim,
            "the job's token without the claim `aud`",
            own.clone().without("aud"),
        );
        let other = own.with(
            "aud",
            format!("https://github.com/{}", self.repository.owner),
        );
        self.push(
            Threat::MissingClaim,
            "the job's token for another audience",
            other,
        );
    }
}
