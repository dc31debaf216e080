//! What a module may reach beside its own files: other modules, by their folders, and files that functions read.

use std::collections::BTreeMap;

use crate::text::Text;

use super::Module;

/// The modules of a run, and the files that functions such as `file` may read.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// Modules by folder; empty for the working directory.
    pub modules: BTreeMap<String, Module>,
    /// Other files by their paths, as they are shown.
    pub files: BTreeMap<String, DataFile>,
}

/// A file that is no part of a module, but may be read by one.
#[derive(Debug, Clone)]
pub enum DataFile {
    /// A text in UTF-8.
    Text(Text),
    /// Anything else.
    Bytes(Vec<u8>),
    /// It is there, but its bytes are not; why.
    Absent(String),
    /// A link that is not followed, why: what it leads to may be there or not, and may be a folder.
    Link(String),
}

impl DataFile {
    /// Why the link that stands here is not followed; `None` where there is none.
    pub(super) fn as_link(&self) -> Option<&str> {
        match self {
            Self::Link(reason) => Some(reason),
            Self::Text(_) | Self::Bytes(_) | Self::Absent(_) => None,
        }
    }
}

impl Library {
    /// The folders that a `module` block of another folder calls.
    #[must_use]
    pub fn called(&self) -> Vec<&str> {
        let mut called = Vec::new();
        for (folder, module) in &self.modules {
            let sources = module.named("module").filter_map(|call| {
                let source = call.block.body.attribute("source")?.value.literal()?;
                local_folder(folder, source.as_str())
            });
            for target in sources.filter(|target| target != folder) {
                called.extend(
                    self.modules
                        .get_key_value(&target)
                        .map(|(key, _)| key.as_str()),
                );
            }
        }
        called
    }
}

/// The folder of a local module that `from` calls by `source`, as it is shown; `None` where it is no local one.
#[must_use]
pub fn local_folder(from: &str, source: &str) -> Option<String> {
    let local = source.starts_with("./") || source.starts_with("../");
    if !local && source != "." && source != ".." {
        return None;
    }
    joined(from, source)
}

/// `path`, counted from the folder `from`; `None` where it leads above the root.
#[must_use]
pub(super) fn joined(from: &str, path: &str) -> Option<String> {
    let absolute = from.starts_with('/');
    let mut steps: Vec<&str> = from.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if absolute => return None,
            name => steps.push(name),
        }
    }
    let joined = steps.join("/");
    Some(if absolute {
        format!("/{joined}")
    } else {
        joined
    })
}

/// `folder` as it is written from the folder `root`: `.` for the same, `../x` where it lies beside it.
#[must_use]
pub(super) fn relative(root: &str, folder: &str) -> String {
    let steps = |path: &'_ str| -> Vec<String> {
        let steps = path.split('/').filter(|step| !step.is_empty());
        steps.map(str::to_owned).collect()
    };
    let (root, folder) = (steps(root), steps(folder));
    let common = root.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), root.len() - common);
    let down = folder.iter().skip(common).cloned();
    let path: Vec<String> = up.chain(down).collect();
    if path.is_empty() {
        ".".to_owned()
    } else {
        path.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_modules_are_found_from_the_folder_of_the_caller() {
        assert_eq!(
            local_folder("terraform", "./modules/x/").as_deref(),
            Some("terraform/modules/x")
        );
        assert_eq!(local_folder("a/b", "../c").as_deref(), Some("a/c"));
        assert_eq!(local_folder("a", "../../c").as_deref(), Some("../c"));
        assert_eq!(local_folder("../c", "../d").as_deref(), Some("../d"));
        assert_eq!(local_folder("/a", "../../c"), None);
        assert_eq!(local_folder("a", "example/x/aws"), None);
    }

    #[test]
    fn a_module_beside_the_root_is_written_with_two_dots() {
        assert_eq!(relative("a", "a"), ".");
        assert_eq!(relative("", "modules/x"), "modules/x");
        assert_eq!(relative("a/b", "a/c"), "../c");
    }
}
