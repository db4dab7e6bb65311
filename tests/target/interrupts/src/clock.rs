//! The goldfish real-time clock: nanoseconds, and one alarm.

use giornata_rt::Duration;

const TIME_LOW: usize = 0x00;
const TIME_HIGH: usize = 0x04;
const ALARM_LOW: usize = 0x08;
const ALARM_HIGH: usize = 0x0C;
const INTERRUPT_ENABLED: usize = 0x10;
const CLEAR_INTERRUPT: usize = 0x1C;

/// The clock.
pub(crate) struct RealTimeClock {
    base: *mut u32,
}

impl RealTimeClock {
    /// The clock whose registers lie at `base`.
    ///
    /// # Safety
    /// They do, and nobody else uses them.
    pub(crate) unsafe fn new(base: usize) -> RealTimeClock {
        RealTimeClock {
            base: core::ptr::with_exposed_provenance_mut(base),
        }
    }

    fn read(&self, register: usize) -> u32 {
        // SAFETY: by the contract of `new`.
        unsafe { self.base.wrapping_byte_add(register).read_volatile() }
    }

    fn write(&mut self, register: usize, value: u32) {
        // SAFETY: by the contract of `new`.
        unsafe { self.base.wrapping_byte_add(register).write_volatile(value) }
    }

    /// Reading the low half latches the high one.
    fn now(&self) -> u64 {
        let low = self.read(TIME_LOW);
        u64::from(self.read(TIME_HIGH)) << 32 | u64::from(low)
    }

    /// Sets the alarm; writing the low half starts it.
    pub(crate) fn alarm_in(&mut self, duration: Duration) {
        let at = self.now() + duration.0;
        self.write(INTERRUPT_ENABLED, 1);
        self.write(ALARM_HIGH, (at >> 32) as u32);
        self.write(ALARM_LOW, at as u32);
    }

    /// Takes the line down.
    pub(crate) fn acknowledge(&mut self) {
        self.write(CLEAR_INTERRUPT, 1);
    }
}
