//! The suite `marte`: what POSIX programs ask for, as the tables of the MaRTE OS paper have it.
//! The programs are in C, so what the library does is measured with the kernel.

use anyhow::Result;
use bench_marks::marte as mark;
use giornata_bench::Catalogue;
use giornata_soc::Sight::{Enter, Leave, Mark};

use super::kernel::calls::{call, inside, leading_away};
use super::kernel::measure_systems;
use super::kernel::workload::{Measured, System, spanning, whole};
use super::{Machine, Measurement};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "marte";

/// All rows of a machine, in the order of the catalogue; and what could not be measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    measure_systems(catalogue, machine, SYSTEMS)
}

/// A call that leads to another thread, with a look at the clock before.
const fn leading_away_late(op: &'static str, mark: u16) -> Measured {
    whole(
        op,
        spanning(&[Mark(mark), Enter, Leave, Enter, Leave], 0, 4),
    )
}

/// The timer interrupts a thread, and another goes on.
const fn interrupted(op: &'static str, mark: u16, last: u16) -> Measured {
    whole(op, spanning(&[Mark(mark), Enter, Leave, Mark(last)], 1, 2))
}

/// Each with its system file.
const SYSTEMS: &[System] = &[
    System {
        file: "alone",
        microseconds: 0,
        rows: &[
            inside("lock-unlock", mark::PAIR_NONE),
            inside("lock-unlock-protect", mark::PAIR_PROTECT),
            inside("lock", mark::LOCK),
            inside("timed-lock", mark::TIMED_LOCK),
            call("create", mark::CREATE),
        ],
    },
    System {
        file: "yield",
        microseconds: 0,
        rows: &[
            call("yield", mark::YIELD),
            call("yield-sporadic", mark::YIELD_SPORADIC),
            call("yield-to-sporadic", mark::TO_SPORADIC),
            call("yield-from-sporadic", mark::FROM_SPORADIC),
        ],
    },
    System {
        file: "without",
        microseconds: 0,
        rows: &[call("yield-without", mark::YIELD)],
    },
    System {
        file: "sleep",
        microseconds: 0,
        rows: &[
            leading_away_late("nanosleep", mark::NANOSLEEP),
            leading_away_late("clock-nanosleep-relative", mark::SLEEP_RELATIVE),
            leading_away("clock-nanosleep-monotonic", mark::SLEEP_MONOTONIC),
            leading_away("clock-nanosleep-realtime", mark::SLEEP_REALTIME),
            interrupted("wake-up", mark::OTHER_RUNS, mark::WAKE + 1),
        ],
    },
    System {
        file: "locks",
        microseconds: 0,
        rows: &[
            call("post-switch", mark::POST),
            leading_away("lock-contended", mark::CONTENDED),
            leading_away("timed-lock-contended", mark::TIMED_CONTENDED),
            call("unlock-switch", mark::UNLOCK),
            call("timed-unlock-switch", mark::TIMED_UNLOCK),
            interrupted("expiry-switch", mark::OTHER_RUNS, mark::EXPIRE + 1),
            call("signal-handler", mark::SIGNAL),
        ],
    },
    System {
        file: "server",
        microseconds: 0,
        rows: &[
            interrupted("budget-exhausted", mark::SERVER_RUNS, mark::OTHER_RUNS),
            interrupted("replenished", mark::OTHER_RUNS, mark::SERVER_RUNS),
        ],
    },
];

#[cfg(test)]
mod tests {

    #[test]
    fn marks_in_c_have_the_numbers_of_those_in_rust() {
        let header = crate::crates::root().join("bench/marte/src/marks.h");
        let text = std::fs::read_to_string(header).unwrap();
        let rust = include_str!("../../../kernel/marks/src/lib.rs");
        let (_, rust) = rust.split_once("pub mod marte").unwrap();
        let (rust, _) = rust.split_once("\n}").unwrap();
        let pairs = text.lines().filter_map(|line| {
            let (name, number) = line.trim().strip_suffix(',')?.split_once(" = ")?;
            Some((name, number.parse::<u16>().ok()?))
        });
        let mut count = 0;
        for (name, number) in pairs {
            assert!(rust.contains(&format!("{name}: u16 = {number};")), "{name}");
            count += 1;
        }
        assert_eq!(count, rust.matches(": u16 = ").count());
    }
}
