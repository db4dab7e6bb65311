//! Ceilings: of mutexes, and one that a thread has published beside them.

use super::stage::*;
use crate::rig::*;
use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_sim::{Act, Moment, Script};

#[test]
fn an_owner_runs_at_the_ceiling_before_anybody_waits() {
    let mut b = threads([&[3, 6, 7]]);
    b.ceiling_mutex(6);
    let acts = [
        vec![lock(0), compute(5), unlock(0), compute(1)],
        vec![sleep_until(1), lock(0), compute(1), unlock(0)],
        vec![sleep_until(2), lock(0), compute(1)],
    ];
    let played = play(&shared(b), acts);
    let expected = [
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (2, Some(2)),
        (3, Some(0)),
        (6, Some(1)),
        (7, Some(0)),
        (8, None),
    ];
    assert_eq!(played.timeline, expected);
    let too_urgent = [DONE, refused(Error::EINVAL)];
    assert_eq!(played.answers[2], too_urgent);
}

#[test]
fn a_ceiling_below_the_caller_is_refused_whether_the_mutex_is_free_or_not() {
    let mut b = threads([&[7, 3]]);
    b.ceiling_mutex(6);
    let acts = [
        vec![lock(0), sleep_until(2), lock(0)],
        vec![lock(0), compute(5)],
    ];
    let refusals = refused(Error::EINVAL);
    let answers = &play(&shared(b), acts).answers[0];
    assert_eq!(*answers, [refusals, DONE, refusals]);
}

#[test]
fn an_owner_of_nested_ceilings_falls_to_the_next_lower() {
    let mut b = threads([&[2, 5, 7]]);
    let _ = [b.ceiling_mutex(6), b.ceiling_mutex(8)];
    let acts = [
        vec![
            lock(0),
            lock(1),
            compute(4),
            unlock(1),
            compute(4),
            unlock(0),
            compute(1),
        ],
        vec![sleep_until(1), compute(1)],
        vec![sleep_until(2), compute(1)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (4, Some(2)),
        (5, Some(0)),
        (9, Some(1)),
        (10, Some(0)),
        (11, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn a_ceiling_and_a_waiter_both_count() {
    let mut b = threads([&[2, 6, 8, 7]]);
    let _ = [b.ceiling_mutex(6), b.mutex()];
    let acts = [
        vec![
            lock(0),
            lock(1),
            compute(4),
            unlock(1),
            compute(2),
            unlock(0),
            compute(1),
        ],
        vec![sleep_until(3), compute(1)],
        vec![sleep_until(1), lock(1), compute(1), unlock(1)],
        vec![sleep_until(2), compute(1)],
    ];
    let expected = [
        (0, Some(2)),
        (0, Some(3)),
        (0, Some(1)),
        (0, Some(0)),
        (1, Some(2)),
        (1, Some(0)),
        (4, Some(2)),
        (5, Some(3)),
        (6, Some(0)),
        (8, Some(1)),
        (9, Some(0)),
        (10, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn who_is_handed_a_ceiling_does_not_preempt_an_equal_of_it() {
    let mut b = threads([&[7, 3]]);
    b.ceiling_mutex(7);
    let acts = [
        vec![sleep_until(1), compute(5)],
        // takes the mutex again at 2, at 7 then, behind thread 0
        vec![lock(0), wait_until(1, 0, Some(2)), compute(1), unlock(0)],
    ];
    b.condition();
    let expected = [
        (0, Some(0)),
        (0, Some(1)),
        (0, None),
        (1, Some(0)),
        (6, Some(1)),
        (7, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn who_gets_a_ceiling_back_by_timeout_runs_at_once_if_that_is_more_urgent() {
    let mut b = threads([&[7], &[3]]);
    b.process_entry(1).max_priority = 3;
    let _ = [b.ceiling_mutex(9), b.condition()];
    let acts = [
        vec![sleep_until(1), compute(9)],
        vec![lock(0), wait_until(1, 0, Some(4)), compute(1), unlock(0)],
    ];
    let expected = [
        (0, Some(0)),
        (0, Some(1)),
        (0, None),
        (1, Some(0)),
        (4, Some(1)),
        (5, Some(0)),
        (11, Some(1)),
        (11, None),
    ];
    assert_eq!(play(&shared(b), acts).timeline, expected);
}

#[test]
fn a_published_ceiling_outlasts_a_change_of_what_its_thread_is_lent() {
    let tables = with_mutexes(&[3, 4, 5, 9, 6], 1);
    let page = tables.threads[0].control as usize;
    let waiter = |at, micros| vec![sleep_until(at), lock_until(0, micros)];
    let others = [
        waiter(1, None),
        waiter(2, Some(5)),
        vec![sleep_until(4), compute(4)],
        vec![sleep_until(6), compute(1)],
    ];
    let timeline = simulate(&tables, |simulation| {
        for (index, acts) in others.into_iter().enumerate() {
            simulation.set_thread(index as u16 + 1, Script::new(acts));
        }
        let mut step = 0;
        simulation.set_thread(0, move |moment: &mut Moment<'_>| {
            step += 1;
            let ceiling: u32 = if step == 3 { 7 } else { 0 };
            let published = moment.memory.write(page + 24, &ceiling.to_le_bytes());
            published.unwrap();
            match step {
                1 => lock(0),
                2 => compute(3),
                3 => compute(5),
                4 => call(Call::Yield, &[]),
                5 => unlock(0),
                _ => Act::End(0),
            }
        });
        simulation.run();
        timeline(simulation.records())
    });
    let late: Vec<_> = timeline.into_iter().filter(|(at, _)| *at >= 4).collect();
    // at 5 one of the waiters goes, and the other lends less than the ceiling
    assert_eq!(late[..2], [(4, Some(3)), (8, Some(0))]);
}
