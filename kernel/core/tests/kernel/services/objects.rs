//! What calls to objects answer, and what conditions and semaphores do.

use super::stage::*;
use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::system::RIGHT_USE;
use giornata_abi::{Error, Id};
use giornata_sim::Act;

#[test]
fn who_is_signalled_does_not_run_before_the_mutex_is_free() {
    let mut b = threads([&[3, 7, 5]]);
    let _ = [b.mutex(), b.condition()];
    let acts = [
        vec![lock(0), signal(1), compute(5), unlock(0), compute(1)],
        vec![lock(0), wait(1, 0), compute(2), unlock(0)],
        vec![sleep_until(1), compute(1)],
    ];
    let played = play(&shared(b), acts);
    let expected = [
        (0, Some(1)),
        (0, Some(2)),
        (0, Some(0)),
        // it waits for the mutex since 0: the owner is above 5
        (5, Some(1)),
        (7, Some(2)),
        (8, Some(0)),
        (9, None),
    ];
    assert_eq!(played.timeline, expected);
    assert_eq!(played.answers[1], [DONE; 3]);
}

#[test]
fn a_broadcast_lets_all_go_on_one_after_the_other_the_most_urgent_first() {
    let mut b = threads([&[9, 5, 7, 6]]);
    let _ = [b.mutex(), b.condition()];
    let user = || vec![lock(0), wait(1, 0), compute(1), unlock(0)];
    let acts = [
        vec![sleep_until(1), lock(0), broadcast(1), unlock(0)],
        user(),
        user(),
        user(),
    ];
    let played = play(&shared(b), acts);
    let expected = [
        (0, Some(0)),
        (0, Some(2)),
        (0, Some(3)),
        (0, Some(1)),
        (0, None),
        (1, Some(0)),
        (1, Some(2)),
        (2, Some(3)),
        (3, Some(1)),
        (4, None),
    ];
    assert_eq!(played.timeline, expected);
}

#[test]
fn a_signal_that_nobody_waits_for_is_lost() {
    let mut b = threads([&[5]]);
    let _ = [b.mutex(), b.condition()];
    let acts = vec![
        signal(1),
        broadcast(1),
        lock(0),
        wait_until(1, 0, Some(4)),
        unlock(0),
    ];
    let played = play(&shared(b), [acts]);
    let timed_out = refused(Error::ETIMEDOUT);
    assert_eq!(played.answers[0], [DONE, DONE, DONE, timed_out, DONE]);
    assert_eq!(
        played.timeline,
        [(0, Some(0)), (0, None), (4, Some(0)), (4, None)]
    );
}

#[test]
fn a_wait_that_times_out_has_the_mutex_again_when_it_is_free() {
    let mut b = threads([&[7, 3]]);
    let _ = [b.mutex(), b.condition()];
    let acts = [
        vec![lock(0), wait_until(1, 0, Some(2)), compute(1), unlock(0)],
        vec![lock(0), compute(5), unlock(0), compute(1)],
    ];
    let played = play(&shared(b), acts);
    let expected = [
        (0, Some(0)),
        (0, Some(1)),
        (5, Some(0)),
        (6, Some(1)),
        (7, None),
    ];
    assert_eq!(played.timeline, expected);
    let timed_out = refused(Error::ETIMEDOUT);
    assert_eq!(played.answers[0], [DONE, timed_out, DONE]);
}

#[test]
fn a_wait_needs_the_callers_own_mutex() {
    let mut b = threads([&[7, 3]]);
    let _ = [b.mutex(), b.condition()];
    let acts = [
        vec![wait(1, 0), lock(0), sleep_until(5)],
        vec![sleep_until(1), wait(1, 0)],
    ];
    let played = play(&shared(b), acts);
    assert_eq!(played.answers[0][0], refused(Error::EPERM));
    assert_eq!(played.answers[1][1], refused(Error::EPERM));
}

#[test]
fn a_wait_whose_owner_of_the_mutex_ended_is_told_that() {
    let mut b = threads([&[7, 3]]);
    let _ = [b.mutex(), b.condition()];
    let acts = [
        vec![lock(0), wait_until(1, 0, Some(2)), unlock(0)],
        vec![lock(0), compute(5)],
    ];
    let played = play(&shared(b), acts);
    assert_eq!(played.answers[0], [DONE, refused(Error::EOWNERDEAD), DONE]);
}

// --- circles and strangers ---

#[test]
fn a_lock_that_would_close_a_circle_is_refused() {
    let tables = with_mutexes(&[3, 5], 2);
    let acts = [
        vec![lock(0), compute(2), lock(1), unlock(0)],
        vec![sleep_until(1), lock(1), lock(0), unlock(0), unlock(1)],
    ];
    let played = play(&tables, acts);
    let circle = refused(Error::EDEADLK);
    assert_eq!(played.answers[0], [DONE, circle, DONE]);
    assert_eq!(played.answers[1], [DONE; 5]);
}

