//! `lifecycle { ignore_changes = … }`: which forms Terraform takes, and what they ignore.
//!
//! Terraform never evaluates it (hashicorp/terraform, `internal/configs/resource.go`): it is the bare word `all`, or a
//! list of paths that begin with an attribute of the resource. Measured in 38 forms with Terraform 1.11.

use crate::syntax::hcl::{Block, Expression, Form, Step, StepKind};
use crate::text::Span;

/// What a resource says of changes to ignore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IgnoreChanges {
    /// Nothing.
    Absent,
    /// `all`.
    All(Span),
    /// A list of paths.
    List {
        /// The list.
        at: Span,
        /// Its elements.
        paths: Vec<Ignored>,
        /// Elements that are no path, each with the reason.
        faults: Vec<(Span, String)>,
    },
    /// A form that Terraform refuses, with the reason.
    Invalid(Span, String),
}

/// One path of `ignore_changes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The bytes.
    pub at: Span,
    /// The attribute that the path begins with.
    pub attribute: String,
    /// Whether it goes below the attribute: `records[0]`.
    pub deeper: bool,
    /// Whether it stands in quotes, the way of old versions.
    pub quoted: bool,
}

impl IgnoreChanges {
    /// What the `lifecycle` blocks of `block` say.
    #[must_use]
    pub fn read(block: &Block) -> Self {
        let mut lifecycles = block.body.blocks_of("lifecycle");
        let attribute = lifecycles.find_map(|block| block.body.attribute("ignore_changes"));
        attribute.map_or(Self::Absent, |attribute| Self::of(&attribute.value))
    }

    /// What the expression says.
    #[must_use]
    pub fn of(expression: &Expression) -> Self {
        let at = expression.span;
        if let Form::Variable(word) = &expression.form
            && word.as_str() == "all"
        {
            return Self::All(at);
        }
        if let Form::List(items) = &expression.form {
            let (mut paths, mut faults) = (Vec::new(), Vec::new());
            for item in items {
                match path(item) {
                    Ok(path) => paths.push(path),
                    Err(reason) => faults.push((item.span, reason)),
                }
            }
            return Self::List { at, paths, faults };
        }
        let quoted_all = expression
            .literal()
            .is_some_and(|text| text.as_str() == "all");
        let reason = if quoted_all {
            "`all` stands here without quotes"
        } else {
            "a list of attribute names written out, or the bare word `all`, is expected; nothing is evaluated here"
        };
        Self::Invalid(at, reason.to_owned())
    }

    /// The expression, where there is one.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Absent => None,
            Self::All(at) | Self::List { at, .. } | Self::Invalid(at, _) => Some(*at),
        }
    }

    /// Whether every change of the whole attribute is ignored.
    #[must_use]
    pub fn ignores(&self, attribute: &str) -> bool {
        match self {
            Self::All(_) => true,
            Self::List { paths, .. } => paths
                .iter()
                .any(|path| path.attribute == attribute && !path.deeper),
            Self::Absent | Self::Invalid(..) => false,
        }
    }

    /// Whether changes of the attribute are ignored, or those of a part of it; `records` is a set, which has no parts.
    #[must_use]
    pub fn ignores_within(&self, name: &str) -> bool {
        let attribute = name.split(['.', '[']).next().unwrap_or(name);
        let within = match self {
            Self::List { paths, .. } => {
                let mut paths = paths.iter();
                attribute != "records" && paths.any(|path| path.attribute == attribute)
            }
            Self::All(_) | Self::Absent | Self::Invalid(..) => false,
        };
        within || self.ignores(attribute)
    }

    /// Whether Terraform takes this form.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        match self {
            Self::Absent | Self::All(_) => true,
            Self::List { faults, .. } => faults.is_empty(),
            Self::Invalid(..) => false,
        }
    }
}

fn path(item: &Expression) -> Result<Ignored, String> {
    let at = item.span;
    let found = |attribute: &str, deeper, quoted| Ignored {
        at,
        attribute: attribute.to_owned(),
        deeper,
        quoted,
    };
    if let Form::Variable(name) = &item.form {
        return Ok(found(name.as_str(), false, false));
    }
    if let Form::Traversal(base, steps) = &item.form {
        if let Form::Variable(name) = &base.form
            && steps.iter().all(is_static)
        {
            return Ok(found(name.as_str(), true, false));
        }
        let reason = "an index here is a literal string or number; nothing is evaluated";
        return Err(reason.to_owned());
    }
    match item.literal() {
        Some(text) => quoted(text.as_str()).map(|(name, deeper)| found(name, deeper, true)),
        None => Err("the name of an attribute is expected; nothing is evaluated here".to_owned()),
    }
}

fn is_static(step: &Step) -> bool {
    match &step.kind {
        StepKind::Attribute(_) | StepKind::OldIndex(_) => true,
        StepKind::Index(index) => {
            matches!(index.form, Form::Number(_)) || index.literal().is_some()
        }
        StepKind::Splat | StepKind::AttributeSplat => false,
    }
}

/// The attribute of a quoted path, and whether the path goes deeper.
fn quoted(path: &str) -> Result<(&str, bool), String> {
    if path == "*" {
        return Err("`\"*\"` is no longer taken; the bare word `all` is".to_owned());
    }
    let is_name = |name: &str| {
        name.starts_with(|c: char| c == '_' || c.is_alphabetic())
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let deeper = path.contains('.');
    let rest_is_path = rest.split('.').all(is_name);
    if !is_name(name) || deeper && !rest_is_path {
        return Err(format!("`{path}` is no path to an attribute"));
    }
    Ok((name, deeper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::hcl;
    use crate::text::SourceMap;

    fn of(written: &str) -> Option<IgnoreChanges> {
        let mut sources = SourceMap::default();
        let file = sources.add("x", written);
        let expression = hcl::read_expression(&sources.text(file)?).ok()?;
        Some(IgnoreChanges::of(&expression))
    }

    #[test]
    fn forms_that_terraform_takes_ignore_what_they_name() {
        for written in [
            "[records]",
            "all",
            "[\"records\"]",
            "[ttl, records]",
            "[\n records,\n]",
        ] {
            assert!(of(written).unwrap().ignores("records"), "{written}");
        }
        for written in [
            "[]",
            "[ttl]",
            "[records[0]]",
            "[records.0]",
            "[\"records.x\"]",
        ] {
            let form = of(written).unwrap();
            assert!(form.is_valid() && !form.ignores("records"), "{written}");
        }
    }

    #[test]
    fn forms_that_need_evaluation_are_refused() {
        for written in [
            "\"all\"",
            "records",
            "null",
            "local.x",
            "tolist([\"records\"])",
            "concat([records], [])",
            "[for x in [\"records\"] : x]",
            "true ? [records] : []",
            "[(records)]",
            "[\"${\"records\"}\"]",
            "[records[*]]",
            "[records[var.x]]",
            "{records = true}",
            "[\"*\"]",
            "[\"records.#\"]",
            "[\"records.0\"]",
        ] {
            let form = of(written).unwrap();
            assert!(!form.is_valid() && !form.ignores("records"), "{written}");
        }
    }
}
