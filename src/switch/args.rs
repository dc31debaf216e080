//! What `pointsman-switch` can be told. It has no more: nothing that is typed or passed can choose a direction.

use std::ffi::OsString;

/// What is asked of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// A run.
    Run {
        /// Whether to stop before the write.
        dry: bool,
    },
    /// What it is and what it takes.
    Help,
    /// Its version.
    Version,
}

/// The text of `--help`.
pub(super) const HELP: &str = "\
Points the records of pointsman.toml in the working directory at the site that serves, if it is not where they point.

Usage: pointsman-switch [--dry-run]

      --dry-run  Do everything but the write
  -h, --help     Print this
  -V, --version  Print the version

PIN_SITE (or the variable that the spec names) pins a site by its name. Credentials come from AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or from GitHub's token in a job with `id-token: write`.

Exit status: 0 nothing to do, or changed and confirmed; 5 refused, or a change was needed and no site answers;
6 written but not confirmed; 3 Route 53, STS or the token endpoint could not be read or written, or cancelled;
2 an argument that is not one of these
";

/// Reads the arguments behind the program's name.
///
/// An argument that is not known ends the program, also in an outage: whoever mistypes `--dry-run` wants no change, and is
/// told within a second. The workflow passes none, and the lint says so if it does.
///
/// # Errors
/// What is wrong with them.
pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Asked, String> {
    let mut asked = Asked::Run { dry: false };
    for argument in arguments {
        let text = argument.to_string_lossy();
        match &*text {
            "-h" | "--help" => return Ok(Asked::Help),
            "-V" | "--version" => return Ok(Asked::Version),
            "--dry-run" => asked = Asked::Run { dry: true },
            other => {
                return Err(format!(
                    "`{}` is no argument of pointsman-switch; known are `--dry-run`, `--help` and `--version`",
                    other.escape_debug()
                ));
            }
        }
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(arguments: &[&str]) -> Result<Asked, String> {
        read(arguments.iter().map(OsString::from))
    }

    #[test]
    fn nothing_but_a_dry_run_can_be_asked_for() {
        assert_eq!(asked(&[]), Ok(Asked::Run { dry: false }));
        assert_eq!(asked(&["--dry-run"]), Ok(Asked::Run { dry: true }));
        assert_eq!(asked(&["--version"]), Ok(Asked::Version));
        for odd in [
            "--dry-rnu",
            "",
            "hub",
            "198.51.100.99",
            "--spec",
            "--target=hub",
            "-n",
            "\n",
        ] {
            assert!(asked(&["--dry-run", odd]).is_err(), "{odd}");
        }
    }
}
