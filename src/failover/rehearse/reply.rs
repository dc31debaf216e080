//! What a probe is answered, as scenarios write it.

use serde_json::Value;

use crate::failover::{Answer, NoAnswer};

/// What a probe gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// This answer.
    Answer(Answer),
    /// SIGTERM for the job, at that moment.
    Cancel,
}

/// A list of answers.
pub(super) fn replies(values: &[Value]) -> Result<Vec<Reply>, String> {
    values.iter().map(reply).collect()
}

/// Whether HTTP knows such a status (RFC 9110, section 15).
fn is_status(code: u16) -> bool {
    (100..=599).contains(&code)
}

/// One answer.
pub(super) fn reply(value: &Value) -> Result<Reply, String> {
    let wrong = || {
        let words: Vec<&str> = NoAnswer::WORDS.iter().map(|(_, word)| *word).collect();
        format!(
            "`{value}` is no answer to a probe; allowed are a status, `STATUS:site=NAME`, `cancel`, `tls_…` and {}",
            words.join(", ")
        )
    };
    if let Some(code) = value.as_u64() {
        let code = u16::try_from(code).ok().filter(|code| is_status(*code));
        return Ok(Reply::Answer(Answer::status(code.ok_or_else(wrong)?)));
    }
    let word = value.as_str().ok_or_else(wrong)?;
    if word == "cancel" {
        return Ok(Reply::Cancel);
    }
    if let Some((code, site)) = word.split_once(":site=") {
        return Ok(Reply::Answer(Answer::Status {
            code: code
                .parse()
                .ok()
                .filter(|code| is_status(*code))
                .ok_or_else(wrong)?,
            site: Some(site.to_owned()),
        }));
    }
    match NoAnswer::of_word(word) {
        Some(why) => Ok(Reply::Answer(Answer::None(why))),
        None if word.starts_with("tls_") => Ok(Reply::Answer(Answer::None(NoAnswer::Tls))),
        None => Err(wrong()),
    }
}
