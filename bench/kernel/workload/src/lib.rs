//! What the processes of the measured systems do. Each system file beside this
//! crate picks its threads and tasks; the marks they leave are what is measured.

#![no_std]

mod calls;
mod interrupts;
mod jobs;
pub mod mark;

pub use calls::ROUNDS;

use calls::{background, null_calls, turn_a, turn_b};
use giornata_rt::process;
use interrupts::handle;
use jobs::{first, plod, second};

process! {
    tasks: [first, second, plod],
    threads: [null_calls, turn_a, turn_b, background, handle],
}
