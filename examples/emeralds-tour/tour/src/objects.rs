//! Objects come and go: which there can be is in the system file, which there are
//! is the affair of who manages them.

use giornata_rt::{Error, log, thread};

use crate::name;
use crate::plan::{CHANGE, ORDERS, SLOTS, STACK};

pub(crate) fn show() -> Result<(), Error> {
    while SLOTS.try_acquire().is_ok() {}
    let waiting = thread::create(wait, 0, 40)?;
    SLOTS.delete()?;
    thread::join(waiting)?;
    let slots = SLOTS.create()?;
    log!("made while it is there: {}", name(&SLOTS.create()));
    log!("by its old name: {}", name(&SLOTS.release()));
    log!("by its new name: {}", name(&slots.release()));
    log!("found by its slot: {}", SLOTS.open()? == slots);

    CHANGE.delete()?;
    log!("a condition that has gone: {}", name(&CHANGE.signal()));

    ORDERS.open()?.delete()?;
    let orders = ORDERS.create_attached(STACK)?;
    orders.send(1, [5; 4])?;
    log!("by way of a server: {}", orders.receive()?.words[0]);
    log!("its own server: {}", name(&orders.create_attached(orders)));
    orders.delete()
}

extern "C" fn wait(_: usize) -> usize {
    log!("who waits for what is deleted: {}", name(&SLOTS.acquire()));
    0
}
