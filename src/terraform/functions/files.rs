//! Files that lie beside a module, and templates. Nothing outside of the module is read, and no link is followed.

use std::collections::BTreeMap;

use globset::GlobBuilder;
use sha2::{Digest as _, Sha256, Sha512};

use super::digest::{hex, md5, sha1};
use super::encoding::base64;
use super::{Signature, takes};
use crate::syntax::hcl::{self, Call, Expression, Form};
use crate::terraform::evaluate::{Evaluator, text_at};
use crate::terraform::failure::fault;
use crate::terraform::library::joined;
use crate::terraform::types::{set_of, to_text};
use crate::terraform::value::{Value, ValueKind};
use crate::terraform::{DataFile, Eval, Library};
use crate::text::{Span, Text, quoted};

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "basename" => takes(1, 1, |given| {
            let text = given.text(0)?;
            let path = text.as_str().trim_end_matches('/');
            let start = path.rfind('/').map_or(0, |at| at + 1);
            match (path.is_empty(), text.as_str().is_empty()) {
                (true, true) => Ok(given.made(".")),
                (true, false) => Ok(given.made("/")),
                (false, _) => Ok(Value::text(given.cut(&text, start, path.len()))),
            }
        }),
        "dirname" => takes(1, 1, |given| {
            let text = given.text(0)?;
            let folder = text
                .as_str()
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder);
            Ok(given.made(&cleaned(folder, text.as_str().starts_with('/'))))
        }),
        "abspath" => takes(1, 1, |given| {
            let text = given.text(0)?;
            if text.as_str().starts_with('/') {
                return Ok(given.made(&cleaned(text.as_str(), true)));
            }
            Ok(given.not_evaluated("the folder that Terraform runs in"))
        }),
        "pathexpand" => takes(1, 1, |given| {
            let text = given.text(0)?;
            if text.as_str().starts_with('~') {
                return Ok(given.not_evaluated("the home folder"));
            }
            Ok(Value::text(text))
        }),
        _ => return None,
    })
}

/// A path without `.`, `x/..` and doubled slashes.
fn cleaned(path: &str, absolute: bool) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path
        .split('/')
        .filter(|step| !step.is_empty() && *step != ".")
    {
        if step == ".." && steps.last().is_some_and(|last| *last != "..") {
            steps.pop();
        } else if step != ".." || !absolute {
            steps.push(step);
        }
    }
    match (absolute, steps.is_empty()) {
        (true, _) => format!("/{}", steps.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => steps.join("/"),
    }
}

/// What a function makes of the bytes of a file.
type OfBytes = fn(&[u8]) -> String;

/// Functions that are evaluated with what lies beside the module.
enum OfFile {
    Text,
    Bytes(OfBytes),
    Exists,
    Set,
    Template,
    TemplateText,
}

fn of_file(name: &str) -> Option<OfFile> {
    Some(match name {
        "file" => OfFile::Text,
        "filebase64" => OfFile::Bytes(base64),
        "filemd5" => OfFile::Bytes(|bytes| hex(&md5(bytes))),
        "filesha1" => OfFile::Bytes(|bytes| hex(&sha1(bytes))),
        "filesha256" => OfFile::Bytes(|bytes| hex(&Sha256::digest(bytes))),
        "filesha512" => OfFile::Bytes(|bytes| hex(&Sha512::digest(bytes))),
        "filebase64sha256" => OfFile::Bytes(|bytes| base64(&Sha256::digest(bytes))),
        "filebase64sha512" => OfFile::Bytes(|bytes| base64(&Sha512::digest(bytes))),
        "fileexists" => OfFile::Exists,
        "fileset" => OfFile::Set,
        "templatefile" => OfFile::Template,
        "templatestring" => OfFile::TemplateText,
        _ => return None,
    })
}

/// Whether a function of this name reads files or templates.
#[cfg(test)]
pub(super) fn reads(name: &str) -> bool {
    of_file(name).is_some()
}

/// The call of a function that reads files or templates; `None` where it is none.
pub(super) fn call(
    evaluator: &mut Evaluator<'_>,
    call: &Call,
    name: &str,
    span: Span,
) -> Option<Eval<Value>> {
    let function = of_file(name)?;
    Some(evaluator.of_file(&function, call, span))
}

/// Whether it is a file of the module: its path, or what stands there instead.
enum Found<'m> {
    File(&'m DataFile),
    Nothing(Value),
    Missing(String),
}

