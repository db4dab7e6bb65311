//! Threads that tell, before they wait, which mutex they will lock then.
//!
//! Thread 1 is the more urgent one: it takes semaphore 0 and then mutex 1, which
//! thread 0 has when it gives to the semaphore.

use super::stage::*;
use crate::rig::*;
use giornata_abi::Id;
use giornata_abi::call::{Answer, Call};
use giornata_abi::control::{NEXT_LOCK, TAKEN, TAKEN_FROM_DEAD};
use giornata_abi::system::OBJECT_CEILING;
use giornata_abi::trace::TraceKind;
use giornata_sim::{Act, Ended, Script, Tables};

const MUTEX: u32 = 1;

fn system() -> Tables {
    let mut b = threads([&[5, 9]]);
    b.semaphore(0, 1);
    b.mutex();
    shared(b)
}

fn told(id: Id) -> u32 {
    !id.0
}

/// What came of it: who ran when, what thread 1 was answered, and the word of its
/// control page at the end.
type Seen = (Vec<(u64, Option<u16>)>, Vec<Answer>, u32);

fn run(tables: &Tables, word: u32, owner: Vec<Act>, waiter: Vec<Act>) -> Seen {
    simulate(tables, |simulation| {
        let place = tables.threads[1].control as usize + NEXT_LOCK;
        let memory = simulation.board().memory(0);
        memory.write(place, &word.to_le_bytes()).unwrap();
        let script = Script::new(waiter);
        let answers = script.answers();
        simulation.set_thread(0, Script::new(owner));
        simulation.set_thread(1, script);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(count(simulation.records(), TraceKind::Impossible), 0);
        let word = simulation.board().memory(0).word(place, 4).unwrap();
        (timeline(simulation.records()), answers.take(), word as u32)
    })
}

fn owner() -> Vec<Act> {
    vec![
        lock(1),
        compute(2),
        unlock(0),
        compute(3),
        unlock(1),
        compute(4),
    ]
}

#[test]
fn a_thread_that_tells_runs_once_it_has_the_mutex_and_not_before() {
    let waiter = vec![lock(0), compute(1), unlock(1)];
    let (timeline, answers, word) = run(&system(), told(Id::new(1, 0)), owner(), waiter);
    let expected = [
        (0, Some(1)),
        (0, Some(0)),
        (5, Some(1)),
        (6, Some(0)),
        (10, None),
    ];
    assert_eq!(timeline, expected);
    assert_eq!(word, TAKEN);
    assert_eq!(answers, [DONE; 2], "what it waited for, and that it had it");
}

#[test]
fn a_thread_that_does_not_tell_runs_twice_as_often() {
    let waiter = vec![lock(0), lock(1), compute(1), unlock(1)];
    let (timeline, _, word) = run(&system(), 0, owner(), waiter);
    let expected = [
        (0, Some(1)),
        (0, Some(0)),
        (2, Some(1)),
        (2, Some(0)),
        (5, Some(1)),
        (6, Some(0)),
        (10, None),
    ];
    assert_eq!(timeline, expected);
    assert_eq!(word, 0);
}

#[test]
fn the_owner_runs_as_urgently_as_who_tells_from_the_event_on() {
    let mut b = threads([&[5, 9, 7]]);
    b.semaphore(0, 1);
    b.mutex();
    let tables = shared(b);
    simulate(&tables, |simulation| {
        let place = tables.threads[1].control as usize + NEXT_LOCK;
        let word = told(Id::new(1, 0)).to_le_bytes();
        simulation.board().memory(0).write(place, &word).unwrap();
        simulation.set_thread(0, Script::new(owner()));
        simulation.set_thread(1, Script::new([lock(0), compute(1), unlock(1)]));
        let middle = [call(Call::Sleep, &[3_000, 0]), compute(10)];
        simulation.set_thread(2, Script::new(middle));
        assert_eq!(simulation.run(), Ended::Quiet);
        let expected = [
            (0, Some(1)),
            (0, Some(2)),
            (0, Some(0)),
            (5, Some(1)),
            (6, Some(2)),
            (16, Some(0)),
            (20, None),
        ];
        assert_eq!(timeline(simulation.records()), expected);
    });
}