#[test]
fn a_lock_that_would_close_a_circle_of_three_is_refused() {
    let tables = with_mutexes(&[3, 5, 7], 3);
    let acts = [
        vec![lock(0), compute(3), lock(2), unlock(0)],
        vec![lock(1), sleep_until(1), lock(0), unlock(0), unlock(1)],
        vec![lock(2), sleep_until(2), lock(1), unlock(1), unlock(2)],
    ];
    let played = play(&tables, acts);
    assert_eq!(played.answers[0], [DONE, refused(Error::EDEADLK), DONE]);
    assert_eq!(played.answers[1..], [[DONE; 5], [DONE; 5]]);
}

#[test]
fn who_waits_in_a_condition_waits_for_the_owner_of_its_mutex() {
    let mut b = threads([&[3, 5]]);
    let _ = [b.mutex(), b.condition(), b.mutex()];
    let acts = [
        vec![compute(1), lock(0), lock(2), signal(1), unlock(0)],
        vec![lock(2), lock(0), wait(1, 0), unlock(0), unlock(2)],
    ];
    let played = play(&shared(b), acts);
    assert_eq!(played.answers[0][1], refused(Error::EDEADLK));
    assert_eq!(played.answers[1], [DONE; 5]);
}

#[test]
fn who_waits_in_a_condition_for_a_mutex_that_is_gone_waits_for_no_owner() {
    let mut b = threads([&[3, 5]]);
    let _ = [b.mutex(), b.condition(), b.mutex()];
    let anew = Id::new(0, 1).0 as usize;
    let acts = [
        vec![
            call(Call::DeleteObject, &[0]),
            call(Call::CreateObject, &[0]),
            lock(anew),
            // its owner waited for another mutex of this slot
            lock(2),
        ],
        vec![lock(2), lock(0), wait_until(1, 0, Some(5)), unlock(2)],
    ];
    let played = play(&shared(b), acts);
    assert_eq!(played.answers[0][2..], [DONE, DONE]);
    let gone = refused(Error::EIDRM);
    assert_eq!(played.answers[1], [DONE, DONE, gone, DONE]);
}

#[test]
fn a_mutex_is_locked_once_by_its_owner() {
    let acts = vec![lock(0), lock(0), lock_until(0, Some(0))];
    let played = play(&with_mutexes(&[5], 1), [acts]);
    let again = refused(Error::EDEADLK);
    assert_eq!(played.answers[0], [DONE, again, again]);
}

#[test]
fn a_mutex_is_unlocked_by_its_owner_and_once() {
    let tables = with_mutexes(&[5, 3], 1);
    let acts = [
        vec![unlock(0), lock(0), sleep_until(2), unlock(0), unlock(0)],
        vec![sleep_until(1), unlock(0)],
    ];
    let played = play(&tables, acts);
    let stranger = refused(Error::EPERM);
    assert_eq!(played.answers[0], [stranger, DONE, DONE, DONE, stranger]);
    assert_eq!(played.answers[1], [DONE, stranger]);
}

#[test]
fn a_lock_that_may_not_wait_says_why() {
    let tables = with_mutexes(&[5, 3], 1);
    let acts = [
        vec![
            sleep_until(5),
            lock_until(0, Some(0)),
            lock_until(0, Some(4)),
            lock_until(0, Some(5)),
        ],
        vec![lock(0), sleep_until(9)],
    ];
    let late = refused(Error::ETIMEDOUT);
    let expected = [DONE, refused(Error::EBUSY), late, late];
    assert_eq!(play(&tables, acts).answers[0], expected);
}

// --- deletion ---

#[test]
fn those_that_wait_for_what_is_deleted_are_told_the_most_urgent_first() {
    let tables = with_mutexes(&[3, 5, 7, 6], 1);
    let user = |at| vec![sleep_until(at), lock(0), compute(1)];
    let acts = [
        vec![
            lock(0),
            compute(5),
            call(Call::DeleteObject, &[0]),
            compute(1),
            unlock(0),
        ],
        user(1),
        user(2),
        vec![sleep_until(3), compute(1)],
    ];
    let played = play(&tables, acts);
    let after: Vec<_> = played.timeline.iter().filter(|(at, _)| *at >= 5).collect();
    let expected = [
        &(5, Some(2)),
        &(6, Some(3)),
        &(7, Some(1)),
        // it has the mutex no more, and so is below them
        &(8, Some(0)),
        &(9, None),
    ];
    assert_eq!(after, expected);
    for waiter in [1, 2] {
        assert_eq!(played.answers[waiter][1], refused(Error::EIDRM));
    }
    let gone = [DONE, DONE, refused(Error::ESRCH)];
    assert_eq!(played.answers[0], gone);
}

#[test]
fn who_waits_for_a_condition_whose_mutex_is_deleted_goes_on_without() {
    let mut b = threads([&[7, 3]]);
    let _ = [b.mutex(), b.condition()];
    let acts = [
        vec![lock(0), wait(1, 0), unlock(0)],
        vec![
            call(Call::DeleteObject, &[0]),
            call(Call::CreateObject, &[0]),
            compute(1),
            signal(1),
        ],
    ];
    let played = play(&shared(b), acts);
    let told = [DONE, refused(Error::EIDRM), refused(Error::ESRCH)];
    assert_eq!(played.answers[0], told);
    assert_eq!(
        played.timeline,
        [
            (0, Some(0)),
            (0, Some(1)),
            (1, Some(0)),
            (1, Some(1)),
            (1, None)
        ]
    );
}

