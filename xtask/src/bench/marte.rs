//! The suite `marte`: what POSIX programs ask for, as the tables of the MaRTE OS paper have it.
//! The programs are in C, so what the library does is measured with the kernel.

use anyhow::Result;
use bench_marks::marte as mark;
use giornata_bench::Catalogue;
use giornata_soc::Sight::{self, Enter, Leave};

use super::kernel::measure_systems;
use super::kernel::workload::{System, spanning, whole};
use super::{Machine, Measurement};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "marte";

/// All rows of a machine, in the order of the catalogue; and what could not be measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    measure_systems(catalogue, machine, SYSTEMS)
}

/// What makes no entry.
macro_rules! inside {
    ($op:expr, $mark:ident) => {
        whole(
            $op,
            spanning(
                &[Sight::Mark(mark::$mark), Sight::Mark(mark::$mark + 1)],
                0,
                1,
            ),
        )
    };
}

/// What makes one entry, after which a mark comes.
macro_rules! entering {
    ($op:expr, $mark:ident, $last:expr) => {
        whole(
            $op,
            spanning(
                &[Sight::Mark(mark::$mark), Enter, Leave, Sight::Mark($last)],
                0,
                3,
            ),
        )
    };
}

/// A call that leads to another thread, which was there already.
macro_rules! leading_away {
    ($op:expr, $mark:ident) => {
        whole(
            $op,
            spanning(&[Sight::Mark(mark::$mark), Enter, Leave], 0, 2),
        )
    };
}

/// The same, with a look at the clock before.
macro_rules! leading_away_late {
    ($op:expr, $mark:ident) => {
        whole(
            $op,
            spanning(
                &[Sight::Mark(mark::$mark), Enter, Leave, Enter, Leave],
                0,
                4,
            ),
        )
    };
}

/// The timer interrupts a thread, and another goes on.
macro_rules! interrupted {
    ($op:expr, $mark:ident, $last:expr) => {
        whole(
            $op,
            spanning(
                &[Sight::Mark(mark::$mark), Enter, Leave, Sight::Mark($last)],
                1,
                2,
            ),
        )
    };
}

/// Each with its system file.
const SYSTEMS: &[System] = &[
    System {
        file: "alone",
        microseconds: 0,
        rows: &[
            inside!("lock-unlock", PAIR_NONE),
            inside!("lock-unlock-protect", PAIR_PROTECT),
            inside!("lock", LOCK),
            inside!("timed-lock", TIMED_LOCK),
            entering!("create", CREATE, mark::CREATE + 1),
        ],
    },
    System {
        file: "yield",
        microseconds: 0,
        rows: &[
            entering!("yield", YIELD, mark::YIELD + 1),
            entering!("yield-sporadic", YIELD_SPORADIC, mark::YIELD_SPORADIC + 1),
            entering!("yield-to-sporadic", TO_SPORADIC, mark::TO_SPORADIC + 1),
            entering!(
                "yield-from-sporadic",
                FROM_SPORADIC,
                mark::FROM_SPORADIC + 1
            ),
        ],
    },
    System {
        file: "sleep",
        microseconds: 0,
        rows: &[
            leading_away_late!("nanosleep", NANOSLEEP),
            leading_away_late!("clock-nanosleep-relative", SLEEP_RELATIVE),
            leading_away!("clock-nanosleep-monotonic", SLEEP_MONOTONIC),
            leading_away!("clock-nanosleep-realtime", SLEEP_REALTIME),
            interrupted!("wake-up", OTHER_RUNS, mark::WAKE + 1),
        ],
    },
    System {
        file: "locks",
        microseconds: 0,
        rows: &[
            entering!("post-switch", POST, mark::POST + 1),
            leading_away!("lock-contended", CONTENDED),
            leading_away!("timed-lock-contended", TIMED_CONTENDED),
            entering!("unlock-switch", UNLOCK, mark::UNLOCK + 1),
            entering!("timed-unlock-switch", TIMED_UNLOCK, mark::TIMED_UNLOCK + 1),
            interrupted!("expiry-switch", OTHER_RUNS, mark::EXPIRE + 1),
            entering!("signal-handler", SIGNAL, mark::SIGNAL + 1),
        ],
    },
    System {
        file: "server",
        microseconds: 0,
        rows: &[
            interrupted!("budget-exhausted", SERVER_RUNS, mark::OTHER_RUNS),
            interrupted!("replenished", OTHER_RUNS, mark::SERVER_RUNS),
        ],
    },
];

#[cfg(test)]
mod tests {

    #[test]
    fn marks_in_c_have_the_numbers_of_those_in_rust() {
        let header = crate::crates::root().join("bench/marte/src/marks.h");
        let text = std::fs::read_to_string(header).unwrap();
        let rust = include_str!("../../../bench/kernel/marks/src/lib.rs");
        let (_, rust) = rust.split_once("pub mod marte").unwrap();
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
