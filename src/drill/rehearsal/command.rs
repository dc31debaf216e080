//! The commands of a step's script, as far as a rehearsal understands them: those of the generated workflow, and such as do
//! nothing, or fail. A shell does far more; what it would make of anything else is not guessed.

use crate::model::spec::{EXECUTOR, EXECUTOR_SUM};

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// The executor, as it is meant to be run.
    Execute,
    /// The executor's sum is checked.
    Check,
    /// It changes nothing of the switch.
    Nothing,
    /// It fails, or what it was to do is not done.
    Fails(String),
    /// It is not understood.
    Unknown {
        /// As it is written.
        text: String,
        /// Whether the executor is run in it.
        executes: bool,
    },
}

impl Command {
    /// Whether it runs the executor.
    #[must_use]
    pub(super) fn is_executor(&self) -> bool {
        matches!(self, Self::Execute | Self::Unknown { executes: true, .. })
            || matches!(self, Self::Fails(told) if told.contains("--dry-run"))
    }

    /// Whether it needs a file of the repository.
    #[must_use]
    pub(super) fn is_of_the_repository(&self) -> bool {
        self.is_executor() || *self == Self::Check
    }
}

/// Letters that mean something to a shell.
const SHELL: &str = "|;&<>$`()*?\"'\\{}[]~!=";

/// The commands of a script, one a line.
pub(super) fn commands(script: &str) -> Vec<Command> {
    let lines = script.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let ends = |line: &&str| ["exit", "exit 0"].contains(line);
    lines.take_while(|line| !ends(line)).map(command).collect()
}

fn command(line: &str) -> Command {
    let unknown = |executes| Command::Unknown {
        text: line.to_owned(),
        executes,
    };
    if line.contains(|letter: char| SHELL.contains(letter)) {
        return unknown(executes(line));
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((program, arguments)) = words.split_first() else {
        return Command::Nothing;
    };
    let program = program.strip_prefix("./").unwrap_or(program);
    match (program, arguments) {
        (EXECUTOR, []) => Command::Execute,
        (EXECUTOR, all) if all.iter().any(|it| ["--dry-run", "--plan"].contains(it)) => {
            Command::Fails("with `--dry-run` the executor changes nothing".to_owned())
        }
        ("sha256sum", all) if checks(all) => Command::Check,
        ("true" | ":" | "echo" | "set" | "ls" | "pwd", _) => Command::Nothing,
        ("chmod", ["+x" | "755", file]) if *file == EXECUTOR => Command::Nothing,
        ("exit" | "false", _) => Command::Fails(format!("`{line}` fails")),
        _ => unknown(executes(line)),
    }
}

/// Whether these arguments of `sha256sum` check the executor's sum.
fn checks(arguments: &[&str]) -> bool {
    let asked = ["--check", "-c"];
    let known = [
        "--check",
        "-c",
        "--strict",
        "--status",
        "--quiet",
        EXECUTOR_SUM,
    ];
    arguments.iter().any(|it| asked.contains(it))
        && arguments.contains(&EXECUTOR_SUM)
        && arguments.iter().all(|it| known.contains(it))
}

/// Whether one of several commands runs the executor: `pointsman-switch`, or `pointsman failover run`.
fn executes(line: &str) -> bool {
    let mut commands = line.split([';', '&', '|']);
    commands.any(|command| {
        let mut words = command.split_whitespace();
        let program = words.next().and_then(|word| word.rsplit('/').next());
        match program {
            Some("pointsman-switch") => true,
            Some("pointsman") => words.next() == Some("failover") && words.next() == Some("run"),
            Some(_) | None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_the_executor_does() {
        for script in [
            "bin/pointsman-switch",
            "set -e\n./pointsman failover run",
            "true && bin/pointsman-switch\n",
            "bin/pointsman-switch --dry-run",
        ] {
            assert!(
                commands(script).iter().any(Command::is_executor),
                "{script}"
            );
        }
        for script in [
            "sha256sum --check bin/pointsman-switch.sha256",
            "pointsman validate",
            "# bin/pointsman-switch",
            "ls; echo bin/pointsman-switch",
            "",
        ] {
            assert!(
                !commands(script).iter().any(Command::is_executor),
                "{script}"
            );
        }
    }

    #[test]
    fn a_command_is_understood_as_a_whole_or_not_at_all() {
        let one = |script: &str| commands(script).into_iter().next();
        assert_eq!(one("./bin/pointsman-switch"), Some(Command::Execute));
        let sum = "sha256sum --check --strict bin/pointsman-switch.sha256";
        assert_eq!(one(sum), Some(Command::Check));
        assert_eq!(one("set -euo pipefail"), Some(Command::Nothing));
        assert!(matches!(one("exit 1"), Some(Command::Fails(_))));
        for script in [
            "bin/pointsman-switch || true",
            "bin/pointsman-switch --spec x",
        ] {
            let found = one(script);
            assert!(
                matches!(found, Some(Command::Unknown { executes: true, .. })),
                "{script}"
            );
        }
        assert!(matches!(
            one("sha256sum -c other"),
            Some(Command::Unknown {
                executes: false,
                ..
            })
        ));
    }
}
