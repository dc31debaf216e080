//! A value that stands where a record name should and is something else.

use crate::diag::Severity;
use crate::model::dns::NameMistake;
use crate::model::policy::{PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::record_keys;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-name-not-a-name",
    aliases: &[],
    summary: "a URL, an address, a placeholder or a list where a record name should be",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_name_not_a_name.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for name in record_keys::values(policy, route53::NAMES_KEY) {
        let Some(mistake) = NameMistake::of(name.text()) else {
            continue;
        };
        let text = &name.value.text;
        let value = quoted(name.text());
        let (what, help) = said(mistake);
        sink.report(
            text.span(),
            format!("{value} {what}, so no record has this name"),
        )
        .pointer(name.value.pointer.clone())
        .help(help);
    }
}

/// What the value is, and what to do.
fn said(mistake: NameMistake) -> (&'static str, &'static str) {
    match mistake {
        NameMistake::Empty => (
            "is empty",
            "write the record's name; without the value the list allows the others alone",
        ),
        NameMistake::Arn => (
            "is an ARN",
            "write the record's name here; the ARN of its zone stands under `Resource`",
        ),
        NameMistake::Address => (
            "is an IP address",
            "write the record's name; IAM cannot restrict what a record says",
        ),
        NameMistake::Url => (
            "is a URL",
            "write the host alone, without scheme, port and path",
        ),
        NameMistake::Port => ("has a port", "write the host alone, without the port"),
        NameMistake::Path => (
            "has a path",
            "write the host alone; a `/` that stands in the name itself is written `\\057`",
        ),
        NameMistake::List => (
            "is a list in one string",
            "make each name a value of its own: `[\"a.example.com\", \"b.example.com\"]`",
        ),
        NameMistake::Blank => (
            "has white space at an end",
            "write the name without it; a blank that stands in the name itself is written `\\040`",
        ),
        NameMistake::Placeholder => (
            "has a placeholder",
            "fill in what it stands for, before the policy is given to AWS",
        ),
    }
}
