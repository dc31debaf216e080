//! The HCL reader against an outside judge: over the public corpus it reads what `hcl-edit` reads.

#![expect(
    clippy::disallowed_methods,
    reason = "the corpus is read from disk, beside the repository"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hcl_edit::Span as _;
use hcl_edit::expr as theirs;
use hcl_edit::structure as their_structure;
use hcl_edit::template::{Directive, Element};
use pointsman::syntax::hcl::{self, Body, Expression, Form, Key, Part, Quote, Sign, StepKind};
use pointsman::text::SourceMap;

/// Files below `folder` that end in `.tf`.
fn terraform_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            terraform_files(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "tf") {
            found.push(path);
        }
    }
}

#[test]
fn the_corpus_is_read_as_hcl_edit_reads_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/terraform");
    let mut files = Vec::new();
    terraform_files(&folder, &mut files);
    if files.is_empty() {
        println!("no corpus at ../shared/corpus/terraform: nothing compared");
        return;
    }
    files.sort();
    let mut only_ours = 0;
    for path in files {
        let Ok(input) = std::fs::read_to_string(&path) else {
            continue;
        };
        let mut sources = SourceMap::default();
        let file = sources.add("x.tf", input.clone());
        let ours = hcl::read(&sources.text(file).unwrap());
        assert!(
            ours.faults.is_empty(),
            "{}: {:?}",
            path.display(),
            ours.faults
        );
        let Ok(judge) = input.parse::<their_structure::Body>() else {
            only_ours += 1;
            continue;
        };
        let (mut left, mut right) = (String::new(), String::new());
        dump_body(&ours.body, &mut left);
        dump_their_body(&judge, &mut right);
        for (a, b) in left.lines().zip(right.lines()) {
            assert_eq!(a, b, "{}", path.display());
        }
        assert_eq!(left.len(), right.len(), "{}", path.display());
    }
    assert!(only_ours <= 3, "hcl-edit reads all but three of them");
}

fn dump_body(body: &Body, out: &mut String) {
    for attribute in &body.attributes {
        let span = attribute.name.span();
        let _ = write!(out, "{} {:?} = ", attribute.name.as_str(), span.range());
        dump(&attribute.value, out);
        out.push('\n');
    }
    for block in &body.blocks {
        let labels: Vec<_> = block.labels.iter().map(|label| label.as_str()).collect();
        let _ = writeln!(
            out,
            "{} {labels:?} {:?} {{",
            block.kind.as_str(),
            block.span.range()
        );
        dump_body(&block.body, out);
        out.push_str("}\n");
    }
}

fn dump_their_body(body: &their_structure::Body, out: &mut String) {
    for attribute in body.attributes() {
        let span = attribute.key.span().unwrap_or_default();
        let _ = write!(out, "{} {span:?} = ", attribute.key.as_str());
        dump_theirs(&attribute.value, out);
        out.push('\n');
    }
    for block in body.blocks() {
        let labels: Vec<_> = block.labels.iter().map(|label| label.as_str()).collect();
        let span = block.span().unwrap_or_default();
        let _ = writeln!(out, "{} {labels:?} {span:?} {{", block.ident.as_str());
        dump_their_body(&block.body, out);
        out.push_str("}\n");
    }
}

fn put(out: &mut String, shown: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(shown);
}

