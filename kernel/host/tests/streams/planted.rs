//! That the invariants of stream graphs are looked at: faults that are planted are found.

use crate::graph::{Channel, Graph};
use crate::stage::Stage;

/// One filter that gives, and one that takes.
fn pair() -> Stage {
    let channel = Channel {
        from: 0,
        to: 1,
        puts: vec![1],
        takes: vec![2],
        capacity: 2,
        initial: 0,
    };
    let graph = Graph {
        cycles: vec![1, 1],
        channels: vec![channel],
    };
    Stage::new(graph, 1, &[], &[0, 1])
}

#[track_caller]
fn finds(broken: &str, plant: impl FnOnce(&Stage)) {
    let stage = pair();
    plant(&stage);
    assert_eq!(stage.rig.kernel().check_invariants(), Err(broken));
}

#[test]
fn a_counter_that_miscounts_is_found() {
    let broken = "the counter of a filter is the number of its balances below zero";
    finds(broken, |stage| {
        stage.rig.plant(stage.filter(1), "counter", 2);
    });
    finds(broken, |stage| {
        let balance = &stage.rig.kernel().streams.balances[0];
        stage.rig.plant(balance, "value", 0);
    });
}

#[test]
fn a_filter_that_is_ready_too_early_or_not_at_all_is_found() {
    let broken = "a filter is ready exactly while its counter is 0, or its instance ends";
    finds(broken, |stage| {
        // (the second waits for tokens, and now it waits for nothing)
        let balance = &stage.rig.kernel().streams.balances[0];
        stage.rig.plant(balance, "value", 0);
        stage.rig.plant(stage.filter(1), "counter", 0);
    });
    finds(broken, |stage| {
        let balance = &stage.rig.kernel().streams.balances[1];
        stage.rig.plant(balance, "value", usize::MAX & 0xFFFF_FFFF);
        stage.rig.plant(stage.filter(0), "counter", 1);
    });
}

#[test]
fn a_position_beyond_the_cycle_is_found() {
    finds("a filter is at a position of its cycle", |stage| {
        stage.rig.plant(stage.filter(0), "position", 1);
    });
}
