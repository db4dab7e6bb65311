//! Ceilings: of a mutex, at once; and such as a thread publishes in its control page, when
//! it is about to be left (KERNEL 7, rules 10 and 11).

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::posix::{CALL, Operation};
use giornata_abi::trace::FaultCause;
use giornata_host::MEMORY;
use giornata_records::program::Port;

use crate::stage::*;

#[test]
fn an_owner_is_at_the_ceiling_as_long_as_it_owns_the_mutex() {
    let mut system = threads(&[5, 7]);
    let a = ceiling_mutex(&mut system, 8);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).lock(0, a);
    assert_eq!(stage.place(0), 8);
    stage.advance(10).runs(0).unlock(0, a).runs(1);
    assert_eq!(stage.place(0), 5);
}

#[test]
fn whoever_leaves_a_ceiling_comes_before_its_equals() {
    let mut system = threads(&[5, 5, 7]);
    let a = ceiling_mutex(&mut system, 8);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 10).lock(0, a).advance(10).unlock(0, a);
    stage.runs(2).sleep(2, 20).runs(0).returned(0, DONE);
}

#[test]
fn the_most_urgent_ceiling_counts_in_whatever_order_they_are_left() {
    for order in [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
        [1, 2, 0],
        [0, 2, 1],
        [2, 0, 1],
    ] {
        let mut system = threads(&[5]);
        let ceilings = [6, 9, 7];
        let all = ceilings.map(|ceiling| ceiling_mutex(&mut system, ceiling));
        let plain = mutex(&mut system);
        let mut stage = Stage::new(&system);
        for mutex in all {
            stage.lock(0, mutex);
        }
        stage.lock(0, plain);
        assert_eq!(stage.place(0), 9);
        for at in 0..3 {
            stage.unlock(0, all[order[at]]);
            let left = order[at + 1..].iter().map(|index| ceilings[*index]).max();
            assert_eq!(stage.place(0), left.unwrap_or(5).into());
        }
        stage.unlock(0, plain);
    }
}

#[test]
fn nobody_locks_a_mutex_with_a_ceiling_below_its_own_priority() {
    let mut system = threads(&[5]);
    let [a, b] = [4, 5].map(|ceiling| ceiling_mutex(&mut system, ceiling));
    let mut stage = Stage::new(&system);
    stage
        .lock(0, a)
        .refused(0, Error::EINVAL)
        .lock(0, b)
        .returned(0, DONE);
}

#[test]
fn a_ceiling_and_who_waits_are_both_seen_to() {
    let mut system = threads(&[2, 9, 5]);
    let a = mutex(&mut system);
    let b = ceiling_mutex(&mut system, 6);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).sleep(2, 5).lock(0, a).lock(0, b);
    // above the one of priority 5 by its ceiling, then by who waits too
    stage
        .advance(5)
        .runs(0)
        .sleep(0, 20)
        .runs(2)
        .advance(10)
        .lock(1, a)
        .runs(2);
    assert_eq!(stage.place(0), 9);
    stage
        .advance(20)
        .runs(0)
        .unlock(0, b)
        .runs(0)
        .unlock(0, a)
        .runs(1);
    assert_eq!(stage.place(0), 2);
}

#[test]
fn a_published_ceiling_costs_nothing_until_somebody_comes() {
    let mut stage = Stage::new(&threads(&[5, 7, 9]));
    stage.sleep(2, 20).sleep(1, 10).publish(0, 8);
    assert_eq!(stage.place(0), 5);
    stage.advance(10).runs(0);
    assert!(stage.is_put_off(0));
    assert_eq!(stage.place(0), 8);
    // one above the ceiling is not put off
    stage.advance(20).runs(2).sleep(2, 30).runs(0);
    // it gives the turn away when it has left the ceiling
    stage.publish(0, 0).yields(0).runs(1);
    assert_eq!(stage.place(0), 5);
}

#[test]
fn a_ceiling_is_heeded_whoever_s_place_its_thread_runs_on() {
    let mut system = threads(&[2, 6, 7]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 20).sleep(1, 10).lock(0, a);
    stage.advance(10).lock(1, a).publish(0, 8);
    stage.advance(20).runs(0);
    assert!(stage.is_put_off(0));
    stage.publish(0, 0).yields(0).runs(2);
    stage.sleep(2, 30).unlock(0, a).runs(1);
}

// (of several harts none leaves a thread to look at what waits, and goes on parking meanwhile)
#[cfg(not(feature = "harts"))]
#[test]
fn a_ceiling_is_heeded_after_the_first_four_that_hang_on_an_owner() {
    // the owner sleeps, and six that wait for it come at once
    let mut system = threads(&[9, 3, 5, 5, 5, 5, 5, 5]);
    let (low, owner) = (0, 1);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(low, 10);
    for waiter in 2..8 {
        stage.lock(waiter, a).wait(waiter, c, a);
    }
    stage.lock(owner, a).sleep(owner, 100).advance(10);
    stage.broadcast(low, c).publish(low, 6);
    // it is below them by itself, and left before the hart looks at its lines
    stage.set_priority(low, low, 4).runs(low);
    assert!(stage.is_put_off(low));
    assert_eq!(stage.parked_on(owner), [2, 3, 4, 5]);
}