/// Spans are compared for the expressions whose span both give alike.
#[expect(clippy::too_many_lines, reason = "one arm for each form")]
fn dump(expression: &Expression, out: &mut String) {
    let range = expression.span.range();
    match &expression.form {
        Form::Null => out.push_str("null"),
        Form::Bool(value) => put(out, format_args!("{value}")),
        Form::Number(written) => put(out, format_args!("{:?}", written.parse::<f64>().ok())),
        Form::Template(template) => match template.literal() {
            Some(text) if template.quote == Quote::Double => {
                put(out, format_args!("{:?}@{range:?}", text.as_str()));
            }
            _ => dump_parts(&template.parts, out),
        },
        Form::List(items) => {
            let _ = write!(out, "@{range:?}[");
            dump_all(items, out);
            out.push(']');
        }
        Form::Object(items) => {
            let _ = write!(out, "@{range:?}{{");
            for item in items {
                match &item.key {
                    Key::Name(name) => out.push_str(name.as_str()),
                    Key::Expression(key) => dump(key, out),
                }
                out.push_str(": ");
                dump(&item.value, out);
                out.push_str(", ");
            }
            out.push('}');
        }
        Form::Variable(name) => put(out, format_args!("{}@{range:?}", name.as_str())),
        Form::Traversal(base, steps) => {
            dump(base, out);
            for step in steps {
                match &step.kind {
                    StepKind::Attribute(name) => put(out, format_args!(".{}", name.as_str())),
                    StepKind::Index(index) => {
                        out.push('[');
                        dump(index, out);
                        out.push(']');
                    }
                    StepKind::OldIndex(digits) => put(out, format_args!(".{digits}")),
                    StepKind::AttributeSplat => out.push_str(".*"),
                    StepKind::Splat => out.push_str("[*]"),
                }
            }
        }
        Form::Call(call) => {
            let _ = write!(out, "@{range:?}{}(", call.name.as_str());
            dump_all(&call.arguments, out);
            out.push_str(if call.expands { "...)" } else { ")" });
        }
        Form::Parens(inner) => {
            out.push('(');
            dump(inner, out);
            out.push(')');
        }
        Form::Conditional(inner) => {
            dump(&inner.condition, out);
            out.push_str(" ? ");
            dump(&inner.yes, out);
            out.push_str(" : ");
            dump(&inner.no, out);
        }
        Form::Unary(sign, operand) => {
            if let (Sign::Minus, Form::Number(written)) = (sign, &operand.form) {
                // A minus before a number is part of the number there.
                let value = written.parse::<f64>().map(|value| -value);
                return put(out, format_args!("{:?}", value.ok()));
            }
            out.push(if *sign == Sign::Not { '!' } else { '-' });
            dump(operand, out);
        }
        Form::Operation(first, rest) => {
            out.push_str(&"<".repeat(rest.len()));
            dump(first, out);
            for (operator, operand) in rest {
                let _ = write!(out, " {} ", operator.symbol());
                dump(operand, out);
                out.push('>');
            }
        }
        Form::For(inner) => {
            out.push_str("for ");
            if let Some(key) = &inner.key_name {
                let _ = write!(out, "{},", key.as_str());
            }
            let _ = write!(out, "{} in ", inner.value_name.as_str());
            dump(&inner.collection, out);
            out.push(':');
            if let Some(key) = &inner.key {
                dump(key, out);
                out.push_str("=>");
            }
            dump(&inner.value, out);
            out.push_str(if inner.groups { "..." } else { "" });
            if let Some(condition) = &inner.condition {
                out.push_str(" if ");
                dump(condition, out);
            }
        }
    }
}

fn dump_all(items: &[Expression], out: &mut String) {
    for item in items {
        dump(item, out);
        out.push_str(", ");
    }
}

/// Of templates, what is inserted; literal text depends on when strip marks are applied.
fn dump_parts(parts: &[Part], out: &mut String) {
    for part in parts {
        match part {
            Part::Literal(_) => {}
            Part::Interpolation(inner) => {
                out.push_str("${");
                dump(inner, out);
                out.push('}');
            }
            Part::If(inner) => {
                out.push_str("%{if ");
                dump(&inner.condition, out);
                out.push('}');
                dump_parts(&inner.yes, out);
                out.push_str("%{else}");
                dump_parts(&inner.no, out);
                out.push_str("%{endif}");
            }
            Part::For(inner) => {
                out.push_str("%{for ");
                dump(&inner.collection, out);
                out.push('}');
                dump_parts(&inner.body, out);
                out.push_str("%{endfor}");
            }
        }
    }
}

