//! `pointsman inspect terraform`: what pointsman sees in a module, or what an expression comes to in it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::check::{self, Input, Options, Standing};
use crate::model::spec::Spec;
use crate::ports::{FileFault, FileKind, Files};
use crate::report::{Format, module};
use crate::syntax::hcl;
use crate::terraform::{Evaluator, Known, Module};
use crate::text::SourceMap;

use super::exit::{AppError, Exit};
use super::module_files;
use super::spec::{Found, SpecChoice, find};
use super::validate::normal;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The module's folder; without one it is the spec's, or the working directory where there is no spec.
    pub folder: Option<String>,
    /// The spec, which says what the account is.
    pub spec: SpecChoice,
    /// The working directory as an absolute path; a path that is written so is counted from it.
    pub here: String,
    /// An expression to evaluate instead.
    pub expression: Option<String>,
    /// Whether the answer is JSON.
    pub as_json: bool,
}

/// Writes what is asked for to `out`. An expression that is an error ends with 1, one that is not known with 4; so does a
/// module of which a file could not be read.
///
/// # Errors
/// When there is no such folder, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let (spec, sources) = match spec(request, files)? {
        Some((spec, sources)) => (Some(spec), sources),
        None => (None, SourceMap::default()),
    };
    let of_spec = || spec.as_ref().map(|spec| spec.artefacts.terraform.clone());
    let named = request.folder.clone().or_else(of_spec);
    let named = named.unwrap_or_else(|| ".".to_owned());
    let folder = normal(&named, &request.here);
    if !folder.is_empty() && files.kind(&folder) != Some(FileKind::Folder) {
        let missing = files.kind(&folder).is_none();
        return Err(AppError::Files(FileFault {
            path: named,
            reason: if missing {
                "there is no such folder".to_owned()
            } else {
                "is a file; a module is a folder".to_owned()
            },
            missing,
        }));
    }
    let mut inputs = inputs(&folder, files);
    if request
        .expression
        .as_ref()
        .is_some_and(|written| written.contains("file"))
    {
        add_data(&mut inputs, &folder, files);
    }
    module_files::add(&mut inputs, files);
    let known = spec.as_ref().map(check::known).unwrap_or_default();
    let mut loaded = check::load(sources, spec, inputs, Options::default());
    loaded.undecided.append(&mut loaded.unresolved);
    if let Some(written) = &request.expression {
        let known = (folder.as_str(), &known);
        return evaluate(loaded, known, written, request.as_json, out);
    }
    let Some(declared) = loaded
        .workspace
        .modules
        .iter()
        .find(|module| module.folder == folder)
    else {
        let hint = "a module is a folder with files that end in `.tf` or `.tf.json`";
        let message = format!("there is no Terraform in `{named}`");
        return Err(AppError::usage(message, hint));
    };
    if request.as_json {
        let (undecided, unread) = (&loaded.undecided, &loaded.unread);
        module::write_json(declared, undecided, unread, &loaded.sources, out)?;
    } else {
        module::write_human(declared, &loaded.undecided, out)?;
        for unread in &loaded.unread {
            writeln!(out, "unread  {}: {}", unread.path, unread.reason)?;
        }
    }
    Ok(if loaded.unread.is_empty() {
        Exit::Clean
    } else {
        Exit::Unread
    })
}

/// The spec, if there is one that is right. One that is wrong says nothing of the account, and only where it was asked for
/// does that end the run.
fn spec(request: &Request, files: &dyn Files) -> Result<Option<(Spec, SourceMap)>, AppError> {
    let format = Format::Human { colour: false };
    match find(&request.spec, files, format, &mut io::sink())? {
        Found::Read(spec, sources) => Ok(Some((spec.in_folder(&request.spec.folder()), sources))),
        Found::Wrong if request.folder.is_none() || request.spec != SpecChoice::Usual => {
            Err(AppError::usage(
                "the spec is wrong, so that it does not say where its module is",
                "`pointsman validate` shows what is wrong with it; or name the module's folder",
            ))
        }
        Found::Wrong | Found::Settings(..) | Found::Absent => Ok(None),
    }
}

/// The files of the module itself.
fn inputs(folder: &str, files: &dyn Files) -> Vec<Input> {
    let (paths, _) = files.walk(folder, true);
    let of_module = paths.into_iter().filter(|path| {
        let (beside, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.strip_suffix(".json").unwrap_or(name);
        beside == folder && (stem.ends_with(".tf") || stem.ends_with(".tfvars"))
    });
    let read = of_module.map(|path| Input {
        bytes: files.read_found(&path).map_err(|fault| fault.reason),
        path,
        standing: Standing::Found,
    });
    read.collect()
}

/// How many files of a module are read for an expression that may name any of them.
const MOST_FILES: usize = 10_000;

/// The other files of the module: what is asked may read any of them.
fn add_data(inputs: &mut Vec<Input>, folder: &str, files: &dyn Files) {
    let (paths, _) = files.walk(folder, true);
    let there: BTreeSet<String> = inputs.iter().map(|input| input.path.clone()).collect();
    let links = module_files::links_below(&BTreeSet::from([folder]), inputs, files);
    let not_followed: BTreeSet<&str> = links.iter().map(|link| link.path.as_str()).collect();
    let leads_nowhere = |path: &String| files.is_link(path) && files.kind(path).is_none();
    let others = paths.into_iter().filter(|path| {
        !there.contains(path) && !not_followed.contains(path.as_str()) && !leads_nowhere(path)
    });
    let others: Vec<String> = others.collect();
    inputs.extend(links);
    inputs.extend(others.into_iter().take(MOST_FILES).map(|path| Input {
        bytes: files.read_found(&path).map_err(|fault| fault.reason),
        path,
        standing: Standing::Data,
    }));
}

fn evaluate(
    mut loaded: check::Loaded,
    (folder, known): (&str, &Known),
    written: &str,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let file = loaded.sources.add("<expression>", written);
    let library = loaded.library;
    let empty = Module {
        folder: folder.to_owned(),
        ..Module::default()
    };
    let module = library.modules.get(folder).unwrap_or(&empty);
    let text = loaded.sources.text(file);
    let expression = text.map(|text| hcl::read_expression(&text));
    let value = match expression {
        Some(Ok(expression)) => {
            let mut evaluator = Evaluator::new(module, known).beside(&library);
            evaluator.console(&expression)
        }
        Some(Err(fault)) => Err(fault),
        None => return Ok(Exit::Unread),
    };
    module::write_value(&value, as_json, out)?;
    Ok(match value {
        Err(_) => Exit::Findings,
        Ok(value) if value.any_hole().is_some() => Exit::Unread,
        Ok(_) => Exit::Clean,
    })
}
