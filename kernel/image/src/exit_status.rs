//! A register that takes a status ends the machine.

use giornata_arch_riscv::device::Device;

/// Ends the machine with a status.
pub(crate) fn end(device: Device, status: u8) {
    device.store(0, status as u32);
}
