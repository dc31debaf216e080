//! The program `pointsman`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pointsman::cli::main()
}
