//! A forecast as one page without scripts and without anything from elsewhere.

use crate::forecast::{Column, Direction, PHASES};
use crate::report::chart::escaped;
use crate::report::page::{page as framed, picture};

use super::{Forecasted, change, clock, svg};

pub(super) fn page(forecasted: &Forecasted) -> String {
    let title = format!(
        "Forecast: {} to {} and back",
        forecasted.sites.0, forecasted.sites.1
    );
    let mut body = picture(&svg::draw(forecasted));
    for (index, column) in forecasted.columns.iter().enumerate() {
        let name = if index == 0 {
            "As it is".to_owned()
        } else {
            format!("With {}", forecasted.changed.join(", "))
        };
        body.push_str(&format!("<h2>{}</h2>\n", escaped(&name)));
        tables(column, &mut body);
        counts(forecasted, column, &mut body);
    }
    body.push_str("<h2>What to know of these numbers</h2>\n<ul>\n");
    for note in &forecasted.notes {
        body.push_str(&format!("<li>{}</li>\n", escaped(note)));
    }
    body.push_str("</ul>\n");
    framed(&title, STYLE, &body)
}

fn cells(kind: &str, cells: &[String], body: &mut String) {
    let row: String = cells
        .iter()
        .map(|cell| format!("<{kind}>{}</{kind}>", escaped(cell)))
        .collect();
    body.push_str(&format!("<tr>{row}</tr>\n"));
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[expect(clippy::too_many_lines, reason = "one table after another")]
fn tables(column: &Column, body: &mut String) {
    for forecast in &column.directions {
        let name = match forecast.direction {
            Direction::FailOver => "Fail-over",
            Direction::FailBack => "Fail-back",
        };
        body.push_str("<table>\n");
        cells(
            "th",
            &words(&[name, "p50", "p95", "worst", "at least", "at most"]),
            body,
        );
        let phases = PHASES.iter().zip(&forecast.phases);
        for (name, length) in phases.chain([(&"whole", &forecast.whole)]) {
            let least = if length.bounds.least.is_finite() {
                clock(Some(length.bounds.least))
            } else {
                "never".to_owned()
            };
            let most = length
                .bounds
                .most
                .map_or_else(|| "no bound".to_owned(), |most| clock(Some(most)));
            let drawn = &length.drawn;
            let row = [
                (*name).to_owned(),
                clock(drawn.p50),
                clock(drawn.p95),
                clock(drawn.worst),
                least,
                most,
            ];
            cells("td", &row, body);
        }
        let visitor = &forecast.visitor;
        let row = [
            "a visitor picked at random".to_owned(),
            clock(visitor.p50),
            clock(visitor.p95),
            clock(visitor.worst),
            String::new(),
            String::new(),
        ];
        cells("td", &row, body);
        body.push_str("</table>\n");
    }
    body.push_str("<table class=\"bars\">\n");
    cells(
        "th",
        &words(&[
            "Setting",
            "now",
            "then",
            "fail-over p95",
            "fail-back p95",
            "what it costs",
        ]),
        body,
    );
    for bar in &column.bars {
        let row = [
            bar.setting.to_owned(),
            bar.now.to_string(),
            bar.then.to_string(),
            change(bar.away),
            change(bar.back),
            bar.price.to_owned(),
        ];
        cells("td", &row, body);
    }
    body.push_str("</table>\n");
    body.push_str("<table>\n");
    let head = ["Detection, by kind of death", "best", "mean", "worst"];
    cells("th", &words(&head), body);
    for (death, found) in &column.detections {
        let (best, mean, worst) = found.map_or((None, None, None), |(best, mean, worst)| {
            (Some(best), Some(mean), Some(worst))
        });
        let row = [
            death.word().to_owned(),
            clock(best),
            clock(mean),
            clock(worst),
        ];
        cells("td", &row, body);
    }
    body.push_str("</table>\n");
}

/// Messages and cost of an outage.
fn counts(forecasted: &Forecasted, column: &Column, body: &mut String) {
    let (messages, minutes) = (column.messages, column.settings.get("outage.minutes"));
    if forecasted.counts_open {
        body.push_str(&format!(
            "<p>What an outage of {minutes} min sends is undecided: see below.</p>\n"
        ));
        return;
    }
    let cost = messages.actions_minutes as f64 * column.settings.get("actions.price");
    body.push_str(&format!("<p>An outage of {minutes} min: {} messages start the workflow, {} reach people; {} minutes of Actions on average, {cost:.2} dollars.</p>\n",
        messages.dispatches,
        messages.people,
        messages.actions_minutes));
}

const STYLE: &str = "th,td{text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left;white-space:normal}\
.bars th:last-child,.bars td:last-child{text-align:left;white-space:normal;min-width:18em}";
