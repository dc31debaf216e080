//! Override files: what they set takes the place of what other files set (Terraform's documentation, "Override Files").

use crate::syntax::hcl::{Attribute, Block, Body, HclFile};
use crate::text::{Span, Text};

/// Whether Terraform takes the file with this name for an override file.
#[must_use]
pub fn is_override(name: &str) -> bool {
    let stem = name
        .strip_suffix(".tf.json")
        .or_else(|| name.strip_suffix(".tf"));
    stem.is_some_and(|stem| stem == "override" || stem.ends_with("_override"))
}

/// Merges `over` into the blocks of `files`. A block that is declared nowhere else stays in `over`, where Terraform
/// refuses it.
pub(super) fn merge(files: &mut [HclFile], over: &mut HclFile) {
    let blocks = std::mem::take(&mut over.body.blocks);
    for block in blocks {
        match block.kind.as_str() {
            "locals" => merge_locals(files, &block, over),
            _ => {
                let mut bases = files.iter_mut().flat_map(|file| &mut file.body.blocks);
                match bases.find(|base| is_same(base, &block)) {
                    Some(base) => merge_body(&mut base.body, block.body),
                    None => over.body.blocks.push(block),
                }
            }
        }
    }
}

/// What is left of an override file, for nothing else declares it.
pub(super) fn unmet(over: &HclFile) -> impl Iterator<Item = (String, Span)> {
    const KINDS: [&str; 5] = ["resource", "data", "variable", "output", "module"];
    let blocks = over.body.blocks.iter();
    let left = blocks.filter(|block| KINDS.contains(&block.kind.as_str()));
    left.map(|block| {
        let labels: Vec<&str> = block.labels.iter().map(Text::as_str).collect();
        let address = match block.kind.as_str() {
            "resource" => labels.join("."),
            kind => format!("{kind}.{}", labels.join(".")),
        };
        (address, block.head)
    })
}

fn is_same(base: &Block, over: &Block) -> bool {
    let labels = |block: &Block| -> Vec<String> {
        block
            .labels
            .iter()
            .map(|label| label.as_str().to_owned())
            .collect()
    };
    base.kind.as_str() == over.kind.as_str() && labels(base) == labels(over)
}

/// A local takes the place of one with its name, wherever that stands.
fn merge_locals(files: &mut [HclFile], block: &Block, over: &mut HclFile) {
    let mut left = block.clone();
    left.body.attributes.clear();
    for attribute in &block.body.attributes {
        let name = attribute.name.as_str();
        let locals = files
            .iter_mut()
            .flat_map(|file| &mut file.body.blocks)
            .filter(|base| base.kind.as_str() == "locals");
        let mut all = locals.flat_map(|base| &mut base.body.attributes);
        match all.find(|base| base.name.as_str() == name) {
            Some(base) => *base = attribute.clone(),
            None => left.body.attributes.push(attribute.clone()),
        }
    }
    if !left.body.attributes.is_empty() {
        over.body.blocks.push(left);
    }
}

/// Attributes one by one; blocks by their kind, all of one kind at once. `lifecycle` is merged by its attributes.
fn merge_body(base: &mut Body, over: Body) {
    for attribute in over.attributes {
        let same = |found: &&mut Attribute| found.name.as_str() == attribute.name.as_str();
        match base.attributes.iter_mut().find(same) {
            Some(found) => *found = attribute,
            None => base.attributes.push(attribute),
        }
    }
    let mut blocks = over.blocks;
    if let Some(at) = blocks
        .iter()
        .position(|block| block.kind.as_str() == "lifecycle")
        && let Some(found) = base
            .blocks
            .iter_mut()
            .find(|block| block.kind.as_str() == "lifecycle")
    {
        let lifecycle = blocks.remove(at);
        merge_body(&mut found.body, lifecycle.body);
    }
    let replaced: Vec<String> = blocks.iter().map(|block| made(block).to_owned()).collect();
    base.blocks
        .retain(|block| !replaced.iter().any(|kind| kind == made(block)));
    base.blocks.extend(blocks);
}

/// The kind of block that a block is, or makes.
fn made(block: &Block) -> &str {
    match block.kind.as_str() {
        "dynamic" => block.labels.first().map_or("dynamic", Text::as_str),
        kind => kind,
    }
}
