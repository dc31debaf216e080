//! The executor against its decision scenarios, on a virtual clock: every row comes out right, and a process that is killed
//! at any effect leaves a zone that the next run brings to the same end.

use pointsman::failover::rehearse::{self, Kill, Scenario};
use pointsman::failover::{Place, Standing};

const FILE: &str = include_str!("data/executor_scenarios.json");

/// Three sites, and records of both types.
const SITES: &str = include_str!("data/executor_sites.json");

fn scenarios(file: &str) -> Vec<Scenario> {
    let file = rehearse::read(file.as_bytes()).unwrap();
    file.rows.into_iter().map(Result::unwrap).collect()
}

/// What comes out otherwise than expected, row by row.
fn wrong(scenarios: &[Scenario]) -> Vec<String> {
    let row = |scenario: &Scenario| {
        assert_eq!(scenario.unknown, [""; 0], "{}", scenario.id);
        let ran = rehearse::run(scenario);
        let differs = ran.differs(scenario);
        (!differs.is_empty()).then(|| format!("{}: {} ({})", ran.id, differs.join("; "), ran.why))
    };
    scenarios.iter().filter_map(row).collect()
}

#[test]
fn every_row_comes_out_right() {
    let scenarios = scenarios(FILE);
    assert_eq!(wrong(&scenarios), [""; 0]);
    assert_eq!(scenarios.len(), 59);
}

#[test]
fn three_sites_and_both_address_types_come_out_right() {
    let scenarios = scenarios(SITES);
    assert_eq!(wrong(&scenarios), [""; 0]);
    assert_eq!(scenarios.len(), 10);
}

#[test]
fn a_kill_at_any_effect_converges_on_the_next_run() {
    let mut kills = 0;
    for scenario in scenarios(FILE).into_iter().chain(scenarios(SITES)) {
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
