//! Mutexes: who has one runs as urgently as who waits for it, or at its ceiling
//! (EMERALDS, section 7.1). The guide is `low`.

use giornata_rt::{Error, log, thread};

use crate::name;
use crate::plan::{BUS, REPLIES, ROOF, WORKSHOP};

pub(crate) fn show_inheritance() -> Result<(), Error> {
    let bus = BUS.lock()?;
    log!("low has it");
    let high = thread::create(high, 0, 60)?;
    let middle = thread::create(middle, 0, 40)?;
    log!("low goes on, as 60: middle has not begun");
    drop(bus);
    log!("low runs as itself");
    thread::join(high)?;
    thread::join(middle)?;
    Ok(())
}

extern "C" fn high(_: usize) -> usize {
    log!("high wants it: at once {}", name(&BUS.try_lock()));
    log!("high has it: {}", name(&BUS.lock()));
    0
}

extern "C" fn middle(_: usize) -> usize {
    log!("middle begins");
    0
}

pub(crate) fn show_ceiling() -> Result<(), Error> {
    let roof = ROOF.lock()?;
    let middle = thread::create(middle, 0, 50)?;
    log!("low has it: who is at its ceiling has not begun");
    let above = thread::create(above, 0, 51)?;
    drop(roof);
    thread::join(middle)?;
    thread::join(above)?;
    Ok(())
}

extern "C" fn above(_: usize) -> usize {
    log!("above its ceiling: {}", name(&ROOF.lock()));
    0
}

/// The process `workshop` shows it, `c/workshop.c`.
pub(crate) fn show_private() -> Result<(), Error> {
    WORKSHOP.start()?;
    REPLIES.receive()?;
    Ok(())
}
