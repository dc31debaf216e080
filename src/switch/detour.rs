//! The world of a rehearsal, read from a file. Only builds for rehearsals have this, and of the programs only `pointsman` and
//! `pointsman-switch-drill` ask for it: `pointsman-switch` has no way to another world, whatever it is built with.

use std::path::Path;
use std::process::ExitCode;

use crate::adapters::{Detour, World, read_file};

use super::executor::runtime;
use super::main_in;
use super::voice::{say, told};

/// The variable with the path of the file.
pub const VARIABLE: &str = "POINTSMAN_DRILL_WORLD";

/// The world that the variable names; the real one when it is not set.
///
/// # Errors
/// When there is no such file, or it holds no world.
pub fn world() -> Result<World, String> {
    let Some(path) = std::env::var_os(VARIABLE) else {
        return Ok(World::default());
    };
    let bytes = read_file(Path::new(&path)).map_err(|fault| fault.to_string())?;
    let detour: Detour = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    Ok(World::on_loopback(detour))
}

/// Runs `pointsman-switch-drill`: the same program in the world of a rehearsal, and in no other.
#[must_use]
pub fn drill_main() -> ExitCode {
    let runtime = runtime();
    match world() {
        Ok(world) if world.detour().is_some() => main_in(&world, runtime),
        Ok(_) => {
            say(&format!(
                "error: {VARIABLE} is not set; this build switches in rehearsals alone"
            ));
            told();
            ExitCode::from(super::USAGE)
        }
        Err(reason) => {
            say(&format!("error: {VARIABLE} names no world: {reason}"));
            told();
            ExitCode::from(super::USAGE)
        }
    }
}
