//! x
use crate::run_automaton::{Automaton, topology};
use pointsman::model::dns::RecordType;
use std::time::Instant;
#[test]
fn zz_size_of_one_run() {
    for mishaps in [0, 1, 2] {
        let began = Instant::now();
        let automaton = Automaton::new(topology(2, &[RecordType::A], 3, 2), None, mishaps);
        let took = began.elapsed();
        let visible = crate::run_automaton::Visible::of(&automaton);
        println!(
            "{mishaps}: {} nodes {} steps {took:?} broken {}, {} visible {:?}",
            automaton.nodes.len(),
            automaton.steps(),
            automaton.broken.len(),
            visible.kinds.len(),
            began.elapsed()
        );
    }
}
