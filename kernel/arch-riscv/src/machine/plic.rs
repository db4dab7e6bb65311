//! Interrupt lines of a platform-level controller.

use crate::board::{PLIC, PLIC_CONTEXT};
use crate::device::Device;
use crate::plic::Plic;

// SAFETY: the board says where the controller lies (Device Invariant).
const CONTROLLER: Plic = Plic::new(unsafe { Device::at(PLIC) }, PLIC_CONTEXT);

/// Every line that is not masked comes.
pub(super) fn prepare() {
    CONTROLLER.open();
}

/// A line that has risen, which comes no more until it is unmasked; 0: none has.
#[inline(always)]
pub(super) fn claim() -> u32 {
    CONTROLLER.claim()
}

/// Lets a line come.
pub(super) fn unmask(line: u32) {
    CONTROLLER.unmask(line);
}

/// Masks a line.
pub(super) fn mask(line: u32) {
    CONTROLLER.mask(line);
}
