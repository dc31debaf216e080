//! `pointsman init`: a commented spec with what can be found out already filled in. It asks nothing.

use std::collections::BTreeSet;
use std::io::Write;

use crate::model::spec::{EXECUTOR, FILE, Known, SCHEMA_FILE, Spec, schema_json, template};
use crate::ports::Files;
use crate::syntax::hcl::{self, Block, Body};
use crate::syntax::{Node, pointer, toml};
use crate::text::{SourceMap, Text};

use super::exit::{AppError, Exit};
use super::generate;
use super::spec::SpecChoice;

/// What to do.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Where the spec is written.
    pub spec: SpecChoice,
    /// Overwrite files that are there already.
    pub force: bool,
}

/// Writes the spec and its schema, and tells what was found and what is still to be filled in.
///
/// # Errors
/// When there is a spec already and it may not be overwritten, when a file cannot be written, or `out` cannot be
/// written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let path = match &request.spec {
        SpecChoice::Usual => FILE,
        SpecChoice::At(path) => path,
    };
    if files.kind(path).is_some() && !request.force {
        return Err(AppError::usage(
            format!("there is a `{path}` already; nothing has been written"),
            "`pointsman init --force` overwrites it",
        ));
    }
    let mut known = Known::new();
    repository(files, &mut known);
    let several = zone(files, &mut known);
    let text = template(&known);
    files.write_atomically(path, text.as_bytes())?;
    writeln!(out, "wrote {path}")?;
    let schema = format!("{}{SCHEMA_FILE}", request.spec.folder());
    if files.kind(&schema).is_none() || request.force {
        files.write_atomically(&schema, schema_json().as_bytes())?;
        writeln!(out, "wrote {schema}")?;
    }
    for (at, value) in &known {
        writeln!(out, "found {} = {value:?}", shown(at))?;
    }
    for (at, found) in several {
        let found = found.join("`, `");
        writeln!(out, "not chosen: {}; Terraform names `{found}`", shown(at))?;
    }
    if !known.contains_key("/github/repository") {
        // A default that is another repository's would be found out by GitHub's tokens alone.
        writeln!(
            out,
            "not found: github.repository; the default is `dns-failover`"
        )?;
    }
    for at in missing(&text) {
        writeln!(out, "to fill in: {}", shown(&at))?;
    }
    writeln!(out, "then: pointsman generate, pointsman validate")?;
    let folder = request.spec.folder();
    if files.kind(&format!("{folder}{EXECUTOR}")).is_none() {
        writeln!(out, "{}", generate::without_executor(&folder))?;
    }
    Ok(Exit::Clean)
}

