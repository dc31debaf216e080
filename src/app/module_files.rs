//! The files that Terraform modules need beside those that were asked for: local modules that they call, and what their
//! functions read.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::{Input, Standing};
use crate::ports::{FileKind, Files};
use crate::terraform::local_folder;

/// How many folders of called modules are read beside what was asked for.
const MAX_FOLDERS: usize = 200;

/// Adds them.
pub(super) fn add(inputs: &mut Vec<Input>, files: &dyn Files) {
    add_called(inputs, files);
    let data = data_of(inputs, files);
    inputs.extend(data);
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_module_file(path: &str) -> bool {
    path.ends_with(".tf") || path.ends_with(".tf.json")
}

/// The text of a file of a module; what is no UTF-8 is told by whoever reads it.
fn text_of(input: &Input) -> Option<&str> {
    let bytes = input
        .bytes
        .as_ref()
        .ok()
        .filter(|_| is_module_file(&input.path))?;
    std::str::from_utf8(bytes).ok()
}

/// The local modules that are called, and those that they call.
fn add_called(inputs: &mut Vec<Input>, files: &dyn Files) {
    let mut known: BTreeSet<String> = inputs
        .iter()
        .filter(|input| is_module_file(&input.path))
        .map(|input| folder_of(&input.path).to_owned())
        .collect();
    let mut chains: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut from = 0;
    let mut added = 0;
    while from < inputs.len() {
        let new = inputs.iter().skip(from);
        let wanted: Vec<(String, String, Standing)> = new
            .flat_map(|input| {
                let folder = folder_of(&input.path);
                let sources = text_of(input).into_iter().flat_map(sources);
                sources
                    .filter_map(|source| local_folder(folder, source))
                    .map(|called| (folder.to_owned(), called, input.standing))
                    .collect::<Vec<_>>()
            })
            .collect();
        from = inputs.len();
        for (caller, folder, standing) in wanted {
            if added == MAX_FOLDERS
                || files.kind(&folder) != Some(FileKind::Folder)
                || files.leads_outside(&folder)
                || !known.insert(folder.clone())
            {
                continue;
            }
            let mut chain = chains.get(&caller).cloned().unwrap_or_default();
            chain.push(caller);
            if let Some(first) = led_back(&folder, &chain, files) {
                inputs.push(link_back(folder, first));
                continue;
            }
            chains.insert(folder.clone(), chain);
            added += 1;
            let standing = if standing == Standing::Context {
                standing
            } else {
                Standing::Found
            };
            let paths = files.walk(&folder, true).0.into_iter();
            for path in paths.filter(|path| folder_of(path) == folder && is_module_file(path)) {
                let bytes = files.read_found(&path).map_err(|fault| fault.reason);
                inputs.push(Input {
                    path,
                    bytes,
                    standing,
                });
            }
        }
    }
}

/// The caller that a folder is by way of a link.
fn led_back<'a>(folder: &str, callers: &'a [String], files: &dyn Files) -> Option<&'a str> {
    let steps = folder.match_indices('/').map(|(at, _)| at);
    let mut above = steps.chain([folder.len()]);
    if !above.any(|end| folder.get(..end).is_some_and(|path| files.is_link(path))) {
        return None;
    }
    let same = |caller: &&String| {
        !files.leads_out_of(folder, caller) && !files.leads_out_of(caller, folder)
    };
    callers.iter().find(same).map(String::as_str)
}

fn link_back(folder: String, caller: &str) -> Input {
    let caller = if caller.is_empty() { "." } else { caller };
    Input {
        path: folder,
        bytes: Err(format!(
            "is `{caller}` again, by a symbolic link, so that the module calls itself"
        )),
        standing: Standing::Link,
    }
}

/// What stands behind `source =` and begins with a dot: a folder beside the module.
fn sources(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("source").filter_map(|(at, word)| {
        let rest = text
            .get(at + word.len()..)?
            .trim_start_matches(['"', ' ', '\t']);
        let rest = rest
            .strip_prefix(['=', ':'])?
            .trim_start_matches([' ', '\t']);
        let inner = rest.strip_prefix('"')?;
        let (source, _) = inner.split_once('"')?;
        source.starts_with('.').then_some(source)
    })
}

/// Functions that read files.
const READERS: [&str; 6] = [
    "file(",
    "fileexists(",
    "filebase64",
    "filemd5(",
    "filesha",
    "fileset(",
];

