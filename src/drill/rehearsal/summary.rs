//! What came of a rehearsal: the phases of each move beside their forecast, and the runs, as data for the report.

use std::time::Duration;

use crate::execution::report::RunReport;
use crate::forecast::{Column, PHASES};
use crate::report::drill::{MoveTimes, PhaseTime, RunRow};

use super::facts::RunFact;
use super::stage::Stage;

impl Stage<'_> {
    /// The moves away from home and back, as far as they were made.
    pub(super) fn moves(&self, column: &Column) -> Vec<MoveTimes> {
        let mut moves = Vec::new();
        for (at, site, alive) in &self.facts.turned {
            if *site != 0 {
                continue;
            }
            let direction = usize::from(*alive);
            moves.extend(self.move_from(*at, *alive, direction, column));
        }
        moves
    }

    /// The first run that moved the records after `began`, toward home or away from it.
    fn mover(&self, began: Duration, home: bool) -> Option<(&RunFact, &RunReport)> {
        let name = self.world.sites.first().map(|site| site.name.as_str());
        let runs = self
            .facts
            .runs
            .values()
            .filter(|run| run.ended.is_some_and(|ended| ended > began));
        let mut reports = runs.filter_map(|run| run.report.as_ref().map(|report| (run, report)));
        reports.find(|(_, report)| report.sent && (report.to.as_deref() == name) == home)
    }

    fn move_from(
        &self,
        began: Duration,
        home: bool,
        direction: usize,
        column: &Column,
    ) -> Option<MoveTimes> {
        let (run, report) = self.mover(began, home)?;
        let (begun, started) = (run.begun?, run.started?);
        let to = report.to.clone()?;
        let place = self.world.sites.iter().position(|site| site.name == to);
        let phase = |millis: Option<u64>| Duration::from_millis(millis.unwrap_or_default());
        let own = report.phases;
        let decided = started + phase(own.read) + phase(own.decide) + phase(own.prepare);
        let written = decided + phase(own.write);
        let synced = written + phase(own.sync);
        let gathered = self.facts.gathered.iter();
        let mut there = gathered.filter(|(at, site)| *at > written && *site == place);
        let arrived = there.next().map(|(at, _)| *at)?;
        let asked = run.asked.max(began);
        // A message that is repeated is not the one that started this run.
        let mut posted = self
            .facts
            .posted
            .iter()
            .filter(|posted| posted.at >= began && posted.at <= asked + Duration::from_secs(1));
        let sent = posted
            .next_back()
            .map_or(asked, |posted| posted.at.min(asked));
        let moments = [
            began,
            sent.max(began),
            asked,
            begun.max(asked),
            started,
            decided,
            written,
            synced,
            arrived.max(synced),
        ];
        let forecast = column.directions.get(direction);
        let phases = moments
            .windows(2)
            .zip(PHASES)
            .enumerate()
            .map(|(index, (pair, name))| {
                let lasted = match pair {
                    [from, to] => to.saturating_sub(*from),
                    _ => Duration::ZERO,
                };
                let drawn = forecast
                    .and_then(|it| it.phases.get(index))
                    .map(|it| it.drawn);
                PhaseTime {
                    name,
                    lasted,
                    forecast: drawn.and_then(|drawn| drawn.p50.zip(drawn.p95)),
                }
            });
        let whole = forecast.map(|it| it.whole.drawn);
        Some(MoveTimes {
            from: report.from.clone().unwrap_or_default(),
            to,
            began,
            phases: phases.collect(),
            forecast: whole.and_then(|drawn| drawn.p50.zip(drawn.p95)),
        })
    }

    /// Runs of the workflow.
    pub(super) fn run_rows(&self) -> Vec<RunRow> {
        let runs = self.facts.runs.iter();
        let row = |(number, run): (&usize, &RunFact)| RunRow {
            number: *number,
            asked: run.asked,
            begun: run.begun,
            started: run.started,
            ended: run.ended,
            cancelled: run.cancelled,
            status: run.status(),
            end: run.end.clone(),
        };
        runs.map(row).collect()
    }
}
