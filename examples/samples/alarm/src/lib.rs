//! A driver of QEMU's real-time clock (goldfish), which has one alarm: it waits for the
//! interrupt, makes the device take the line down, and sets the next alarm.

#![no_std]

#[allow(dead_code, reason = "all that system.toml names")]
mod identifiers {
    include!(concat!(env!("OUT_DIR"), "/identifiers.rs"));
}

use giornata_rt::device::{Register, Registers};
use giornata_rt::{Error, interrupt, log, process, thread};
use identifiers::{DEVICE_CLOCK_RTC, INTERRUPT_RTC};

/// Its registers. Reading the low half of the time keeps the high half, and writing the
/// low half of the alarm starts it.
const TIME_LOW: Register<u32, 32> = Register::at(0x00);
const TIME_HIGH: Register<u32, 32> = Register::at(0x04);
const ALARM_LOW: Register<u32, 32> = Register::at(0x08);
const ALARM_HIGH: Register<u32, 32> = Register::at(0x0C);
const INTERRUPT_ENABLED: Register<u32, 32> = Register::at(0x10);
const CLEAR_INTERRUPT: Register<u32, 32> = Register::at(0x1C);

/// Between two alarms, ns.
const PERIOD: u64 = 1_000_000_000;

fn set_alarm(clock: &Registers<32>) {
    let low = clock.read(TIME_LOW);
    let now = u64::from(clock.read(TIME_HIGH)) << 32 | u64::from(low);
    clock.write(ALARM_HIGH, ((now + PERIOD) >> 32) as u32);
    clock.write(ALARM_LOW, (now + PERIOD) as u32);
}

fn serve() -> Result<(), Error> {
    let clock: Registers<32> = DEVICE_CLOCK_RTC.registers()?;
    clock.write(INTERRUPT_ENABLED, 1);
    for count in 1.. {
        set_alarm(&clock);
        interrupt::wait(INTERRUPT_RTC)?; // masked from here to the next wait
        clock.write(CLEAR_INTERRUPT, 1);
        log!("alarm {count}");
    }
    Ok(())
}

#[thread]
fn tick() {
    if let Err(error) = serve() {
        log!("the clock does not work: {}", error.name());
    }
}

process! { threads: [tick] }