impl<'m> Evaluator<'m> {
    fn of_file(&mut self, function: &OfFile, call: &Call, span: Span) -> Eval<Value> {
        let mut values = Vec::new();
        for argument in &call.arguments {
            values.push(self.argument(argument)?);
        }
        let wanted = match function {
            OfFile::Set | OfFile::Template | OfFile::TemplateText => 2,
            OfFile::Text | OfFile::Bytes(_) | OfFile::Exists => 1,
        };
        if values.len() != wanted || call.expands {
            let count = values.len();
            let reason = format!("`{}` does not take {count} arguments", call.name.as_str());
            return Err(fault(span, reason));
        }
        let first = values.remove(0);
        if let Some(unknown) = first.hole() {
            return Ok(Value::new(ValueKind::Unknown(unknown), span));
        }
        let text = to_text(&first)?.as_text();
        let text =
            text.ok_or_else(|| fault(first.span(), "null stands here, but a string is expected"))?;
        match (function, values.pop()) {
            (OfFile::TemplateText, Some(vars)) => {
                let first = call.arguments.first();
                let refers = first.is_some_and(|first| match &first.form {
                    Form::Variable(_) => true,
                    Form::Traversal(base, _) => matches!(base.form, Form::Variable(_)),
                    Form::Null
                    | Form::Bool(_)
                    | Form::Number(_)
                    | Form::Template(_)
                    | Form::List(_)
                    | Form::Object(_)
                    | Form::Call(_)
                    | Form::Parens(_)
                    | Form::Conditional(_)
                    | Form::Unary(..)
                    | Form::Operation(..)
                    | Form::For(_) => false,
                });
                if !refers {
                    let reason = "`templatestring` takes a reference to one string, such as `local.template`; write a template that stands here as a string";
                    return Err(fault(span, reason));
                }
                self.rendered(&text, vars, span)
            }
            (OfFile::Set, Some(pattern)) => self.file_set(&text, &pattern, span),
            (function, vars) => match self.file(&text, span)? {
                Found::Nothing(value) => Ok(value),
                Found::Missing(_) if matches!(function, OfFile::Exists) => {
                    Ok(Value::new(ValueKind::Bool(false), span))
                }
                Found::Missing(reason) => Err(fault(span, reason)),
                Found::File(file) => self.made_of(function, file, vars, &text, span),
            },
        }
    }

    /// What a function makes of a file that is there.
    fn made_of(
        &mut self,
        function: &OfFile,
        file: &DataFile,
        vars: Option<Value>,
        path: &Text,
        span: Span,
    ) -> Eval<Value> {
        match (function, file, vars) {
            (_, DataFile::Link(reason), _) => Ok(absent(reason, path.as_str(), span)),
            (OfFile::Exists, _, _) => Ok(Value::new(ValueKind::Bool(true), span)),
            (_, DataFile::Absent(reason), _) => Ok(absent(reason, path.as_str(), span)),
            (OfFile::Bytes(make), DataFile::Text(content), _) => {
                let made = make(content.as_str().as_bytes());
                Ok(Value::text(text_at(&made, span)))
            }
            (OfFile::Bytes(make), DataFile::Bytes(bytes), _) => {
                Ok(Value::text(text_at(&make(bytes), span)))
            }
            (OfFile::Text, DataFile::Text(content), _) => Ok(Value::text(content.clone())),
            (OfFile::Template, DataFile::Text(template), Some(vars)) => {
                self.templates.insert(template.span().file);
                self.rendered(template, vars, span)
            }
            (OfFile::Text | OfFile::Template, DataFile::Bytes(_), _) => Err(fault(
                span,
                format!("{} is no UTF-8", quoted(path.as_str())),
            )),
            (OfFile::Template | OfFile::TemplateText | OfFile::Set, _, _) => {
                Err(fault(span, "this function needs more arguments"))
            }
        }
    }

