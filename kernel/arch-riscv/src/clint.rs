//! The core-local interruptor: the timer of a hart.

use giornata_abi::Ticks;

use crate::device::Device;

const COMPARE: usize = 0x4000;
const TIME: usize = 0xBFF8;
/// Ticks after which a count of 32 bits is read at the latest.
const LONGEST: u64 = 1 << 31;
const WIDE: bool = size_of::<usize>() == 8;

/// The timer as one hart sees it.
#[derive(Debug)]
pub struct Clint {
    device: Device,
    compare: usize,
    alarm: u64,
    /// The count when it was last read.
    last: u64,
}

impl Clint {
    /// The timer of a hart, with no alarm.
    pub fn new(device: Device, hart: u8) -> Clint {
        let compare = COMPARE + 8 * hart as usize;
        let mut clint = Clint {
            device,
            compare,
            alarm: 0,
            last: 0,
        };
        clint.last = clint.read();
        clint.arm(None);
        clint
    }

    /// The count. O(1); one load, because the alarm rings at least as often as
    /// the low half turns over.
    #[inline]
    pub fn now(&mut self) -> Ticks {
        if WIDE {
            return Ticks(self.device.load(TIME));
        }
        let low: u32 = self.device.load(TIME);
        let passed = low.wrapping_sub(self.last as u32);
        self.last = self.last.wrapping_add(passed as u64);
        Ticks(self.last)
    }

    /// Both halves of the count, of one moment.
    fn read(&self) -> u64 {
        if WIDE {
            return self.device.load(TIME);
        }
        loop {
            let high: u32 = self.device.load(TIME + 4);
            let low: u32 = self.device.load(TIME);
            if high == self.device.load(TIME + 4) {
                return (high as u64) << 32 | low as u64;
            }
        }
    }

    /// Rings at `at`, or never; earlier where the count must be read. Touches
    /// the device only if that changes, or it [rang](Self::rang). O(1).
    #[inline]
    pub fn arm(&mut self, at: Option<Ticks>) {
        let alarm = at.map_or(u64::MAX, |at| at.0);
        if alarm != self.alarm {
            self.set(alarm);
        }
    }

    /// It rang: perhaps only for the count to be read, so what is armed next is
    /// stored even if it is the same. O(1).
    #[inline]
    pub fn rang(&mut self) {
        self.alarm = 0;
    }

    #[inline(never)]
    fn set(&mut self, alarm: u64) {
        self.alarm = alarm;
        if WIDE {
            return self.device.store(self.compare, alarm);
        }
        let alarm = alarm.min(self.last.saturating_add(LONGEST));
        // never a moment at which the two halves ring by mistake
        self.device.store(self.compare + 4, u32::MAX);
        self.device.store(self.compare, alarm as u32);
        self.device.store(self.compare + 4, (alarm >> 32) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn an_alarm_is_stored_if_it_changed_or_rang() {
        let mut memory = vec![0u64; 0xC000 / 8];
        let address = memory.as_mut_ptr().expose_provenance();
        // SAFETY: the vector outlives the device and covers its registers (Device Invariant).
        let device = unsafe { Device::at(address) };
        let compare = || device.load::<u64>(COMPARE + 8);
        let mut clint = Clint::new(device, 1);
        assert_eq!(compare(), u64::MAX);
        clint.arm(Some(Ticks(5)));
        assert_eq!(compare(), 5);
        device.store(COMPARE + 8, 0u64);
        clint.arm(Some(Ticks(5)));
        assert_eq!(compare(), 0);
        clint.rang();
        clint.arm(Some(Ticks(5)));
        assert_eq!(compare(), 5);
        clint.arm(None);
        assert_eq!(compare(), u64::MAX);
        device.store(TIME, 77u64);
        assert_eq!(clint.now(), Ticks(77));
    }
}