#[test]
fn a_ceiling_is_no_higher_than_its_process_is_granted() {
    let mut system = processes(&[&[5], &[9]]);
    system.processes[0].max_priority = 8;
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).publish(0, 255).advance(10).runs(1);
    assert_eq!(stage.place(0), 8);
}

#[test]
fn whoever_waits_has_no_ceiling_that_it_published() {
    let mut system = threads(&[5, 7, 6]);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage
        .sleep(1, 10)
        .sleep(2, 20)
        .publish(0, 8)
        .advance(10)
        .runs(0);
    stage.lock(0, s).runs(1);
    assert_eq!(stage.place(0), 5);
    stage.advance(20).unlock(1, s).runs(1).sleep(1, 30).runs(2);
}

#[test]
fn a_thread_that_faults_below_a_ceiling_does_not_run_again() {
    // whatever it has published, and whoever it put off
    for ceiling in [6, 8, 201, 255] {
        let mut system = processes(&[&[5, 4], &[5, 6, 3]]);
        system.trace_records = 4096;
        let mut stage = Stage::new(&system);
        stage.sleep(3, 10).publish(0, ceiling).advance(10);
        stage.rig.fault(FaultCause::Store, 0, 0);
        stage.rig.check_invariants();
        assert!(!stage.rig.process(0).is_alive() || stage.rig.is_idle());
        let mut order = Vec::new();
        while !stage.rig.is_idle() {
            let thread = stage.rig.running();
            order.push(thread);
            stage.exit(thread);
        }
        assert_eq!(order, [3, 2, 4]);
    }
}

#[test]
fn a_thread_that_faults_with_a_mutex_with_a_ceiling_does_not_run_again() {
    let mut system = processes(&[&[5], &[5, 6]]);
    let a = ceiling_mutex(&mut system, 8);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 10).lock(0, a).advance(10).runs(0);
    stage.rig.fault(FaultCause::Store, 0, 0);
    stage.runs(2).lock(2, a).refused(2, Error::EOWNERDEAD);
    stage.unlock(2, a).exit(2).runs(1);
}

/// Threads 0 (priority 5) and 1 (7), and 2, which is granted to precede programs; a mutex with ceiling 8, and a
/// port of 1 KB that process 0 reads and writes.
fn with_port() -> (Stage, usize) {
    let mut system = threads(&[5, 7, 250]);
    let a = ceiling_mutex(&mut system, 8);
    system.programs.precede = Some(200);
    system.programs.scratch = (MEMORY + 0xC000) as u64;
    system.programs.ports.push(Port {
        place: (MEMORY + 0xD000) as u64,
        size: PORT as u32,
        readers: vec![0],
        writers: vec![0],
        ..Port::default()
    });
    let mut stage = Stage::new(&system);
    // each of its pieces takes a tick
    stage.rig.set_piece_time(1);
    (stage, a)
}

const PORT: usize = 1024;

#[test]
fn a_thread_that_copies_a_port_in_pieces_is_at_its_ceiling_behind_it() {
    for call in [Call::ReadPort, Call::WritePort] {
        let (mut stage, a) = with_port();
        stage.sleep(2, 1000).sleep(1, 7).lock(0, a);
        stage.call(0, call, &[0, USER, PORT, 0, 0, 0]);
        stage.runs(0).returned(0, DONE);
        assert!(stage.rig.now() >= 16, "thread 1 woke meanwhile");
        assert_eq!(stage.place(0), 8);
        stage.unlock(0, a).runs(1);
        assert_eq!(stage.place(0), 5);
    }
}

#[test]
fn a_call_that_continues_ends_before_a_signal_is_handled_whatever_its_process_passes() {
    let (mut stage, _) = with_port();
    stage.sleep(2, 7).sleep(1, 1000);
    // (how far it has come is no argument of its caller)
    stage.call(0, Call::ReadPort, &[0, USER, PORT, 512, 0, 0]);
    stage.runs(2);
    let operation = Operation::Interrupt as usize;
    stage.rig.call_number(CALL, [operation, 0, 1, 0x1234, 0, 0]);
    stage.rig.check_invariants();
    stage.refused(2, Error::EBUSY);
    assert!(stage.place(0) > 200, "as urgent as the machine");
    stage.sleep(2, 2000).runs(0).returned(0, DONE);
    assert!(stage.rig.now() >= 16, "all of it was copied");
    assert_eq!(stage.place(0), 5);
}

#[test]
fn a_thread_owns_64_mutexes_with_ceilings_at_most() {
    let mut system = threads(&[5]);
    let mutexes: Vec<usize> = (0..65)
        .map(|at| ceiling_mutex(&mut system, 10 + at % 7))
        .collect();
    let mut stage = Stage::new(&system);
    for mutex in &mutexes[..64] {
        stage.lock(0, *mutex).returned(0, DONE);
    }
    stage.lock(0, mutexes[64]).refused(0, Error::EAGAIN);
    stage.unlock(0, mutexes[30]).returned(0, DONE);
    stage.lock(0, mutexes[64]).returned(0, DONE);
    stage.lock(0, mutexes[30]).refused(0, Error::EAGAIN);
    assert_eq!(stage.place(0), 16);
}
