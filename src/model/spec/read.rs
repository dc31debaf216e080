//! From the text of `pointsman.toml` to a [`Spec`], or to everything that is wrong with it.

use crate::diag::{Finding, Label, Severity};
use crate::syntax::{Kind, Node, pointer, toml};
use crate::text::{Span, Text};

use super::amend;
use super::ids;
use super::raw::RawSpec;
use super::stand_in::follows;
use super::{Spec, check};

/// What to do about a fault in TOML.
fn syntax_help(reason: &str) -> &'static str {
    if reason.contains("set twice") {
        "a key and a `[section]` stand once; entries of a list are written `[[list]]` each"
    } else if reason.contains("begins as a number") {
        "write the number alone, its unit is in the key's name; a text stands in straight quotes"
    } else if reason.contains("must be quoted") {
        "put the text in straight quotes: `\"…\"`"
    } else {
        "write `key = value` with texts in straight quotes, and close what is opened; <https://toml.io> has the rules"
    }
}

/// The finding about a file that is not UTF-8; `at` is the place of the first bytes that are not, `bytes` the first.
#[must_use]
pub fn not_utf8(at: Span, bytes: &[u8]) -> Finding {
    let told = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16, not UTF-8".to_owned(),
        [first, ..] => format!("byte {first:#04x} is not UTF-8"),
        [] => "the file is not UTF-8".to_owned(),
    };
    let mut made = finding(ids::SYNTAX, at, told);
    made.help = Some("save the file as UTF-8".to_owned());
    made
}

impl Spec {
    /// Reads the spec.
    ///
    /// # Errors
    /// Everything that is wrong with it, all at once and in the order of the file; each an error.
    pub fn read(text: &Text) -> Result<Self, Vec<Finding>> {
        if let Some(at) = text.as_str().find('\0') {
            let told = "a NUL character stands here, which no text has; the file is binary, or was not written to its end";
            let mut made = finding(ids::SYNTAX, text.span_of(at..at + 1), told.to_owned());
            made.help = Some("write the file again, or take it from the repository".to_owned());
            return Err(vec![made]);
        }
        let parsed = toml::read(text);
        let findings: Vec<Finding> = parsed
            .faults
            .iter()
            .map(|fault| {
                let mut made = finding(ids::SYNTAX, fault.at, fault.reason.clone());
                made.help = Some(syntax_help(&fault.reason).to_owned());
                made
            })
            .collect();
        let Some(root) = parsed.documents.into_iter().next() else {
            return Err(findings);
        };
        if !findings.is_empty() {
            return Err(findings);
        }
        let (spec, found) = judged(&root, json(&root));
        match spec {
            Some(spec) if found.is_empty() => Ok(spec),
            _ => Err(sorted(found)),
        }
    }

    /// What would be wrong with the spec if these numbers stood in it: keys with dots between, and what they are. It is
    /// refused by the checks that read it.
    #[must_use]
    pub fn refusal(&self, numbers: &[(&str, u32)]) -> Option<Finding> {
        let mut value = json(self.root());
        for (key, number) in numbers {
            put(&mut value, key, *number);
        }
        let (_, findings) = judged(self.root(), value);
        findings.into_iter().next()
    }
}

fn put(value: &mut serde_json::Value, key: &str, number: u32) {
    let mut at = value;
    for part in key.split('.') {
        let serde_json::Value::Object(map) = at else {
            return;
        };
        let empty = serde_json::Value::Object(serde_json::Map::new());
        at = map.entry(part).or_insert(empty);
    }
    *at = number.into();
}

/// The spec that these values are, and everything that is wrong with them; `root` has their places.
fn judged(root: &Node, value: serde_json::Value) -> (Option<Spec>, Vec<Finding>) {
    let mut findings = Vec::new();
    let amended = amend::validate(root, value, &mut findings);
    let spec = match serde_json::from_value::<RawSpec>(amended.value) {
        Ok(raw) => {
            let mut more = Vec::new();
            let spec = check::checked(raw, root, &mut more);
            more.retain(|finding| !follows(finding, &amended.refused));
            findings.extend(more);
            spec
        }
        Err(_) => {
            // Only a number that no key could hold comes here: its range is told above.
            if findings.is_empty() {
                let message = "a value is larger than its key can hold".to_owned();
                findings.push(finding(ids::VALUE, start(root), message));
            }
            None
        }
    };
    (spec, findings)
}

