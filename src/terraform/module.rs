//! A Terraform module: the files of one folder, and what they declare.

use crate::syntax::hcl::{Attribute, Block, HclFile};
use crate::text::Span;

use super::overrides::{self, is_override};

/// The files of one folder.
#[derive(Debug, Clone, Default)]
pub struct Module {
    /// The folder, as it is shown; empty for the working directory.
    pub folder: String,
    /// Its files, in the order of their names.
    pub files: Vec<HclFile>,
    /// Files that set variables (`terraform.tfvars`, then `*.auto.tfvars`), in the order in which they are loaded.
    pub variables: Vec<HclFile>,
    /// Whether a file of the folder could not be read at all: what is not here may be declared there.
    pub lacks_files: bool,
    /// What override files declare and nothing else does: Terraform refuses that.
    pub unmet_overrides: Vec<(String, Span)>,
}

/// Whether a block manages something or only looks it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// A `resource` block.
    Managed,
    /// A `data` block.
    Data,
}

/// A `resource` or `data` block.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'m> {
    /// Which of the two.
    pub mode: Mode,
    /// Its type, such as `aws_route53_record`.
    pub kind: &'m str,
    /// Its name in the module.
    pub name: &'m str,
    /// The block.
    pub block: &'m Block,
}

/// A block with one label: `variable`, `output`, `module` or `provider`.
#[derive(Debug, Clone, Copy)]
pub struct Named<'m> {
    /// The label.
    pub name: &'m str,
    /// The block.
    pub block: &'m Block,
}

/// Those without `.auto` come first.
fn is_terraform_tfvars(name: &str) -> bool {
    matches!(name, "terraform.tfvars" | "terraform.tfvars.json")
}

impl Resource<'_> {
    /// How expressions call it: `aws_iam_role.x`, `data.aws_iam_role.x`.
    #[must_use]
    pub fn address(&self) -> String {
        match self.mode {
            Mode::Managed => format!("{}.{}", self.kind, self.name),
            Mode::Data => format!("data.{}.{}", self.kind, self.name),
        }
    }

    /// The place to point at when the whole block is meant.
    #[must_use]
    pub fn head(&self) -> Span {
        self.block.head
    }

    /// The attribute that makes several of it, if one does.
    #[must_use]
    pub fn repetition(&self) -> Option<&Attribute> {
        let body = &self.block.body;
        body.attribute("count")
            .or_else(|| body.attribute("for_each"))
    }
}

impl Module {
    /// The module of the files in `folder`: override files are merged into the others, files that set variables are taken
    /// in the order in which Terraform loads them.
    #[must_use]
    pub fn of_files(folder: String, mut files: Vec<(String, HclFile)>) -> Self {
        files.sort_by_key(|(name, _)| (!is_terraform_tfvars(name), name.clone()));
        let mut module = Self {
            folder,
            ..Self::default()
        };
        let mut overrides = Vec::new();
        for (name, file) in files {
            if name.ends_with(".tfvars") || name.ends_with(".tfvars.json") {
                module.variables.push(file);
            } else if is_override(&name) {
                overrides.push(file);
            } else {
                module.files.push(file);
            }
        }
        for mut over in overrides {
            overrides::merge(&mut module.files, &mut over);
            module.unmet_overrides.extend(overrides::unmet(&over));
            module.files.push(over);
        }
        module
    }

    /// All blocks of the outermost level.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.files.iter().flat_map(|file| &file.body.blocks)
    }

    /// All `resource` and `data` blocks that have a type and a name.
    pub fn resources(&self) -> impl Iterator<Item = Resource<'_>> {
        self.blocks().filter_map(|block| {
            let mode = match block.kind.as_str() {
                "resource" => Mode::Managed,
                "data" => Mode::Data,
                _ => return None,
            };
            Some(Resource {
                mode,
                kind: block.label(0)?,
                name: block.label(1)?,
                block,
            })
        })
    }

    /// All `resource` blocks of this type.
    pub fn managed<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Resource<'a>> {
        self.resources()
            .filter(move |resource| resource.mode == Mode::Managed && resource.kind == kind)
    }

    /// All `data` blocks of this type.
    pub fn data<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Resource<'a>> {
        self.resources()
            .filter(move |resource| resource.mode == Mode::Data && resource.kind == kind)
    }

    /// All blocks of one label of this kind: `variable`, `output`, `module`, `provider`.
    pub fn named<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Named<'a>> {
        self.blocks()
            .filter(move |block| block.kind.as_str() == kind)
            .filter_map(|block| {
                let name = block.label(0)?;
                Some(Named { name, block })
            })
    }

    /// All locals, of all `locals` blocks.
    pub fn locals(&self) -> impl Iterator<Item = &Attribute> {
        self.blocks()
            .filter(|block| block.kind.as_str() == "locals")
            .flat_map(|block| &block.body.attributes)
    }

    /// Whether every file of it could be read whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let mut files = self.files.iter().chain(&self.variables);
        !self.lacks_files && files.all(|file| file.faults.is_empty())
    }
}
