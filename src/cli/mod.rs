//! Floor 7: what was typed becomes settings, a use case and an exit status. Nothing is decided here but that.
#![expect(
    clippy::disallowed_methods,
    reason = "only the command line reads the environment"
)]
#![expect(
    clippy::print_stderr,
    reason = "errors go to standard error; results go to `out`"
)]

mod args;
mod chain;
#[cfg(feature = "drill")]
mod drill;
#[cfg(feature = "switch")]
mod executor;
mod forecast;
#[cfg(feature = "drill")]
mod live;
mod pins;
mod prove;
mod simulate;
#[cfg(feature = "switch")]
mod watch;

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::ExitCode;
#[cfg(feature = "serve")]
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

#[cfg(feature = "serve")]
use crate::adapters::Loopback;
use crate::adapters::{DiskFiles, SystemStopwatch, today};
use crate::app::fix::Mode;
use crate::app::{self, AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::model::spec::{FILE, SubjectFormat};
use crate::model::trust::{Repository, RepositoryError};
use crate::ports::Files as _;
use crate::report::Format;

#[cfg(feature = "switch")]
use executor::Start;

use args::{
    Args, BenchCommand, Command, ExplainArgs, FailOn, FailoverCommand, FormatArg, GenerateArgs,
    InitArgs, InspectCommand, InspectPolicyArgs, InspectTerraformArgs, InspectWorkflowArgs,
    ListFormat, ReplayArgs, ScenariosArgs, SubjectFormatArg, TrustedArgs, ValidateArgs,
};

/// What a program without the executor begins with.
#[cfg(not(feature = "switch"))]
struct Start;

/// The program's name.
const NAME: &str = "pointsman";

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    #[cfg(feature = "switch")]
    let start = Start::of(std::env::args_os().skip(1));
    #[cfg(not(feature = "switch"))]
    let start = Start;
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let mut out = BufWriter::new(io::stdout());
    let result = run(args, start, &mut out).and_then(|exit| {
        out.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => ExitCode::from(exit.status()),
        Err(error) => {
            // A reader that has seen enough (`| head`) is no failure.
            drop(out.flush());
            if error.exit() != Exit::Clean {
                eprintln!("error: {error}");
                if let Some(hint) = error.hint() {
                    eprintln!("help: {hint}");
                }
            }
            ExitCode::from(error.exit().status())
        }
    }
}

/// `--help` and `--version` are results; everything else that clap says is wrong usage.
fn usage(error: &clap::Error) -> ExitCode {
    let asked_for = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let exit = if asked_for { Exit::Clean } else { Exit::Usage };
    drop(error.print());
    ExitCode::from(exit.status())
}

/// A spec in a folder above: what lies here is then checked without it, which is seldom meant.
fn spec_above(files: &DiskFiles) -> Option<String> {
    let above = (1..=16).map(|steps| format!("{}{FILE}", "../".repeat(steps)));
    let here = files.kind(FILE).is_some();
    above
        .into_iter()
        .find(|path| !here && files.kind(path).is_some())
}

fn generate(
    args: &GenerateArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let format = format(None, Severity::Error);
    if args.kuma {
        return app::generate::kuma(&spec, format, files, out);
    }
    let request = app::generate::Request {
        spec,
        check: args.check,
        force: args.force,
        format,
    };
    app::generate::run(&request, files, out)
}

fn run(args: Args, start: Start, out: &mut dyn Write) -> Result<Exit, AppError> {
    let files = DiskFiles::new(std::env::current_dir()?);
    let spec = args.spec.map_or(SpecChoice::Usual, SpecChoice::At);
    match args.command {
        Command::Init(InitArgs { force }) => {
            app::init::run(&app::init::Request { spec, force }, &files, out)
        }
        Command::Generate(args) => generate(&args, spec, &files, out),
        Command::Validate(args) => validate_or_mend(&args, spec, &files, out),
        Command::Simulate(args) => simulate::run(&args, &files, out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve(&args),
        Command::Failover(command) => failover(command, spec, start, &files, out),
        Command::Chain(args) => chain::run(args, spec, &files, out),
        #[cfg(feature = "drill")]
        Command::Drill(args) => drill::run(args, spec, &files, out),
        Command::Forecast(args) => forecast::run(args, spec, &files, out),
        #[cfg(feature = "switch")]
        Command::Watch(args) => watch::run(args, spec, &files, out),
        Command::Inspect(command) => inspect(command, spec, &files, out),
        Command::Prove(args) => prove::run(args, spec, &files, out),
        Command::Pins(command) => pins::run(command, spec, &files, out),
        Command::Explain(ExplainArgs {
            rule: Some(rule),
            full,
            ..
        }) => app::explain::page(&rule, full, out),
        Command::Explain(ExplainArgs { format, .. }) => {
            app::explain::list(format == ListFormat::Json, out)
        }
        Command::Bench(BenchCommand::Evaluate { format }) => {
            app::bench::evaluate(format == ListFormat::Json, &SystemStopwatch, out)
        }
        Command::Bench(BenchCommand::Prove { file, most, format }) => {
            let request = app::bench::ProveRequest {
                path: file,
                most,
                as_json: format == ListFormat::Json,
            };
            app::bench::prove(&request, &files, &SystemStopwatch, out)
        }
        Command::Completions { shell } => completions(shell, out),
        Command::Man => {
            manual(out)?;
            Ok(Exit::Clean)
        }
    }
}

fn completions(shell: clap_complete::Shell, out: &mut dyn Write) -> Result<Exit, AppError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), NAME, &mut script);
    out.write_all(&script)?;
    Ok(Exit::Clean)
}

