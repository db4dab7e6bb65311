//! What a thread does that nobody waits for.

use bench_marks::emeralds::{
    ATTACH_NEW, ATTACH_REGION, CREATE_CONDITION, CREATE_MAILBOX, CREATE_SEMAPHORE, CREATE_THREAD,
    DELETE_CONDITION, DELETE_MAILBOX, DELETE_SEMAPHORE, DETACH, DETACH_LAST, DETACH_REGION, GIVE,
    JOIN, LOCK_FREE, NULL, PRIVATE, RECEIVE, SEND, SIGNAL_NOBODY, TAKE, UNLOCK_FREE,
};
use bench_marks::{NOTHING, NOTHING_END, mark, measured};
use giornata_rt::abi::Instant;
use giornata_rt::abi::region::READ_WRITE;
use giornata_rt::region::Region;
use giornata_rt::sync::PrivateMutex;
use giornata_rt::time::{self, Duration};
use giornata_rt::{Error, call, thread};

use crate::{BOX, BUS, CHANGE, FRESH, KEPT, LETTERS, READY, ROUNDS, SIGN, SPARE, end};

/// Priorities of threads that begin at once, and that wait until nobody else runs.
const ABOVE: u8 = 60;
const BELOW: u8 = 40;

/// Nobody else takes it: the kernel never hears of it.
static MINE: PrivateMutex = PrivateMutex::new(SPARE);

/// Ends as soon as it begins.
extern "C" fn nothing(argument: usize) -> usize {
    argument
}

/// Objects come and go.
fn objects() -> Result<(), Error> {
    let id = call::open_object(SPARE)?;
    measured!(DELETE_SEMAPHORE: call::delete_object(id))?;
    measured!(CREATE_SEMAPHORE: call::create_object(SPARE))?;
    let id = call::open_object(SIGN)?;
    measured!(DELETE_CONDITION: call::delete_object(id))?;
    measured!(CREATE_CONDITION: call::create_object(SIGN))?;
    let id = call::open_object(BOX)?;
    measured!(DELETE_MAILBOX: call::delete_object(id))?;
    measured!(CREATE_MAILBOX: call::create_object(BOX))?;
    Ok(())
}

/// Threads come and go.
fn threads() -> Result<(), Error> {
    let body = nothing as *const () as usize;
    let ended = call::create_thread(body, 7, ABOVE)?;
    measured!(JOIN: call::join_thread(ended, Instant::NEVER))?;
    let later = measured!(CREATE_THREAD: call::create_thread(body, 7, BELOW))?;
    measured!(DETACH: call::detach_thread(later))?;
    // lets it end
    time::sleep(Duration::from_micros(300))
}

/// Memory is shared, and shared no more.
fn regions() -> Result<(), Error> {
    measured!(ATTACH_REGION: call::attach_region(KEPT, READ_WRITE))?;
    measured!(DETACH_REGION: call::detach_region(KEPT))?;
    measured!(ATTACH_NEW: call::attach_region(FRESH, READ_WRITE))?;
    measured!(DETACH_LAST: call::detach_region(FRESH))
}

/// Has what another attaches and detaches.
#[thread]
pub(crate) fn keeping() {
    if let Ok(_kept) = Region::new(KEPT).attach() {
        // for good
        let _ = time::sleep_until(Instant(u64::MAX - 1));
    }
}

/// Every operation that comes back at once, in turn.
#[thread]
pub(crate) fn lone() {
    for _ in 0..ROUNDS {
        mark::<NOTHING>();
        mark::<NOTHING_END>();
    }
    for _ in 0..ROUNDS {
        // never refused
        let _ = measured!(PRIVATE: MINE.lock().map(drop));
    }
    let all = || -> Result<(), Error> {
        measured!(NULL: call::null())?;
        measured!(GIVE: call::unlock(READY))?;
        measured!(TAKE: call::lock(READY, Instant::NEVER))?;
        measured!(LOCK_FREE: call::lock(BUS, Instant::NEVER))?;
        measured!(UNLOCK_FREE: call::unlock(BUS))?;
        measured!(SIGNAL_NOBODY: call::signal(CHANGE))?;
        measured!(SEND: call::send(LETTERS, 3, [1, 2, 3, 4]))?;
        measured!(RECEIVE: call::receive(LETTERS, Instant::NEVER))?;
        objects()?;
        regions()?;
        threads()
    };
    end((0..ROUNDS).all(|_| all().is_ok()));
}
