//! Threads, time and interrupts, without any service.

mod scheduling;
mod time;

use giornata_core::sched::thread::role;
use giornata_records::{Description, Line, Process, Thread};

/// One process with a thread of each of these priorities, and line 5.
fn threads(priorities: &[u8]) -> Description {
    Description {
        band: 200,
        processes: vec![Process {
            max_priority: 255,
            ..Process::default()
        }],
        threads: priorities
            .iter()
            .map(|priority| Thread {
                priority: *priority,
                role: role::AUTOSTART,
                ..Thread::default()
            })
            .collect(),
        lines: vec![Line {
            number: 5,
            process: Some(0),
            ..Line::default()
        }],
        trace_records: 64,
        ..Description::default()
    }
}
