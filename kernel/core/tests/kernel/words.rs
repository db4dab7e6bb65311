//! Private semaphores: what a process takes by a word of its memory, and what the
//! kernel makes of it when a thread has to wait.

use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::system::RIGHT_USE;
use giornata_abi::word::{LIMIT, LOCKED, MOST, WAITED_FOR};
use giornata_abi::{Error, Id};
use giornata_sim::{
    Act, Answers, Behaviour, Ended, Moment, SCRATCH, Scheduling, Simulation, SystemBuilder,
};
use std::cell::RefCell;
use std::rc::Rc;

const WORD: usize = SCRATCH + 64;
const MUTEX: u16 = 0;
const SEMAPHORE: u16 = 1;
const CONDITION: u16 = 2;

/// What a thread does.
#[derive(Clone, Copy)]
enum Deed {
    Do(Act),
    /// Takes the mutex by its word, and makes the call if that does not go.
    Take,
    /// Gives it back in the same way.
    Give,
    /// Writes the word.
    Scribble(u32),
}

use Deed::{Do, Give, Scribble, Take};

/// Deeds in order; the answers of calls.
struct Player {
    deeds: Vec<Deed>,
    at: usize,
    answers: Answers,
}

fn word_of(thread: u16) -> u32 {
    Id::new(thread, 0).0 | LOCKED
}

impl Behaviour for Player {
    fn next(&mut self, moment: &mut Moment<'_>) -> Act {
        self.answers.borrow_mut().extend(moment.answer);
        while let Some(deed) = self.deeds.get(self.at) {
            self.at += 1;
            let word = moment.memory.word(WORD, 4).unwrap() as u32;
            let mine = word_of(moment.thread);
            let mut write = |word: u32| moment.memory.write(WORD, &word.to_le_bytes()).unwrap();
            match deed {
                Do(act) => return *act,
                Scribble(word) => write(*word),
                Take if word == 0 => write(mine),
                Give if word == mine => write(0),
                Take => return lock(FOR_EVER),
                Give => return call(Call::Unlock, &[MUTEX as usize, WORD]),
            }
        }
        Act::End(0)
    }
}

fn lock([low, high]: [usize; 2]) -> Act {
    call(Call::Lock, &[MUTEX as usize, low, high, WORD])
}

fn threads<const N: usize>(priorities: [u8; N]) -> SystemBuilder {
    let mut b = SystemBuilder::new();
    let process = b.process();
    for priority in priorities {
        b.thread(process, Scheduling::Fifo(priority));
    }
    let objects = [b.private_mutex(), b.private_semaphore(), b.condition()];
    for object in objects {
        b.grant_object(process, object, RIGHT_USE);
    }
    b
}

fn play(simulation: &mut Simulation<'_>, thread: u16, deeds: Vec<Deed>) -> Answers {
    let answers = Rc::new(RefCell::new(Vec::new()));
    let player = Player {
        deeds,
        at: 0,
        answers: answers.clone(),
    };
    simulation.set_thread(thread, player);
    answers
}

fn word(simulation: &mut Simulation<'_>) -> u32 {
    simulation.board().memory(0).word(WORD, 4).unwrap() as u32
}

