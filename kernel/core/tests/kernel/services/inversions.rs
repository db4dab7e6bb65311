//! The classic inversions: who runs while others wait, to the microsecond.

use super::stage::*;
use crate::rig::*;
use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_sim::{Act, Scheduling, SystemBuilder};

/// Low has the mutex, high wants it, medium wants the processor.
fn direct_inversion() -> [Vec<Act>; 3] {
    [
        vec![lock(0), compute(10), unlock(0), compute(5)],
        vec![sleep_until(2), compute(20)],
        vec![sleep_until(1), lock(0), compute(3), unlock(0)],
    ]
}

/// When those run.
const DIRECT_INVERSION: [(u64, Option<u16>); 9] = [
    (0, Some(2)),
    (0, Some(1)),
    (0, Some(0)),
    (1, Some(2)),
    (1, Some(0)),
    (10, Some(2)),
    (13, Some(1)),
    (33, Some(0)),
    (38, None),
];

#[test]
fn a_medium_thread_does_not_come_between_an_owner_and_an_urgent_waiter() {
    let tables = with_mutexes(&[3, 5, 7], 1);
    let played = play(&tables, direct_inversion());
    assert_eq!(played.timeline, DIRECT_INVERSION);
    assert!(played.answers.concat().iter().all(|answer| *answer == DONE));
}

#[test]
fn urgency_is_inherited_across_processes() {
    let mut b = threads([&[3], &[5], &[7]]);
    b.mutex();
    let played = play(&shared(b), direct_inversion());
    assert_eq!(played.timeline, DIRECT_INVERSION);
}

#[test]
fn a_deadline_is_inherited_with_its_place_among_deadlines() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(3));
    b.thread(process, Scheduling::Deadline(90_000));
    b.thread(process, Scheduling::Deadline(50_000));
    b.mutex();
    let played = play(&shared(b), direct_inversion());
    assert_eq!(played.timeline, DIRECT_INVERSION);
}

