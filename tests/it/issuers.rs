//! Other issuers than github.com, and subjects by a repository's own template: verdicts, and artefacts that agree.

use anyhow::{Context as _, Result};
use pointsman::app::Exit;
use pointsman::check::{self, Input, Options, Standing};
use pointsman::diag::Outcome;
use pointsman::model::spec::SubjectFormat;
use pointsman::model::trust::Repository;
use pointsman::ports::MemoryFiles;
use pointsman::rules::Subject;
use pointsman::text::SourceMap;

use crate::generated::{generated, validated};

const PUBLIC: &str = "token.actions.githubusercontent.com";
const SLUG: &str = "token.actions.githubusercontent.com/octo-corp";
const SERVER: &str = "ghes.example.com/_services/token";
const RESIDENCE: &str = "token.actions.octo-corp.ghe.com";

/// The job: its issuer, and what its template is made of.
fn job(issuer: &str, claims: &str) -> Result<Repository> {
    let named = Repository::named("acme/dns-failover")?;
    let format = if issuer == SERVER {
        SubjectFormat::Classic
    } else {
        SubjectFormat::Immutable
    };
    let claims = claims.split(',').filter(|claim| !claim.is_empty());
    let repository = Repository {
        owner_id: Some(100_001),
        repository_id: Some(200_002),
        workflow: Some(".github/workflows/dns-failover.yml".to_owned()),
        subject_claims: claims.map(str::to_owned).collect(),
        format,
        ..named
    };
    Ok(repository
        .issued_by(&format!("https://{issuer}"))?
        .checked()?)
}

/// What `validate trust` says: `@` in the conditions stands for the issuer of the keys.
fn judged(repository: Repository, provider: &str, keys: &str, conditions: &str) -> Outcome {
    let arn = format!("arn:aws:iam::123456789012:oidc-provider/{provider}");
    let conditions = conditions.replace("@:", &format!("{keys}:"));
    let text = format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": {{"Federated": "{arn}"}},
        "Action": "sts:AssumeRoleWithWebIdentity", "Condition": {{"StringEquals": {{"{keys}:aud": "sts.amazonaws.com"}}, {conditions}}}}}]}}"#
    );
    let input = Input {
        path: "trust.json".to_owned(),
        bytes: Ok(text.into_bytes()),
        standing: Standing::Named,
    };
    let options = Options {
        subject: Some(Subject::Trust),
        ..Options::default()
    };
    let mut loaded = check::load(SourceMap::default(), None, vec![input], options);
    loaded.workspace.repository = Some(repository);
    check::run(loaded).outcome
}

