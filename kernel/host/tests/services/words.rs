//! Private mutexes and semaphores: what the threads of a process take by a word of its
//! memory, and what the kernel makes of that when one has to wait.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::word::{LIMIT, LOCKED, MOST, WAITED_FOR};
use giornata_core::sched::thread::role;
use giornata_records::ObjectKind;

use crate::stage::*;

/// Where the word lies in the data of process 0.
const OFFSET: usize = 64;
const WORD: usize = USER + OFFSET;

/// What the word of a mutex says that the first tenant of a place owns.
fn word_of(thread: usize) -> u32 {
    thread as u32 | 1 << 16 | LOCKED
}

impl Stage {
    /// A thread takes a mutex by its word.
    #[track_caller]
    fn takes(&mut self, thread: usize) -> &mut Stage {
        self.runs(thread);
        assert_eq!(self.word(0, OFFSET), 0);
        self.set_word(0, OFFSET, word_of(thread))
    }

    /// It gives it back so.
    #[track_caller]
    fn gives(&mut self, thread: usize) -> &mut Stage {
        self.runs(thread);
        assert_eq!(self.word(0, OFFSET), word_of(thread));
        self.set_word(0, OFFSET, 0)
    }

    #[track_caller]
    fn lock_word(&mut self, thread: usize, slot: usize, [low, high]: [usize; 2]) -> &mut Stage {
        self.call(thread, Call::Lock, &[slot, 1, low, high, WORD])
    }

    #[track_caller]
    fn unlock_word(&mut self, thread: usize, slot: usize) -> &mut Stage {
        self.call(thread, Call::Unlock, &[slot, 1, WORD])
    }

    #[track_caller]
    fn says(&mut self, word: u32) -> &mut Stage {
        let now = self.word(0, OFFSET);
        assert_eq!(now, word, "the word is {now:#x} instead of {word:#x}");
        self
    }
}

#[test]
fn whoever_has_it_by_its_word_runs_for_those_that_wait() {
    let mut system = threads(&[9, 5, 2]);
    let a = private(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 20).sleep(1, 10).takes(2);
    stage
        .advance(10)
        .runs(1)
        .advance(20)
        .lock_word(0, a, EVER)
        .runs(2);
    stage.says(word_of(2) | WAITED_FOR);
    stage.unlock_word(2, a).runs(0).returned(0, DONE);
    // nobody waits: the kernel has forgotten it
    stage
        .says(word_of(0))
        .gives(0)
        .sleep(0, 30)
        .runs(1)
        .sleep(1, 30);
    stage.takes(2).gives(2);
}

#[test]
fn the_word_says_who_has_it_and_whether_somebody_waits() {
    let mut system = threads(&[9, 8, 2]);
    let a = private(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 20).sleep(1, 10).takes(2);
    stage.advance(10).lock_word(1, a, EVER);
    stage.advance(20).lock_word(0, a, EVER);
    stage
        .says(word_of(2) | WAITED_FOR)
        .unlock_word(2, a)
        .runs(0);
    stage
        .says(word_of(0) | WAITED_FOR)
        .unlock_word(0, a)
        .sleep(0, 30)
        .runs(1);
    stage.says(word_of(1)).gives(1);
}

#[test]
fn who_wants_several_is_told_by_the_word_of_each() {
    // (one with a ceiling comes first in what a thread owns)
    let mut system = threads(&[9, 5]);
    let a = private(&mut system, ObjectKind::Mutex);
    let high = ceiling_mutex(&mut system, 9);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 10).takes(1).advance(10).lock(0, high);
    stage.lock_word(0, a, EVER).runs(1).unlock_word(1, a);
    stage.runs(0).says(word_of(0));
}

#[test]
fn a_waiter_that_gives_up_leaves_a_mutex_that_can_be_given_back() {
    let mut system = threads(&[9, 2]);
    let a = private(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 10).takes(1).advance(10);
    stage
        .lock_word(0, a, [0; 2])
        .refused(0, Error::EBUSY)
        .says(word_of(1));
    stage.lock_word(0, a, [20, 0]).runs(1).advance(20).runs(0);
    stage.refused(0, Error::ETIMEDOUT).says(word_of(1));
    stage.sleep(0, 30).gives(1).takes(1).gives(1);
}

