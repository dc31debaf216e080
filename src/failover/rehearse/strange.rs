//! What a row says that no rehearsal understands: a key that was misspelt would otherwise change a row without a word.

use serde_json::Value;

use super::world::SERVERS;

/// The most runs that may read the zone at once.
pub(super) const MOST_RUNS: u64 = 16;

/// Keys of a row; the last four are prose.
const ROW: &[&str] = &["id", "given", "expect", "title", "basis", "note", "why"];
/// Keys of what must come out.
const EXPECT: &[&str] = &[
    "decision",
    "batches",
    "exit",
    "status",
    "notify",
    "min_span_s",
    "why",
    "note",
];
const NEXT_RUN: &[&str] = &["dns_now", "decision"];
const ZONE: &[&str] = &["apex", "wildcard"];
const SET: &[&str] = &["values", "ttl", "alias", "set_identifier"];
const EXTRA: &[&str] = &["name", "type", "values", "ttl", "alias", "set_identifier"];
const FAULT: &[&str] = &[
    "op", "error", "http", "detail", "fault", "applied", "status", "returns", "after", "server",
    "for_s", "times",
];
/// Values of a fault that are words of a list.
const WORDS: [(&str, &[&str]); 5] = [
    (
        "op",
        &[
            "*",
            "ListResourceRecordSets",
            "ChangeResourceRecordSets",
            "GetChange",
            "AssumeRoleWithWebIdentity",
            "oidc_token",
            "authoritative_dns",
            "public_resolver",
        ],
    ),
    ("fault", &["connection_lost_after_send"]),
    ("returns", &["old"]),
    ("after", &["INSYNC"]),
    ("status", &["PENDING", "INSYNC"]),
];
/// What a fault does; it needs one of these.
const EFFECTS: [&str; 5] = ["error", "http", "fault", "returns", "status"];
/// What has values from before a change.
const HAS_OLD: [&str; 4] = [
    "*",
    "ListResourceRecordSets",
    "authoritative_dns",
    "public_resolver",
];
/// The longest times that a row may speak of, in seconds: more than a week is a slip of the pen.
const LONGEST: f64 = 604_800.0;

/// Their places.
pub(super) fn keys(row: &Value) -> Vec<String> {
    let mut walk = Walk(Vec::new());
    walk.keys("", row, ROW);
    walk.keys("expect", &row["expect"], EXPECT);
    walk.exit(&row["expect"]);
    let given = &row["given"];
    for key in ["dns_now", "dns_before_write"] {
        walk.zone(&format!("given.{key}"), &given[key]);
    }
    let next = &given["next_run"];
    walk.keys("given.next_run", next, NEXT_RUN);
    walk.zone("given.next_run.dns_now", &next["dns_now"]);
    for (at, set) in each("given.extra_records", &given["extra_records"]) {
        walk.keys(&at, set, EXTRA);
    }
    for (at, fault) in each("given.api_faults", &given["api_faults"]) {
        walk.fault(&at, fault);
    }
    let rendering = given.get("list_rendering").and_then(Value::as_str);
    walk.word("given.list_rendering", rendering, &["octal", "star"]);
    walk.value("given", given, "decision_age_s", |age| {
        age.as_f64()
            .is_some_and(|age| (0.0..=LONGEST).contains(&age))
    });
    walk.value("given", given, "parallel_runs", |runs| {
        runs.as_u64()
            .is_some_and(|runs| (1..=MOST_RUNS).contains(&runs))
    });
    walk.0
}

/// The elements of a list with their places.
fn each<'a>(at: &str, list: &'a Value) -> impl Iterator<Item = (String, &'a Value)> {
    let elements = list.as_array().into_iter().flatten().enumerate();
    elements.map(move |(index, element)| (format!("{at}.{index}"), element))
}

struct Walk(Vec<String>);

impl Walk {
    /// The keys of an object that are not known there.
    fn keys(&mut self, at: &str, value: &Value, known: &[&str]) {
        let keys = value.as_object().into_iter().flat_map(|map| map.keys());
        for key in keys.filter(|key| !known.contains(&key.as_str())) {
            let dot = if at.is_empty() { "" } else { "." };
            self.0.push(format!("{at}{dot}{key}"));
        }
    }

    fn zone(&mut self, at: &str, zone: &Value) {
        self.keys(at, zone, ZONE);
        for name in ZONE {
            self.keys(&format!("{at}.{name}"), &zone[*name], SET);
        }
    }