#[test]
fn a_mutex_that_is_free_is_left_to_the_call() {
    let owner = vec![compute(2), unlock(0), compute(3)];
    let waiter = vec![lock(0), lock(1), compute(1), unlock(1)];
    let word = told(Id::new(1, 0));
    let (_, answers, after) = run(&system(), word, owner, waiter);
    assert_eq!(answers, [DONE; 3]);
    assert_eq!(after, word, "the kernel has taken nothing for it");
}

#[test]
fn who_gets_the_mutex_of_a_thread_that_ended_is_told_so() {
    let owner = vec![lock(1), compute(2), unlock(0), compute(3), Act::End(0)];
    let waiter = vec![lock(0), compute(1), unlock(1)];
    let (_, answers, word) = run(&system(), told(Id::new(1, 0)), owner, waiter);
    assert_eq!(word, TAKEN_FROM_DEAD);
    assert_eq!(answers, [DONE; 2]);
}

#[test]
fn a_mutex_that_ends_meanwhile_lets_the_thread_go_on_without_it() {
    let delete = call(Call::DeleteObject, &[1]);
    let owner = vec![lock(1), compute(2), unlock(0), compute(3), delete];
    let waiter = vec![lock(0), lock(1)];
    let (_, answers, word) = run(&system(), told(Id::new(1, 0)), owner, waiter);
    assert_eq!(word, 0);
    assert_eq!(answers, [DONE, Answer::error(giornata_abi::Error::ESRCH)]);
}

#[test]
fn what_is_told_wrong_is_as_if_nothing_was_told() {
    let mut high = threads([&[5, 9]]);
    high.semaphore(0, 1);
    high.ceiling_mutex(7);
    let above = shared(high);
    assert_ne!(above.objects[1].flags & OBJECT_CEILING, 0);
    let wrong = [
        (system(), told(Id::new(0, 0))),
        (system(), told(Id::new(1, 3))),
        (system(), told(Id::new(77, 0))),
        (system(), u32::MAX),
        (system(), TAKEN),
        (above, told(Id::new(MUTEX as u16, 0))),
    ];
    for (tables, word) in wrong {
        let waiter = vec![lock(0), compute(1)];
        let (timeline, answers, after) = run(&tables, word, owner(), waiter);
        assert_eq!(timeline[2], (2, Some(1)), "it runs at the event");
        assert_eq!((answers, after), (vec![DONE], word));
    }
}

#[test]
fn a_thread_that_would_wait_for_itself_goes_on() {
    // thread 0 waits for mutex 2, which thread 1 has, and thread 2 gives
    let mut b = threads([&[5, 9, 3]]);
    b.semaphore(0, 1);
    b.mutex();
    b.mutex();
    let tables = shared(b);
    simulate(&tables, |simulation| {
        let place = tables.threads[1].control as usize + NEXT_LOCK;
        let word = told(Id::new(1, 0)).to_le_bytes();
        simulation.board().memory(0).write(place, &word).unwrap();
        simulation.set_thread(0, Script::new([lock(1), lock(2), unlock(2), unlock(1)]));
        let script = Script::new([lock(2), lock(0), lock(1), unlock(2), lock(1), unlock(1)]);
        let answers = script.answers();
        simulation.set_thread(1, script);
        simulation.set_thread(2, Script::new([compute(5), unlock(0)]));
        assert_eq!(simulation.run(), Ended::Quiet);
        let deadlock = Answer::error(giornata_abi::Error::EDEADLK);
        let expected = [DONE, DONE, deadlock, DONE, DONE, DONE];
        assert_eq!(answers.take(), expected);
    });
}
