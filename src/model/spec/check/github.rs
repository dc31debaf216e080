//! The repository, its branch and environment, the actions, and the folders of the generated files.

use std::collections::BTreeMap;

use crate::model::spec::facts::{CHECKOUT, CREDENTIALS};
use crate::model::spec::ids;
use crate::model::spec::{Action, Artefacts, GitHub, IssuerKind, SubjectFormat, TEMPLATE_KEYS};
use crate::text::quoted;

use super::Check;

/// Checks what the schema's patterns cannot.
pub(super) fn check_github(check: &mut Check<'_>, github: &GitHub) {
    if let Some(why) = bad_branch(&github.branch) {
        let message = if github.branch.is_empty() {
            "`branch` is empty".to_owned()
        } else {
            let shown = quoted(&github.branch);
            format!("{shown} is no branch name: {why}")
        };
        check
            .report(ids::GITHUB, "/github/branch", message)
            .help("write the branch alone, such as `main`, without `refs/heads/`");
    }
    if matches!(github.repository.as_str(), "." | "..") || github.repository.ends_with(".git") {
        let message = format!("`{}` is no repository name", github.repository);
        check
            .report(ids::GITHUB, "/github/repository", message)
            .help("write the name as GitHub shows it, without `.git`");
    }
    check_issuer(check, github);
    check_template(check, github);
    check_variable(check, &github.variable);
    if let Some(environment) = &github.environment
        && let Some(why) = bad_environment(environment)
    {
        let shown = quoted(environment);
        let message = if environment.is_empty() {
            "`environment` is empty".to_owned()
        } else {
            format!("{shown} cannot be the job's environment: {why}")
        };
        check
            .report(ids::GITHUB, "/github/environment", message)
            .help("write the environment's name as GitHub shows it, or remove the key if the job has none");
    }
}

/// Beginnings of variables that the runner, GitHub's actions or AWS's programs set or read (GitHub docs, "Variables
/// reference": `GITHUB_` and `RUNNER_` are reserved, `ACTIONS_` holds the job's tokens, `INPUT_` an action's inputs).
const RESERVED_BEGINNINGS: [&str; 9] = [
    "ACTIONS_",
    "AWS_",
    "DYLD_",
    "GITHUB_",
    "INPUT_",
    "LD_",
    "POINTSMAN_",
    "RUNNER_",
    "SSL_",
];

/// Variables that every process has, or that steer one.
const RESERVED: [&str; 16] = [
    "ALL_PROXY",
    "BASH_ENV",
    "CI",
    "ENV",
    "HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "IFS",
    "LANG",
    "NO_PROXY",
    "PATH",
    "PWD",
    "SHELL",
    "TMPDIR",
    "USER",
    "_",
];

/// Words by which a variable says that it holds a secret. What a pin holds is printed when it is no site.
const SECRET_WORDS: [&str; 6] = [
    "CREDENTIAL",
    "CREDENTIALS",
    "PASSWORD",
    "PASSWD",
    "SECRET",
    "TOKEN",
];

/// The reserved beginnings, for a message.
fn beginnings() -> String {
    let all: Vec<String> = RESERVED_BEGINNINGS
        .iter()
        .map(|beginning| format!("`{beginning}`"))
        .collect();
    all.join(", ")
}

/// The pin has a variable of its own.
fn check_variable(check: &mut Check<'_>, variable: &str) {
    let beginning = RESERVED_BEGINNINGS
        .iter()
        .find(|beginning| variable.starts_with(**beginning));
    let secret = variable.split('_').find(|word| SECRET_WORDS.contains(word));
    let message = if let Some(beginning) = beginning {
        format!(
            "`{variable}` cannot hold the pin: variables with `{beginning}` belong to the runner or its programs"
        )
    } else if RESERVED.contains(&variable) {
        format!("`{variable}` cannot hold the pin: every process has one, and it names no site")
    } else if let Some(word) = secret {
        format!(
            "`{variable}` cannot hold the pin: by `{word}` it holds a secret, and a pin is printed"
        )
    } else {
        return;
    };
    check
        .report(ids::GITHUB, "/github/variable", message)
        .help(format!("write a name of its own, such as `PIN_SITE`: none with {} at its beginning, no usual variable such as `PATH`, no word for a secret", beginnings()));
}