    fn fault(&mut self, at: &str, fault: &Value) {
        self.keys(at, fault, FAULT);
        for (key, words) in WORDS {
            let written = fault.get(key).and_then(Value::as_str);
            self.word(&format!("{at}.{key}"), written, words);
        }
        if !fault.is_object() {
            return;
        }
        if fault.get("times").is_none() {
            self.0.push(format!("{at} without times"));
        }
        self.value(at, fault, "times", |times| {
            times == "always" || times.as_u64().is_some_and(|times| times > 0)
        });
        let op = fault.get("op").and_then(Value::as_str).unwrap_or_default();
        self.value(at, fault, "server", |server| {
            let one = |server| (1..=SERVERS).contains(&server);
            op == "authoritative_dns" && (server == "all" || server.as_u64().is_some_and(one))
        });
        self.value(at, fault, "for_s", |time| {
            time.as_f64()
                .is_some_and(|time| time > 0.0 && time <= LONGEST)
        });
        self.value(at, fault, "http", |http| {
            http.as_u64()
                .is_some_and(|http| (300..=599).contains(&http))
        });
        self.value(at, fault, "returns", |_| HAS_OLD.contains(&op));
        self.value(at, fault, "status", |_| ["*", "GetChange"].contains(&op));
        self.value(at, fault, "applied", |_| fault.get("fault").is_some());
        if !EFFECTS.iter().any(|key| fault.get(*key).is_some()) {
            self.0.push(format!("{at} without an effect"));
        }
    }

    /// A value that is there and means nothing. A null is an absent one.
    fn value(&mut self, at: &str, of: &Value, key: &str, means: impl Fn(&Value) -> bool) {
        let Some(value) = of.get(key).filter(|value| !value.is_null()) else {
            return;
        };
        let told = format!("{at}.{key} = {value}");
        if !means(value) && !self.0.contains(&told) {
            self.0.push(told);
        }
    }

    /// `exit` says in a word what `status` says as a number.
    fn exit(&mut self, expect: &Value) {
        let status = expect.get("status").and_then(Value::as_u64);
        self.value("expect", expect, "exit", |exit| match exit.as_str() {
            Some("zero") => status.is_none_or(|status| status == 0),
            Some("nonzero") => status.is_none_or(|status| status != 0),
            _ => false,
        });
    }

    fn word(&mut self, at: &str, written: Option<&str>, known: &[&str]) {
        if let Some(written) = written.filter(|word| !known.contains(word)) {
            self.0.push(format!("{at} = {written:?}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is strange in a row with this under `given`.
    fn strange(given: &Value) -> Vec<String> {
        keys(&json!({ "given": given }))
    }

    #[test]
    fn a_value_that_means_nothing_is_told_and_not_mended() {
        let with = |key: &str, value: Value| {
            let mut fault = json!({ "op": "GetChange", "error": "x", "times": 1 });
            fault[key] = value;
            strange(&json!({ "api_faults": [fault] }))
        };
        for (key, value) in [
            ("times", json!(-1)),
            ("times", json!(0)),
            ("times", json!(1.5)),
            ("server", json!(9)),
            ("server", json!(0)),
            ("for_s", json!(-5)),
            ("http", json!(0)),
            ("status", json!("DONE")),
            ("returns", json!("old")),
            ("applied", json!(true)),
        ] {
            let told = format!("given.api_faults.0.{key} = {value}");
            assert_eq!(with(key, value), [told]);
        }
        let silent = strange(&json!({ "api_faults": [{ "op": "*" }] }));
        assert_eq!(
            silent,
            [
                "given.api_faults.0 without times",
                "given.api_faults.0 without an effect"
            ]
        );
        for (key, value) in [
            ("decision_age_s", json!(-1)),
            ("decision_age_s", json!(1e300)),
            ("parallel_runs", json!(0)),
            ("parallel_runs", json!(17)),
        ] {
            let told = format!("given.{key} = {value}");
            assert_eq!(strange(&json!({ key: value })), [told]);
        }
        for (exit, status) in [("zero", 5), ("nonzero", 0), ("none", 0)] {
            let row = json!({ "expect": { "exit": exit, "status": status } });
            assert_eq!(keys(&row), [format!("expect.exit = \"{exit}\"")]);
        }
    }

    #[test]
    fn what_is_misspelt_anywhere_in_a_row_is_told_with_its_place() {
        let row = json!({
            "id": "X", "expct": {}, "expect": { "decison": "NO_CHANGE" },
            "given": {
                "dns_now": { "apx": null, "apex": { "vlues": [] } },
                "next_run": { "dns_now": { "wildcard": { "tll": 5 } }, "decides": "x" },
                "extra_records": [{ "nmae": "x" }],
                "api_faults": [{ "op": "ListRecords", "tmies": 1, "times": "ever", "server": "al", "fault": "lost" }],
                "list_rendering": "stars",
            },
        });
        assert_eq!(
            keys(&row),
            [
                "expct",
                "expect.decison",
                "given.dns_now.apx",
                "given.dns_now.apex.vlues",
                "given.next_run.decides",
                "given.next_run.dns_now.wildcard.tll",
                "given.extra_records.0.nmae",
                "given.api_faults.0.tmies",
                "given.api_faults.0.op = \"ListRecords\"",
                "given.api_faults.0.fault = \"lost\"",
                "given.api_faults.0.times = \"ever\"",
                "given.api_faults.0.server = \"al\"",
                "given.list_rendering = \"stars\"",
            ]
        );
        assert_eq!(keys(&json!(5)), Vec::<String>::new());
    }
}
