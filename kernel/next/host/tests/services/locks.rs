//! Mutexes and helping.

use crate::stage::*;

#[test]
fn an_owner_runs_on_the_place_of_whoever_waits_for_it_through_a_chain() {
    let mut system = threads(&[9, 6, 3, 7]);
    let [a, b] = mutexes(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 20).sleep(3, 10).sleep(1, 5).lock(2, a);
    stage.advance(5).lock(1, b).lock(1, a).runs(2);
    // in the place of 1, which is less urgent than 3
    stage.advance(10).runs(3).sleep(3, 25).runs(2);
    stage.advance(20).lock(0, b).runs(2);
    // in the place of 0 by way of 1
    stage
        .advance(25)
        .runs(2)
        .unlock(2, a)
        .runs(1)
        .returned(1, DONE);
    stage.unlock(1, b).runs(0);
    assert_eq!(stage.owner(b), Some(0));
}
