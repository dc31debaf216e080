//! A key that stands twice in one object, of which most readers keep one without a word.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::pointer;
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "duplicate-json-key",
    aliases: &[],
    summary: "a key that stands twice in one object",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("duplicate_json_key.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for repeat in policy.root.repeats() {
        let key = repeat.again.as_str();
        let message = format!("the key {} stands twice in this object", quoted(key));
        sink.report(repeat.again.span(), message)
            .pointer(pointer::join(&repeat.pointer, key))
            .related(repeat.first.span(), "it stands here first")
            .help("join the two values into one list; most readers keep the last and lose the first without a word");
    }
}
