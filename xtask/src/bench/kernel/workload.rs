//! The measured systems, and which spans of them are which operation.

use bench_workload::mark;
use giornata_abi::Duration;
use giornata_soc::Sight;

use super::span::Sequence;

/// A system file of the suite.
#[derive(Debug)]
pub(super) struct System {
    /// Its name, without ending.
    pub(super) file: &'static str,
    /// Microseconds of its time after which it is stopped; 0 if it ends itself.
    microseconds: u64,
    /// What is measured in it.
    pub(super) rows: &'static [Measured],
}

impl System {
    /// How long it runs; zero if it ends itself.
    pub(super) fn length(&self) -> Duration {
        Duration(self.microseconds * 1000)
    }
}

/// An operation, and how its spans are found.
#[derive(Debug)]
pub(super) struct Measured {
    /// Its name in the catalogue.
    pub(super) op: &'static str,
    /// Where its spans are.
    pub(super) sequence: Sequence,
}

const BEFORE: Sight = Sight::Mark(mark::BEFORE);
const AFTER: Sight = Sight::Mark(mark::AFTER);
const HANDLED: Sight = Sight::Mark(mark::HANDLED);
const STARTED: Sight = Sight::Mark(mark::STARTED);
const ENDED: Sight = Sight::Mark(mark::ENDED);

/// Nothing.
pub(super) const NOTHING: Sequence = Sequence {
    sights: &[Sight::Mark(mark::NOTHING), Sight::Mark(mark::NOTHING_END)],
    from: 0,
    to: 1,
};

/// A call and its answer, which may go to another thread.
const CALL: Sequence = Sequence {
    sights: &[BEFORE, Sight::Enter, Sight::Leave, AFTER],
    from: 0,
    to: 3,
};

/// All of them, in the order in which they are measured.
pub(super) const SYSTEMS: &[System] = &[
    System {
        file: "calls",
        microseconds: 0,
        rows: &[Measured {
            op: "null-call",
            sequence: CALL,
        }],
    },
    System {
        file: "turns",
        microseconds: 0,
        rows: &[Measured {
            op: "yield",
            sequence: CALL,
        }],
    },
    System {
        file: "turns-process",
        microseconds: 0,
        rows: &[Measured {
            op: "yield-process",
            sequence: CALL,
        }],
    },
    System {
        file: "interrupts",
        microseconds: 0,
        rows: &[Measured {
            op: "interrupt-to-handler",
            sequence: Sequence {
                sights: &[Sight::Line, Sight::Enter, Sight::Leave, HANDLED],
                from: 0,
                to: 2,
            },
        }],
    },
    System {
        file: "idle",
        microseconds: 25_000,
        rows: &[Measured {
            op: "timer-to-task-idle",
            sequence: Sequence {
                sights: &[Sight::Timer, Sight::Leave, STARTED],
                from: 0,
                to: 1,
            },
        }],
    },
    System {
        file: "busy",
        microseconds: 25_000,
        rows: &[
            Measured {
                op: "timer-to-task-busy",
                sequence: Sequence {
                    sights: &[Sight::Timer, Sight::Enter, Sight::Leave, STARTED],
                    from: 0,
                    to: 2,
                },
            },
            Measured {
                op: "release-dispatch",
                sequence: Sequence {
                    sights: &[Sight::Timer, Sight::Enter, Sight::Leave, STARTED],
                    from: 1,
                    to: 2,
                },
            },
        ],
    },
    System {
        file: "pair",
        microseconds: 25_000,
        rows: &[Measured {
            op: "completion",
            sequence: Sequence {
                sights: &[ENDED, Sight::Enter, Sight::Leave, STARTED],
                from: 1,
                to: 2,
            },
        }],
    },
    System {
        file: "preemption",
        microseconds: 56_000,
        rows: &[Measured {
            op: "preemption",
            sequence: Sequence {
                sights: &[Sight::Timer, Sight::Enter, Sight::Leave, STARTED],
                from: 0,
                to: 2,
            },
        }],
    },
];