/// The empty place at the start of the file.
fn start(root: &Node) -> Span {
    let span = root.span();
    Span {
        end: span.start,
        ..span
    }
}

/// The tree as plain JSON.
pub(super) fn json(node: &Node) -> serde_json::Value {
    match &node.kind {
        Kind::Null | Kind::Unknown(_) => serde_json::Value::Null,
        Kind::Bool(value) => (*value).into(),
        Kind::Number(number) => number
            .parse::<i64>()
            .map(serde_json::Value::from)
            .or_else(|_| number.parse::<u64>().map(serde_json::Value::from))
            .or_else(|_| number.parse::<f64>().map(float))
            .unwrap_or_default(),
        Kind::Text(text) => text.as_str().into(),
        Kind::List(items) => items.iter().map(json).collect(),
        Kind::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.as_str().to_owned(), json(&entry.value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

/// A fraction as JSON: whole where it is whole, as JSON Schema counts it. `nan` and `inf` are null, which no key takes.
fn float(number: f64) -> serde_json::Value {
    let whole = format!("{number:.0}");
    match whole.parse::<i64>() {
        Ok(integer) if number.fract() == 0.0 => integer.into(),
        _ => number.into(),
    }
}

pub(super) fn finding(rule: &'static str, at: Span, message: String) -> Finding {
    Finding {
        rule,
        severity: Severity::Error,
        message,
        primary: Label {
            at,
            text: String::new(),
        },
        related: Vec::new(),
        pointer: None,
        help: None,
        fix: None,
        covers: at,
        about: None,
    }
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.primary.at.start, finding.rule);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup();
    findings
}

/// The place of the value at `pointer`, or of the nearest section.
pub(super) fn place(root: &Node, pointer: &str) -> Span {
    let node = pointer::nearest(root, pointer);
    if std::ptr::eq(node, root) {
        start(root)
    } else {
        node.span()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::compiled;
    use crate::model::spec::fits::{Misfit, misfits};
    use crate::model::spec::schema::schema;
    use crate::text::{FileId, SourceMap};
    use proptest::prelude::*;

    const ROOT: &str = include_str!("../../../pointsman.toml");

    /// What to replace, by what; the rule that fires, the text it points at, and words of its message or help.
    const PLANTED: [(&str, &str, &str, &str, &str); 50] = [
        (
            "[records]",
            "[monitors]\ndispatch = \"token-check\"\n[records]",
            "spec-repeated",
            "\"token-check\"",
            "another id",
        ),
        (
            "[records]",
            "[monitors]\ndispatch = \"people\"\n[records]",
            "spec-repeated",
            "\"people\"",
            "a notification each",
        ),
        (
            "owner = \"acme\"",
            "onwer = \"acme\"\nowner = \"acme\"",
            "spec-unknown-key",
            "onwer",
            "`owner` is set already",
        ),
        (
            "account = \"123456789012\"",
            "account = \"12345678901\"",
            "spec-value",
            "\"12345678901\"",
            "write 12 digits",
        ),
        (
            "account = \"123456789012\"",
            "account = 123456789012",
            "spec-wrong-type",
            "123456789012",
            "a string is expected",
        ),
        (
            "account = \"123456789012\"",
            "",
            "spec-missing-key",
            "[aws]",
            "`account`",
        ),
        (
            "owner_id = 100001",
            "owner_id = \"100001\"",
            "spec-wrong-type",
            "\"100001\"",
            "a whole number is expected",
        ),
        ("ttl = 300", "ttl = 0", "spec-value", "0", "at least 1"),
        (
            "\"immutable\"",
            "\"imutable\"",
            "spec-value",
            "\"imutable\"",
            "`classic`",
        ),
        (
            "\"198.51.100.10\"",
            "\"198.51.100.256\"",
            "spec-address",
            "\"198.51.100.256\"",
            "is no IPv4 address",
        ),
        (
            "\"198.51.100.10\"",
            "\"192.168.1.10\"",
            "spec-address",
            "\"192.168.1.10\"",
            "RFC 1918",
        ),
        (
            "\"198.51.100.10\"",
            "\"203.0.113.20\"",
            "spec-address",
            "\"203.0.113.20\"",
            "already",
        ),
        (
            "types = [\"A\"]",
            "types = [\"A\", \"AAAA\"]",
            "spec-address-missing",
            "[[sites]]",
            "no `ipv6`",
        ),
        (
            "\"www.example.com\"",
            "\"www.example.org\"",
            "spec-name-outside-zone",
            "\"www.example.org\"",
            "outside the zone `example.com`",
        ),
        (
            "\"www.example.com\"",
            "\"blog.Example.com.\"",
            "spec-repeated",
            "\"blog.example.com\"",
            "`blog.example.com`",
        ),
        (
            "\"www.example.com\"",
            "\"w..example.com\"",
            "spec-name",
            "\"w..example.com\"",
            "empty label",
        ),
        (
            "name = \"origin.example.com\"",
            "name = \"www.example.com\"",
            "spec-origin-switched",
            "\"www.example.com\"",
            "no switch moves",
        ),
        (
            "name = \"origin.example.com\"",
            "name = \"*.example.com\"",
            "spec-name",
            "\"*.example.com\"",
            "wildcard",
        ),
        (
            "absent_at = [\"hub\"]",
            "absent_at = [\"hbu\"]",
            "spec-site-unknown",
            "\"hbu\"",
            "`hub` is probably meant",
        ),
        (
            "absent_at = [\"hub\"]",
            "absent_at = [\"hub\", \"edge\"]",
            "spec-host-nowhere",
            "[\"hub\", \"edge\"]",
            "absent at every site",
        ),
        (
            "site = \"edge\"",
            "site = \"egde\"",
            "spec-site-unknown",
            "\"egde\"",
            "`edge` is probably meant",
        ),
        (
            "\"*.example.com\"]",
            "]",
            "spec-host-nowhere",
            "\"www.example.com\"",
            "no switched record",
        ),
        (
            "branch = \"main\"",
            "branch = \"refs/heads/main\"",
            "spec-github",
            "\"refs/heads/main\"",
            "full ref",
        ),
        (
            "branch = \"main\"",
            "environment = \"a${{x}}\"",
            "spec-github",
            "\"a${{x}}\"",
            "expression",
        ),
        (
            "branch = \"main\"",
            "workflow = \"../x.yml\"",
            "spec-value",
            "\"../x.yml\"",
            "without a folder",
        ),
        (
            "branch = \"main\"",
            "job_timeout_minutes = 5",
            "spec-times",
            "5",
            "at least 9",
        ),
        (
            "sts_region = \"ap-northeast-2\"",
            "session_seconds = 900",
            "spec-times",
            "900",
            "at least 1200",
        ),
        (
            "[records]",
            "[probe]\ntimeout_seconds = 11\n[records]",
            "spec-times",
            "[probe]",
            "up to 33 s",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"status.example.com\"\n[records]",
            "spec-name",
            "\"status.example.com\"",
            "lies in the zone `example.com`",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"*.example.net\"\n[records]",
            "spec-name",
            "\"*.example.net\"",
            "is a wildcard",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"https://status.example.net/\"\n[records]",
            "spec-name",
            "\"https://status.example.net/\"",
            "without scheme",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"203.0.113.20\"\n[records]",
            "spec-name",
            "\"203.0.113.20\"",
            "is an address",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"198.51.100.99\"\n[records]",
            "spec-name",
            "\"198.51.100.99\"",
            "is an address",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"localhost\"\n[records]",
            "spec-name",
            "\"localhost\"",
            "no name of the public DNS",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"status\"\n[records]",
            "spec-name",
            "\"status\"",
            "is a single label",
        ),
        (
            "[records]",
            "[probe]\ncontrol = \"printer.local\"\n[records]",
            "spec-name",
            "\"printer.local\"",
            "no name of the public DNS",
        ),
        (
            "branch = \"main\"",
            "branch = \"main\"\nvariable = \"AWS_SECRET_ACCESS_KEY\"",
            "spec-github",
            "\"AWS_SECRET_ACCESS_KEY\"",
            "`AWS_`",
        ),
        (
            "branch = \"main\"",
            "branch = \"main\"\nvariable = \"ACTIONS_ID_TOKEN_REQUEST_TOKEN\"",
            "spec-github",
            "\"ACTIONS_ID_TOKEN_REQUEST_TOKEN\"",
            "`ACTIONS_`",
        ),
        (
            "branch = \"main\"",
            "branch = \"main\"\nvariable = \"PATH\"",
            "spec-github",
            "\"PATH\"",
            "every process has one",
        ),
        (
            "branch = \"main\"",
            "branch = \"main\"\nvariable = \"DEPLOY_TOKEN\"",
            "spec-github",
            "\"DEPLOY_TOKEN\"",
            "holds a secret",
        ),
        (
            "[records]",
            "[probe]\nsite_identity = \"yes\"\n[records]",
            "spec-wrong-type",
            "\"yes\"",
            "write `true` or `false`, without quotes",
        ),
        (
            "[records]",
            "[failback]\ninterval_seconds = 5\n[records]",
            "spec-times",
            "5",
            "at least the probe",
        ),
        (
            "[records]",
            "[monitors.edge_watch]\ntimeout_seconds = 60\n[records]",
            "spec-times",
            "60",
            "below `interval_seconds`",
        ),
        (
            "[records]",
            "[monitors]\ntoken_env = \"TOKEN\"\n[records]",
            "spec-value",
            "\"TOKEN\"",
            "AUTOKUMA__ENV__",
        ),
        (
            "[records]",
            "[artefacts]\nterraform = \"policies\"\n[records]",
            "spec-paths",
            "\"policies\"",
            "already",
        ),
        (
            "[records]",
            "[artefacts]\nterraform = \"../x\"\n[records]",
            "spec-value",
            "\"../x\"",
            "below the spec's own",
        ),
        (
            "[records]",
            "[[allow]]\nrule = \"x\"\npath = \"y\"\n[records]",
            "spec-missing-key",
            "[[allow]]",
            "`reason`",
        ),
        (
            "3d3c42e5aac5ba805825da76410c181273ba90b1",
            "v7",
            "spec-value",
            "\"v7\"",
            "40 small hexadecimal",
        ),
        (
            "\"actions/checkout\"",
            "\"other/checkout\"",
            "spec-value",
            "[[actions]]",
            "`actions/checkout`",
        ),
        (
            "zone]\nid",
            "zone]\nid = \"Z1\"\nid",
            "spec-syntax",
            "id",
            "twice",
        ),
    ];

    /// What is found in `input`: rule, line, and the text at the place.
    fn found(input: &str) -> Vec<(String, usize, String, String)> {
        let mut sources = SourceMap::default();
        let file = sources.add("pointsman.toml", input);
        let text = sources
            .text(file)
            .unwrap_or_else(|| Text::verbatim("", Span::at(file, 0)));
        let findings = Spec::read(&text).err().unwrap_or_default();
        findings
            .into_iter()
            .map(|finding| {
                let at = finding.primary.at;
                let line = sources.positions(at).map_or(0, |(start, _)| start.line);
                let help = finding.help.unwrap_or_default();
                let told = format!("{} | {help}", finding.message);
                (
                    finding.rule.to_owned(),
                    line,
                    sources.slice(at).to_owned(),
                    told,
                )
            })
            .collect()
    }

    /// The root spec with one text replaced.
    fn with(from: &str, to: &str) -> String {
        ROOT.replacen(from, to, 1)
    }

    #[test]
    fn one_planted_fault_gives_one_finding_at_its_place() {
        for (from, to, rule, slice, told) in PLANTED {
            assert!(ROOT.contains(from), "{from}");
            let all = found(&with(from, to));
            assert!(!all.is_empty(), "{to}: nothing found");
            for (got, line, text, message) in all {
                assert_eq!(got, rule, "{to}: {message} at line {line}");
                let many = matches!(
                    rule,
                    "spec-host-nowhere" | "spec-address-missing" | "spec-times"
                );
                assert!(text == slice || many, "{to}: {message} at {text}");
                assert!(message.contains(told) || many, "{to}: {message}");
            }
        }
    }

    #[test]
    fn the_walk_tells_of_each_planted_fault_what_the_validator_tells() {
        for (from, to, ..) in PLANTED {
            let parsed = toml::read(&Text::verbatim(with(from, to), Span::at(FileId(0), 0)));
            let values = json(&parsed.documents[0]);
            let schema = schema();
            let ordered = |mut all: Vec<Misfit>| {
                all.sort();
                all.dedup();
                all
            };
            assert_eq!(
                ordered(misfits(&schema, &values)),
                ordered(compiled::misfits(&schema, &values)),
                "{to}"
            );
        }
    }

    #[test]
    fn everything_is_told_at_once_and_nothing_twice() {
        let input = with("\"198.51.100.10\"", "\"10.0.0.1\"")
            .replacen("owner = \"acme\"", "onwer = \"acme\"", 1)
            .replacen("ttl = 300", "ttl = 900000", 1)
            .replacen("site = \"edge\"", "site = \"home\"", 1)
            .replacen("repository_id = 200002", "repository_id = \"200002\"", 1)
            .replacen("account = \"123456789012\"", "", 1)
            .replacen("absent_at = [\"hub\"]", "absent_at = \"hub\"", 1);
        let rules: Vec<(String, String)> = found(&input)
            .into_iter()
            .map(|(rule, _, text, _)| (rule, text))
            .collect();
        let told: Vec<(&str, &str)> = rules
            .iter()
            .map(|(rule, text)| (rule.as_str(), text.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("spec-address", "\"10.0.0.1\""),
                ("spec-value", "900000"),
                ("spec-site-unknown", "\"home\""),
                ("spec-wrong-type", "\"hub\""),
                ("spec-unknown-key", "onwer"),
                ("spec-wrong-type", "\"200002\""),
                ("spec-missing-key", "[aws]"),
            ]
        );
    }

    #[test]
    fn what_only_follows_from_another_fault_is_not_told() {
        let cases = [
            (
                "name = \"hub\"",
                "nmae = 5",
                vec!["spec-wrong-type", "spec-unknown-key"],
            ),
            ("name = \"hub\"", "name = 5", vec!["spec-wrong-type"]),
            (
                "[github]",
                "[gitub]",
                vec!["spec-missing-key", "spec-unknown-key"],
            ),
            ("\nname = \"example.com\"", "", vec!["spec-missing-key"]),
            ("types = [\"A\"]", "types = \"A\"", vec!["spec-wrong-type"]),
            (
                "[records]",
                "[failback]\nprobes = 100000\n[records]",
                vec!["spec-value"],
            ),
        ];
        for (from, to, rules) in cases {
            let all = found(&with(from, to));
            let told: Vec<&str> = all.iter().map(|(rule, ..)| rule.as_str()).collect();
            assert_eq!(told, rules, "{to}: {all:?}");
        }
    }

    #[test]
    fn an_empty_file_misses_every_section_that_has_no_default() {
        let all = found("");
        let told: Vec<&str> = all.iter().map(|(rule, ..)| rule.as_str()).collect();
        assert_eq!(told, ["spec-missing-key"; 5]);
    }

    #[test]
    fn three_sites_and_both_address_families_read() {
        let input = with("types = [\"A\"]", "types = [\"A\", \"AAAA\"]")
            .replacen("ipv4 = \"198.51.100.10\"", "ipv4 = \"198.51.100.10\"\nipv6 = \"2001:db8::10\"", 1)
            .replacen("ipv4 = \"203.0.113.20\"", "ipv4 = \"203.0.113.20\"\nipv6 = \"2001:db8::20\"\n[[sites]]\nname = \"far\"\nipv4 = \"192.0.2.30\"\nipv6 = \"2001:db8::30\"", 1);
        assert_eq!(found(&input), []);
    }

    proptest! {
        // Each case compiles the schema.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_spec_with_bytes_changed_never_panics_and_points_into_its_file(at in 0usize..3000, text in "[\\PC\n]{0,6}", cut in 0usize..40) {
            let start = (0..=at.min(ROOT.len())).rev().find(|at| ROOT.is_char_boundary(*at)).unwrap_or(0);
            let end = (start + cut).min(ROOT.len());
            let end = (end..=ROOT.len()).find(|at| ROOT.is_char_boundary(*at)).unwrap_or(ROOT.len());
            let input = format!("{}{text}{}", ROOT.get(..start).unwrap_or(""), ROOT.get(end..).unwrap_or(""));
            let file = FileId(0);
            let read = Spec::read(&Text::verbatim(input.clone(), Span::new(file, 0, input.len())));
            for finding in read.err().unwrap_or_default() {
                let inside = |span: Span| input.get(span.range()).is_some();
                prop_assert!(inside(finding.primary.at), "{:?}", finding);
                prop_assert!(finding.related.iter().all(|label| inside(label.at)));
                prop_assert!(!finding.message.contains('\n'));
            }
        }
    }
}
