//! What a row says that no rehearsal understands: a key that was misspelt would otherwise change a row without a word.

use serde_json::Value;

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
const WORDS: [(&str, &[&str]); 4] = [
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
];

/// Their places.
pub(super) fn keys(row: &Value) -> Vec<String> {
    let mut walk = Walk(Vec::new());
    walk.keys("", row, ROW);
    walk.keys("expect", &row["expect"], EXPECT);
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
        let times = fault.get("times").and_then(Value::as_str);
        self.word(&format!("{at}.times"), times, &["always"]);
        let server = fault.get("server").and_then(Value::as_str);
        self.word(&format!("{at}.server"), server, &["all"]);
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