#[test]
fn a_thread_that_ended_with_one_leaves_it_to_the_next() {
    let mut system = threads(&[5, 6]);
    let a = private(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage.takes(1).exit(1).lock_word(0, a, EVER);
    stage
        .refused(0, Error::EOWNERDEAD)
        .says(word_of(0))
        .gives(0);
    // and one that somebody waited for
    let mut stage = Stage::new(&system);
    stage
        .sleep(1, 10)
        .takes(0)
        .advance(10)
        .lock_word(1, a, EVER)
        .exit(0);
    stage.runs(1).refused(1, Error::EOWNERDEAD).says(word_of(1));
}

#[test]
fn a_forged_word_hurts_nobody_else() {
    let mut system = processes(&[&[5, 6], &[4]]);
    let a = private(&mut system, ObjectKind::Mutex);
    system.objects[a].rights[1].used = false;
    let mut stage = Stage::new(&system);
    stage.exit(1);
    // another process's thread, none, itself, one that has ended
    for (word, error) in [
        (word_of(2), Error::EINVAL),
        (word_of(99), Error::EINVAL),
        (word_of(0), Error::EDEADLK),
        (word_of(1), Error::EOWNERDEAD),
    ] {
        stage
            .set_word(0, OFFSET, word)
            .lock_word(0, a, EVER)
            .refused(0, error);
    }
    stage.unlock_word(0, a).returned(0, DONE).says(0);
    for (address, error) in [
        (0, Error::EINVAL),
        (0x8000_0000, Error::EFAULT),
        (WORD + 2, Error::EFAULT),
    ] {
        let [low, high] = EVER;
        stage.call(0, Call::Lock, &[a, 1, low, high, address]);
        stage.refused(0, error);
    }
    stage.set_word(0, OFFSET, word_of(2) | WAITED_FOR);
    stage.unlock_word(0, a).refused(0, Error::EINVAL);
    stage.set_word(0, OFFSET, WAITED_FOR);
    stage.unlock_word(0, a).refused(0, Error::EINVAL);
    stage.lock_word(0, a, EVER).refused(0, Error::EINVAL);
    stage.set_word(0, OFFSET, 0);
    stage.lock_word(0, a, EVER).returned(0, DONE).gives(0);
    assert_eq!(stage.place(2), 4);
}

#[test]
fn the_owner_is_copied_at_the_first_contention_and_never_read_again() {
    let mut system = threads(&[9, 8, 2, 3]);
    let a = private(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage
        .sleep(0, 20)
        .sleep(1, 10)
        .sleep(3, 10)
        .takes(2)
        .advance(10);
    stage.lock_word(1, a, EVER).runs(2);
    stage.set_word(0, OFFSET, word_of(3)).advance(20);
    stage.lock_word(0, a, EVER).runs(2);
    assert_eq!(stage.owner(a), Some(2));
    // neither is another word
    let [low, high] = EVER;
    stage
        .call(2, Call::Unlock, &[a, 1, WORD + 4])
        .refused(2, Error::EINVAL);
    stage
        .call(2, Call::Lock, &[a, 1, low, high, WORD + 4])
        .refused(2, Error::EINVAL);
    stage.unlock_word(2, a).runs(0).returned(0, DONE);
}

#[test]
fn a_condition_works_with_a_private_mutex() {
    let mut system = threads(&[9, 5]);
    let a = private(&mut system, ObjectKind::Mutex);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    let [low, high] = EVER;
    stage
        .takes(0)
        .call(0, Call::Wait, &[c, 1, a, low, high, WORD]);
    stage.says(0).takes(1).signal(1, c).runs(1);
    // who is signalled does not run before the mutex is free
    stage
        .says(word_of(1) | WAITED_FOR)
        .unlock_word(1, a)
        .runs(0);
    stage.returned(0, DONE).says(word_of(0));
}

#[test]
fn a_semaphore_counts_in_its_word() {
    let mut system = threads(&[9, 5]);
    let s = private(&mut system, ObjectKind::Semaphore);
    system.objects[s].most = MOST;
    let mut stage = Stage::new(&system);
    stage
        .set_word(0, OFFSET, 1)
        .lock_word(0, s, EVER)
        .returned(0, DONE);
    stage
        .lock_word(0, s, EVER)
        .runs(1)
        .says(WAITED_FOR | MOST << LIMIT);
    stage
        .unlock_word(1, s)
        .runs(0)
        .returned(0, DONE)
        .says(MOST << LIMIT);
    stage
        .sleep(0, 10)
        .unlock_word(1, s)
        .unlock_word(1, s)
        .says(2 | MOST << LIMIT);
}

#[test]
fn the_word_of_a_semaphore_says_its_limit_once_the_kernel_has_seen_it() {
    let mut system = threads(&[5]);
    let s = private(&mut system, ObjectKind::Semaphore);
    system.objects[s].most = 2;
    let mut stage = Stage::new(&system);
    for (count, error) in [
        (1, DONE),
        (3, Error::EOVERFLOW as usize),
        (2, Error::EOVERFLOW as usize),
    ] {
        stage
            .set_word(0, OFFSET, count)
            .unlock_word(0, s)
            .returned(0, error);
    }
    stage.says(2 | 2 << LIMIT);
}

#[test]
fn a_job_that_has_one_is_never_run_for_those_that_wait() {
    let mut system = threads(&[9, 5]);
    thread(&mut system, 0, 7, role::UPCALL);
    let a = private(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    let serial = stage.record(2).serial.get();
    assert!(stage.record(2).lives());
    stage
        .sleep(0, 10)
        .set_word(0, OFFSET, 2 | serial << 16 | LOCKED);
    stage.advance(10).lock_word(0, a, EVER).runs(1);
    // it hangs on the end of the job, and does not hasten it
    assert_eq!(stage.parked_on(2), [0]);
    assert_eq!(stage.owner(a), Some(2));
    assert_ne!(stage.place(2), 9);
}

#[test]
fn a_semaphore_is_not_waited_for_any_more_when_the_last_has_given_up() {
    let mut system = threads(&[9, 7, 5]);
    let s = private(&mut system, ObjectKind::Semaphore);
    system.objects[s].most = 3;
    let mut stage = Stage::new(&system);
    stage.lock_word(0, s, [10, 0]).lock_word(1, s, [20, 0]);
    stage.runs(2).advance(10).runs(0);
    stage
        .returned(0, Error::ETIMEDOUT as usize)
        .says(WAITED_FOR | 3 << LIMIT)
        .sleep(0, 50);
    stage.advance(20).runs(1);
    stage
        .returned(1, Error::ETIMEDOUT as usize)
        .says(3 << LIMIT);
}

#[test]
fn a_word_that_is_waited_for_by_another_object_is_refused() {
    const REFUSED: usize = Error::EINVAL as usize;
    let mut system = threads(&[7, 9, 5]);
    let a = private(&mut system, ObjectKind::Mutex);
    let b = private(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 20).sleep(0, 10).takes(2);
    stage.advance(10).lock_word(0, a, EVER).runs(2);
    stage.advance(20).lock_word(1, b, EVER);
    stage.returned(1, REFUSED).sleep(1, 50).unlock_word(2, b);
    stage.says(word_of(2) | WAITED_FOR);
    assert_eq!(stage.owner(a), Some(2));
}

#[test]
fn who_waits_for_a_condition_is_refused_a_mutex_whose_object_is_another_ones_by_then() {
    let mut system = threads(&[9, 5, 3]);
    let a = private(&mut system, ObjectKind::Mutex);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    let [low, high] = EVER;
    stage
        .takes(0)
        .call(0, Call::Wait, &[c, 1, a, low, high, WORD]);
    // the object is in use for another word when the thread is signalled
    stage
        .set_word(0, OFFSET + 4, word_of(0))
        .call(1, Call::Lock, &[a, 1, low, high, WORD + 4]);
    stage.signal(2, c).runs(0);
    stage.returned(0, Error::EINVAL as usize).says(0);
}