/// A JSON pointer as a key of the file: `/github/owner` is `github.owner`, `/sites/0/ipv4` is `sites[0].ipv4`.
fn shown(pointer: &str) -> String {
    let mut out = String::new();
    for step in pointer.split('/').skip(1) {
        if step.parse::<usize>().is_ok() {
            out.push_str(&format!("[{step}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(step);
        }
    }
    out
}

/// The keys that are written empty, and those that reading the file complains of besides.
fn missing(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add(FILE, text);
    let Some(text) = sources.text(file) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    for root in toml::read(&text).documents {
        empty(&root, "", &mut keys);
    }
    let findings = Spec::read(&text).err().unwrap_or_default();
    for at in findings.into_iter().filter_map(|finding| finding.pointer) {
        if !keys.contains(&at) {
            keys.push(at);
        }
    }
    keys
}

/// Every text at or below `node` that is empty.
fn empty(node: &Node, at: &str, found: &mut Vec<String>) {
    if node.as_str() == Some("") {
        found.push(at.to_owned());
    }
    for (index, item) in node.as_list().unwrap_or_default().iter().enumerate() {
        empty(item, &pointer::join(at, index), found);
    }
    for entry in node.as_map().unwrap_or_default() {
        empty(&entry.value, &pointer::join(at, entry.key.as_str()), found);
    }
}

fn text(files: &dyn Files, path: &str) -> Option<String> {
    String::from_utf8(files.read_found(path).ok()?).ok()
}

/// Owner and name from the remote `origin`; the branch from what that remote calls its head, else the one that is checked
/// out (git-config(1), gitrepository-layout(5)).
fn repository(files: &dyn Files, known: &mut Known) {
    let Some((owner, name)) = text(files, ".git/config")
        .as_deref()
        .and_then(github_remote)
    else {
        return;
    };
    known.insert("/github/owner".to_owned(), owner);
    known.insert("/github/repository".to_owned(), name);
    let head = text(files, ".git/refs/remotes/origin/HEAD");
    let of_remote = head
        .as_deref()
        .and_then(|head| head.trim().strip_prefix("ref: refs/remotes/origin/"));
    let head = text(files, ".git/HEAD");
    let checked_out = head
        .as_deref()
        .and_then(|head| head.trim().strip_prefix("ref: refs/heads/"));
    if let Some(branch) = of_remote.or(checked_out) {
        known.insert("/github/branch".to_owned(), branch.to_owned());
    }
}

/// Owner and name of the GitHub repository that the remote `origin` is.
fn github_remote(config: &str) -> Option<(String, String)> {
    let mut inside = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[remote \"origin\"]";
        } else if let Some(url) = line.strip_prefix("url").filter(|_| inside) {
            return github_url(url.trim_start().strip_prefix('=')?.trim());
        }
    }
    None
}

fn github_url(url: &str) -> Option<(String, String)> {
    let schemes = [
        "https://github.com/",
        "ssh://git@github.com/",
        "git@github.com:",
        "git://github.com/",
    ];
    // Credentials before the host are none of ours.
    let bare = url
        .strip_prefix("https://")
        .and_then(|rest| rest.split_once('@'))
        .map(|(_, rest)| format!("https://{rest}"));
    let url = bare.as_deref().unwrap_or(url);
    let path = schemes.iter().find_map(|scheme| url.strip_prefix(scheme))?;
    let (owner, name) = path.trim_end_matches('/').split_once('/')?;
    let name = name.strip_suffix(".git").unwrap_or(name);
    let plain = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    (plain(owner) && plain(name)).then(|| (owner.to_owned(), name.to_owned()))
}

/// The zone's id and name, where the Terraform files name exactly one; where they name several, these.
fn zone(files: &dyn Files, known: &mut Known) -> Vec<(&'static str, Vec<String>)> {
    let (paths, _) = files.walk("", false);
    let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
    for path in paths.iter().filter(|path| path.ends_with(".tf")) {
        let Some(text) = text(files, path) else {
            continue;
        };
        let mut sources = SourceMap::default();
        let file = sources.add(path.as_str(), text);
        if let Some(text) = sources.text(file) {
            from_module(&hcl::read(&text).body, &mut ids, &mut names);
        }
    }
    let mut several = Vec::new();
    for (at, found) in [("/zone/id", ids), ("/zone/name", names)] {
        let found: Vec<String> = found.into_iter().collect();
        match found.as_slice() {
            [] => {}
            [only] => {
                known.insert(at.to_owned(), only.clone());
            }
            _ => several.push((at, found)),
        }
    }
    several
}

fn from_module(body: &Body, ids: &mut BTreeSet<String>, names: &mut BTreeSet<String>) {
    for block in &body.blocks {
        match block.labels.first().map(Text::as_str) {
            Some("aws_route53_record") => ids.extend(literal(block, "zone_id")),
            Some("aws_route53_zone") => {
                ids.extend(literal(block, "zone_id"));
                names.extend(
                    literal(block, "name").map(|name| name.trim_end_matches('.').to_owned()),
                );
            }
            _ => {}
        }
    }
}

/// The attribute's value, if it is a string that is written there.
fn literal(block: &Block, name: &str) -> Option<String> {
    let mut attributes = block.body.attributes.iter();
    let attribute = attributes.find(|attribute| attribute.name.as_str() == name)?;
    attribute
        .value
        .literal()
        .map(|text| text.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MemoryFiles;

    fn ran(force: bool, files: &MemoryFiles) -> (Result<Exit, String>, String) {
        let mut out = Vec::new();
        let request = Request {
            spec: SpecChoice::Usual,
            force,
        };
        let exit = run(&request, files, &mut out).map_err(|error| error.to_string());
        (exit, String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn what_can_be_found_out_is_filled_in_and_the_rest_is_named() {
        let files = MemoryFiles::new([
            (
                ".git/config",
                "[core]\n\turl = x\n[remote \"origin\"]\n\turl = git@github.com:acme/dns-failover.git\n",
            ),
            (
                ".git/refs/remotes/origin/HEAD",
                "ref: refs/remotes/origin/trunk\n",
            ),
            (
                "dns/main.tf",
                "data \"aws_route53_zone\" \"z\" {\n  name = \"example.com.\"\n}\nresource \"aws_route53_record\" \"r\" {\n  zone_id = \"Z0123456789EXAMPLE\"\n}\n",
            ),
        ]);
        let (exit, out) = ran(false, &files);
        assert_eq!(exit, Ok(Exit::Clean));
        assert_eq!(
            out,
            "wrote pointsman.toml\nwrote pointsman.schema.json\n\
             found github.branch = \"trunk\"\nfound github.owner = \"acme\"\nfound github.repository = \"dns-failover\"\n\
             found zone.id = \"Z0123456789EXAMPLE\"\nfound zone.name = \"example.com\"\n\
             to fill in: sites[0].ipv4\nto fill in: sites[1].ipv4\nto fill in: aws.account\nto fill in: github.owner_id\nto fill in: github.repository_id\n\
             then: pointsman generate, pointsman validate\n\
             the workflow runs bin/pointsman-switch, which is not written but built and committed with its sum: see `pointsman explain executor-not-committed`\n"
        );
        let text = files.text("pointsman.toml").unwrap();
        assert!(
            text.contains("\nname = \"example.com\"\n") && text.contains("\nbranch = \"trunk\"\n"),
            "{text}"
        );
    }

    #[test]
    fn a_spec_that_is_there_is_overwritten_only_by_force() {
        let files = MemoryFiles::new([("pointsman.toml", "mine")]);
        assert!(ran(false, &files).0.is_err());
        assert_eq!(files.text("pointsman.toml").as_deref(), Some("mine"));
        assert_eq!(ran(true, &files).0, Ok(Exit::Clean));
        assert_ne!(files.text("pointsman.toml").as_deref(), Some("mine"));
    }

    #[test]
    fn remotes_of_github_are_read_in_every_spelling_and_others_are_not() {
        for url in [
            "https://github.com/a/b",
            "https://x-access-token:secret@github.com/a/b",
            "https://github.com/a/b.git/",
            "ssh://git@github.com/a/b.git",
            "git@github.com:a/b",
        ] {
            let url = url.trim_end_matches('/');
            assert_eq!(
                github_url(url),
                Some(("a".to_owned(), "b".to_owned())),
                "{url}"
            );
        }
        for url in [
            "https://git.example.com/a/b",
            "git@github.com:a",
            "https://github.com/a/b/c",
            "https://github.com/a/\"b",
        ] {
            assert_eq!(github_url(url), None, "{url}");
        }
    }

    #[test]
    fn two_zones_are_no_answer() {
        let files = MemoryFiles::new([(
            "main.tf",
            "resource \"aws_route53_zone\" \"a\" {\n  name = \"a.example\"\n}\nresource \"aws_route53_zone\" \"b\" {\n  name = \"b.example\"\n}\n",
        )]);
        let (_, out) = ran(false, &files);
        let told = "not chosen: zone.name; Terraform names `a.example`, `b.example`\n";
        assert!(
            out.contains(told) && out.contains("to fill in: zone.name"),
            "{out}"
        );
    }
}
