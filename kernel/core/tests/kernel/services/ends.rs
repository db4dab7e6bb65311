//! Owners and waiters that end: by exit, and with their process.

use super::stage::*;
use crate::rig::*;
use giornata_abi::Error;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::TraceKind;
use giornata_sim::{Act, Script, trace};

#[test]
fn a_mutex_of_a_thread_that_exits_goes_to_the_most_urgent_waiter_which_is_told() {
    let tables = with_mutexes(&[3, 5, 7], 1);
    let acts = [
        vec![lock(0), compute(3)],
        vec![sleep_until(1), lock(0), compute(1), unlock(0)],
        vec![sleep_until(2), lock(0), compute(1), unlock(0)],
    ];
    let played = play(&tables, acts);
    assert_eq!(played.answers[2][1], refused(Error::EOWNERDEAD));
    assert_eq!(played.answers[1][1], DONE, "told once");
    assert_eq!(played.timeline.last(), Some(&(5, None)));
}

#[test]
fn a_mutex_that_nobody_waited_for_tells_the_next_that_locks_it_and_no_other() {
    let tables = with_mutexes(&[7, 5], 1);
    let acts = [vec![lock(0)], vec![lock(0), unlock(0), lock(0), unlock(0)]];
    let played = play(&tables, acts);
    let told = [refused(Error::EOWNERDEAD), DONE, DONE, DONE];
    assert_eq!(played.answers[1], told);
}

/// A process of two threads: the first has the mutex and sleeps, the other
/// faults at 5, when a thread of medium priority wakes; one that is more urgent
/// than both waits for the mutex.
fn death_of_an_owner(policy: FaultPolicy) -> Played {
    let mut b = threads([&[3, 2], &[5, 7]]);
    b.process_entry(0).on_fault = policy as u8;
    b.mutex();
    let acts = [
        vec![lock(0), sleep_until(1000)],
        vec![compute(5), FAULT],
        vec![sleep_until(5), compute(4)],
        vec![sleep_until(1), lock(0), compute(2), unlock(0)],
    ];
    simulate(&shared(b), |simulation| {
        let mut answers = Vec::new();
        for (thread, acts) in acts.into_iter().enumerate() {
            let script = Script::new(acts);
            answers.push(script.answers());
            simulation.set_thread(thread as u16, script);
        }
        simulation.run_until(at_us(12));
        Played {
            timeline: timeline(simulation.records()),
            answers: answers.iter().map(|answers| answers.take()).collect(),
            records: simulation.take_records(),
        }
    })
}

#[test]
fn a_dying_process_hands_a_mutex_over_as_urgently_as_it_is_waited_for() {
    let played = death_of_an_owner(FaultPolicy::Stop);
    let expected = [
        (0, Some(3)),
        (0, Some(2)),
        (0, Some(0)),
        (0, Some(1)),
        (1, Some(3)),
        (1, Some(1)),
        (5, Some(3)),
        (7, Some(2)),
        (11, None),
    ];
    assert_eq!(played.timeline, expected);
    let told = [DONE, refused(Error::EOWNERDEAD), DONE];
    assert_eq!(played.answers[3], told);
}

#[test]
fn what_is_left_of_a_death_after_the_hand_over_is_as_urgent_as_the_fault_again() {
    for policy in [FaultPolicy::Stop, FaultPolicy::Restart] {
        let played = death_of_an_owner(policy);
        let ends: Vec<u64> = trace::of_kind(&played.records, TraceKind::Process)
            .map(|record| record.tick / 10)
            .collect();
        assert_eq!(ends, [11], "after the medium thread");
    }
}

#[test]
fn a_wait_that_times_out_brings_a_teardown_down() {
    let mut b = threads([&[2, 2], &[7, 9, 5]]);
    b.mutex();
    let acts = [
        vec![lock(0), sleep_until(1000)],
        vec![compute(5), FAULT],
        vec![sleep_until(1), lock_until(0, Some(8)), compute(2)],
        vec![sleep_until(5), compute(6)],
        vec![sleep_until(9), compute(3)],
    ];
    let played = play(&shared(b), acts);
    let end = trace::of_kind(&played.records, TraceKind::Process).next();
    let late: Vec<_> = played
        .timeline
        .into_iter()
        .filter(|(at, _)| *at >= 5)
        .collect();
    let expected = [(5, Some(3)), (11, Some(2)), (13, Some(4)), (16, None)];
    assert_eq!(late, expected);
    assert_eq!(end.map(|record| record.tick / 10), Some(16));
}