#[test]
fn a_private_mutex_that_is_free_needs_no_call() {
    simulate(&threads([5]).finish(), |simulation| {
        let answers = play(simulation, 0, vec![Take, Do(compute(1)), Give, Take, Give]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert!(answers.take().is_empty());
        assert_eq!(word(simulation), 0);
    });
}

#[test]
fn who_has_a_private_mutex_inherits_from_who_waits_for_it() {
    simulate(&threads([9, 5, 2]).finish(), |simulation| {
        let high = play(
            simulation,
            0,
            vec![Do(sleep_until(2)), Take, Do(compute(1)), Give],
        );
        play(simulation, 1, vec![Do(sleep_until(1)), Do(compute(9))]);
        let low = play(simulation, 2, vec![Take, Do(compute(4)), Give]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(
            timeline(simulation.records())[2..],
            [
                (0, Some(2)),
                (1, Some(1)),
                (2, Some(0)),
                (2, Some(2)),
                (5, Some(0)),
                (6, Some(1)),
                (14, Some(2)),
                (14, None)
            ]
        );
        assert_eq!(high.take(), [Answer::DONE; 2]);
        assert_eq!(low.take(), [Answer::DONE]);
        assert_eq!(word(simulation), 0);
    });
}

#[test]
fn the_word_says_who_has_it_and_whether_somebody_waits() {
    simulate(&threads([9, 8, 2]).finish(), |simulation| {
        for thread in [0, 1] {
            play(
                simulation,
                thread,
                vec![
                    Do(sleep_until(2)),
                    Take,
                    Do(sleep_until(10 * (thread as u64 + 1))),
                    Give,
                ],
            );
        }
        play(simulation, 2, vec![Take, Do(compute(4)), Give]);
        simulation.run_until(at_us(1));
        assert_eq!(word(simulation), word_of(2));
        simulation.run_until(at_us(3));
        assert_eq!(word(simulation), word_of(2) | WAITED_FOR);
        simulation.run_until(at_us(7));
        assert_eq!(word(simulation), word_of(0) | WAITED_FOR);
        simulation.run_until(at_us(12));
        assert_eq!(word(simulation), word_of(1));
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(word(simulation), 0);
    });
}

#[test]
fn a_waiter_that_gives_up_leaves_a_mutex_that_can_be_given_back() {
    simulate(&threads([9, 2]).finish(), |simulation| {
        let high = play(
            simulation,
            0,
            vec![
                Do(sleep_until(2)),
                Do(lock([0, 0])),
                Do(lock([3_000, 0])),
                Do(sleep_until(20)),
                Take,
                Give,
            ],
        );
        let low = play(simulation, 1, vec![Take, Do(compute(4)), Give, Take, Give]);
        assert_eq!(simulation.run(), Ended::Quiet);
        let (busy, late) = (refused(Error::EBUSY), refused(Error::ETIMEDOUT));
        assert_eq!(high.take(), [Answer::DONE, busy, late, Answer::DONE]);
        assert_eq!(low.take(), [Answer::DONE]);
        assert_eq!(word(simulation), 0);
    });
}

#[test]
fn a_thread_that_ended_with_a_private_mutex_leaves_it_to_the_next() {
    simulate(&threads([5, 6]).finish(), |simulation| {
        play(simulation, 1, vec![Take]);
        let next = play(simulation, 0, vec![Take, Give, Take, Give]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(next.take(), [refused(Error::EOWNERDEAD)]);
        assert_eq!(word(simulation), 0);
    });
}

#[test]
fn a_forged_word_hurts_nobody_else() {
    let mut b = threads([5, 6]);
    let other = b.process();
    b.thread(other, Scheduling::Fifo(4));
    simulate(&b.finish(), |simulation| {
        let address = |address| call(Call::Lock, &[MUTEX as usize, 0, 0, address]);
        let answers = play(
            simulation,
            0,
            vec![
                // another process's thread, none, itself, one that has ended
                Scribble(word_of(2)),
                Do(lock(FOR_EVER)),
                Scribble(word_of(99)),
                Do(lock(FOR_EVER)),
                Scribble(word_of(0)),
                Do(lock(FOR_EVER)),
                Scribble(word_of(1)),
                Do(lock(FOR_EVER)),
                Do(address(0)),
                Do(address(0x8000_0000)),
                Scribble(word_of(2) | WAITED_FOR),
                Do(call(Call::Unlock, &[MUTEX as usize, WORD])),
                Scribble(WAITED_FOR),
                Do(call(Call::Unlock, &[MUTEX as usize, WORD])),
                Do(lock(FOR_EVER)),
                Give,
            ],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        let invalid = refused(Error::EINVAL);
        assert_eq!(
            answers.take(),
            [
                invalid,
                invalid,
                refused(Error::EDEADLK),
                refused(Error::EOWNERDEAD),
                invalid,
                refused(Error::EFAULT),
                invalid,
                refused(Error::EPERM),
                Answer::DONE
            ]
        );
        assert_eq!(word(simulation), 0);
    });
}

#[test]
fn a_condition_works_with_a_private_mutex() {
    simulate(&threads([9, 5]).finish(), |simulation| {
        let [low, high] = FOR_EVER;
        let wait = call(
            Call::Wait,
            &[CONDITION as usize, MUTEX as usize, low, high, WORD],
        );
        let waits = play(simulation, 0, vec![Take, Do(wait), Give]);
        let signals = play(
            simulation,
            1,
            vec![
                Take,
                Do(call(Call::Signal, &[CONDITION as usize])),
                Do(compute(3)),
                Give,
            ],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(waits.take(), [Answer::DONE]);
        assert_eq!(signals.take(), [Answer::DONE; 2]);
        // who is signalled does not run before the mutex is free
        assert_eq!(order(simulation.records()), [0, 1, 0, 1]);
        assert_eq!(word(simulation), 0);
    });
}

#[test]
fn a_private_semaphore_counts_in_its_word() {
    simulate(&threads([9, 5]).finish(), |simulation| {
        let take = call(
            Call::Lock,
            &[SEMAPHORE as usize, FOR_EVER[0], FOR_EVER[1], WORD],
        );
        let give = call(Call::Unlock, &[SEMAPHORE as usize, WORD]);
        let high = play(simulation, 0, vec![Scribble(1), Do(take), Do(take)]);
        let low = play(
            simulation,
            1,
            vec![Do(compute(2)), Do(give), Do(give), Do(give)],
        );
        simulation.run_until(at_us(1));
        assert_eq!(word(simulation), WAITED_FOR | MOST << LIMIT);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(high.take(), [Answer::DONE; 2]);
        assert_eq!(low.take(), [Answer::DONE; 3]);
        assert_eq!(word(simulation), 2 | MOST << LIMIT);
    });
}

#[test]
fn the_word_of_a_private_semaphore_says_its_limit_once_the_kernel_has_seen_it() {
    let mut b = threads([5]);
    b.tables.objects[SEMAPHORE as usize].most = 2;
    simulate(&b.finish(), |simulation| {
        let give = call(Call::Unlock, &[SEMAPHORE as usize, WORD]);
        let deeds = [1, 3, 2].map(|count| [Scribble(count), Do(give)]);
        let answers = play(simulation, 0, deeds.concat());
        assert_eq!(simulation.run(), Ended::Quiet);
        let full = refused(Error::EOVERFLOW);
        assert_eq!(answers.take(), [Answer::DONE, full, full]);
        assert_eq!(word(simulation), 2 | 2 << LIMIT);
    });
}
