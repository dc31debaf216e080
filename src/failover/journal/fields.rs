//! Fields of a journal's line, read with a reason when one is missing or of another type.

use std::time::Duration;

use serde_json::Value;

use crate::failover::event::{
    Answer, ChangeStatus, Event, Happened, NoAnswer, Order, ServerAnswer,
};
use crate::failover::fault::{Fault, FaultKind};
use crate::failover::moment::Moment;
use crate::failover::records::RecordSet;

/// An object of a line.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl<'a> Fields<'a> {
    fn get(self, key: &str) -> Result<&'a Value, String> {
        self.0.get(key).ok_or_else(|| format!("`{key}` is missing"))
    }

    pub(super) fn object(self, key: &str) -> Result<Self, String> {
        let value = self.get(key)?;
        if value.is_object() {
            Ok(Self(value))
        } else {
            Err(format!("`{key}` is no object"))
        }
    }

    pub(super) fn text(self, key: &str) -> Result<&'a str, String> {
        let value = self.get(key)?;
        value.as_str().ok_or_else(|| format!("`{key}` is no text"))
    }

    pub(super) fn maybe_text(self, key: &str) -> Result<Option<String>, String> {
        if self.get(key)?.is_null() {
            Ok(None)
        } else {
            self.text(key).map(|text| Some(text.to_owned()))
        }
    }

    pub(super) fn number<N: TryFrom<u64>>(self, key: &str) -> Result<N, String> {
        let number = self
            .get(key)?
            .as_u64()
            .and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| format!("`{key}` is no number that fits"))
    }

    pub(super) fn maybe_number<N: TryFrom<u64>>(self, key: &str) -> Result<Option<N>, String> {
        if self.get(key)?.is_null() {
            Ok(None)
        } else {
            self.number(key).map(Some)
        }
    }

    pub(super) fn duration(self, key: &str) -> Result<Duration, String> {
        self.number(key).map(Duration::from_millis)
    }

    pub(super) fn maybe_duration(self, key: &str) -> Result<Option<Duration>, String> {
        Ok(self.maybe_number(key)?.map(Duration::from_millis))
    }

    pub(super) fn flag(self, key: &str) -> Result<bool, String> {
        let value = self.get(key)?;
        value
            .as_bool()
            .ok_or_else(|| format!("`{key}` is neither true nor false"))
    }

    pub(super) fn each<T>(
        self,
        key: &str,
        read: impl Fn(&'a Value) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let list = self
            .get(key)?
            .as_array()
            .ok_or_else(|| format!("`{key}` is no list"))?;
        list.iter().map(read).collect()
    }

    pub(super) fn texts(self, key: &str) -> Result<Vec<String>, String> {
        self.each(key, text_of)
    }
}

fn text_of(value: &Value) -> Result<String, String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| format!("`{value}` is no text"))
}

/// The event of a line.
pub(super) fn event(line: &Value) -> Result<Event, String> {
    let fields = Fields(line);
    Ok(Event {
        at: Moment::from_millis(fields.number("at")?),
        what: happened(fields)?,
    })
}

fn happened(fields: Fields<'_>) -> Result<Happened, String> {
    Ok(match fields.text("event")? {
        "started" => Happened::Started(Order {
            pin: fields.maybe_text("pin")?,
            dry_run: fields.flag("dry_run")?,
            jitter: fields.number("jitter")?,
        }),
        "token-fetched" => Happened::TokenFetched,
        "role-assumed" => Happened::RoleAssumed {
            lives: fields.maybe_duration("lives_ms")?,
        },
        "records" => Happened::Records(fields.each("sets", |set| record_set(Fields(set)))?),
        "answered" => Happened::Answered(fields.each("answers", |one| answer(Fields(one)))?),
        "woke" => Happened::Woke,
        "accepted" => Happened::Accepted(fields.text("change")?.to_owned()),
        "late" => Happened::Late,
        "change" => Happened::Change(match fields.text("status")? {
            "INSYNC" => ChangeStatus::InSync,
            "PENDING" => ChangeStatus::Pending,
            other => return Err(format!("`{other}` is no status of a change")),
        }),
        "servers" => Happened::Servers(fields.each("servers", |one| server(Fields(one)))?),
        "failed" => Happened::Failed(fault(fields.object("fault")?)?),
        "cancelled" => Happened::Cancelled,
        "broken" => Happened::Broken(fault(fields.object("fault")?)?),
        other => return Err(format!("`{other}` is no event")),
    })
}

fn record_set(fields: Fields<'_>) -> Result<RecordSet, String> {
    Ok(RecordSet {
        name: fields.text("name")?.to_owned(),
        kind: fields.text("type")?.to_owned(),
        ttl: fields.maybe_number("ttl")?,
        values: fields.texts("values")?,
        alias: fields.maybe_text("alias")?,
        set_identifier: fields.maybe_text("set_identifier")?,
    })
}

fn answer(fields: Fields<'_>) -> Result<Answer, String> {
    if let Ok(word) = fields.text("none") {
        let why = NoAnswer::of_word(word);
        return why
            .map(Answer::None)
            .ok_or_else(|| format!("`{word}` is no reason"));
    }
    Ok(Answer::Status {
        code: fields.number("status")?,
        site: fields.maybe_text("site")?,
    })
}

fn server(fields: Fields<'_>) -> Result<ServerAnswer, String> {
    let texts = |list: &Value| {
        let list = list
            .as_array()
            .ok_or_else(|| format!("`{list}` is no list"))?;
        list.iter().map(text_of).collect::<Result<Vec<_>, _>>()
    };
    let silent = fields.get("values")?.is_null();
    let values = (!silent)
        .then(|| fields.each("values", texts))
        .transpose()?;
    Ok(ServerAnswer {
        server: fields.text("server")?.to_owned(),
        values,
    })
}

fn fault(fields: Fields<'_>) -> Result<Fault, String> {
    let word = fields.text("kind")?;
    let kind = FaultKind::WORDS.iter().find(|(_, own)| *own == word);
    Ok(Fault {
        kind: kind
            .map(|(kind, _)| *kind)
            .ok_or_else(|| format!("`{word}` is no kind of fault"))?,
        code: fields.text("code")?.to_owned(),
        message: fields.text("message")?.to_owned(),
    })
}