/// The links below these folders that functions do not follow: those to folders, and those that lead out of every module
/// that they lie in.
pub(super) fn links_below(
    folders: &BTreeSet<&str>,
    inputs: &[Input],
    files: &dyn Files,
) -> Vec<Input> {
    let of_modules = inputs.iter().filter(|input| is_module_file(&input.path));
    let modules: BTreeSet<&str> = of_modules.map(|input| folder_of(&input.path)).collect();
    let is_in = |path: &str, folder: &str| {
        let rest = path.strip_prefix(folder);
        folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let leads_out = |path: &str| {
        let mut around = modules.iter().filter(|folder| is_in(path, folder));
        files.kind(path).is_some() && around.all(|folder| files.leads_out_of(path, folder))
    };
    let link = |path: String, reason: &str| Input {
        path,
        bytes: Err(reason.to_owned()),
        standing: Standing::Link,
    };
    let mut links = Vec::new();
    for folder in folders {
        let to_folders = files.linked_folders(folder).into_iter();
        links.extend(to_folders.map(|path| {
            link(
                path,
                "is a symbolic link to a folder, which is not followed",
            )
        }));
        let paths = files.walk(folder, true).0.into_iter();
        let out = paths.filter(|path| files.is_link(path) && leads_out(path));
        links.extend(out.map(|path| {
            link(
                path,
                "is a symbolic link that leads out of the module, which is not followed",
            )
        }));
    }
    links.sort_by(|a, b| a.path.cmp(&b.path));
    links.dedup_by(|a, b| a.path == b.path);
    links
}

/// The files that functions may read: their names stand in the module, or `fileset` looks for them. Others are listed
/// alone, so that it is known that they are there.
fn data_of(inputs: &[Input], files: &dyn Files) -> Vec<Input> {
    let reads = |text: &&str| READERS.iter().any(|name| text.contains(name));
    let readers: Vec<(&str, &str)> = inputs
        .iter()
        .filter_map(|input| {
            Some((
                folder_of(&input.path),
                text_of(input).filter(|text| reads(text))?,
            ))
        })
        .collect();
    let folders: BTreeSet<&str> = readers.iter().map(|(folder, _)| *folder).collect();
    let mut there: BTreeSet<String> = inputs.iter().map(|input| input.path.clone()).collect();
    let mut data = links_below(&folders, inputs, files);
    there.extend(data.iter().map(|link| link.path.clone()));
    for folder in folders {
        let inside = |other: &str| {
            other.is_empty()
                || folder
                    .strip_prefix(other)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let texts: Vec<&str> = readers
            .iter()
            .filter(|(other, _)| inside(other) || *other == folder)
            .map(|(_, text)| *text)
            .collect();
        for path in files.walk(folder, false).0 {
            let leads_nowhere = files.is_link(&path) && files.kind(&path).is_none();
            if leads_nowhere || !there.insert(path.clone()) {
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or(&path);
            let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
            let made = format!("}}.{ending}\"");
            let named = texts.iter().any(|text| {
                text.contains(name) || text.contains("fileset(") || text.contains(&made)
            });
            let bytes = if named {
                files.read_found(&path).map_err(|fault| fault.reason)
            } else {
                Err("was not read, for its name stands nowhere in the module".to_owned())
            };
            data.push(Input {
                path,
                bytes,
                standing: Standing::Data,
            });
        }
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MemoryFiles;

    fn input(path: &str, text: &str) -> Input {
        Input {
            path: path.to_owned(),
            bytes: Ok(text.as_bytes().to_vec()),
            standing: Standing::Found,
        }
    }

    #[test]
    fn called_modules_and_named_files_are_read() {
        let files = MemoryFiles::new([
            ("m/a/main.tf", "module \"b\" {\n  source = \"../b\"\n}\n"),
            (
                "m/b/main.tf",
                "locals {\n  x = file(\"${path.module}/p.json\")\n}\n",
            ),
            ("m/b/p.json", "{}"),
            ("m/b/other.bin", "x"),
        ]);
        let mut inputs = vec![input(
            "main.tf",
            "module \"a\" {\n  source  = \"./m/a\"\n}\n",
        )];
        add(&mut inputs, &files);
        let shown: Vec<(&str, bool)> = inputs
            .iter()
            .map(|input| (input.path.as_str(), input.bytes.is_ok()))
            .collect();
        assert_eq!(
            shown,
            [
                ("main.tf", true),
                ("m/a/main.tf", true),
                ("m/b/main.tf", true),
                ("m/b/other.bin", false),
                ("m/b/p.json", true),
            ]
        );
    }
}
