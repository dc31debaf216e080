//! `pointsman drill --live`: what can be typed, and what becomes of it.

use std::io::{self, IsTerminal as _, Write};
use std::net::SocketAddr;
use std::time::Duration;

use clap::Args as ClapArgs;

use crate::adapters::{DiskFiles, DnsClient, GitHubRuns, HttpsProber, Runtime, World};
use crate::app::exercise::{self, Outside, Request};
use crate::app::watch::Progress;
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::ports::WorkflowRuns;

use super::args::FormatArg;
use super::watch::{duration, socket};

/// What an exercise needs.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "With --live")]
pub(super) struct LiveArgs {
    /// The site to go to [default: the first standby]
    #[arg(long, value_name = "SITE", requires = "live")]
    to: Option<String>,
    /// A resolver to ask, too [default: the system's, unless --server is given]
    #[arg(long, value_name = "IP[:PORT]", value_parser = socket, requires = "live")]
    resolver: Vec<SocketAddr>,
    /// An authoritative server [default: those that the resolver names]
    #[arg(long, value_name = "IP[:PORT]", value_parser = socket, requires = "live")]
    server: Vec<SocketAddr>,
    /// How long each way may take, such as 90s, 45m or 2h
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration)]
    until: Duration,
}

pub(super) fn run(
    args: LiveArgs,
    format: Option<FormatArg>,
    spec: SpecChoice,
    world: &World,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let mut runtime = Runtime::new()?;
    let mut servers = DnsClient::new(runtime.clone());
    let prober = HttpsProber::new(runtime.clone(), world.clone());
    let mut prober = prober.map_err(|fault| AppError::Outside {
        message: fault.to_string(),
        hint: None,
    })?;
    let token = super::token_of_github();
    let of_world = (runtime.clone(), world.clone());
    let runs = |spec: &Spec| -> Option<Box<dyn WorkflowRuns>> {
        let (runtime, world) = of_world;
        let runs = GitHubRuns::new(runtime, world, &spec.workflow_url(), &token?)?;
        Some(Box::new(runs))
    };
    let request = Request {
        spec,
        here: super::here()?,
        to: args.to,
        resolvers: args.resolver,
        servers: args.server,
        until: args.until,
        format: super::format(format, Severity::Error),
    };
    let mut stderr = io::stderr().lock();
    let live = stderr.is_terminal();
    let mut progress = Progress::new(&mut stderr, live);
    let mut outside = Outside {
        clock: &mut runtime,
        servers: &mut servers,
        prober: &mut prober,
        runs: None,
    };
    exercise::run(&request, files, runs, &mut outside, out, &mut progress)
}
