//! Terraform's functions, one family a file. A function that is not here makes its result unknown, by its name.

mod collection;
mod convert;
mod date;
mod digest;
mod encoding;
mod files;
mod format;
mod network;
mod number;
mod regular;
mod set;
mod text;
mod yaml;

pub(super) use convert::from_node;

use crate::syntax::hcl::{Call, Expression};
use crate::syntax::{Part, Unknown};
use crate::text::{Span, nearest};

use super::Eval;
use super::evaluate::{Evaluator, MAX_STEPS};
use super::failure::{fault, limit};
use super::policy_text::parts;
use super::value::{Sequence, Value, ValueKind, merged};

/// A function of evaluated arguments.
type Function = fn(&Arguments) -> Eval<Value>;

/// The arguments of a call, the bytes of the call, and how many steps its result may take.
struct Arguments {
    values: Vec<Value>,
    span: Span,
    room: usize,
}

impl Arguments {
    fn get(&self, at: usize) -> Eval<&Value> {
        self.values
            .get(at)
            .ok_or_else(|| fault(self.span, "this function needs more arguments"))
    }

    /// Refuses a result of `parts` values or pieces and `bytes` of text that is larger than what is left of the bound on
    /// work: it must be known before the result is made.
    fn afford(&self, parts: usize, bytes: usize) -> Eval<()> {
        if parts.saturating_add(bytes / 16) > self.room {
            let reason = format!(
                "the result of this function is too large: evaluating this takes more than {MAX_STEPS} steps"
            );
            return Err(limit(self.span, reason));
        }
        Ok(())
    }

    /// The result, made at the call.
    fn result(&self, kind: ValueKind) -> Value {
        Value::new(kind, self.span)
    }
}

/// What a function takes.
struct Signature {
    function: Function,
    least: usize,
    most: usize,
    /// Whether the function looks at unknown arguments itself; otherwise one makes the result unknown.
    sees_unknown: bool,
}

fn signature(name: &str) -> Option<Signature> {
    let families = [
        collection::signature,
        convert::signature,
        date::signature,
        encoding::signature,
        files::signature,
        format::signature,
        network::signature,
        number::signature,
        regular::signature,
        set::signature,
        text::signature,
        yaml::signature,
    ];
    families.iter().find_map(|family| family(name))
}

const fn takes(least: usize, most: usize, function: Function) -> Signature {
    Signature {
        function,
        least,
        most,
        sees_unknown: false,
    }
}

const fn sees(least: usize, most: usize, function: Function) -> Signature {
    Signature {
        function,
        least,
        most,
        sees_unknown: true,
    }
}

/// Evaluates a call.
pub(super) fn call(evaluator: &mut Evaluator<'_>, call: &Call, span: Span) -> Eval<Value> {
    let name = call.name.as_str();
    let name = name.strip_prefix("core::").unwrap_or(name);
    match name {
        "try" => return attempt(evaluator, &call.arguments, span),
        "can" => return can(evaluator, &call.arguments, span),
        "list" | "map" => {
            let reason = format!("`{name}` was taken out of Terraform; write `to{name}(…)`");
            return Err(fault(span, reason));
        }
        _ => {}
    }
    if let Some(done) = files::call(evaluator, call, name, span) {
        return done;
    }
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(evaluator.argument(argument)?);
    }
    if call.expands
        && let Some(unknown) = expand(&mut values, span)?
    {
        return Ok(unknown);
    }
    let holes = merged(values.iter().filter_map(Value::any_hole));
    let Some(signature) = signature(name) else {
        return not_here(name, holes, span);
    };
    if values.len() < signature.least || values.len() > signature.most {
        let count = values.len();
        let reason = format!("`{name}` does not take {count} arguments");
        return Err(fault(span, reason));
    }
    if !signature.sees_unknown
        && let Some(unknown) = merged(values.iter().filter_map(Value::hole))
    {
        return Ok(Value::new(ValueKind::Unknown(unknown), span));
    }
    let room = evaluator.room();
    let result = (signature.function)(&Arguments { values, span, room })?;
    evaluator.charge_for(&result)?;
    Ok(result)
}

/// Functions of Terraform that give another value in each run.
const CHANGING: [&str; 4] = ["bcrypt", "plantimestamp", "timestamp", "uuid"];

/// Functions of Terraform that are not evaluated here.
const NOT_EVALUATED: [&str; 3] = ["base64gzip", "issensitive", "rsadecrypt"];

/// A function that is not here: one that Terraform has makes its result unknown, any other is an error. Which ones a
/// provider has is not known.
fn not_here(name: &str, holes: Option<Unknown>, span: Span) -> Eval<Value> {
    let why = if CHANGING.contains(&name) {
        format!("`{name}()` gives another value in each run")
    } else if NOT_EVALUATED.contains(&name) || name.contains("::") {
        format!("the function `{name}` is not evaluated")
    } else {
        let others = CHANGING.into_iter().chain(NOT_EVALUATED);
        let meant = match nearest(name, NAMES.into_iter().chain(others)) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        return Err(fault(
            span,
            format!("Terraform has no function `{name}`{meant}"),
        ));
    };
    let mut missing = vec![format!("{name}()")];
    missing.extend(holes.into_iter().flat_map(|unknown| unknown.missing));
    Ok(Value::unknown(why, missing, span))
}

