//! The platform-level interrupt controller, as one hart's machine mode sees it.
//!
//! A line that was claimed is in service and comes no more until it is
//! completed; unmasking it enables and completes it, in this order, because the
//! controller ignores the completion of a line that is not enabled.

use crate::device::Device;

const ENABLE: usize = 0x2000;
const CONTEXT: usize = 0x20_0000;
const CLAIM: usize = 4;
const LINES: u32 = 1024;

/// One context of the controller.
#[derive(Debug)]
pub struct Plic {
    device: Device,
    context: usize,
}

impl Plic {
    /// The context with this number.
    pub const fn new(device: Device, context: usize) -> Plic {
        Plic { device, context }
    }

    /// Opens it to every priority above 0.
    pub fn open(&self) {
        self.device.store(self.threshold(), 0u32);
    }

    /// Lets a line come, again if it was claimed. Line 0 does not exist.
    pub fn unmask(&self, line: u32) {
        if self.enable(line, true) {
            self.device.store(self.threshold() + CLAIM, line);
        }
    }

    /// Masks a line.
    pub fn mask(&self, line: u32) {
        self.enable(line, false);
    }

    /// Takes the pending line of the highest priority into service; 0 = none.
    pub fn claim(&self) -> u32 {
        self.device.load(self.threshold() + CLAIM)
    }

    fn enable(&self, line: u32, on: bool) -> bool {
        if line == 0 || line >= LINES {
            return false;
        }
        self.device.store(4 * line as usize, on as u32);
        let word = ENABLE + 0x80 * self.context + line as usize / 32 * 4;
        let bit = 1u32 << (line % 32);
        let others = self.device.load::<u32>(word) & !bit;
        self.device.store(word, others | if on { bit } else { 0 });
        true
    }

    fn threshold(&self) -> usize {
        CONTEXT + 0x1000 * self.context
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn with_controller(test: impl Fn(&Plic, &mut dyn FnMut(usize) -> u32)) {
        let mut memory: Vec<u32> = vec![7; (CONTEXT + 0x4000) / 4];
        memory[(ENABLE + 0x100) / 4..][..32].fill(0);
        let address = memory.as_mut_ptr().expose_provenance();
        // SAFETY: the vector outlives the device and covers its registers (Device Invariant).
        let device = unsafe { Device::at(address) };
        let plic = Plic::new(device, 2);
        plic.open();
        test(&plic, &mut |offset| device.load(offset));
    }

    #[test]
    fn unmasking_enables_one_line_and_completes_it() {
        with_controller(|plic, at| {
            assert_eq!(at(0x20_2000), 0);
            plic.unmask(33);
            assert_eq!((at(4 * 33), at(ENABLE + 0x104), at(0x20_2004)), (1, 2, 33));
            plic.unmask(34);
            assert_eq!(at(ENABLE + 0x104), 6);
            plic.mask(33);
            assert_eq!((at(4 * 33), at(ENABLE + 0x104)), (0, 4));
        });
    }

    #[test]
    fn lines_that_do_not_exist_touch_nothing() {
        with_controller(|plic, at| {
            plic.unmask(0);
            plic.unmask(1024);
            plic.mask(u32::MAX);
            assert_eq!((at(0), at(0x20_2004)), (7, 7));
            assert!((0..32).all(|word| at(ENABLE + 0x100 + 4 * word) == 0));
        });
    }

    #[test]
    fn a_claim_reads_the_context_of_the_hart() {
        with_controller(|plic, _| assert_eq!(plic.claim(), 7));
    }
}