/// The issuer is one of GitHub's, and writes subjects in this format.
fn check_issuer(check: &mut Check<'_>, github: &GitHub) {
    let Some(url) = &github.oidc_issuer else {
        return;
    };
    let kind = IssuerKind::of(url.strip_prefix("https://").unwrap_or(url));
    match kind {
        None => {
            let message = format!("`{url}` issues none of GitHub's tokens");
            check
                .report(ids::GITHUB, "/github/oidc_issuer", message)
                .help("write `https://HOST/_services/token`, `https://token.actions.NAME.ghe.com` or `https://token.actions.githubusercontent.com/ENTERPRISE`, or remove the key for github.com");
        }
        Some(IssuerKind::Server) if github.subject_format == SubjectFormat::Immutable => {
            let message = "GitHub Enterprise Server writes no immutable subjects".to_owned();
            check
                .report(ids::GITHUB, "/github/oidc_issuer", message)
                .help("set `subject_format = \"classic\"`");
        }
        Some(_) => {}
    }
}

/// The template's claims are known here, and say whose token it is.
fn check_template(check: &mut Check<'_>, github: &GitHub) {
    let keys = &github.subject_claims;
    for (index, key) in keys.iter().enumerate() {
        let at = format!("/github/subject_claims/{index}");
        if !TEMPLATE_KEYS.contains(&key.as_str()) {
            let message = format!(
                "{} in a subject is not fixed by the spec: what it says is chosen by whoever starts or edits a run",
                quoted(key)
            );
            check
                .report(ids::GITHUB, &at, message)
                .help(format!("take claims of `{}`", TEMPLATE_KEYS.join("`, `")));
        } else if key == "environment" && github.environment.is_none() {
            let message = "the template writes `environment`, and the job has none".to_owned();
            check
                .report(ids::GITHUB, &at, message)
                .help("give the key `environment`, or take the claim out of the template");
        } else if keys.iter().take(index).any(|other| other == key) {
            let message = format!("claim `{key}` stands twice in the template");
            check
                .report(ids::GITHUB, &at, message)
                .help("write it once");
        }
    }
    let has = |known: &[&str]| keys.iter().any(|key| known.contains(&key.as_str()));
    let own_host = github.oidc_issuer.as_deref().is_some_and(|url| {
        let kind = IssuerKind::of(url.strip_prefix("https://").unwrap_or(url));
        kind.is_some_and(|kind| !kind.has_claim_keys())
    });
    let says_branch =
        has(&["ref"]) || github.environment.is_none() && (keys.is_empty() || has(&["context"]));
    let message = if !keys.is_empty() && !has(&["repo", "repository", "repository_id"]) {
        Some(
            "such a subject does not say which repository the job is of: everybody's may be the same",
        )
    } else if own_host && !says_branch {
        Some(
            "such a subject does not say which branch the job runs on, and AWS hands on no other claim of this issuer",
        )
    } else {
        None
    };
    if let Some(message) = message {
        let at = if keys.is_empty() {
            "/github/environment"
        } else {
            "/github/subject_claims"
        };
        check
            .report(ids::GITHUB, at, message.to_owned())
            .help("add `repo` and `ref` to the template, here and at GitHub");
    }
}

