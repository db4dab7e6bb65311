//! A thread says which mutex it locks when what it waits for has come: it does not
//! run to find the mutex taken, which saves two switches (EMERALDS, section 7).

use core::sync::atomic::{AtomicBool, Ordering};

use giornata_rt::{Error, log, thread};

use crate::name;
use crate::plan::{BUS, READY};

/// The thread has gone on after its wait.
static HAS_RUN: AtomicBool = AtomicBool::new(false);

pub(crate) fn show() -> Result<(), Error> {
    show_with("not told", lock_plainly)?;
    show_with("told", lock_told)
}

/// Gives a thread what it waits for while the mutex is the guide's.
fn show_with(how: &str, body: thread::Body) -> Result<(), Error> {
    HAS_RUN.store(false, Ordering::Relaxed);
    let waiting = thread::create(body, 0, 60)?;
    let bus = BUS.lock()?;
    READY.release()?;
    let has_run = HAS_RUN.load(Ordering::Relaxed);
    log!("{how}: it has run before the mutex is free: {has_run}");
    drop(bus);
    thread::join(waiting)?;
    Ok(())
}

fn wait() -> Result<(), Error> {
    let waited = READY.acquire();
    HAS_RUN.store(true, Ordering::Relaxed);
    waited
}

extern "C" fn lock_plainly(_: usize) -> usize {
    let waited = wait();
    tell(waited.and(BUS.lock().map(drop)))
}

extern "C" fn lock_told(_: usize) -> usize {
    let (waited, bus) = BUS.lock_after(wait);
    tell(waited.and(bus.map(drop)))
}

fn tell(result: Result<(), Error>) -> usize {
    log!("it has had the mutex: {}", name(&result));
    0
}
