//! The suite `emeralds`: the services between processes and threads, operation by
//! operation as in Table 5 of the EMERALDS paper.

use anyhow::Result;
use bench_marks::emeralds as mark;
use giornata_bench::Catalogue;
use giornata_soc::Sight::{self, Enter, Leave};

use super::kernel::measure_systems;
use super::kernel::workload::{Measured, System, spanning, whole};
use super::{Machine, Measurement};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "emeralds";

/// All rows of a machine, in the order of the catalogue; and what could not be
/// measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    measure_systems(catalogue, machine, SYSTEMS)
}

/// An operation that comes back to its thread, or leads to another, which leaves
/// the mark that ends it.
macro_rules! alone {
    ($op:expr, $mark:ident) => {
        leading_to!($op, $mark, $mark)
    };
}

/// An operation that leads to another thread, which waited in another operation.
macro_rules! leading_to {
    ($op:expr, $mark:ident, $other:ident) => {
        whole(
            $op,
            spanning(
                &[
                    Sight::Mark(mark::$mark),
                    Enter,
                    Leave,
                    Sight::Mark(mark::$other + 1),
                ],
                0,
                3,
            ),
        )
    };
}

/// An operation that leads to a thread which was there already, and leaves no mark.
macro_rules! leading_away {
    ($op:expr, $mark:ident) => {
        whole(
            $op,
            spanning(&[Sight::Mark(mark::$mark), Enter, Leave], 0, 2),
        )
    };
}

/// Each with its system file.
const SYSTEMS: &[System] = &[
    System {
        file: "alone",
        microseconds: 0,
        rows: ALONE,
    },
    System {
        file: "pair",
        microseconds: 0,
        rows: PAIR,
    },
    System {
        file: "hint",
        microseconds: 0,
        rows: &[
            whole(
                "give-lock",
                // to the other, back because of the mutex, and there again
                spanning(
                    &[
                        Sight::Mark(mark::GIVE_LOCK),
                        Enter,
                        Leave,
                        Enter,
                        Leave,
                        Enter,
                        Leave,
                        Sight::Mark(mark::GIVE_LOCK + 1),
                    ],
                    0,
                    7,
                ),
            ),
            whole(
                "give-lock-told",
                spanning(
                    &[
                        Sight::Mark(mark::GIVE_LOCK_TOLD),
                        Enter,
                        Leave,
                        Enter,
                        Leave,
                        Sight::Mark(mark::GIVE_LOCK_TOLD + 1),
                    ],
                    0,
                    5,
                ),
            ),
        ],
    },
    System {
        file: "lives",
        microseconds: 0,
        rows: &[
            alone!("create-process", CREATE_PROCESS),
            alone!("create-process-large", CREATE_LARGE),
        ],
    },
    System {
        file: "letters",
        microseconds: 0,
        rows: &[alone!("send-switch", SEND_SWITCH)],
    },
    System {
        file: "letters-process",
        microseconds: 0,
        rows: &[alone!("send-switch-process", SEND_SWITCH)],
    },
    System {
        file: "take",
        microseconds: 0,
        rows: &[leading_away!("take-switch", TAKE_SWITCH)],
    },
    System {
        file: "chain",
        microseconds: 0,
        rows: &[alone!("lock-chain", CHAIN)],
    },
    System {
        file: "call",
        microseconds: 0,
        rows: &[whole(
            "call-reply-receive",
            spanning(
                // to the server, which replies and waits in one call
                &[
                    Sight::Mark(mark::REQUEST),
                    Enter,
                    Leave,
                    Enter,
                    Leave,
                    Sight::Mark(mark::REQUEST + 1),
                ],
                0,
                5,
            ),
        )],
    },
    System {
        file: "request",
        microseconds: 0,
        rows: &[whole(
            "request-reply",
            spanning(
                // to the other, which answers and waits again, and back to the answer
                &[
                    Sight::Mark(mark::ROUND_TRIP),
                    Enter,
                    Leave,
                    Enter,
                    Leave,
                    Enter,
                    Leave,
                    Enter,
                    Leave,
                    Sight::Mark(mark::ROUND_TRIP + 1),
                ],
                0,
                9,
            ),
        )],
    },
];

const ALONE: &[Measured] = &[
    whole(
        "lock-unlock-private",
        spanning(
            &[Sight::Mark(mark::PRIVATE), Sight::Mark(mark::PRIVATE + 1)],
            0,
            1,
        ),
    ),
    alone!("null-call", NULL),
    alone!("give", GIVE),
    alone!("take", TAKE),
    alone!("lock-free", LOCK_FREE),
    alone!("unlock-free", UNLOCK_FREE),
    alone!("cv-signal", SIGNAL_NOBODY),
    alone!("sem-create", CREATE_SEMAPHORE),
    alone!("sem-delete", DELETE_SEMAPHORE),
    alone!("cv-create", CREATE_CONDITION),
    alone!("cv-delete", DELETE_CONDITION),
    alone!("mbox-create", CREATE_MAILBOX),
    alone!("mbox-delete", DELETE_MAILBOX),
    alone!("send", SEND),
    alone!("receive", RECEIVE),
    alone!("create-thread", CREATE_THREAD),
    alone!("join-exited", JOIN),
    alone!("detach", DETACH),
    alone!("attach-region", ATTACH_REGION),
    alone!("detach-region", DETACH_REGION),
    alone!("attach-region-new", ATTACH_NEW),
    alone!("detach-region-last", DETACH_LAST),
];

/// What two threads do with each other.
const PAIR: &[Measured] = &[
    alone!("give-switch", GIVE_SWITCH),
    leading_away!("lock-switch", LOCK_SWITCH),
    leading_to!("unlock-switch", UNLOCK_SWITCH, LOCK_SWITCH),
    leading_away!("cv-wait", WAIT_SWITCH),
    leading_to!("cv-signal-switch", SIGNAL_SWITCH, WAIT_SWITCH),
];
