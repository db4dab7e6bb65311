//! The suite `emeralds`: the services between processes and threads, operation by
//! operation as in Table 5 of the EMERALDS paper.

use anyhow::Result;
use bench_marks::emeralds as mark;
use giornata_bench::Catalogue;

use super::kernel::calls::{call, entering, entering_often, inside, leading_away};
use super::kernel::measure_systems;
use super::kernel::workload::{Measured, System};
use super::{Machine, Measurement};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "emeralds";

/// All rows of a machine, in the order of the catalogue; and what could not be
/// measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    measure_systems(catalogue, machine, SYSTEMS)
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
            // to the other, back because of the mutex, and there again
            entering_often("give-lock", mark::GIVE_LOCK, mark::GIVE_LOCK + 1, 3),
            entering_often(
                "give-lock-told",
                mark::GIVE_LOCK_TOLD,
                mark::GIVE_LOCK_TOLD + 1,
                2,
            ),
        ],
    },
    System {
        file: "lives",
        microseconds: 0,
        rows: &[
            call("create-process", mark::CREATE_PROCESS),
            call("create-process-large", mark::CREATE_LARGE),
        ],
    },
    System {
        file: "letters",
        microseconds: 0,
        rows: &[call("send-switch", mark::SEND_SWITCH)],
    },
    System {
        file: "letters-process",
        microseconds: 0,
        rows: &[call("send-switch-process", mark::SEND_SWITCH)],
    },
    System {
        file: "take",
        microseconds: 0,
        rows: &[leading_away("take-switch", mark::TAKE_SWITCH)],
    },
    System {
        file: "chain",
        microseconds: 0,
        rows: &[call("lock-chain", mark::CHAIN)],
    },
    System {
        file: "call",
        microseconds: 0,
        rows: &[
            // to the server, which replies and waits in one call
            entering_often("call-reply-receive", mark::REQUEST, mark::REQUEST + 1, 2),
        ],
    },
    System {
        file: "request",
        microseconds: 0,
        rows: &[
            // to the other, which answers and waits again, and back to the answer
            entering_often("request-reply", mark::ROUND_TRIP, mark::ROUND_TRIP + 1, 4),
        ],
    },
];

const ALONE: &[Measured] = &[
    inside("lock-unlock-private", mark::PRIVATE),
    call("null-call", mark::NULL),
    call("give", mark::GIVE),
    call("take", mark::TAKE),
    call("lock-free", mark::LOCK_FREE),
    call("unlock-free", mark::UNLOCK_FREE),
    call("cv-signal", mark::SIGNAL_NOBODY),
    call("sem-create", mark::CREATE_SEMAPHORE),
    call("sem-delete", mark::DELETE_SEMAPHORE),
    call("cv-create", mark::CREATE_CONDITION),
    call("cv-delete", mark::DELETE_CONDITION),
    call("mbox-create", mark::CREATE_MAILBOX),
    call("mbox-delete", mark::DELETE_MAILBOX),
    call("send", mark::SEND),
    call("receive", mark::RECEIVE),
    call("create-thread", mark::CREATE_THREAD),
    call("join-exited", mark::JOIN),
    call("detach", mark::DETACH),
    call("attach-region", mark::ATTACH_REGION),
    call("detach-region", mark::DETACH_REGION),
    call("attach-region-new", mark::ATTACH_NEW),
    call("detach-region-last", mark::DETACH_LAST),
];

/// What two threads do with each other.
const PAIR: &[Measured] = &[
    call("give-switch", mark::GIVE_SWITCH),
    leading_away("lock-switch", mark::LOCK_SWITCH),
    entering("unlock-switch", mark::UNLOCK_SWITCH, mark::LOCK_SWITCH + 1),
    leading_away("cv-wait", mark::WAIT_SWITCH),
    entering(
        "cv-signal-switch",
        mark::SIGNAL_SWITCH,
        mark::WAIT_SWITCH + 1,
    ),
];
