//! Interrupts that the manifest grants to the process.

use giornata_abi::Error;

/// Blocks until interrupt `number` comes; one that came before the call
/// counts. The line stays masked from its coming to the next call, so a
/// handler thread is a loop of `wait` and work.
///
/// `EPERM`: the process is not granted it. `EBUSY`: another thread waits.
pub fn wait(number: u16) -> Result<(), Error> {
    crate::call::await_interrupt(number as usize)
}