#[test]
fn a_far_deadline_that_waits_does_not_come_nearer_by_waiting() {
    const SECOND: u64 = 1_000_000;
    let by = |seconds: u64| Scheduling::Deadline(seconds * 1_000_000_000);
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(3));
    let _ = [b.thread(process, by(300)), b.thread(process, by(60))];
    b.mutex();
    let acts = [
        vec![lock(0), compute(200 * SECOND), unlock(0)],
        // due at 301 s, farther than keys reach
        vec![sleep_until(SECOND), lock(0), compute(SECOND), unlock(0)],
        // due at 150 s
        vec![sleep_until(90 * SECOND), compute(10 * SECOND)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (SECOND, Some(1)),
        (SECOND, Some(0)),
        (90 * SECOND, Some(2)),
        (100 * SECOND, Some(0)),
        (210 * SECOND, Some(1)),
        (211 * SECOND, Some(0)),
        (211 * SECOND, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn urgency_is_inherited_along_a_chain() {
    let tables = with_mutexes(&[2, 4, 6, 5], 2);
    let acts = [
        vec![lock(0), compute(10), unlock(0), compute(1)],
        vec![
            sleep_until(1),
            lock(1),
            lock(0),
            compute(2),
            unlock(0),
            unlock(1),
            compute(1),
        ],
        vec![sleep_until(2), lock(1), compute(1), unlock(1)],
        vec![sleep_until(3), compute(5)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(3)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(1)),
        (1, Some(0)),
        (2, Some(2)),
        (2, Some(0)),
        (10, Some(1)),
        (12, Some(2)),
        (13, Some(3)),
        (18, Some(1)),
        (19, Some(0)),
        (20, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn a_boost_survives_the_release_of_an_inner_mutex() {
    let tables = with_mutexes(&[2, 4, 6], 2);
    let nested = vec![
        lock(0),
        lock(1),
        compute(5),
        unlock(1),
        compute(5),
        unlock(0),
        compute(1),
    ];
    let acts = [
        nested,
        vec![sleep_until(2), compute(4)],
        vec![sleep_until(1), lock(0), compute(2), unlock(0)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(2)),
        (1, Some(0)),
        (10, Some(2)),
        (12, Some(1)),
        (16, Some(0)),
        (17, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn mutexes_given_back_in_any_order_leave_what_the_rest_are_waited_for_with() {
    let tables = with_mutexes(&[2, 4, 6, 8, 5], 3);
    let user = |at, mutex| vec![sleep_until(at), lock(mutex), compute(1), unlock(mutex)];
    let owner = vec![
        lock(0),
        lock(1),
        lock(2),
        compute(6),
        unlock(1),
        compute(2),
        unlock(2),
        compute(2),
        unlock(0),
        compute(1),
    ];
    let rival = vec![sleep_until(4), compute(10)];
    let acts = [owner, user(1, 0), user(2, 1), user(3, 2), rival];
    let expected = [
        (0, Some(3)),
        (0, Some(2)),
        (0, Some(4)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(1)),
        (1, Some(0)),
        (2, Some(2)),
        (2, Some(0)),
        (3, Some(3)),
        (3, Some(0)),
        // at 6 mutex 1 is given back, and 8 still waits
        (8, Some(3)),
        (9, Some(2)),
        // 4 waits still, and the rival is above that
        (10, Some(4)),
        (20, Some(0)),
        (22, Some(1)),
        (23, Some(0)),
        (24, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn who_gives_a_mutex_back_stands_before_its_equals() {
    let tables = with_mutexes(&[3, 3, 7], 1);
    let acts = [
        vec![lock(0), compute(4), unlock(0), compute(4)],
        vec![compute(4)],
        vec![sleep_until(1), lock(0), compute(1), unlock(0)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(0)),
        (1, Some(2)),
        (1, Some(0)),
        (4, Some(2)),
        (5, Some(0)),
        (9, Some(1)),
        (13, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn a_wait_that_times_out_brings_the_owner_down() {
    let tables = with_mutexes(&[3, 5, 7], 1);
    let acts = [
        vec![lock(0), compute(10), unlock(0)],
        vec![sleep_until(2), compute(4)],
        vec![sleep_until(1), lock_until(0, Some(5)), compute(1)],
    ];
    let played = play(&tables, acts);
    let expected = [
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(2)),
        (1, Some(0)),
        (5, Some(2)),
        (6, Some(1)),
        (10, Some(0)),
        (15, None),
    ];
    assert_eq!(played.timeline, expected);
    assert_eq!(played.answers[2], [DONE, refused(Error::ETIMEDOUT)]);
}

#[test]
fn a_wait_that_times_out_brings_the_whole_chain_down() {
    let tables = with_mutexes(&[2, 3, 7, 5], 2);
    let acts = [
        vec![lock(0), compute(8), unlock(0)],
        vec![sleep_until(1), lock(1), lock(0), compute(1)],
        vec![sleep_until(2), lock_until(1, Some(4))],
        vec![sleep_until(3), compute(5)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(3)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(1)),
        (1, Some(0)),
        (2, Some(2)),
        (2, Some(0)),
        (4, Some(2)),
        (4, Some(3)),
        (9, Some(0)),
        (13, Some(1)),
        (14, Some(0)),
        (14, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn a_waiter_whose_priority_is_set_takes_the_owner_with_it() {
    let tables = with_mutexes(&[2, 4, 9, 6], 1);
    let chief = vec![
        sleep_until(2),
        set_priority(1, 7),
        sleep_until(5),
        set_priority(1, 3),
    ];
    let acts = [
        vec![lock(0), compute(10), unlock(0)],
        vec![sleep_until(1), lock(0), compute(1), unlock(0)],
        chief,
        vec![sleep_until(3), compute(4)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(3)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(1)),
        (1, Some(0)),
        (2, Some(2)),
        // raised to 7: 6 does not come between
        (2, Some(0)),
        (5, Some(2)),
        // lowered to 3: it does
        (5, Some(3)),
        (9, Some(0)),
        (14, Some(1)),
        (15, Some(0)),
        (15, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn waiters_get_a_mutex_by_urgency_and_equals_as_they_came() {
    let tables = with_mutexes(&[9, 5, 7, 5, 7], 1);
    let user = |at| vec![sleep_until(at), lock(0), compute(1), unlock(0)];
    let owner = vec![lock(0), sleep_until(10), unlock(0)];
    let acts = [owner, user(1), user(4), user(2), user(3)];
    let timeline = play(&tables, acts).timeline;
    let served: Vec<_> = timeline.into_iter().filter(|(at, _)| *at >= 10).collect();
    let expected = [
        (10, Some(0)),
        (10, Some(4)),
        (11, Some(2)),
        (12, Some(1)),
        (13, Some(3)),
        (14, None),
    ];
    assert_eq!(served, expected);
}

#[test]
fn one_more_waiter_of_the_same_priority_changes_nothing_for_the_owner() {
    let tables = with_mutexes(&[5, 5, 5, 5], 1);
    let acts = [
        // from 1 on it stands where its first waiter does: behind thread 3
        vec![lock(0), sleep_until(1), compute(2), unlock(0), compute(1)],
        vec![lock(0), compute(1), unlock(0)],
        vec![compute(2), lock(0), compute(1), unlock(0)],
        vec![compute(3)],
    ];
    let expected = [
        (0, Some(0)),
        (0, Some(1)),
        (0, Some(2)),
        (2, Some(3)),
        (5, Some(0)),
        (8, Some(1)),
        (9, Some(2)),
        (10, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn an_earlier_place_at_its_own_level_does_not_put_an_owner_before_its_equals() {
    let tables = with_mutexes(&[5; 5], 2);
    let turn = || call(Call::Yield, &[]);
    let acts = [
        vec![lock(0), sleep_until(1), compute(1), unlock(0)],
        // lends the owner the place of thread 3, which is behind thread 2
        vec![lock(1), turn(), compute(2), lock(0), unlock(0), unlock(1)],
        vec![turn(), compute(3)],
        vec![lock(1), compute(1), unlock(1)],
        vec![lock(0), compute(1), unlock(0)],
    ];
    let expected = [
        (0, Some(0)),
        (0, Some(1)),
        (0, Some(2)),
        (0, Some(3)),
        (0, Some(4)),
        (0, Some(1)),
        (2, Some(2)),
        (5, Some(0)),
        (6, Some(1)),
        (6, Some(4)),
        (7, Some(3)),
        (8, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}

#[test]
fn waiters_of_one_deadline_get_a_mutex_as_they_came() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(3));
    let by = Scheduling::Deadline(90_000);
    let _ = [b.thread(process, by), b.thread(process, by)];
    let _ = [b.mutex(), b.semaphore(0, 1)];
    b.thread(process, Scheduling::Fifo(201));
    let acts = [
        vec![compute(1), unlock(1), compute(1), unlock(2)],
        // comes to the mutex after the other
        vec![lock(1), lock(0), compute(1), unlock(0)],
        vec![lock(0), compute(1), unlock(0)],
        vec![lock(0), lock(2), unlock(0)],
    ];
    b.semaphore(0, 1);
    let expected = [
        (0, Some(3)),
        (0, Some(1)),
        (0, Some(2)),
        (0, Some(0)),
        (1, Some(1)),
        (1, Some(0)),
        (2, Some(3)),
        (2, Some(2)),
        // at one deadline the lower thread number runs first
        (3, Some(1)),
        (4, Some(2)),
        (4, Some(0)),
        (4, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn an_owner_that_yields_stays_where_its_waiter_stands() {
    let tables = with_mutexes(&[5, 6, 5, 9], 1);
    let owner = vec![
        lock(0),
        compute(3),
        call(Call::Yield, &[]),
        compute(2),
        unlock(0),
        compute(1),
    ];
    let acts = [
        owner,
        vec![sleep_until(1), lock(0), compute(1), unlock(0)],
        vec![compute(4)],
        // from 2 on the owner is lent nothing: it is before its waiter itself
        vec![sleep_until(2), set_priority(1, 5)],
    ];
    let expected = [
        (0, Some(3)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(1)),
        (1, Some(0)),
        (2, Some(3)),
        (2, Some(0)),
        (6, Some(2)),
        (10, Some(1)),
        (11, None),
    ];
    assert_eq!(play(&tables, acts).timeline, expected);
}
