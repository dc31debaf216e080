//! What can be typed behind `simulate`, and what comes of it.

use std::io::{self, Read as _, Write};

use clap::{Args, Subcommand, ValueEnum};

#[cfg(feature = "aws")]
use crate::adapters::AwsSimulator;
use crate::adapters::DiskFiles;
use crate::app::simulate::{self, Answers, Engine};
use crate::app::why::{self, RequestSource};
use crate::app::{AppError, Exit};
use crate::diag::Severity;
use crate::ports::PolicySimulator;

use super::args::{FormatArg, words};
use super::format;

/// How much of standard input is read; more than the largest request is told there.
const MAX_INPUT: u64 = 16 * 1024 * 1024;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Exit status: 0 every case as expected, 1 a case otherwise or the engines differ, 2 wrong usage, 3 a file that is not there \
or AWS cannot be asked, 4 a table, policy or case that could not be read or decided")]
pub(super) struct SimulateArgs {
    #[command(subcommand)]
    command: Option<SimulateCommand>,
    /// Tables of cases, in TOML or JSON [default: policies/cases.toml]
    cases: Vec<String>,
    /// Fail a case whose request leaves out a key that the policies ask for, unless its `absent` list names it
    #[arg(long)]
    strict_context: bool,
    /// Who decides [default: local; aws with --record or --replay]
    #[arg(long, value_enum)]
    engine: Option<EngineArg>,
    /// Keep AWS's answers in this file
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<String>,
    /// Take AWS's answers from this file, and ask nobody
    #[arg(long, value_name = "FILE")]
    replay: Option<String>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json", "github", "junit"]))]
    format: Option<FormatArg>,
}

#[derive(Debug, Subcommand)]
enum SimulateCommand {
    /// Explain one decision: why, the smallest edit that would allow it, and what else that would allow
    Why(WhyArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 explained, 2 no policy or no request, 3 a file that is not there, 4 the policy leaves the decision open")]
struct WhyArgs {
    /// The policy, in JSON
    policy: String,
    /// The request, in JSON or TOML: `action`, `resource`, and `context` or `change_batch`; or a case; `-` is standard
    /// input
    request: String,
    /// The case, where REQUEST is a table of cases
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    format: Option<FormatArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineArg {
    /// The evaluator in this program; nothing is contacted
    Local,
    /// AWS's policy simulator (needs the feature `aws`)
    Aws,
    /// Both; every difference is told
    Both,
}

/// Runs `simulate`.
pub(super) fn run(
    args: &SimulateArgs,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    if let Some(SimulateCommand::Why(args)) = &args.command {
        return explain(args, files, out);
    }
    let answers = match (&args.record, &args.replay) {
        (Some(path), _) => Answers::Recorded(path.clone()),
        (None, Some(path)) => Answers::Replayed(path.clone()),
        (None, None) => Answers::Live,
    };
    let engine = match args.engine {
        Some(EngineArg::Aws) => Engine::Aws,
        Some(EngineArg::Both) => Engine::Both,
        None if answers != Answers::Live => Engine::Aws,
        None => Engine::Local,
        Some(EngineArg::Local) if answers == Answers::Live => Engine::Local,
        Some(EngineArg::Local) => {
            return Err(AppError::usage(
                "`--record` and `--replay` are about AWS's answers, and `--engine local` asks for none",
                "leave `--engine` out, or give `--engine aws` or `--engine both`",
            ));
        }
    };
    let asks = engine != Engine::Local && !matches!(answers, Answers::Replayed(_));
    let request = simulate::Request {
        tables: args.cases.clone(),
        strict_context: args.strict_context,
        engine,
        answers,
        format: format(args.format, Severity::Error),
    };
    let mut aws = if asks { aws()? } else { None };
    let aws = aws
        .as_mut()
        .map(|aws| &mut **aws as &mut dyn PolicySimulator);
    simulate::run(&request, files, aws, out)
}

fn explain(args: &WhyArgs, files: &DiskFiles, out: &mut dyn Write) -> Result<Exit, AppError> {
    let request = if args.request == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_INPUT).read_to_end(&mut bytes)?;
        RequestSource::Input(bytes)
    } else {
        RequestSource::Path(args.request.clone())
    };
    let request = why::Request {
        policy: args.policy.clone(),
        request,
        case: args.case.clone(),
        format: format(args.format, Severity::Error),
    };
    why::run(&request, files, out)
}

/// AWS's simulator, in a build that can ask it.
#[cfg(feature = "aws")]
fn aws() -> Result<Option<Box<dyn PolicySimulator>>, AppError> {
    let simulator = AwsSimulator::new()?;
    writeln!(io::stderr(), "asking {}", simulator.asked())?;
    Ok(Some(Box::new(simulator)))
}

/// AWS's simulator, in a build that can ask it.
#[cfg(not(feature = "aws"))]
fn aws() -> Result<Option<Box<dyn PolicySimulator>>, AppError> {
    Ok(None)
}
