//! Interrupt lines of a VexRiscv: two registers of the core, a mask and what is
//! pending under it. Line n is bit n - 1.

use super::csr::{read, write};
use crate::board::Board;

/// The lines of the hart. One that was claimed is masked until it is opened.
#[derive(Debug)]
pub(super) struct Lines;

/// The lines of a board, all masked.
///
/// # Safety
/// The hart must be a VexRiscv with these registers (Device Invariant).
pub(super) unsafe fn lines(_: &Board) -> Lines {
    Lines.mask(0);
    Lines
}

impl Lines {
    /// Lets a line come, again if it was claimed.
    pub(super) fn open(&self, line: u16) {
        self.mask(read!("0xBC0") | bit(line));
    }

    /// Masks a line.
    pub(super) fn close(&self, line: u16) {
        self.mask(read!("0xBC0") & !bit(line));
    }

    /// Takes the lowest pending line into service; 0 = none.
    pub(super) fn claim(&self) -> u16 {
        let line = match read!("0xFC0") {
            0 => return 0,
            pending => pending.trailing_zeros() as u16 + 1,
        };
        self.close(line);
        line
    }

    fn mask(&self, lines: usize) {
        // SAFETY: a mask only decides what comes.
        unsafe { write!("0xBC0", lines) };
    }
}

/// The bit of a line; nothing for a line that does not exist.
fn bit(line: u16) -> usize {
    let bit = 1usize.checked_shl(u32::from(line).wrapping_sub(1));
    bit.unwrap_or(0)
}