/// Replaces the last argument by its elements; gives the result where that is unknown.
fn expand(values: &mut Vec<Value>, span: Span) -> Eval<Option<Value>> {
    let Some(last) = values.pop() else {
        return Ok(None);
    };
    match last.kind {
        ValueKind::Sequence(_, items) => {
            values.extend(items);
            Ok(None)
        }
        ValueKind::Unknown(unknown) => Ok(Some(Value::new(ValueKind::Unknown(unknown), span))),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Mapping(..)
        | ValueKind::Partial(_) => Err(fault(last.span(), "`...` stands behind a list alone")),
    }
}

/// The first argument without an error. What is not known may be an error yet, so it ends the search.
fn attempt(evaluator: &mut Evaluator<'_>, arguments: &[Expression], span: Span) -> Eval<Value> {
    let possible = |value: &Value| -> Vec<Part> {
        let parts = parts(value).into_iter();
        parts.map(|part| part.possible(None)).collect()
    };
    for (at, argument) in arguments.iter().enumerate() {
        let value = match evaluator.argument(argument) {
            Err(failure) if failure.is_caught() => continue,
            value => value?,
        };
        let Some(mut unknown) = value.any_hole() else {
            return Ok(value);
        };
        // It, or where it turns out to be an error, what stands behind it.
        unknown.hold(possible(&value));
        for other in arguments.iter().skip(at + 1) {
            if let Ok(other) = evaluator.argument(other) {
                unknown.hold(possible(&other));
            }
        }
        return Ok(Value::new(ValueKind::Unknown(unknown), span));
    }
    Err(fault(span, "every argument of `try` is an error"))
}

fn can(evaluator: &mut Evaluator<'_>, arguments: &[Expression], span: Span) -> Eval<Value> {
    let [argument] = arguments else {
        return Err(fault(span, "`can` takes one argument"));
    };
    Ok(match evaluator.argument(argument) {
        Ok(value) => match value.any_hole() {
            Some(unknown) => Value::new(ValueKind::Unknown(unknown), span),
            None => Value::new(ValueKind::Bool(true), span),
        },
        Err(failure) if failure.is_caught() => Value::new(ValueKind::Bool(false), span),
        Err(failure) => return Err(failure),
    })
}

/// The elements of a list, set or tuple.
fn items<'a>(value: &'a Value, name: &str) -> Eval<&'a [Value]> {
    match &value.kind {
        ValueKind::Sequence(_, items) => Ok(items),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Text(_)
        | ValueKind::Encoded(..)
        | ValueKind::Mapping(..)
        | ValueKind::Partial(_)
        | ValueKind::Unknown(_) => Err(fault(
            value.span(),
            format!(
                "`{name}` takes a list, but {} stands here",
                value.kind_name()
            ),
        )),
    }
}

/// A list where all elements have one type already, a tuple else.
fn list_or_tuple(items: Vec<Value>, lists: bool) -> ValueKind {
    let kind = if lists {
        Sequence::List
    } else {
        Sequence::Tuple
    };
    ValueKind::Sequence(kind, items)
}

/// The functions that are evaluated (`terraform metadata functions`, version 1.11).
const NAMES: [&str; 111] = [
    "abs",
    "abspath",
    "alltrue",
    "anytrue",
    "base64decode",
    "base64encode",
    "base64sha256",
    "base64sha512",
    "basename",
    "can",
    "ceil",
    "chomp",
    "chunklist",
    "cidrhost",
    "cidrnetmask",
    "cidrsubnet",
    "cidrsubnets",
    "coalesce",
    "coalescelist",
    "compact",
    "concat",
    "contains",
    "csvdecode",
    "dirname",
    "distinct",
    "element",
    "endswith",
    "ephemeralasnull",
    "file",
    "filebase64",
    "filebase64sha256",
    "filebase64sha512",
    "fileexists",
    "filemd5",
    "fileset",
    "filesha1",
    "filesha256",
    "filesha512",
    "flatten",
    "floor",
    "format",
    "formatdate",
    "formatlist",
    "indent",
    "index",
    "join",
    "jsondecode",
    "jsonencode",
    "keys",
    "length",
    "log",
    "lookup",
    "lower",
    "matchkeys",
    "max",
    "md5",
    "merge",
    "min",
    "nonsensitive",
    "one",
    "parseint",
    "pathexpand",
    "pow",
    "range",
    "regex",
    "regexall",
    "replace",
    "reverse",
    "sensitive",
    "setintersection",
    "setproduct",
    "setsubtract",
    "setunion",
    "sha1",
    "sha256",
    "sha512",
    "signum",
    "slice",
    "sort",
    "split",
    "startswith",
    "strcontains",
    "strrev",
    "substr",
    "sum",
    "templatefile",
    "templatestring",
    "textdecodebase64",
    "textencodebase64",
    "timeadd",
    "timecmp",
    "title",
    "tobool",
    "tolist",
    "tomap",
    "tonumber",
    "toset",
    "tostring",
    "transpose",
    "trim",
    "trimprefix",
    "trimspace",
    "trimsuffix",
    "try",
    "upper",
    "urlencode",
    "uuidv5",
    "values",
    "yamldecode",
    "yamlencode",
    "zipmap",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_terraform_is_evaluated_or_named_as_one_that_is_not() {
        for name in NAMES {
            let lazy = ["try", "can"].contains(&name) || files::reads(name);
            assert!(lazy || signature(name).is_some(), "{name}");
        }
        for name in CHANGING.into_iter().chain(NOT_EVALUATED) {
            assert!(signature(name).is_none(), "{name}");
        }
    }
}