#[test]
fn an_id_names_what_was_created_with_it_and_nothing_later() {
    let id = |generation| Id::new(0, generation).0 as usize;
    let acts = vec![
        call(Call::OpenObject, &[0]),
        call(Call::CreateObject, &[0]),
        call(Call::DeleteObject, &[id(0)]),
        call(Call::OpenObject, &[0]),
        lock(id(0)),
        lock(id(1)),
        call(Call::CreateObject, &[0]),
        call(Call::OpenObject, &[0]),
        lock(id(0)),
        lock(id(1)),
        call(Call::DeleteObject, &[id(0)]),
        call(Call::CreateObject, &[1]),
        lock(1),
    ];
    let played = play(&with_mutexes(&[5], 1), [acts]);
    let none = refused(Error::ESRCH);
    let expected = [
        Answer::word(id(0)),
        refused(Error::EEXIST),
        DONE,
        none,
        none,
        none,
        Answer::word(id(1)),
        Answer::word(id(1)),
        none,
        DONE,
        none,
        none,
        none,
    ];
    assert_eq!(played.answers[0], expected);
}

#[test]
fn objects_are_looked_for_then_the_right_then_the_generation_then_the_kind() {
    let mut b = threads([&[5]]);
    let (mutex, foreign, condition) = (b.mutex(), b.mutex(), b.condition());
    b.grant_object(0, mutex, RIGHT_USE);
    b.grant_object(0, condition, RIGHT_USE);
    let stale = |object| Id::new(object, 7).0 as usize;
    let [mutex, foreign, condition] = [mutex, foreign, condition].map(usize::from);
    let cases = [
        (lock(3), Error::ESRCH),
        (lock(foreign), Error::EPERM),
        (lock(stale(1)), Error::EPERM),
        (lock(stale(0)), Error::ESRCH),
        (lock(stale(2)), Error::ESRCH),
        (lock(condition), Error::EINVAL),
        (unlock(condition), Error::EINVAL),
        (signal(mutex), Error::EINVAL),
        (broadcast(mutex), Error::EINVAL),
        (wait(mutex, mutex), Error::EINVAL),
        (wait(condition, condition), Error::EINVAL),
        (wait(foreign, stale(0)), Error::EPERM),
        (wait(condition, foreign), Error::EPERM),
        (call(Call::CreateObject, &[mutex]), Error::EPERM),
        (call(Call::DeleteObject, &[mutex]), Error::EPERM),
        (call(Call::DeleteObject, &[stale(0)]), Error::EPERM),
        (call(Call::OpenObject, &[foreign]), Error::EPERM),
        (call(Call::OpenObject, &[3]), Error::ESRCH),
        (call(Call::CreateObject, &[1 << 16]), Error::ESRCH),
    ];
    let acts: Vec<Act> = cases.iter().map(|(act, _)| *act).collect();
    let played = play(&b.finish(), [acts]);
    for ((act, error), answer) in cases.iter().zip(&played.answers[0]) {
        assert_eq!(*answer, refused(*error), "{act:?}");
    }
}

// --- semaphores ---

#[test]
fn a_semaphore_serves_by_urgency_and_equals_as_they_came() {
    let mut b = threads([&[9, 5, 7, 5]]);
    b.semaphore(0, 2);
    let user = |at| vec![sleep_until(at), lock(0), compute(1)];
    let giver = vec![sleep_until(4), unlock(0), unlock(0), unlock(0)];
    let acts = [giver, user(1), user(3), user(2)];
    let expected = [
        (0, Some(0)),
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(3)),
        (0, None),
        (1, Some(1)),
        (1, None),
        (2, Some(3)),
        (2, None),
        (3, Some(2)),
        (3, None),
        (4, Some(0)),
        (4, Some(2)),
        (5, Some(1)),
        (6, Some(3)),
        (7, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn a_semaphore_counts_up_to_its_most() {
    let mut b = threads([&[5]]);
    b.semaphore(1, 2);
    let now = || lock_until(0, Some(0));
    let acts = vec![
        now(),
        now(),
        unlock(0),
        unlock(0),
        unlock(0),
        now(),
        now(),
        now(),
    ];
    let played = play(&shared(b), [acts]);
    let busy = refused(Error::EBUSY);
    let over = refused(Error::EOVERFLOW);
    let expected = [DONE, busy, DONE, DONE, over, DONE, DONE, busy];
    assert_eq!(played.answers[0], expected);
}

#[test]
fn a_semaphore_lends_nobody_urgency() {
    let mut b = threads([&[3, 5, 7]]);
    b.semaphore(1, 1);
    let acts = [
        vec![lock(0), compute(10), unlock(0)],
        vec![sleep_until(2), compute(4)],
        vec![sleep_until(1), lock(0), compute(1)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(2)),
        (1, Some(0)),
        (2, Some(1)),
        (6, Some(0)),
        (14, Some(2)),
        (15, Some(0)),
        (15, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}
