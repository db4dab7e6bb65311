//! The measured systems, and which spans of them are which operation.

use bench_marks as mark;
use giornata_soc::Sight::{self, Enter, Leave, Line, Timer, Wait};

use super::functions::Functions;
use super::span::Sequence;

/// A system file of the suite.
#[derive(Debug)]
pub(in crate::bench) struct System {
    /// Its name, without ending.
    pub(in crate::bench) file: &'static str,
    /// Microseconds of its time after which it is stopped; 0 if it ends itself.
    pub(in crate::bench) microseconds: u64,
    /// What is measured in it.
    pub(in crate::bench) rows: &'static [Measured],
}

/// An operation, and how its samples are found.
#[derive(Debug)]
pub(in crate::bench) struct Measured {
    /// Its name in the catalogue.
    pub(super) op: &'static str,
    /// How.
    pub(super) way: Way,
}

/// Where samples come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// Whole spans.
    Whole(Sequence),
    /// Whole spans, in equal parts.
    Shared {
        /// The spans.
        spans: Sequence,
        /// How often what is measured is in each.
        parts: u64,
    },
    /// What spans take beyond other spans of the same run, in equal parts.
    Beyond {
        /// The spans.
        spans: Sequence,
        /// Those without what is measured.
        base: Sequence,
        /// How often it is in each.
        parts: u64,
    },
    /// From the rise of a line to the exit that a mark follows, whatever lies
    /// between.
    Latency {
        /// The line.
        line: Sight,
        /// The mark.
        mark: Sight,
    },
    /// What functions of the kernel take within spans.
    Inside {
        /// The spans.
        sequence: Sequence,
        /// The functions.
        functions: Functions,
    },
}

impl System {
    /// How long it runs; 0 if it ends itself.
    pub(super) fn nanoseconds(&self) -> u64 {
        self.microseconds * 1000
    }
}

impl Measured {
    /// Whether every instruction of the kernel has to be seen.
    pub(super) fn is_inside(&self) -> bool {
        matches!(self.way, Way::Inside { .. })
    }
}

const BEFORE: Sight = Sight::Mark(mark::BEFORE);
const AFTER: Sight = Sight::Mark(mark::AFTER);
const TABLE: Sight = Sight::Mark(mark::TABLE);
const TABLE_END: Sight = Sight::Mark(mark::TABLE_END);
const HANDLED: Sight = Sight::Mark(mark::HANDLED);
const STARTED: Sight = Sight::Mark(mark::STARTED);
const ENDED: Sight = Sight::Mark(mark::ENDED);
const SECOND: Sight = Sight::Mark(mark::SECOND);
const FAULTING: Sight = Sight::Mark(mark::FAULTING);
const WOKEN: Sight = Sight::Mark(mark::WOKEN);
const WRITE: Sight = Sight::Mark(mark::WRITE);
const READ_1: Sight = Sight::Mark(mark::READ_1);
const READ_2: Sight = Sight::Mark(mark::READ_2);
const READ_3: Sight = Sight::Mark(mark::READ_3);

/// A sequence from one of its sights to another.
pub(in crate::bench) const fn spanning(sights: &[Sight], from: usize, to: usize) -> Sequence {
    Sequence::new(sights, from, to)
}

/// Nothing.
pub(super) const NOTHING: Sequence = spanning(
    &[Sight::Mark(mark::NOTHING), Sight::Mark(mark::NOTHING_END)],
    0,
    1,
);
/// A call and its answer, which may go to another thread.
const CALL: Sequence = spanning(&[BEFORE, Enter, Leave, AFTER], 0, 3);
/// A call that goes through the table of calls.
const TABLE_CALL: Sequence = spanning(&[TABLE, Enter, Leave, TABLE_END], 0, 3);
/// A line rises, and its handler runs.
const INTERRUPT: Sequence = spanning(&[Line, Enter, Leave, HANDLED], 0, 2);
/// An instant while somebody runs, and the job that it releases.
const RELEASE: &[Sight] = &[Timer, Enter, Leave, STARTED];
/// An instant while nobody runs, and a job that it releases.
const RELEASE_IDLE: &[Sight] = &[Timer, Leave, STARTED];
/// A thread goes to sleep; the one that runs then makes no calls.
pub(in crate::bench) const SLEEP: Sequence = spanning(&[BEFORE, Enter, Leave, Enter], 0, 2);
/// A thread wakes up.
pub(in crate::bench) const WAKE: Sequence = spanning(&[Timer, Enter, Leave, WOKEN], 0, 2);
/// A process dies, and comes back.
pub(in crate::bench) const DEATH: Sequence = spanning(&[FAULTING, Enter, Leave], 1, 2);
/// An instant at which four tasks more end than at others: their outputs are
/// copied before the actuator is written.
const COPIES: Sequence = spanning(&[Timer, Leave, WRITE, Enter, Leave, READ_1], 0, 1);
/// One of the others.
const NO_COPIES: Sequence = spanning(&[Timer, Leave, WRITE, Enter, Leave, STARTED], 0, 1);
/// From one upcall to the next, four registers between.
const LOADS: Sequence = spanning(&[READ_2, Enter, Leave, READ_3], 1, 2);
/// From one upcall to the next.
const NO_LOADS: Sequence = spanning(&[READ_1, Enter, Leave, READ_2], 1, 2);
/// A driver call that is a load of a register.
const REGISTER: Measured = Measured {
    op: "driver-register",
    way: Way::Beyond {
        spans: LOADS,
        base: NO_LOADS,
        parts: 4,
    },
};
/// A driver call that is an upcall: from the beginning of one to that of the next.
const UPCALL: Sequence = spanning(&[READ_1, Enter, Leave, READ_2], 0, 3);
/// A job ends, and another, released before, begins.
const COMPLETION: Sequence = spanning(&[ENDED, Enter, Leave, SECOND], 1, 2);
/// The software agenda: its operations, without looks at the next instant, which
/// every entry takes.
const AGENDA: Functions = Functions {
    modules: &["kernel/core/src/sched/agenda.rs"],
    except: &["Agenda::next", "Agenda>::next"],
};

