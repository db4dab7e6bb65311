//! Which thread runs when, in random programs: the same whatever tells the kernel the first of
//! its ready threads and of its alarms.
//!
//! One build of the kernel has its own queues, another (feature `rtm`) those on a task manager.
//! With `GIORNATA_DECISIONS` in the environment a line for each program goes into that file;
//! those of both builds have to be the same. `GIORNATA_LONG` makes it ten thousand programs.

use std::fmt::Write;

use giornata_test_model::compare::compare;
use giornata_test_model::random::Menu;

use crate::host::last_trace;
use crate::random::{SCOPE, host};

/// Events of one program.
const LENGTH: usize = 150;
/// Programs of each menu, in the short form and in the long one.
const PROGRAMS: [u64; 2] = [if cfg!(miri) { 2 } else { 40 }, 2_000];

#[test]
fn each_program_leaves_a_trace_of_its_decisions() {
    let is_long = std::env::var_os("GIORNATA_LONG").is_some();
    let programs = PROGRAMS[usize::from(is_long)];
    let mut lines = String::new();
    for menu in Menu::ALL {
        for seed in 0..programs {
            match compare(&host, menu, SCOPE, seed, LENGTH) {
                Ok(events) => {
                    let trace = last_trace();
                    let (records, hash) = (trace.records, trace.hash);
                    assert!(records != 0, "{menu:?} {seed}: a program decides something");
                    let _ = writeln!(lines, "{menu:?} {seed} {events} {records} {hash:016x}");
                }
                Err(difference) => panic!("{difference}"),
            }
        }
    }
    if let Some(path) = std::env::var_os("GIORNATA_DECISIONS") {
        std::fs::write(path, lines).expect("the file can be written");
    }
}