#[test]
fn each_issuer_and_template_gets_its_verdict() -> Result<()> {
    let main =
        r#""StringLike": {"@:sub": "repo:acme@100001/dns-failover@200002:ref:refs/heads/main"}"#;
    let classic = r#""StringLike": {"@:sub": "repo:acme/dns-failover:ref:refs/heads/main"}"#;
    let workflow = "acme/dns-failover/.github/workflows/dns-failover.yml@refs/heads/main";
    let with_workflow = format!(
        r#""StringLike": {{"@:sub": "repo:acme@100001/dns-failover@200002:ref:refs/heads/main:job_workflow_ref:{workflow}"}}"#
    );
    let like = |subject: &str| format!(r#""StringLike": {{"@:sub": "{subject}"}}"#);
    let template = "repo,context,job_workflow_ref";
    for (issuer, claims, provider, keys, conditions, verdict) in [
        (PUBLIC, "", PUBLIC, PUBLIC, main.to_owned(), "safe"),
        (SLUG, "", SLUG, SLUG, main.to_owned(), "safe"),
        (SLUG, "", SLUG, PUBLIC, main.to_owned(), "never_matches"),
        (SLUG, "", PUBLIC, PUBLIC, main.to_owned(), "never_matches"),
        (PUBLIC, "", SLUG, SLUG, main.to_owned(), "never_matches"),
        (RESIDENCE, "", RESIDENCE, RESIDENCE, main.to_owned(), "safe"),
        (
            RESIDENCE,
            "",
            RESIDENCE,
            RESIDENCE,
            classic.to_owned(),
            "stale_format",
        ),
        (SERVER, "", SERVER, SERVER, classic.to_owned(), "safe"),
        (
            SERVER,
            "",
            SERVER,
            PUBLIC,
            classic.to_owned(),
            "never_matches",
        ),
        (
            SERVER,
            "",
            PUBLIC,
            PUBLIC,
            classic.to_owned(),
            "never_matches",
        ),
        (
            SERVER,
            "",
            SERVER,
            SERVER,
            like("repo:acme/dns-failover:*"),
            "too_broad",
        ),
        (SERVER, "", SERVER, SERVER, like("repo:acme/*"), "too_broad"),
        (
            PUBLIC,
            template,
            PUBLIC,
            PUBLIC,
            with_workflow.clone(),
            "safe",
        ),
        (
            PUBLIC,
            template,
            PUBLIC,
            PUBLIC,
            main.to_owned(),
            "stale_format",
        ),
        (PUBLIC, "", PUBLIC, PUBLIC, with_workflow, "never_matches"),
        (
            PUBLIC,
            template,
            PUBLIC,
            PUBLIC,
            like("repo:acme@100001/dns-failover@200002:*"),
            "too_broad",
        ),
        // Whoever runs another workflow of this repository on that branch.
        (
            PUBLIC,
            template,
            PUBLIC,
            PUBLIC,
            like("repo:acme@100001/dns-failover@200002:ref:refs/heads/main:*"),
            "weak",
        ),
        (
            PUBLIC,
            template,
            PUBLIC,
            PUBLIC,
            like(&format!("*:job_workflow_ref:{workflow}")),
            "too_broad",
        ),
        // Such a subject says nothing of an environment.
        (
            PUBLIC,
            "repository_id,ref",
            PUBLIC,
            PUBLIC,
            like("repository_id:200002:ref:refs/heads/main"),
            "weak",
        ),
        (
            PUBLIC,
            "repository_id,ref",
            PUBLIC,
            PUBLIC,
            like("repository_id:200002:ref:*"),
            "too_broad",
        ),
        (
            PUBLIC,
            "repository_id,ref",
            PUBLIC,
            PUBLIC,
            like("repository_id:*:ref:refs/heads/main"),
            "too_broad",
        ),
        (
            PUBLIC,
            "repository_id,ref",
            PUBLIC,
            PUBLIC,
            like("repository_id:20000?:ref:refs/heads/main"),
            "too_broad",
        ),
        // Odd forms of the usual case: what is not safe is told, whatever the form.
        (
            PUBLIC,
            "",
            PUBLIC,
            PUBLIC,
            like("repo:${aws:PrincipalTag/x}:ref:refs/heads/main"),
            "never_matches",
        ),
        (
            PUBLIC,
            "",
            PUBLIC,
            PUBLIC,
            main.replace("StringLike", "ForAnyValue:StringLike"),
            "safe",
        ),
        (
            PUBLIC,
            "",
            PUBLIC,
            PUBLIC,
            main.replace("StringLike", "ForAllValues:StringLike"),
            "weak",
        ),
        (
            PUBLIC,
            "",
            PUBLIC,
            PUBLIC,
            main.replace("StringLike", "StringEqualsIgnoreCase"),
            "too_broad",
        ),
        (
            PUBLIC,
            "",
            PUBLIC,
            PUBLIC,
            main.replace("main\"", "main \""),
            "never_matches",
        ),
        (
            PUBLIC,
            "",
            PUBLIC,
            PUBLIC,
            main.replace("main\"", "mai?\""),
            "too_broad",
        ),
        (
            PUBLIC,
            "",
            PUBLIC,
            PUBLIC,
            like("repo:acme@100001/dns-failover@200002:environment:Production%3AV1"),
            "too_broad",
        ),
        (PUBLIC, "", PUBLIC, PUBLIC, like("*"), "too_broad"),
    ] {
        let outcome = judged(job(issuer, claims)?, provider, keys, &conditions);
        let found = outcome.verdicts.first().context("a verdict")?;
        assert_eq!(
            found.verdict,
            verdict,
            "{issuer} [{claims}] {provider} {keys} {conditions}: {} {:?}",
            found.why,
            found.attackers.first()
        );
        let told = !outcome.findings.is_empty();
        assert_eq!(
            told,
            verdict != "safe",
            "{conditions}: {:?}",
            outcome.findings
        );
    }
    Ok(())
}

#[test]
fn what_aws_hands_on_of_another_issuer_than_github_com_is_open() -> Result<()> {
    let conditions = r#""StringLike": {"@:sub": "repo:acme/dns-failover:ref:refs/heads/main", "@:ref": "refs/heads/main"}"#;
    for (issuer, open) in [(SERVER, 1), (PUBLIC, 0)] {
        let outcome = judged(job(issuer, "")?, issuer, issuer, conditions);
        let undecided = outcome.undecided.iter();
        let told = undecided.filter(|one| one.what.contains(":ref`")).count();
        assert_eq!(told, open, "{:?}", outcome.undecided);
    }
    Ok(())
}

#[test]
fn a_template_whose_values_are_not_known_is_refused() {
    assert!(job(PUBLIC, "repo,context,workflow").is_err());
    assert!(job("gitlab.example.com", "").is_err());
}

/// The reference deployment with these keys in `[github]`.
fn spec(keys: &str) -> MemoryFiles {
    let text = include_str!("../../pointsman.toml");
    // The keys replace their own.
    let text = if keys.contains("subject_format") {
        text.replace("subject_format = \"immutable\"\n", "")
    } else {
        text.to_owned()
    };
    let text = text.replace("branch = \"main\"", &format!("branch = \"main\"\n{keys}"));
    let files = MemoryFiles::default();
    files.put("pointsman.toml", text);
    files
}

/// What is generated from the spec with `keys` is clean, and speaks of this issuer, subject and API everywhere.
fn agrees(keys: &str, issuer: &str, subject: &str, api: &str) -> Result<()> {
    let files = spec(keys);
    let (exit, said) = generated(&files, false);
    assert_eq!(exit, Exit::Clean, "{keys}: {said}");
    let (exit, said) = validated(&files);
    assert_eq!(exit, Exit::Clean, "{keys}: {said}");
    let trust = files
        .text("policies/trust.json")
        .context("the trust policy")?;
    assert!(
        trust.contains(&format!("oidc-provider/{issuer}\"")),
        "{trust}"
    );
    assert!(
        trust.contains(&format!("\"{issuer}:sub\": \"{subject}\"")),
        "{trust}"
    );
    let module = files.text("terraform/iam.tf").context("the module")?;
    assert!(
        module.contains(&format!("= \"https://{issuer}\"")),
        "{module}"
    );
    let monitors = files
        .paths()
        .into_iter()
        .filter(|path| path.starts_with("monitors/"));
    let texts: String = monitors.filter_map(|path| files.text(&path)).collect();
    assert!(texts.contains(api), "{texts}");
    // The same trust for another issuer is another provider.
    let other = if issuer == PUBLIC { SERVER } else { PUBLIC };
    files.put("policies/trust.json", trust.replace(issuer, other));
    assert_eq!(validated(&files).0, Exit::Findings, "{keys}");
    Ok(())
}

#[test]
fn artefacts_of_each_issuer_and_template_agree_and_are_clean() -> Result<()> {
    let server = format!("oidc_issuer = \"https://{SERVER}\"\nsubject_format = \"classic\"");
    for (keys, issuer, subject, api) in [
        (
            server.clone(),
            SERVER,
            "repo:acme/dns-failover:ref:refs/heads/main",
            "https://ghes.example.com/api/v3/repos",
        ),
        (
            format!(
                "{server}\nenvironment = \"production\"\nsubject_claims = [\"repo\", \"environment\", \"ref\"]"
            ),
            SERVER,
            "repo:acme/dns-failover:environment:production:ref:refs/heads/main",
            "https://ghes.example.com/api/v3/repos",
        ),
        (
            format!("oidc_issuer = \"https://{RESIDENCE}\""),
            RESIDENCE,
            "repo:acme@100001/dns-failover@200002:ref:refs/heads/main",
            "https://api.octo-corp.ghe.com/repos",
        ),
        (
            format!("oidc_issuer = \"https://{SLUG}\""),
            SLUG,
            "repo:acme@100001/dns-failover@200002:ref:refs/heads/main",
            "https://api.github.com/repos",
        ),
        (
            "subject_claims = [\"repository_id\", \"context\"]\nenvironment = \"Production:V1\""
                .to_owned(),
            PUBLIC,
            "repository_id:200002:environment:Production%3AV1",
            "https://api.github.com/repos",
        ),
        (
            "subject_claims = [\"repo\", \"job_workflow_ref\"]".to_owned(),
            PUBLIC,
            "repo:acme@100001/dns-failover@200002:job_workflow_ref:acme/dns-failover/.github/workflows/dns-failover.yml@refs/heads/main",
            "https://api.github.com/repos",
        ),
    ] {
        agrees(&keys, issuer, subject, api)?;
    }
    Ok(())
}

#[test]
fn a_spec_whose_subject_leaves_the_repository_or_the_branch_open_is_refused() {
    let server = format!("oidc_issuer = \"https://{SERVER}\"");
    for (keys, told) in [
        (
            "oidc_issuer = \"https://gitlab.example.com\"".to_owned(),
            "issues none of GitHub's tokens",
        ),
        (server.clone(), "writes no immutable subjects"),
        (
            format!("{server}\nsubject_format = \"classic\"\nenvironment = \"production\""),
            "does not say which branch",
        ),
        (
            "subject_claims = [\"ref\"]".to_owned(),
            "does not say which repository",
        ),
        (
            "subject_claims = [\"repo\", \"actor\"]".to_owned(),
            "is not fixed by the spec",
        ),
        (
            "subject_claims = [\"repo\", \"environment\"]".to_owned(),
            "and the job has none",
        ),
        (
            "subject_claims = [\"repo\", \"ref\", \"repo\"]".to_owned(),
            "stands twice",
        ),
    ] {
        let (exit, said) = generated(&spec(&keys), false);
        assert_eq!(exit, Exit::Usage, "{keys}: {said}");
        assert!(said.contains(told), "{keys}: {said}");
    }
}