#[expect(clippy::too_many_lines, reason = "one arm for each form")]
fn dump_theirs(expression: &theirs::Expression, out: &mut String) {
    use theirs::Expression as E;
    let range = expression.span().unwrap_or_default();
    match expression {
        E::Null(_) => out.push_str("null"),
        E::Bool(value) => put(out, format_args!("{}", value.value())),
        E::Number(value) => put(out, format_args!("{:?}", value.value().as_f64())),
        E::String(value) => put(out, format_args!("{:?}@{range:?}", value.value())),
        E::StringTemplate(template) => dump_their_parts(template.iter(), out),
        E::HeredocTemplate(heredoc) => dump_their_parts(heredoc.template.iter(), out),
        E::Array(items) => {
            let _ = write!(out, "@{range:?}[");
            for item in items {
                dump_theirs(item, out);
                out.push_str(", ");
            }
            out.push(']');
        }
        E::Object(items) => {
            let _ = write!(out, "@{range:?}{{");
            for (key, value) in items {
                match key {
                    theirs::ObjectKey::Ident(name) => out.push_str(name.as_str()),
                    theirs::ObjectKey::Expression(E::Variable(name)) => out.push_str(name.as_str()),
                    theirs::ObjectKey::Expression(key) => dump_theirs(key, out),
                }
                out.push_str(": ");
                dump_theirs(value.expr(), out);
                out.push_str(", ");
            }
            out.push('}');
        }
        E::Variable(name) => put(out, format_args!("{}@{range:?}", name.as_str())),
        E::Traversal(inner) => dump_their_traversal(inner, out),
        E::FuncCall(call) => {
            let _ = write!(out, "@{range:?}");
            for namespace in &call.name.namespace {
                let _ = write!(out, "{}::", namespace.as_str());
            }
            let _ = write!(out, "{}(", call.name.name.as_str());
            for argument in call.args.iter() {
                dump_theirs(argument, out);
                out.push_str(", ");
            }
            out.push_str(if call.args.expand_final() {
                "...)"
            } else {
                ")"
            });
        }
        E::Parenthesis(inner) => {
            out.push('(');
            dump_theirs(inner.inner(), out);
            out.push(')');
        }
        E::Conditional(inner) => {
            dump_theirs(&inner.cond_expr, out);
            out.push_str(" ? ");
            dump_theirs(&inner.true_expr, out);
            out.push_str(" : ");
            dump_theirs(&inner.false_expr, out);
        }
        E::UnaryOp(inner) => {
            let not = *inner.operator.value() == theirs::UnaryOperator::Not;
            out.push(if not { '!' } else { '-' });
            dump_theirs(&inner.expr, out);
        }
        E::BinaryOp(inner) => dump_their_operation(inner, out),
        E::ForExpr(inner) => dump_their_for(inner, out),
    }
}

fn dump_their_operation(inner: &theirs::BinaryOp, out: &mut String) {
    out.push('<');
    dump_theirs(&inner.lhs_expr, out);
    let _ = write!(out, " {} ", inner.operator.value());
    dump_theirs(&inner.rhs_expr, out);
    out.push('>');
}

fn dump_their_traversal(inner: &theirs::Traversal, out: &mut String) {
    dump_theirs(&inner.expr, out);
    for operator in &inner.operators {
        match operator.value() {
            theirs::TraversalOperator::AttrSplat(_) => out.push_str(".*"),
            theirs::TraversalOperator::FullSplat(_) => out.push_str("[*]"),
            theirs::TraversalOperator::GetAttr(name) => {
                put(out, format_args!(".{}", name.as_str()));
            }
            theirs::TraversalOperator::LegacyIndex(index) => {
                put(out, format_args!(".{}", index.value()));
            }
            theirs::TraversalOperator::Index(index) => {
                out.push('[');
                dump_theirs(index, out);
                out.push(']');
            }
        }
    }
}

fn dump_their_for(inner: &theirs::ForExpr, out: &mut String) {
    out.push_str("for ");
    if let Some(key) = &inner.intro.key_var {
        let _ = write!(out, "{},", key.as_str());
    }
    let _ = write!(out, "{} in ", inner.intro.value_var.as_str());
    dump_theirs(&inner.intro.collection_expr, out);
    out.push(':');
    if let Some(key) = &inner.key_expr {
        dump_theirs(key, out);
        out.push_str("=>");
    }
    dump_theirs(&inner.value_expr, out);
    out.push_str(if inner.grouping { "..." } else { "" });
    if let Some(condition) = &inner.cond {
        out.push_str(" if ");
        dump_theirs(&condition.expr, out);
    }
}

fn dump_their_parts<'a>(parts: impl Iterator<Item = &'a Element>, out: &mut String) {
    for part in parts {
        match part {
            Element::Literal(_) => {}
            Element::Interpolation(inner) => {
                out.push_str("${");
                dump_theirs(&inner.expr, out);
                out.push('}');
            }
            Element::Directive(directive) => dump_their_directive(directive, out),
        }
    }
}

fn dump_their_directive(directive: &Directive, out: &mut String) {
    match directive {
        Directive::If(inner) => {
            out.push_str("%{if ");
            dump_theirs(&inner.if_expr.cond_expr, out);
            out.push('}');
            dump_their_parts(inner.if_expr.template.iter(), out);
            out.push_str("%{else}");
            if let Some(no) = &inner.else_expr {
                dump_their_parts(no.template.iter(), out);
            }
            out.push_str("%{endif}");
        }
        Directive::For(inner) => {
            out.push_str("%{for ");
            dump_theirs(&inner.for_expr.collection_expr, out);
            out.push('}');
            dump_their_parts(inner.for_expr.template.iter(), out);
            out.push_str("%{endfor}");
        }
    }
}
