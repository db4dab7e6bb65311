//! The tank, instead of a real one: what the drivers read and write. On a machine
//! with a level sensor and a valve these two functions reach their registers
//! (`giornata_rt::device`).

use core::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// What flows in during a tenth of a second through the open valve, mm.
const INFLOW: i32 = 40;
/// What drains away meanwhile.
const OUTFLOW: i32 = 10;

static LEVEL: AtomicI32 = AtomicI32::new(0);
static VALVE: AtomicI32 = AtomicI32::new(0);

/// The level, mm, a tenth of a second after it was asked for last.
pub fn level() -> i32 {
    let inflow = INFLOW * VALVE.load(Relaxed) / 1000;
    let level = (LEVEL.load(Relaxed) + inflow - OUTFLOW).max(0);
    LEVEL.store(level, Relaxed);
    level
}

/// Opens the valve so far, permille.
pub fn set_valve(opening: i32) {
    VALVE.store(opening, Relaxed);
}
