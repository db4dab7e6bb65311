//! The goldfish real-time clock: nanoseconds, and one alarm.

use giornata_rt::device::{Device, Register, Registers};
use giornata_rt::{Duration, Error};

const TIME_LOW: Register<u32, 32> = Register::at(0x00);
const TIME_HIGH: Register<u32, 32> = Register::at(0x04);
const ALARM_LOW: Register<u32, 32> = Register::at(0x08);
const ALARM_HIGH: Register<u32, 32> = Register::at(0x0C);
const INTERRUPT_ENABLED: Register<u32, 32> = Register::at(0x10);
const CLEAR_INTERRUPT: Register<u32, 32> = Register::at(0x1C);

/// The clock.
pub(crate) struct RealTimeClock(Registers<32>);

impl RealTimeClock {
    /// The clock, which the manifest grants.
    pub(crate) fn of(device: Device) -> Result<RealTimeClock, Error> {
        device.registers().map(RealTimeClock)
    }

    /// The clock, which the manifest grants as the first device.
    pub(crate) fn granted() -> Result<RealTimeClock, Error> {
        RealTimeClock::of(Device::granted(0).ok_or(Error::EPERM)?)
    }

    /// Reading the low half latches the high one.
    fn now(&self) -> u64 {
        let low = self.0.read(TIME_LOW);
        u64::from(self.0.read(TIME_HIGH)) << 32 | u64::from(low)
    }

    /// Sets the alarm; writing the low half starts it.
    pub(crate) fn alarm_in(&mut self, duration: Duration) {
        let at = self.now() + duration.0;
        self.0.write(INTERRUPT_ENABLED, 1);
        self.0.write(ALARM_HIGH, (at >> 32) as u32);
        self.0.write(ALARM_LOW, at as u32);
    }

    /// Takes the line down.
    pub(crate) fn acknowledge(&mut self) {
        self.0.write(CLEAR_INTERRUPT, 1);
    }
}
