//! A forecast as JSON: seconds as numbers, `null` for what never ends or has no bound.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::forecast::{Bounds, Column, Direction, Forecast, Length, PHASES, SETTINGS, Summary};

use super::Forecasted;

pub(super) fn render(forecasted: &Forecasted, out: &mut dyn Write) -> io::Result<()> {
    let counted = |it: &Column| {
        let mut value = column(it);
        if forecasted.counts_open
            && let Some(value) = value.as_object_mut()
        {
            for name in ["messages", "actions_minutes", "cost_dollars"] {
                value.insert(name.to_owned(), Value::Null);
            }
        }
        value
    };
    let columns: Vec<Value> = forecasted.columns.iter().map(counted).collect();
    let value = json!({
        "version": 1,
        "home": forecasted.sites.0,
        "standby": forecasted.sites.1,
        "set": forecasted.changed,
        "columns": columns,
        "notes": forecasted.notes,
    });
    writeln!(out, "{value:#}")
}

fn rounded(seconds: f64) -> Value {
    if seconds.is_finite() {
        json!((seconds * 1e3).round() / 1e3)
    } else {
        Value::Null
    }
}

fn optional(seconds: Option<f64>) -> Value {
    seconds.map_or(Value::Null, rounded)
}

fn summary(summary: &Summary) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("p50".to_owned(), optional(summary.p50));
    value.insert("p95".to_owned(), optional(summary.p95));
    value.insert("worst".to_owned(), optional(summary.worst));
    value.insert(
        "mean".to_owned(),
        if summary.never >= 1.0 {
            Value::Null
        } else {
            rounded(summary.mean)
        },
    );
    value.insert("never".to_owned(), json!(summary.never));
    value
}

fn length(length: &Length) -> Value {
    let mut value = summary(&length.drawn);
    let Bounds { least, most } = length.bounds;
    value.insert("least".to_owned(), rounded(least));
    value.insert("most".to_owned(), optional(most));
    Value::Object(value)
}

fn direction(forecast: &Forecast) -> (String, Value) {
    let name = match forecast.direction {
        Direction::FailOver => "failover",
        Direction::FailBack => "failback",
    };
    let phases: Map<String, Value> = PHASES
        .iter()
        .zip(&forecast.phases)
        .map(|(name, phase)| ((*name).to_owned(), length(phase)))
        .collect();
    let value = json!({
        "phases": phases,
        "whole": length(&forecast.whole),
        "visitor": summary(&forecast.visitor),
    });
    (name.to_owned(), value)
}

fn column(column: &Column) -> Value {
    let settings: Map<String, Value> = SETTINGS
        .iter()
        .map(|setting| {
            (
                setting.name.to_owned(),
                json!(column.settings.value(setting)),
            )
        })
        .collect();
    let detections: Map<String, Value> = column
        .detections
        .iter()
        .map(|(death, found)| {
            let value = found.map(|(best, mean, worst)| json!({ "best": rounded(best), "mean": rounded(mean), "worst": rounded(worst) }));
            (death.word().to_owned(), value.unwrap_or(Value::Null))
        })
        .collect();
    let bars: Vec<Value> = column
        .bars
        .iter()
        .map(|bar| json!({ "setting": bar.setting, "now": bar.now, "then": bar.then, "failover_p95": optional(bar.away), "failback_p95": optional(bar.back), "price": bar.price }))
        .collect();
    let mut value = Map::new();
    value.insert("outages".to_owned(), json!(column.draws));
    value.insert("seed".to_owned(), json!(column.seed));
    value.insert("death".to_owned(), json!(column.settings.death.word()));
    value.insert("settings".to_owned(), Value::Object(settings));
    value.extend(column.directions.iter().map(direction));
    value.insert("detection".to_owned(), Value::Object(detections));
    value.insert(
        "messages".to_owned(),
        json!({ "dispatches": column.messages.dispatches, "people": column.messages.people }),
    );
    value.insert(
        "actions_minutes".to_owned(),
        json!(column.messages.actions_minutes),
    );
    let cost = column.messages.actions_minutes as f64 * column.settings.get("actions.price");
    value.insert("cost_dollars".to_owned(), rounded(cost));
    value.insert("tornado".to_owned(), Value::Array(bars));
    Value::Object(value)
}
