//! Threads that are there and do nothing, so that it shows what an operation costs
//! among many.

use giornata_rt::abi::Instant;
use giornata_rt::call;

use crate::BYSTANDERS;

/// More urgent than all that are measured.
const FIRST: u8 = 90;

extern "C" fn wait_for_ever(argument: usize) -> usize {
    while call::receive(BYSTANDERS, Instant::NEVER).is_ok() {}
    argument
}

/// Fills all places for threads of the process with some that wait for ever.
pub(crate) fn gather() {
    let body = wait_for_ever as *const () as usize;
    while call::create_thread(body, 0, FIRST).is_ok() {}
}
