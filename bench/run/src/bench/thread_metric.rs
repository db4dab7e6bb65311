//! The suite `thread-metric`: the loads of the Thread-Metric benchmark, cycles an operation.
//! The catalogue turns them into operations in a million cycles.

use anyhow::Result;
use bench_marks::thread_metric as mark;
use giornata_bench::Catalogue;

use super::kernel::calls::{between_marks, entering_often};
use super::kernel::measure_systems;
use super::kernel::workload::{Measured, System, shared};
use super::{Machine, Measurement};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "thread-metric";

/// All rows of a machine, in the order of the catalogue; and what could not be measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    measure_systems(catalogue, machine, SYSTEMS)
}

/// From the head of a load's loop to the next, with so many entries between.
const fn turn(op: &'static str, mark: u16, entries: usize) -> Measured {
    entering_often(op, mark, mark, entries)
}

/// Each with its system file.
const SYSTEMS: &[System] = &[
    System {
        file: "alone",
        microseconds: 0,
        rows: &[
            turn("basic", mark::BASIC, 0),
            turn("message", mark::MESSAGE, 0),
            turn("message-mailbox", mark::MESSAGE_MAILBOX, 2),
            turn("synchronization", mark::SYNCHRONIZATION, 0),
        ],
    },
    System {
        file: "cooperative",
        microseconds: 0,
        rows: &[turn("cooperative", mark::COOPERATIVE, 1)],
    },
    System {
        file: "preemptive",
        microseconds: 0,
        // four threads are resumed and suspend themselves; five count
        rows: &[shared(
            "preemptive",
            between_marks(mark::PREEMPTIVE, mark::PREEMPTIVE, 8),
            5,
        )],
    },
    System {
        file: "interrupt",
        microseconds: 0,
        // the interrupt, and the handler's wait for the next
        rows: &[turn("interrupt", mark::INTERRUPT, 2)],
    },
    System {
        file: "interrupt-preemption",
        microseconds: 0,
        // the handler resumes and waits, and who is resumed suspends itself
        rows: &[turn("interrupt-preemption", mark::INTERRUPT_PREEMPTION, 4)],
    },
    System {
        file: "interrupt-preemption-direct",
        microseconds: 0,
        rows: &[turn(
            "interrupt-preemption-direct",
            mark::INTERRUPT_PREEMPTION,
            2,
        )],
    },
    System {
        file: "memory",
        microseconds: 0,
        rows: &[turn("memory", mark::MEMORY, 0)],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_in_c_has_the_number_of_that_in_rust() {
        let program = crate::crates::root().join("bench/thread-metric/src/memory.c");
        let text = std::fs::read_to_string(program).unwrap();
        assert!(text.contains(&format!("MEMORY = {} ", mark::MEMORY)));
    }
}
