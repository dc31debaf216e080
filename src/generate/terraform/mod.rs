//! The Terraform module: the records, the role, and what it needs.

mod format;
mod names;
mod records;
mod role;
mod values;

use hcl::{Block, Body};

use crate::model::spec::Spec;

use super::{Artefact, GenerateError, HEADER};
use format::Formatter;
use values::{attribute, expression};

/// The files of the module.
pub(super) fn files(spec: &Spec) -> Result<Vec<Artefact>, GenerateError> {
    Ok(vec![
        artefact(spec, "iam.tf", role::blocks(spec))?,
        artefact(spec, "records.tf", records::blocks(spec)?)?,
        artefact(spec, "versions.tf", vec![versions()])?,
    ])
}

/// A block with the comment above it.
struct Commented {
    comment: String,
    block: Block,
}

fn artefact(spec: &Spec, name: &str, blocks: Vec<Commented>) -> Result<Artefact, GenerateError> {
    let path = format!("{}/{name}", spec.artefacts.terraform);
    let mut text = HEADER.to_owned();
    for Commented { comment, block } in blocks {
        text.push('\n');
        for line in comment.lines() {
            text.push_str("# ");
            text.push_str(line);
            text.push('\n');
        }
        match Formatter::text(&Body::from(vec![block])) {
            Ok(block) => text.push_str(&block),
            Err(reason) => return Err(GenerateError::Unwritable { path, reason }),
        }
    }
    Ok(Artefact { path, text })
}

fn versions() -> Commented {
    let aws = expression(&serde_json::json!({
        "source": "hashicorp/aws",
        "version": ">= 5.0",
    }));
    let providers = Block::builder("required_providers").add_attribute(attribute("aws", aws));
    Commented {
        comment: "The provider's region is the caller's choice; Route 53 and IAM have none."
            .to_owned(),
        block: Block::builder("terraform")
            .add_attribute(attribute("required_version", ">= 1.5"))
            .add_block(providers.build())
            .build(),
    }
}
