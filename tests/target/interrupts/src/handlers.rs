//! Handlers of the clock's interrupt, and what a process may reach of devices.

use giornata_rt::device::{self, Device, Registers};
use giornata_rt::handler::Handling;
use giornata_rt::interrupt::Interrupts;
use giornata_rt::restartable::Word;
use giornata_rt::time::{self, Duration};
use giornata_rt::{Error, log, shutdown, thread};

use crate::clock::RealTimeClock;
use crate::{CLOCK_LINE, granted};

/// What the handler keeps: its device, and how often it has been called.
struct Alarms {
    clock: RealTimeClock,
    calls: u32,
}

static ALARMS: Interrupts<Alarms> = Interrupts::new(CLOCK_LINE, ring);
static SECOND: Interrupts = Interrupts::new(CLOCK_LINE, |()| log!("second handler"));
/// Lies where a device might find it.
static MEMORY: [Word; 2] = [Word::new(1), Word::new(2)];

/// Sets the next alarm twice; the millisecond in which it runs is the result.
fn ring(alarms: &mut Alarms) {
    alarms.clock.acknowledge();
    alarms.calls += 1;
    log!("alarm {} in ms {}", alarms.calls, now());
    if alarms.calls < 3 {
        alarms.clock.alarm_in(Duration::from_millis(2));
    }
}

fn now() -> u64 {
    time::now().0 / 1_000_000
}

fn name<T>(result: &Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "done",
        Err(error) => error.name(),
    }
}

fn tell_end(handling: Result<Handling, Error>) {
    let end = handling.and_then(Handling::join);
    let end = end.map(|error| error.map_or("nothing", Error::name));
    log!("it ends with {}", end.unwrap_or_else(Error::name));
}

/// Looks for devices, and is then busy while alarms are handled.
#[thread]
pub(crate) fn command() {
    let Some(device) = Device::granted(1) else {
        return;
    };
    log!("a third device: {}", Device::granted(2).is_some());
    let block: Result<Registers<0x1000>, Error> = device.registers();
    let beyond: Result<Registers<0x1004>, Error> = device.registers();
    log!("whole: {}, more: {}", name(&block), name(&beyond));
    let other: Result<Registers<4>, Error> = Device::new(0x20_0000).registers();
    log!("another's: {}", name(&other));
    log!("its memory: {}", name(&device::physical(&raw const MEMORY)));

    let mut clock = granted(RealTimeClock::of(device));
    clock.alarm_in(Duration::from_millis(1));
    let alarms = Alarms { clock, calls: 0 };
    log!("start: {}", name(&ALARMS.start(60, alarms)));
    let second = SECOND.start(60, ());
    tell_end(second);
    while now() < 6 {}
    log!("stop: {}", shutdown(0).name());
}

/// Is granted nothing.
#[thread]
pub(crate) fn intrude() {
    log!("device: {}", Device::granted(0).is_some());
    tell_end(SECOND.start(55, ()));
}

/// May tell a device where its memory lies: word behind word.
#[thread]
pub(crate) fn locate() {
    let [first, second] = &MEMORY;
    let distance = device::physical(second)
        .and_then(|second| device::physical(first).map(|first| second.wrapping_sub(first)));
    log!("from word to word: {:?}", distance.ok());
    let beyond = core::ptr::without_provenance::<u32>(4);
    log!("beyond its data: {}", name(&device::physical(beyond)));
}
