//! What came of proofs: a sentence for each claim, the requests that show the opposite, and what is allowed in closed form.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::iam::prove::{AllowedBy, Grant};
use crate::iam::{ContextValue, Request, catalog};

use super::{Format, closed};

/// How a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It holds for every request.
    Proved,
    /// A request shows that it does not.
    Refuted,
    /// Neither.
    Undecided,
}

/// A request that shows the opposite of a claim.
#[derive(Debug)]
pub struct CounterExample {
    /// The request.
    pub request: Request,
    /// Whether AWS documents its action; `None` where that is not known here.
    pub known_action: Option<bool>,
    /// The statements that allow it.
    pub allowed_by: Vec<AllowedBy>,
    /// Whether its own account must allow it too, since the policy names the account alone.
    pub by_account: bool,
    /// Keys as the policies write them, by their name in lower case.
    pub written: BTreeMap<String, String>,
    /// Why the other side does not.
    pub denied: Vec<String>,
}

/// A claim and what came of it.
#[derive(Debug)]
pub struct Claim {
    /// What is claimed, as a sentence.
    pub text: String,
    /// How it stands.
    pub standing: Standing,
    /// Requests that show the opposite.
    pub witnesses: Vec<CounterExample>,
    /// What could not be decided.
    pub open: Vec<String>,
    /// Kinds of requests that were told apart.
    pub kinds: usize,
}

/// All claims of a run.
#[derive(Debug, Default)]
pub struct Proof {
    /// The claims.
    pub claims: Vec<Claim>,
    /// What is allowed.
    pub rights: Vec<Grant>,
    /// What requests are taken to look like.
    pub assumptions: Vec<&'static str>,
    /// The file of cases that was asked for.
    pub cases: Option<CasesFile>,
}

/// A file for the counterexamples; without any it is not written.
#[derive(Debug)]
pub struct CasesFile {
    /// Its path.
    pub path: String,
    /// How many cases there are.
    pub count: usize,
}

/// Writes the proof; annotations are the lines for people.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_proof(format: Format, proof: &Proof, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &json(proof))?;
            writeln!(out)
        }
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            human(proof, out)
        }
    }
}

fn human(proof: &Proof, out: &mut dyn Write) -> io::Result<()> {
    for claim in &proof.claims {
        let word = match claim.standing {
            Standing::Proved => "proved",
            Standing::Refuted => "REFUTED",
            Standing::Undecided => "undecided",
        };
        writeln!(out, "{word}: {}", claim.text)?;
        for witness in &claim.witnesses {
            write_witness(witness, out)?;
        }
        for open in &claim.open {
            writeln!(out, "  undecided: {open}")?;
        }
    }
    if !proof.rights.is_empty() {
        let gap = if proof.claims.is_empty() { "" } else { "\n" };
        writeln!(out, "{gap}in closed form:")?;
    }
    closed::human(&proof.rights, out)?;
    if let Some(cases) = proof.cases.as_ref().filter(|cases| cases.count == 0) {
        writeln!(out, "\nno counterexample: `{}` was not written", cases.path)?;
    }
    if !proof.assumptions.is_empty() {
        writeln!(out, "\ntaken for granted:")?;
    }
    for assumption in &proof.assumptions {
        writeln!(out, "  {assumption}")?;
    }
    Ok(())
}

fn write_witness(witness: &CounterExample, out: &mut dyn Write) -> io::Result<()> {
    let request = &witness.request;
    let unknown = if witness.known_action == Some(false) {
        " (no action that AWS documents)"
    } else {
        ""
    };
    writeln!(out, "  action    {}{unknown}", shown(request.action()))?;
    writeln!(out, "  resource  {}", shown(&request.resource))?;
    if let Some(principal) = &request.principal {
        writeln!(out, "  principal {}", shown(principal.as_str()))?;
    }
    for (key, value) in request.keys() {
        let values: Vec<String> = value
            .values()
            .iter()
            .map(|one| format!("`{}`", shown(one)))
            .collect();
        let key = witness.written.get(key).map_or(key, String::as_str);
        writeln!(out, "  {} = {}", documented(key), values.join(", "))?;
    }
    if witness.by_account {
        writeln!(out, "  if its own account allows it, which alone is named")?;
    }
    for one in &witness.allowed_by {
        let sid = one.sid.as_ref();
        let sid = sid.map_or_else(String::new, |sid| format!(" (`{}`)", shown(sid)));
        let (policy, statement) = (&one.policy, one.statement);
        writeln!(out, "  allowed by statement {statement}{sid} of {policy}")?;
    }
    for why in &witness.denied {
        writeln!(out, "  otherwise: {why}")?;
    }
    Ok(())
}

fn json(proof: &Proof) -> Value {
    let claims: Vec<Value> = proof.claims.iter().map(claim_json).collect();
    let rights: Vec<Value> = proof.rights.iter().map(closed::json).collect();
    let mut whole = json!({ "version": 1, "claims": claims, "rights": rights, "assumptions": proof.assumptions });
    if let (Some(cases), Some(map)) = (&proof.cases, whole.as_object_mut()) {
        map.insert(
            "cases".to_owned(),
            json!({
                "path": (cases.count > 0).then_some(cases.path.as_str()),
                "count": cases.count,
            }),
        );
    }
    whole
}

fn claim_json(claim: &Claim) -> Value {
    let witnesses: Vec<Value> = claim
        .witnesses
        .iter()
        .map(|witness| {
            let allowed_by: Vec<Value> = witness
                .allowed_by
                .iter()
                .map(|one| {
                    json!({ "policy": one.policy, "statement": one.statement, "sid": one.sid })
                })
                .collect();
            json!({
                "request": request_json(&witness.request),
                "known_action": witness.known_action,
                "by_account": witness.by_account,
                "allowed_by": allowed_by,
                "why": witness.denied,
            })
        })
        .collect();
    json!({
        "claim": claim.text,
        "verdict": match claim.standing {
            Standing::Proved => "proved",
            Standing::Refuted => "refuted",
            Standing::Undecided => "undecided",
        },
        "witnesses": witnesses,
        "undecided": claim.open,
        "kinds": claim.kinds,
    })
}

/// The text on one line: escaped is what cannot be seen, and the backslash; quotes are not.
pub(super) fn shown(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '\'' | '"' => letter.to_string(),
        other => other.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}

/// A key in AWS's own spelling, where that is known: a request has it in lower case.
fn documented(key: &str) -> String {
    let known = catalog::key(key).map(|known| known.name);
    let known = known.filter(|name| name.eq_ignore_ascii_case(key));
    known.unwrap_or(key).to_owned()
}

/// A request in the form of simulation cases.
#[must_use]
pub fn request_json(request: &Request) -> Value {
    let context: Map<String, Value> = request
        .keys()
        .map(|(key, value)| {
            let value = match value {
                ContextValue::Single(value) => json!(value),
                ContextValue::Multi(values) => json!(values),
            };
            (documented(key), value)
        })
        .collect();
    let mut form = Map::new();
    if let Some(principal) = &request.principal {
        form.insert("principal".to_owned(), json!(principal.as_str()));
    }
    form.insert("action".to_owned(), json!(request.action()));
    form.insert("resource".to_owned(), json!(request.resource));
    if let Some(account) = &request.resource_account {
        form.insert("resource_account".to_owned(), json!(account));
    }
    form.insert("context".to_owned(), Value::Object(context));
    Value::Object(form)
}
