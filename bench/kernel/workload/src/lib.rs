//! What the processes of the measured systems do. Each system file beside this
//! crate picks its threads and tasks; the marks they leave are what is measured.

#![no_std]

mod calls;
mod drivers;
mod faults;
mod interrupts;
mod jobs;
mod uart;

use calls::{background, doze, every_call, null_calls, turn_a, turn_about, turn_b};
use drivers::{
    compute_one, fault, read_1, read_2, read_3, tell, tell_1, tell_2, tell_3, tell_4, write, zero,
};
use faults::{doomed, doomed_sleeper};
use giornata_rt::process;
use interrupts::{go_on, handle, handle_later, sweep};
use jobs::{first, plod, second};
use uart::{ask_uart, handle_uart};

process! {
    tasks: [first, second, plod, tell, tell_1, tell_2, tell_3, tell_4, compute_one],
    drivers: [read_1, read_2, read_3, write, zero, fault],
    threads: [
        null_calls, turn_a, turn_b, background, doze, every_call, turn_about,
        handle, handle_later, go_on, sweep, doomed, doomed_sleeper, handle_uart, ask_uart,
    ],
}
