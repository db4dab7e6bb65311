//! Drivers that share a value, one of which never gives it back.

use giornata_rt::{DriverCell, driver, log, task};

static TANK: DriverCell<u32> = DriverCell::new(|| 10);

/// Fills the tank; the third time it never returns, half-way.
#[driver]
pub(crate) fn fill_tank(filled: &mut u32) {
    TANK.with(|level| {
        *level += 1;
        if *level == 13 {
            loop {
                core::hint::spin_loop();
            }
        }
        *filled = *level;
    });
}

/// Sees what the other driver has done.
#[driver]
pub(crate) fn look_at_tank(level: &mut u32) {
    *level = TANK.with(|level| *level);
}

/// Tells what both saw.
#[task]
pub(crate) fn tell_level(filled: &u32, level: &u32, told: &mut u32) {
    log!("filled {filled} level {level}");
    *told = *level;
}
