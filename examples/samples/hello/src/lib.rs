//! A thread that says something each second.

#![no_std]

use giornata_rt::time::{self, Duration};
use giornata_rt::timer::Periodic;
use giornata_rt::{log, process, thread};

/// Between two greetings.
const PERIOD: Duration = Duration::from_secs(1);

#[thread]
fn greet() {
    let Ok(mut seconds) = Periodic::new(time::now() + PERIOD, PERIOD) else {
        return;
    };
    let mut count = 0;
    while seconds.wait().is_ok() {
        count += 1;
        log!("hello number {count}");
    }
}

process! { threads: [greet] }