/// Why git would not take this branch (git-check-ref-format(1)), or why a policy could not name it.
fn bad_branch(branch: &str) -> Option<String> {
    let forbidden = |character: &char| {
        character.is_control()
            || matches!(character, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\')
    };
    if branch.is_empty() {
        return Some("it is empty".to_owned());
    }
    if let Some(character) = branch.chars().find(forbidden) {
        return Some(format!(
            "{} is not allowed in it",
            quoted(character.encode_utf8(&mut [0; 4]))
        ));
    }
    if let Some(character) = branch
        .chars()
        .find(|character| !is_taken_by_iam(*character))
    {
        return Some(not_in_a_policy(character));
    }
    if branch.starts_with("refs/") {
        return Some("it is a full ref".to_owned());
    }
    if branch.contains("${") {
        return Some("IAM would read `${` as a policy variable".to_owned());
    }
    if branch.contains(['<', '>']) {
        return Some(
            "`<` and `>` are the marks of a placeholder that was not filled in".to_owned(),
        );
    }
    for part in ["..", "@{", "//"] {
        if branch.contains(part) {
            return Some(format!("`{part}` is not allowed in it"));
        }
    }
    if branch.starts_with(['-', '/']) || branch.ends_with(['/', '.']) || branch == "@" {
        return Some("it begins or ends with a character that git refuses there".to_owned());
    }
    let bad_part = |part: &str| part.starts_with('.') || part.ends_with(".lock");
    branch
        .split('/')
        .any(bad_part)
        .then(|| "no part of it may begin with `.` or end with `.lock`".to_owned())
}

/// The characters of IAM's policy documents (IAM API reference, `PutRolePolicy`, pattern of `PolicyDocument`), without
/// the white space that stands in no name.
fn is_taken_by_iam(character: char) -> bool {
    matches!(character, ' '..='\u{ff}')
}

fn not_in_a_policy(character: char) -> String {
    let shown = quoted(character.encode_utf8(&mut [0; 4]));
    format!(
        "the trust policy must name it, and IAM takes {shown} in no policy, only U+0020 to U+00FF"
    )
}

fn bad_environment(environment: &str) -> Option<String> {
    if let Some(character) = environment
        .chars()
        .find(|character| !is_taken_by_iam(*character))
        .filter(|character| !character.is_control())
    {
        return Some(not_in_a_policy(character));
    }
    let why = if environment.trim().is_empty() {
        Some("it is empty")
    } else if environment.chars().count() > 255 {
        Some("it has more than 255 characters")
    } else if environment.chars().any(char::is_control) {
        Some("it holds a control character")
    } else if environment.contains("${") {
        Some("IAM would read `${` as a policy variable, and GitHub `${{` as an expression")
    } else if environment.contains(['<', '>']) {
        Some("`<` and `>` are the marks of a placeholder that was not filled in")
    } else if environment.contains(['*', '?']) {
        Some(
            "in the trust policy `*` and `?` look like a pattern, which `StringEquals` does not match",
        )
    } else {
        None
    };
    why.map(str::to_owned)
}

/// No action stands twice, and the two that the workflow uses are there.
pub(super) fn check_actions(check: &mut Check<'_>, actions: &[Action]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (index, action) in actions.iter().enumerate() {
        if let Some(first) = seen.get(&action.uses.to_ascii_lowercase()) {
            check.repeated(
                &format!("/actions/{first}/uses"),
                &format!("/actions/{index}/uses"),
                &format!("action `{}`", action.uses),
            );
        } else {
            seen.insert(action.uses.to_ascii_lowercase(), index);
        }
    }
    for needed in [CHECKOUT, CREDENTIALS] {
        if !seen.contains_key(needed) {
            check
                .report(
                    ids::VALUE,
                    "/actions",
                    format!("the workflow uses `{needed}`, which is not among the actions"),
                )
                .help("add it with its commit, or remove the key `actions` for the two that are known");
        }
    }
}

/// Generated files of two kinds must not share a folder, or one kind would look superfluous to the other.
pub(super) fn check_artefacts(check: &mut Check<'_>, artefacts: &Artefacts) {
    let folders = [
        ("policies", &artefacts.policies),
        ("terraform", &artefacts.terraform),
        ("monitors", &artefacts.monitors),
        ("kubernetes", &artefacts.kubernetes),
    ];
    for (index, (key, folder)) in folders.iter().enumerate() {
        if let Some((other, _)) = folders
            .iter()
            .take(index)
            .find(|(_, other)| other == folder)
        {
            let message = format!("folder `{folder}` is used for `{other}` already");
            check
                .report(ids::PATHS, &format!("/artefacts/{key}"), message)
                .related(&format!("/artefacts/{other}"), "used here first")
                .help("give each kind of file a folder of its own");
        }
    }
}