fn inspect(
    command: InspectCommand,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    match command {
        InspectCommand::Policy(args) => {
            app::inspect::policy::run(&inspect_policy(args, spec)?, files, out)
        }
        InspectCommand::Workflow(args) => inspect_workflow(args, files, out),
        InspectCommand::Terraform(args) => inspect_terraform(args, spec, files, out),
    }
}

fn inspect_terraform(
    args: InspectTerraformArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let request = app::inspect_terraform::Request {
        folder: args.folder,
        spec,
        here: here()?,
        expression: args.expr,
        as_json: args.format == ListFormat::Json,
    };
    app::inspect_terraform::run(&request, files, out)
}

fn inspect_workflow(
    args: InspectWorkflowArgs,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let request = app::inspect::workflow::Request {
        path: args.file,
        format: format(args.format, Severity::Error),
    };
    app::inspect::workflow::run(&request, files, out)
}

fn validate_or_mend(
    args: &ValidateArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    if let Some(path) = spec_above(files).filter(|_| spec == SpecChoice::Usual) {
        eprintln!("note: `{path}` is not looked at; run in its folder, or give `--spec {path}`");
    }
    let request = validate(args, spec)?;
    let mode = match (args.fix, args.diff) {
        (true, _) => Mode::Write,
        (false, true) if !matches!(args.format, None | Some(FormatArg::Human)) => {
            return Err(AppError::usage(
                "`--diff` shows a unified difference, which has no other form",
                "leave out `--format`, or ask for the findings without `--diff`",
            ));
        }
        (false, true) => Mode::Show,
        (false, false) => return app::validate::run(&request, files, out),
    };
    app::fix::run(&request, mode, files, out, &mut io::stderr().lock())
}

/// The manual: the page of the program, then those of its commands, one behind another as `man` reads them.
fn manual(out: &mut dyn Write) -> io::Result<()> {
    let mut command = Args::command();
    command.build();
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        clap_mangen::Man::new(command.clone()).render(out)?;
        let mut inner: Vec<clap::Command> = command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
            .cloned()
            .collect();
        inner.reverse();
        open.extend(inner);
    }
    Ok(())
}

/// Everything that it says goes to standard error: there is no result.
#[cfg(feature = "serve")]
fn serve(args: &args::ServeArgs) -> Result<Exit, AppError> {
    let port = args.port;
    let endpoint = Loopback::open(port).map_err(|error| AppError::Outside {
        message: format!("port {port} of 127.0.0.1 cannot be listened on: {error}"),
        hint: None,
    })?;
    let endpoint = endpoint.with_patience(Duration::from_millis(args.patience));
    app::serve::run(&endpoint, &mut io::stderr())?;
    Ok(Exit::Clean)
}

#[cfg_attr(
    not(feature = "switch"),
    expect(
        unused_variables,
        clippy::needless_pass_by_value,
        reason = "only a run reads the spec"
    )
)]
fn failover(
    command: FailoverCommand,
    spec: SpecChoice,
    start: Start,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    match command {
        #[cfg(feature = "switch")]
        FailoverCommand::Plan(args) => executor::plan(&args, spec, start),
        #[cfg(feature = "switch")]
        FailoverCommand::Run(args) => executor::run(args, spec, start),
        FailoverCommand::Scenarios(ScenariosArgs {
            file: path,
            format: given,
        }) => {
            let format = format(given, Severity::Error);
            let request = app::failover::scenarios::Request { path, format };
            app::failover::scenarios::run(&request, files, out)
        }
        FailoverCommand::Replay(ReplayArgs {
            journal: path,
            format: given,
        }) => {
            let format = format(given, Severity::Error);
            let request = app::failover::replay::Request { path, format };
            app::failover::replay::run(&request, files, out)
        }
    }
}