    /// The file that `path` leads to.
    fn file(&mut self, path: &Text, span: Span) -> Eval<Found<'m>> {
        let written = path.as_str();
        let Some(library) = self.library else {
            let why = format!(
                "{} is a file, and only the module's own text is here",
                quoted(written)
            );
            return Ok(Found::Nothing(Value::unknown(why, Vec::new(), span)));
        };
        let Some(full) = self.inside(written) else {
            let why = format!(
                "{} lies outside of the module, where nothing is read",
                quoted(written)
            );
            return Ok(Found::Nothing(Value::unknown(
                why,
                vec![written.to_owned()],
                span,
            )));
        };
        let found = library.files.get(&full);
        let size = match found {
            Some(DataFile::Text(text)) => text.as_str().len(),
            Some(DataFile::Bytes(bytes)) => bytes.len(),
            Some(DataFile::Absent(_) | DataFile::Link(_)) | None => 0,
        };
        self.charge_bytes(size, span)?;
        if let Some(file) = found {
            return Ok(Found::File(file));
        }
        if let Some((link, reason)) = behind_link(library, &full) {
            let value = absent(
                &format!("lies behind a link: {} {reason}", quoted(link)),
                written,
                span,
            );
            return Ok(Found::Nothing(value));
        }
        let folder = format!("{full}/");
        let mut below = library.files.range(folder.clone()..);
        if below
            .next()
            .is_some_and(|(path, _)| path.starts_with(&folder))
        {
            let reason = format!("{} is a folder, not a file", quoted(written));
            return Err(fault(span, reason));
        }
        self.misses(full);
        Ok(Found::Missing(format!(
            "there is no file {}",
            quoted(written)
        )))
    }

    /// `path` as it is shown, where it lies below the module that is applied or below the one that names it.
    fn inside(&self, path: &str) -> Option<String> {
        let (root, own) = (self.root_folder(), self.module().folder.as_str());
        if path.starts_with(['/', '~']) {
            return None;
        }
        let full = joined(root, path)?;
        let below = |folder: &str| {
            let rest = full.strip_prefix(folder);
            folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
        };
        // `a/../..` leads out although it may come back.
        let mut depth = 0_i32;
        let leaves = path.split('/').any(|step| {
            depth += match step {
                "" | "." => 0,
                ".." => -1,
                _ => 1,
            };
            depth < 0
        });
        let from_own = !leaves || below(own) && own != root;
        (from_own && (below(root) || below(own))).then_some(full)
    }

    /// The files below a folder whose paths fit a pattern.
    fn file_set(&mut self, folder: &Text, pattern: &Value, span: Span) -> Eval<Value> {
        if let Some(unknown) = pattern.hole() {
            return Ok(Value::new(ValueKind::Unknown(unknown), span));
        }
        let pattern = to_text(pattern)?.as_text();
        let pattern = pattern.ok_or_else(|| fault(span, "null is no pattern"))?;
        let inner = format!("{}/x", folder.as_str());
        let full = self
            .inside(&inner)
            .and_then(|full| full.strip_suffix('x').map(str::to_owned));
        let (Some(library), Some(full)) = (self.library, full) else {
            let why = format!("the files below {} are not here", quoted(folder.as_str()));
            return Ok(Value::unknown(why, vec![folder.as_str().to_owned()], span));
        };
        if let Some((link, reason)) = link_below(library, &full, pattern.as_str()) {
            let why = format!("{} {reason}", quoted(link));
            return Ok(Value::unknown(why, vec![link.to_owned()], span));
        }
        let glob = GlobBuilder::new(pattern.as_str())
            .literal_separator(true)
            .build();
        let glob = glob.map_err(|_error| {
            fault(
                span,
                format!("{} is no pattern of paths", quoted(pattern.as_str())),
            )
        })?;
        let matcher = glob.compile_matcher();
        self.charge_bytes(library.files.len().saturating_mul(16), span)?;
        let paths = library.files.keys();
        let below = paths.filter_map(|path| path.strip_prefix(full.as_str()));
        let found = below.filter(|path| matcher.is_match(path));
        let found = found.map(|path| Value::text(text_at(path, span))).collect();
        set_of(found, &Value::new(ValueKind::Null, span))
    }

    /// The template with these variables and nothing else in scope.
    fn rendered(&mut self, template: &Text, vars: Value, span: Span) -> Eval<Value> {
        let entries = match vars.kind {
            ValueKind::Mapping(_, entries) => entries,
            ValueKind::Unknown(unknown) => {
                return Ok(Value::new(ValueKind::Unknown(unknown), span));
            }
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Number(_)
            | ValueKind::Text(_)
            | ValueKind::Encoded(..)
            | ValueKind::Sequence(..)
            | ValueKind::Partial(_) => {
                return Err(fault(
                    vars.span(),
                    "the variables of a template are an object",
                ));
            }
        };
        let parsed = hcl::read_template(template).map_err(|found| Box::new(found.into()))?;
        let names: BTreeMap<String, Value> = entries
            .into_iter()
            .map(|(key, value)| (key.as_str().to_owned(), value))
            .collect();
        let expression = Expression {
            span: template.span(),
            form: Form::Template(parsed),
        };
        self.sealed(names.into_iter().collect(), span, |evaluator| {
            evaluator.argument(&expression)
        })
    }
}

/// What is not known because of what stands at `path`.
fn absent(reason: &str, written: &str, span: Span) -> Value {
    let why = format!("{} {reason}", quoted(written));
    Value::unknown(why, vec![written.to_owned()], span)
}

/// The link that `full` lies behind, and why it is not followed.
fn behind_link<'m>(library: &'m Library, full: &str) -> Option<(&'m str, &'m str)> {
    let ends = full.match_indices('/').map(|(at, _)| at);
    let mut above = ends.filter_map(|end| library.files.get_key_value(full.get(..end)?));
    above.find_map(|(path, file)| Some((path.as_str(), file.as_link()?)))
}

/// A link in the folder `full`, with a `/` behind it, that the pattern may lead into; or one that the folder lies behind.
fn link_below<'m>(library: &'m Library, full: &str, pattern: &str) -> Option<(&'m str, &'m str)> {
    let steps = |path: &str| path.matches('/').count();
    let within = library.files.range(full.to_owned()..);
    let mut within = within.take_while(|(path, _)| path.starts_with(full));
    let met = within.find_map(|(path, file)| {
        let inner = path.get(full.len()..)?;
        let reaches = pattern.contains("**") || steps(pattern) >= steps(inner);
        Some((path.as_str(), file.as_link().filter(|_| reaches)?))
    });
    met.or_else(|| behind_link(library, full))
}
