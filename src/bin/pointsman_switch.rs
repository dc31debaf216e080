//! The program `pointsman-switch`: the executor alone, in the real world.

use std::process::ExitCode;

fn main() -> ExitCode {
    pointsman::switch::main()
}
