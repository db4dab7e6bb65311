//! What the dead owned and waited for: it passes in pieces, and before any zeroing
//! (KERNEL 7, rule 7).

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;

use crate::stage::*;

impl Stage {
    fn fault(&mut self, thread: usize) -> &mut Stage {
        self.runs(thread);
        self.rig.fault(FaultCause::Store, 0, 0);
        self.rig.check_invariants();
        self
    }
}

#[test]
fn a_mutex_of_the_dead_passes_when_the_chain_meets_it() {
    let mut system = processes(&[&[2], &[5], &[4]]);
    let [a, b] = mutexes(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 12).sleep(2, 11).lock(0, a).lock(0, b);
    // the teardown is as urgent as the dead one was; it has hardly begun
    stage.rig.set_piece_time(10);
    stage.fault(0).runs(1);
    stage.lock(1, a).refused(1, Error::EOWNERDEAD);
    stage
        .sleep(1, 400)
        .runs(2)
        .lock_until(2, b, 0)
        .refused(2, Error::EOWNERDEAD);
    assert_eq!([stage.owner(a), stage.owner(b)], [Some(1), Some(2)]);
}

#[test]
fn the_dead_lend_nothing() {
    // a dead one waited for a mutex, urgently: its owner goes back to its own place
    let mut system = processes(&[&[9, 10], &[2, 5]]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 20).sleep(0, 10).sleep(3, 15).lock(2, a);
    stage.advance(10).lock(0, a).advance(15).runs(2);
    stage.advance(20).fault(1).runs(3);
    assert_eq!(stage.place(2), 2);
    stage.sleep(3, 100).unlock(2, a).runs(2);
    assert_eq!(stage.owner(a), None);
}

#[test]
fn those_that_hang_on_a_dead_one_ask_again() {
    let mut system = processes(&[&[2, 200 + 1], &[11, 12, 13, 14, 15, 16, 17]]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 20);
    for thread in (2..=8).rev() {
        stage.sleep(thread, 10);
    }
    stage.lock(0, a).sleep(0, 1000).advance(10);
    for thread in (2..=8).rev() {
        stage.lock(thread, a);
    }
    stage.idles();
    assert_eq!(stage.parked_on(0).len(), 7);
    stage.advance(20).fault(1);
    stage.runs(8).refused(8, Error::EOWNERDEAD);
    for thread in (2..=7).rev() {
        stage
            .unlock(thread + 1, a)
            .sleep(thread + 1, 1000)
            .runs(thread)
            .returned(thread, DONE);
    }
}

/// A process with a chain of so many mutexes ends, beside one that wants a turn after a few
/// looks at interrupts: how many of the mutexes had passed by then.
fn passed_before_a_turn(links: usize) -> usize {
    let mut chain = vec![150; links];
    chain.push(180);
    let mut system = processes(&[&chain, &[160]]);
    system.depth = 255;
    let all: Vec<usize> = (0..links).map(|_| mutex(&mut system)).collect();
    let mut stage = Stage::new(&system);
    let (killer, bystander) = (links, links + 1);
    stage.sleep(killer, 10).sleep(bystander, 13);
    // each holds one and waits for that of the one before; the first sleeps
    stage.lock(0, all[0]).sleep(0, 10_000);
    for thread in 1..links {
        stage
            .lock(thread, all[thread])
            .lock(thread, all[thread - 1]);
    }
    stage.idles();
    assert_eq!(stage.place(0), 150);
    stage.advance(10).set_priority(killer, killer, 140);
    stage.rig.set_piece_time(1);
    stage.fault(killer).runs(bystander);
    let passed = all.iter().filter(|mutex| stage.owner(**mutex).is_none());
    let passed = passed.count();
    stage.rig.set_piece_time(0);
    stage.sleep(bystander, 10_000).idles();
    for mutex in all {
        assert_eq!(stage.owner(mutex), None);
    }
    passed
}

#[test]
fn a_chain_is_torn_down_in_pieces_however_long_it_is() {
    let links = if cfg!(miri) {
        [10, 20, 40]
    } else {
        [50, 100, 200]
    };
    let passed = links.map(passed_before_a_turn);
    assert!(passed.iter().all(|passed| *passed <= 16), "{passed:?}");
}

/// Nobody has it as if it had been given, because the first that waited is dead.
#[test]
fn whoever_waits_behind_the_dead_is_told_that_a_semaphore_is_no_more() {
    let mut system = processes(&[&[9, 3], &[5], &[12]]);
    let a = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.sleep(3, 11).lock(0, a).lock(2, a);
    stage.rig.set_piece_time(10);
    stage.fault(1).runs(3);
    stage.call(3, Call::DeleteObject, &[a, 1]).sleep(3, 500);
    stage.runs(2).refused(2, Error::EIDRM);
}
