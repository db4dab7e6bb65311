//! Functions that are called for interrupts, at instants and for messages, by threads
//! of their own (EMERALDS, sections 6.1, 7.3 and 7.5).

use giornata_rt::handler::Handling;
use giornata_rt::mailbox::{Arrival, Arrivals};
use giornata_rt::time::{self, Duration};
use giornata_rt::timer::{Expiry, Timer};
use giornata_rt::{Error, log};

use crate::name;
use crate::plan::{BELL, ORDERS, READY, REPLIES, WAKES};

const PERIOD: Duration = Duration::from_millis(1);

static BLINK: Timer<u32> = Timer::new(WAKES, blink);

static CLERK: Arrivals<u32> = Arrivals::new(ORDERS, take);

/// The process `bell` shows it, `c/bell.c`.
pub(crate) fn show_interrupts() -> Result<(), Error> {
    BELL.start()?;
    REPLIES.receive()?;
    Ok(())
}

pub(crate) fn show_timer() -> Result<(), Error> {
    let blink = BLINK.start(40, 0)?;
    BLINK.set_periodic(time::now() + PERIOD, PERIOD)?;
    READY.acquire()?;
    log!("cancelled before: {}", !BLINK.cancel());
    WAKES.delete()?;
    tell_end(blink)
}

/// Calls itself off the third time.
fn blink(calls: &mut u32, expiry: Expiry) {
    *calls += 1;
    log!("expiry {calls}, {} missed", expiry.missed);
    if *calls == 3 {
        BLINK.cancel();
        log!("done: {}", name(&READY.release()));
    }
}

pub(crate) fn show_arrivals() -> Result<(), Error> {
    let clerk = CLERK.start(40, 0)?;
    for pieces in [3, 4] {
        ORDERS.send(1, [pieces; 4])?;
        log!("ordered {pieces}");
    }
    ORDERS.delete()?;
    ORDERS.create()?;
    tell_end(clerk)
}

/// Keeps the sum between its calls.
fn take(sum: &mut u32, order: Arrival<'_>) {
    let [pieces, ..] = order.words();
    *sum += pieces;
    log!("the clerk has {sum} in all");
}

fn tell_end(handling: Handling) -> Result<(), Error> {
    let end = handling.join()?.map_or("nothing", Error::name);
    log!("deleted, so its thread ends: {end}");
    Ok(())
}
