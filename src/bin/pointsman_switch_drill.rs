//! The program `pointsman-switch-drill`: the executor alone, in the world of a rehearsal.

use std::process::ExitCode;

fn main() -> ExitCode {
    pointsman::switch::drill_main()
}
