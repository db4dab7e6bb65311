//! The loads of five threads: equal ones that yield to each other, and unequal ones, each
//! of which resumes the next more urgent one.

use bench_marks::thread_metric::{COOPERATIVE, PREEMPTIVE};
use giornata_rt::sync::Semaphore;
use giornata_rt::{thread, yield_now};

use crate::count::Count;
use crate::{end, repeat};

/// Of the threads, the least urgent first.
static COUNTS: [Count; 5] = [const { Count::new() }; 5];

/// What each thread but the least urgent waits for: there is no call that resumes a thread,
/// and none that suspends the caller.
const RESUMED: [Semaphore; 4] = [
    Semaphore::new(0),
    Semaphore::new(1),
    Semaphore::new(2),
    Semaphore::new(3),
];

fn is_complete() -> bool {
    COUNTS.iter().all(Count::is_complete)
}

/// Counts, and yields to the next.
fn take_turns(thread: usize) {
    let done = repeat::<COOPERATIVE>(|| {
        COUNTS[thread].add();
        yield_now();
        Ok(())
    });
    end(done.is_ok() && is_complete());
}

/// The five equal ones.
#[thread]
pub(crate) fn equal_0() {
    take_turns(0);
}

/// The second.
#[thread]
pub(crate) fn equal_1() {
    take_turns(1);
}

/// The third.
#[thread]
pub(crate) fn equal_2() {
    take_turns(2);
}

/// The fourth.
#[thread]
pub(crate) fn equal_3() {
    take_turns(3);
}

/// The fifth.
#[thread]
pub(crate) fn equal_4() {
    take_turns(4);
}

/// The least urgent one: begins each round.
#[thread]
pub(crate) fn lowest() {
    let done = repeat::<PREEMPTIVE>(|| {
        RESUMED[0].release()?;
        COUNTS[0].add();
        Ok(())
    });
    end(done.is_ok() && is_complete());
}

/// Each time it is resumed it resumes the next, and when that has suspended itself, counts
/// and suspends itself.
fn resume_next(thread: usize) {
    let own = RESUMED[thread - 1];
    while own.acquire().is_ok() {
        if RESUMED
            .get(thread)
            .is_some_and(|next| next.release().is_err())
        {
            break;
        }
        COUNTS[thread].add();
    }
    end(false);
}

/// The next more urgent one.
#[thread]
pub(crate) fn first() {
    resume_next(1);
}

/// The next.
#[thread]
pub(crate) fn second() {
    resume_next(2);
}

/// The next.
#[thread]
pub(crate) fn third() {
    resume_next(3);
}

/// The most urgent one.
#[thread]
pub(crate) fn fourth() {
    resume_next(4);
}