/// The working directory, with `/` between its steps.
fn here() -> Result<String, AppError> {
    Ok(std::env::current_dir()?
        .to_string_lossy()
        .replace('\\', "/"))
}

fn validate(args: &ValidateArgs, spec: SpecChoice) -> Result<app::validate::Request, AppError> {
    let (subject, paths) = args.subject();
    let fail_on = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Note => Severity::Note,
    };
    Ok(app::validate::Request {
        here: here()?,
        repository: repository(&args.trusted)?,
        subject,
        paths,
        policy_kind: args.policy_type.and_then(args::PolicyType::kind),
        spec,
        fail_on,
        strict: args.strict,
        today: Some(today()),
        format: format(args.format, fail_on),
    })
}

fn inspect_policy(
    args: InspectPolicyArgs,
    spec: SpecChoice,
) -> Result<app::validate::Request, AppError> {
    Ok(app::validate::Request {
        here: here()?,
        repository: None,
        subject: None,
        paths: args.paths,
        policy_kind: args.policy_type.and_then(args::PolicyType::kind),
        spec,
        fail_on: Severity::Error,
        strict: false,
        today: None,
        format: format(args.format, Severity::Error),
    })
}

/// Whose job borrows the role, when flags say so.
fn repository(args: &TrustedArgs) -> Result<Option<Repository>, AppError> {
    let Some(name) = &args.repo else {
        return Ok(None);
    };
    let wrong = |error: RepositoryError| {
        let hint = match &error {
            RepositoryError::Branch(_) => {
                "write the branch alone, such as `--branch main`; for a job with an environment add `--environment NAME`"
            }
            RepositoryError::Issuer(_) => {
                "write `https://HOST/_services/token`, `https://token.actions.NAME.ghe.com` or `https://token.actions.githubusercontent.com/ENTERPRISE`"
            }
            RepositoryError::NoImmutable(_) => "add `--subject-format classic`",
            RepositoryError::Claim(_) => {
                "`gh api repos/OWNER/NAME/actions/oidc/customization/sub` lists them"
            }
            RepositoryError::Name(_) | RepositoryError::Ids => {
                "for example `--repo acme/dns-failover --owner-id 100001 --repo-id 200002`, or `--subject-format classic`"
            }
        };
        AppError::usage(error.to_string(), hint)
    };
    let repository = Repository {
        owner_id: args.owner_id,
        repository_id: args.repo_id,
        format: match args.subject_format {
            SubjectFormatArg::Immutable => SubjectFormat::Immutable,
            SubjectFormatArg::Classic => SubjectFormat::Classic,
        },
        environment: args.environment.clone(),
        subject_claims: args.subject_claims.clone(),
        ..Repository::named(name).map_err(wrong)?
    };
    let repository = repository.on_branch(&args.branch).map_err(wrong)?;
    let repository = repository.issued_by(&args.oidc_issuer).map_err(wrong)?;
    repository.checked().map(Some).map_err(wrong)
}

/// A token of GitHub's that the environment has; an empty one is none.
#[cfg(feature = "drill")]
fn token_of_github() -> Option<String> {
    let found = std::env::var("GH_TOKEN").or_else(|_unset| std::env::var("GITHUB_TOKEN"));
    found.ok().filter(|token| !token.is_empty())
}

/// Without `--format`: annotations in a GitHub job, else for people; colour only on a terminal.
fn format(given: Option<FormatArg>, fail_on: Severity) -> Format {
    let in_job = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    let plain = std::env::var("NO_COLOR").is_ok_and(|value| !value.is_empty());
    let human = Format::Human {
        colour: io::stdout().is_terminal() && !plain,
    };
    match given {
        Some(FormatArg::Human) => human,
        Some(FormatArg::Json) => Format::Json,
        Some(FormatArg::Github) => Format::GitHub,
        Some(FormatArg::Sarif) => Format::Sarif,
        Some(FormatArg::Junit) => Format::JUnit { fail_on },
        None if in_job => Format::GitHub,
        None => human,
    }
}
