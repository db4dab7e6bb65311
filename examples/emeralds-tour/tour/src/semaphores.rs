//! Semaphores that count (EMERALDS, section 7).

use giornata_rt::time::{self, Duration};
use giornata_rt::{Error, log, thread};

use crate::name;
use crate::plan::SLOTS;

pub(crate) fn show() -> Result<(), Error> {
    SLOTS.acquire()?;
    log!(
        "the one slot is taken, another: {}",
        name(&SLOTS.try_acquire())
    );
    let soon = time::now() + Duration::from_millis(1);
    log!("another in time: {}", name(&SLOTS.acquire_until(soon)));
    let eager = thread::create(wait, 60, 60)?;
    let patient = thread::create(wait, 40, 40)?;
    SLOTS.release()?;
    SLOTS.release()?;
    thread::join(eager)?;
    thread::join(patient)?;
    SLOTS.release()?;
    SLOTS.release()?;
    log!("one more than it counts: {}", name(&SLOTS.release()));
    Ok(())
}

extern "C" fn wait(priority: usize) -> usize {
    log!("{priority} waits for a slot");
    log!("{priority} has a slot: {}", name(&SLOTS.acquire()));
    0
}