pub(in crate::bench) const fn whole(op: &'static str, sequence: Sequence) -> Measured {
    let way = Way::Whole(sequence);
    Measured { op, way }
}

/// What is so often in each span.
pub(in crate::bench) const fn shared(op: &'static str, spans: Sequence, parts: u64) -> Measured {
    let way = Way::Shared { spans, parts };
    Measured { op, way }
}

pub(in crate::bench) const fn in_agenda(op: &'static str, sequence: Sequence) -> Measured {
    within(op, sequence, AGENDA)
}

/// What functions of the kernel take in each span.
pub(in crate::bench) const fn within(
    op: &'static str,
    sequence: Sequence,
    functions: Functions,
) -> Measured {
    let way = Way::Inside {
        sequence,
        functions,
    };
    Measured { op, way }
}

const fn latency(op: &'static str) -> Measured {
    let way = Way::Latency {
        line: Line,
        mark: HANDLED,
    };
    Measured { op, way }
}

/// All of them, in the order in which they are run.
pub(super) const SYSTEMS: &[System] = &[
    System {
        file: "calls",
        microseconds: 0,
        rows: &[whole("null-call", CALL), whole("table-call", TABLE_CALL)],
    },
    System {
        file: "turns",
        microseconds: 0,
        rows: &[whole("yield", CALL)],
    },
    System {
        file: "turns-process",
        microseconds: 0,
        rows: &[whole("yield-process", CALL)],
    },
    System {
        file: "interrupts",
        microseconds: 0,
        rows: &[whole("interrupt-to-handler", INTERRUPT)],
    },
    System {
        file: "interrupts-process",
        microseconds: 0,
        rows: &[whole("interrupt-to-process", INTERRUPT)],
    },
    System {
        file: "stay",
        microseconds: 0,
        rows: &[whole(
            "interrupt-same-thread",
            spanning(&[Line, Enter, Leave, AFTER], 1, 2),
        )],
    },
    System {
        file: "idle",
        microseconds: 26_000,
        rows: &[whole("timer-to-task-idle", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "busy",
        microseconds: 26_000,
        rows: &[
            whole("timer-to-task-busy", spanning(RELEASE, 0, 2)),
            whole("release-dispatch", spanning(RELEASE, 1, 2)),
        ],
    },
    System {
        file: "tick",
        microseconds: 16_000,
        rows: &[whole("idle-entry", spanning(&[Timer, Enter, Leave], 1, 2))],
    },
    System {
        file: "pair",
        microseconds: 26_000,
        rows: &[whole("completion", COMPLETION)],
    },
    System {
        file: "pair-code",
        microseconds: 30_000,
        rows: &[whole("completion-code", COMPLETION)],
    },
    System {
        file: "preemption",
        microseconds: 64_000,
        rows: &[whole("preemption", spanning(RELEASE, 0, 2))],
    },
    System {
        file: "drivers",
        microseconds: 100_000,
        rows: &[
            Measured {
                op: "driver-copy",
                way: Way::Beyond {
                    spans: COPIES,
                    base: NO_COPIES,
                    parts: 4,
                },
            },
            REGISTER,
            whole("driver-upcall", UPCALL),
        ],
    },
    System {
        file: "wake-idle",
        microseconds: 26_000,
        rows: &[whole("wake-idle", spanning(&[Timer, Leave, WOKEN], 0, 1))],
    },
    System {
        file: "agenda-4",
        microseconds: 32_000,
        rows: &[
            in_agenda("agenda-insert/4", SLEEP),
            in_agenda("agenda-expire/4", WAKE),
            whole("sleep/4", SLEEP),
            whole("wake/4", WAKE),
        ],
    },
    System {
        file: "agenda-10",
        microseconds: 32_000,
        rows: &[
            in_agenda("agenda-insert/10", SLEEP),
            in_agenda("agenda-expire/10", WAKE),
            whole("sleep/10", SLEEP),
            whole("wake/10", WAKE),
        ],
    },
    System {
        file: "agenda-50",
        microseconds: 64_000,
        rows: &[
            in_agenda("agenda-insert/50", SLEEP),
            in_agenda("agenda-expire/50", WAKE),
            whole("sleep/50", SLEEP),
            whole("wake/50", WAKE),
        ],
    },
    System {
        file: "agenda-100",
        microseconds: 72_000,
        rows: &[
            in_agenda("agenda-insert/100", SLEEP),
            in_agenda("agenda-expire/100", WAKE),
            whole("sleep/100", SLEEP),
            whole("wake/100", WAKE),
        ],
    },
    System {
        file: "cancel-4",
        microseconds: 44_000,
        rows: &[
            in_agenda("agenda-cancel/4", DEATH),
            whole("fault-restart", DEATH),
        ],
    },
    System {
        file: "cancel-10",
        microseconds: 44_000,
        rows: &[in_agenda("agenda-cancel/10", DEATH)],
    },
    System {
        file: "cancel-50",
        microseconds: 44_000,
        rows: &[in_agenda("agenda-cancel/50", DEATH)],
    },
    System {
        file: "cancel-100",
        microseconds: 44_000,
        rows: &[in_agenda("agenda-cancel/100", DEATH)],
    },
    System {
        file: "due-4",
        microseconds: 26_000,
        rows: &[whole("due-at-once/4", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "due-10",
        microseconds: 50_000,
        rows: &[whole("due-at-once/10", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "due-50",
        microseconds: 125_000,
        rows: &[whole("due-at-once/50", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "due-100",
        microseconds: 320_000,
        rows: &[whole("due-at-once/100", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "due-copies-1",
        microseconds: 320_000,
        rows: &[whole("due-with-copies/1", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "due-copies-4",
        microseconds: 260_000,
        rows: &[whole("due-with-copies/4", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "due-copies-100",
        microseconds: 320_000,
        rows: &[whole("due-with-copies/100", spanning(RELEASE_IDLE, 0, 1))],
    },
    System {
        file: "fault",
        microseconds: 50_000,
        rows: &[whole(
            "fault-containment",
            spanning(&[FAULTING, Enter, Leave, READ_1], 1, 2),
        )],
    },
    System {
        file: "latency-calls",
        microseconds: 40_000,
        rows: &[latency("latency-calls")],
    },
    System {
        file: "latency-due",
        microseconds: 100_000,
        rows: &[latency("latency-due")],
    },
    System {
        file: "latency-teardown",
        microseconds: 40_000,
        rows: &[latency("latency-teardown")],
    },
];

/// What QEMU runs for every test. It has no lines that can be watched.
pub(super) const QUICK: &[System] = &[
    System {
        file: "calls",
        microseconds: 0,
        rows: &[whole("null-call", CALL)],
    },
    System {
        file: "turns",
        microseconds: 0,
        rows: &[whole("yield", CALL)],
    },
    System {
        file: "turns-process",
        microseconds: 0,
        rows: &[whole("yield-process", CALL)],
    },
    System {
        file: "interrupts-uart",
        microseconds: 0,
        rows: &[whole(
            "interrupt-to-handler",
            spanning(&[BEFORE, Enter, Leave, HANDLED], 1, 2),
        )],
    },
    System {
        file: "idle",
        microseconds: 5_000,
        rows: &[whole(
            "timer-to-task-idle",
            spanning(&[Wait, Leave, STARTED], 0, 1),
        )],
    },
    System {
        file: "pair",
        microseconds: 5_000,
        rows: &[whole("completion", COMPLETION)],
    },
    System {
        file: "drivers",
        microseconds: 16_000,
        rows: &[
            Measured {
                op: "driver-copy",
                way: Way::Beyond {
                    spans: spanning(&[Wait, Leave, WRITE, Enter, Leave, READ_1], 0, 1),
                    base: spanning(&[Wait, Leave, WRITE, Enter, Leave, STARTED], 0, 1),
                    parts: 4,
                },
            },
            REGISTER,
            whole("driver-upcall", UPCALL),
        ],
    },
];
