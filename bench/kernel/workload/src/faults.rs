//! Processes that die.

use bench_marks::{FAULTING, mark};
use giornata_rt::thread;
use giornata_rt::time::{self, Instant};

/// Writes where nothing lies.
pub(crate) fn fault() {
    let nowhere: *mut u32 = core::ptr::with_exposed_provenance_mut(4);
    // SAFETY: the kernel refuses it and ends the process.
    unsafe { nowhere.write_volatile(0) }
}

/// Lets the others of its process begin, and kills it.
#[thread]
pub(crate) fn doomed() {
    mark::<FAULTING>();
    fault();
}

/// Sleeps until its process dies.
#[thread]
pub(crate) fn doomed_sleeper() {
    // Never refused to a thread.
    let _ = time::sleep_until(Instant(3_500_000_000));
}
