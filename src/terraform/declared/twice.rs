//! Names that a module declares twice: Terraform refuses it.

use std::collections::BTreeMap;

use crate::terraform::{Mode, Module};
use crate::text::Span;

/// A name that is declared a second time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTwice {
    /// How expressions call it.
    pub address: String,
    /// The later declaration.
    pub again: Span,
    /// The earlier one.
    pub first: Span,
}

/// All names that `module` declares twice. Blocks of override files are merged into others, and stand there no more.
pub(super) fn of(module: &Module) -> Vec<DeclaredTwice> {
    let named = ["variable", "output", "module"]
        .into_iter()
        .flat_map(|kind| {
            let address = move |name: &str| match kind {
                "variable" => format!("var.{name}"),
                _ => format!("{kind}.{name}"),
            };
            let blocks = module.named(kind);
            blocks.map(move |found| (address(found.name), found.block.head))
        });
    let locals = module.locals().map(|local| {
        let address = format!("local.{}", local.name.as_str());
        (address, local.name.span())
    });
    let resources = module.resources().map(|found| {
        let mode = match found.mode {
            Mode::Managed => "",
            Mode::Data => "data.",
        };
        let address = format!("{mode}{}.{}", found.kind, found.name);
        (address, found.head())
    });
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    let mut twice = Vec::new();
    for (address, again) in named.chain(locals).chain(resources) {
        match seen.get(&address) {
            Some(first) => twice.push(DeclaredTwice {
                address,
                again,
                first: *first,
            }),
            None => {
                seen.insert(address, again);
            }
        }
    }
    twice
}