#[test]
fn a_mutex_that_comes_to_a_dying_thread_hastens_its_end_for_the_next() {
    let mut b = threads([&[2, 7], &[6, 5, 4]]);
    b.mutex();
    let acts = [
        vec![compute(5), FAULT],
        vec![sleep_until(2), lock(0)],
        vec![lock(0), sleep_until(7), unlock(0)],
        vec![sleep_until(1), lock(0), compute(1), unlock(0)],
        vec![sleep_until(5), compute(6)],
    ];
    let played = play(&shared(b), acts);
    let late: Vec<_> = played
        .timeline
        .into_iter()
        .filter(|(at, _)| *at >= 5)
        .collect();
    let expected = [
        // above the teardown of the first process
        (5, Some(4)),
        (7, Some(2)),
        (7, Some(3)),
        (8, Some(4)),
        (12, None),
    ];
    assert_eq!(late, expected);
    assert_eq!(played.answers[3], [DONE, refused(Error::EOWNERDEAD), DONE]);
}

#[test]
fn of_two_dying_processes_the_one_that_is_waited_for_goes_first() {
    let mut b = threads([&[2], &[5], &[3, 7]]);
    b.mutex();
    let acts = [
        vec![compute(5), FAULT],
        vec![lock(0), sleep_until(5), compute(3), FAULT],
        vec![sleep_until(6), compute(4)],
        vec![sleep_until(1), lock(0), compute(1)],
    ];
    let played = play(&shared(b), acts);
    let expected = [
        (0, Some(3)),
        (0, Some(1)),
        (0, Some(2)),
        (0, Some(0)),
        (1, Some(3)),
        (1, Some(0)),
        (5, Some(1)),
        // the first process is not torn down yet: thread 2 is above it
        (8, Some(3)),
        (9, Some(2)),
        (13, None),
    ];
    assert_eq!(played.timeline, expected);
    assert_eq!(played.answers[3], [DONE, refused(Error::EOWNERDEAD)]);
}

#[test]
fn a_waiter_that_dies_brings_the_owner_down() {
    let mut b = threads([&[3, 5], &[7, 8]]);
    b.mutex();
    let acts = [
        vec![lock(0), compute(10), unlock(0)],
        vec![sleep_until(2), compute(4)],
        vec![sleep_until(1), lock(0)],
        vec![sleep_until(5), FAULT],
    ];
    let expected = [
        (0, Some(3)),
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(2)),
        (1, Some(0)),
        (5, Some(3)),
        (5, Some(1)),
        (9, Some(0)),
        (14, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn who_waits_and_has_much_dies_in_pieces() {
    let mut b = threads([&[5, 3], &[7]]);
    for _ in 0..7 {
        b.mutex();
    }
    let mut takes: Vec<Act> = (1..7).map(lock).collect();
    takes.push(lock(0));
    let mut tries: Vec<Act> = (1..7).map(|object| lock_until(object, Some(0))).collect();
    tries.splice(0..0, [lock(0), sleep_until(9), unlock(0)]);
    let acts = [takes, vec![compute(1), FAULT], tries];
    let played = play(&shared(b), acts);
    let dead = refused(Error::EOWNERDEAD);
    let expected = [vec![DONE; 3], vec![dead; 6]].concat();
    assert_eq!(played.answers[2], expected);
}

#[test]
fn who_exits_with_much_gives_it_back_in_pieces() {
    let mut b = threads([&[5, 6]]);
    for _ in 0..6 {
        b.mutex();
    }
    b.ceiling_mutex(7);
    let mut takes: Vec<Act> = (0..7).map(lock).collect();
    takes.push(compute(2));
    let mut tries: Vec<Act> = (1..7).map(|object| lock_until(object, Some(0))).collect();
    tries.splice(0..0, [sleep_until(1), lock(0)]);
    let played = play(&shared(b), [takes, tries]);
    let dead = refused(Error::EOWNERDEAD);
    let expected = [vec![DONE], vec![dead; 7]].concat();
    assert_eq!(played.answers[1], expected);
}

#[test]
fn a_wait_that_is_over_before_its_owner_exits_has_timed_out() {
    let mut b = threads([&[5, 3], &[9]]);
    b.process_entry(0).max_priority = 5;
    b.mutex();
    b.semaphore(0, 1);
    let acts = [
        vec![sleep_until(1), lock_until(0, Some(9))],
        vec![sleep_until(5), unlock(1)],
        // is above all that sleep, so that the timeout at 9 may be handled late
        vec![lock(0), lock(1), compute(10)],
    ];
    let played = play(&shared(b), acts);
    assert_eq!(played.answers[0], [DONE, refused(Error::ETIMEDOUT)]);
}
