//! The executor against its decision scenarios, on a virtual clock: every row comes out right, and a process that is killed
//! at any effect leaves a zone that the next run brings to the same end.

use pointsman::failover::rehearse::{self, Kill, Scenario};
use pointsman::failover::{Place, Standing};

const FILE: &str = include_str!("data/executor_scenarios.json");

fn scenarios() -> Vec<Scenario> {
    let file = rehearse::read(FILE.as_bytes()).unwrap();
    file.rows.into_iter().map(Result::unwrap).collect()
}

#[test]
fn every_row_comes_out_right() {
    let scenarios = scenarios();
    let mut wrong = Vec::new();
    for scenario in &scenarios {
        let ran = rehearse::run(scenario);
        let differs = ran.differs(scenario);
        if !differs.is_empty() {
            wrong.push(format!("{}: {} ({})", ran.id, differs.join("; "), ran.why));
        }
        assert_eq!(scenario.unknown, [""; 0], "{}", ran.id);
    }
    println!(
        "{} of {} rows right",
        scenarios.len() - wrong.len(),
        scenarios.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(scenarios.len(), 59);
}

#[test]
fn a_kill_at_any_effect_converges_on_the_next_run() {
    let mut kills = 0;
    for scenario in scenarios() {
        let Some((_, whole)) = rehearse::run_killed(&scenario, None, 2) else {
            continue;
        };
        for (effect, performed) in (0..).flat_map(|effect| [(effect, false), (effect, true)]) {
            let kill = Kill { effect, performed };
            let Some((outcomes, zone)) = rehearse::run_killed(&scenario, Some(kill), 3) else {
                break;
            };
            kills += 1;
            let id = &scenario.id;
            assert_eq!(zone, whole, "{id}, killed at {kill:?}: {outcomes:?}");
            let standing = Standing::of(scenario.topology.as_ref().unwrap(), &zone);
            let half_before =
                Standing::of(scenario.topology.as_ref().unwrap(), &scenario.zone).place;
            let half = matches!(standing.place, Place::Half(_));
            assert!(
                !half || standing.place == half_before,
                "{id}, killed at {kill:?}"
            );
            // The second run after the kill finds nothing left to do.
            let [next, after] = &outcomes[..] else {
                panic!("{id}: {outcomes:?}")
            };
            assert!(
                next.status() != 0 || after.status() == 0,
                "{id}, killed at {kill:?}: {next:?}, then {after:?}"
            );
        }
    }
    println!("{kills} kills");
    assert!(kills > 1000, "{kills}");
}
