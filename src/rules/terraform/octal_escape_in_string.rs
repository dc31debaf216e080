//! An octal escape in a string with quotes.

use crate::diag::Edit;
use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::hcl::{Mistake, MistakeKind};
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "octal-escape-in-string",
    aliases: &[],
    summary: "an octal escape such as \\052 in a quoted string, where Terraform has none",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("octal_escape_in_string.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let of_kind = |mistake: &&Mistake| mistake.kind == MistakeKind::OctalEscape;
    for mistake in module.mistakes.iter().filter(of_kind) {
        let written = &mistake.written;
        let message = format!("`{written}` is no escape of Terraform, which refuses the file");
        let with = format!("\\{written}");
        sink.report(mistake.at, message)
            .help(format!("write the backslash twice: `{with}`"))
            .fix(
                "double the backslash",
                true,
                vec![Edit {
                    at: mistake.at,
                    with,
                }],
            );
    }
}
