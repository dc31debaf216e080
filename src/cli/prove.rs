//! `pointsman prove`, as it is typed.

use std::io::Write;

use clap::{Args as ClapArgs, Subcommand};

use crate::adapters::DiskFiles;
use crate::app::prove::{Request, Theorem};
use crate::app::{self, AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::iam::prove::Realm;

use super::args::{FormatArg, TrustedArgs, words};
use super::{format, repository};

#[derive(Debug, ClapArgs)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Exit status: 0 proved, 1 refuted by a request, 2 wrong usage or spec, 3 a file that is not there, 4 undecided"
)]
pub(super) struct ProveArgs {
    #[command(subcommand)]
    theorem: Option<TheoremArgs>,
    #[command(flatten)]
    shared: SharedArgs,
}

#[derive(Debug, Clone, ClapArgs)]
struct SharedArgs {
    /// Look at every request that the policy language can speak of, whether AWS documents such requests or not
    #[arg(long)]
    any_request: bool,
    /// Write the counterexamples here, as cases for `pointsman simulate`: TOML or JSON, as the name ends with `.toml` or
    /// `.json`
    #[arg(long, value_name = "FILE")]
    cases_out: Option<String>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    format: Option<FormatArg>,
}

#[derive(Debug, Subcommand)]
enum TheoremArgs {
    /// NEW allows nothing that OLD does not
    NoNewAccess {
        /// The old policy
        old: String,
        /// The new policy
        new: String,
        #[command(flatten)]
        shared: SharedArgs,
    },
    /// A and B allow the same
    Equivalent {
        /// A policy
        a: String,
        /// Another one
        b: String,
        #[command(flatten)]
        shared: SharedArgs,
    },
    /// What the policies allow, in closed form: calls and what they are made on, for changes of records names, types and
    /// kinds of change
    Allows {
        /// The policies
        #[arg(required = true)]
        policies: Vec<String>,
        /// The form of the output
        #[arg(long, value_parser = words(&["human", "json"]))]
        format: Option<FormatArg>,
    },
    /// POLICY grants none of these actions on these resources
    AccessNotGranted {
        /// The policy
        policy: String,
        /// An action, with wildcards if need be; may be repeated
        #[arg(long = "action", required = true)]
        actions: Vec<String>,
        /// A resource, likewise [default: every one]
        #[arg(long = "resource")]
        resources: Vec<String>,
        #[command(flatten)]
        shared: SharedArgs,
    },
    /// The trust policy lets in this repository's job and nobody else; with neither `--repository` nor a spec, and for
    /// another provider than GitHub's: whom it lets in, in closed form
    Trust {
        /// The trust policy
        policy: String,
        #[command(flatten)]
        trusted: TrustedArgs,
        #[command(flatten)]
        shared: SharedArgs,
    },
}

pub(super) fn run(
    args: ProveArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    app::prove::run(&request(args, spec)?, files, out)
}

fn request(args: ProveArgs, spec: SpecChoice) -> Result<Request, AppError> {
    let (theorem, shared) = match args.theorem {
        None => (Theorem::Spec(spec), args.shared),
        Some(TheoremArgs::NoNewAccess { old, new, shared }) => {
            (Theorem::NoNewAccess { old, new }, shared)
        }
        Some(TheoremArgs::Equivalent { a, b, shared }) => (Theorem::Equivalent(a, b), shared),
        Some(TheoremArgs::Allows { policies, format }) => {
            let shared = SharedArgs {
                any_request: false,
                cases_out: None,
                format,
            };
            (Theorem::Allows(policies), shared)
        }
        Some(TheoremArgs::AccessNotGranted {
            policy,
            actions,
            resources,
            shared,
        }) => (
            Theorem::AccessNotGranted {
                policy,
                actions,
                resources,
            },
            shared,
        ),
        Some(TheoremArgs::Trust {
            policy,
            trusted,
            shared,
        }) => (
            Theorem::Trust {
                policy,
                repository: repository(&trusted)?.map(Box::new),
                spec,
            },
            shared,
        ),
    };
    Ok(Request {
        theorem,
        realm: if shared.any_request {
            Realm::Anything
        } else {
            Realm::Sent
        },
        cases_out: shared.cases_out,
        format: format(shared.format, Severity::Error),
    })
}
