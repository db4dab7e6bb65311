//! A thermometer that sends readings, and a display that receives them: one crate, of
//! which each process of the system has its own copy in memory of its own.

#![no_std]

#[allow(dead_code, reason = "all that system.toml names")]
mod identifiers {
    include!(concat!(env!("OUT_DIR"), "/identifiers.rs"));
}

use giornata_rt::time::{self, Duration};
use giornata_rt::timer::Periodic;
use giornata_rt::{log, process, thread};
use identifiers::MAILBOX_READINGS;

/// Between two readings.
const PERIOD: Duration = Duration::from_secs(1);
/// The priority of a reading, and of one that cannot wait.
const NORMAL: u32 = 1;
const ALARM: u32 = 9;

/// Sends a reading each second; it gets hotter.
#[thread]
fn measure() {
    let Ok(mut seconds) = Periodic::new(time::now() + PERIOD, PERIOD) else {
        return;
    };
    let mut degrees = 20;
    while seconds.wait().is_ok() {
        let priority = if degrees > 60 { ALARM } else { NORMAL };
        if let Err(error) = MAILBOX_READINGS.send(priority, [degrees, 0, 0, 0]) {
            log!("not sent: {}", error.name());
        }
        degrees += 10;
    }
}

/// Waits for readings, the most urgent first.
#[thread]
fn show() {
    while let Ok(message) = MAILBOX_READINGS.receive() {
        let [degrees, ..] = message.words;
        let note = if message.priority == ALARM {
            ": too hot"
        } else {
            ""
        };
        log!("{degrees} degrees{note}");
    }
}

process! { threads: [measure, show] }
