//! Interrupt lines of a platform-level controller.

pub(super) use crate::plic::Plic as Lines;

use crate::board::Board;
use crate::device::Device;

/// The lines of a board.
///
/// # Safety
/// The board must be true of the machine (Device Invariant).
pub(super) unsafe fn lines(board: &Board) -> Lines {
    // SAFETY: the board says where the PLIC lies (Device Invariant).
    let plic = unsafe { Device::at(board.plic) };
    Lines::new(plic, board.plic_context)
}
