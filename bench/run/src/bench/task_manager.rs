//! The suite `task-manager`: what the kernel's ready queue and its agenda take in software, and
//! on the task manager, on otherwise equal chips.

use anyhow::Result;
use giornata_bench::Catalogue;
use giornata_soc::Caches;

use super::kernel::functions::Functions;
use super::kernel::measure_systems;
use super::kernel::workload::{DEATH, SLEEP, System, WAKE, in_agenda, within};
use super::{Machine, Measurement, Place};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "task-manager";

/// The chip without a task manager, with that of the reference, and with one of twice the records.
pub(super) const MACHINES: [Place; 3] = [
    ("rtl-pmp", "hot", Caches::Large),
    ("rtl-rtm", "hot", Caches::Large),
    ("rtl-rtm-128", "hot", Caches::Large),
];

/// The ready queue: its operations, whichever back-end they are of.
const READY: Functions = Functions {
    modules: &["kernel/core/src/ready"],
    except: &[],
};

/// All rows of a machine, in the order of the catalogue; and what could not be measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    measure_systems(catalogue, machine, SYSTEMS)
}

/// Each with its system file.
const SYSTEMS: &[System] = &[
    System {
        file: "ready-4",
        microseconds: 60_000,
        rows: &[
            within("ready-insert/4", WAKE, READY),
            within("ready-pick/4", SLEEP, READY),
        ],
    },
    System {
        file: "ready-10",
        microseconds: 60_000,
        rows: &[
            within("ready-insert/10", WAKE, READY),
            within("ready-pick/10", SLEEP, READY),
        ],
    },
    System {
        file: "ready-50",
        microseconds: 60_000,
        rows: &[
            within("ready-insert/50", WAKE, READY),
            within("ready-pick/50", SLEEP, READY),
        ],
    },
    System {
        file: "ready-100",
        microseconds: 60_000,
        rows: &[
            within("ready-insert/100", WAKE, READY),
            within("ready-pick/100", SLEEP, READY),
        ],
    },
    System {
        file: "../kernel/agenda-4",
        microseconds: 32_000,
        rows: &[
            in_agenda("agenda-insert/4", SLEEP),
            in_agenda("agenda-expire/4", WAKE),
        ],
    },
    System {
        file: "../kernel/agenda-10",
        microseconds: 32_000,
        rows: &[
            in_agenda("agenda-insert/10", SLEEP),
            in_agenda("agenda-expire/10", WAKE),
        ],
    },
    System {
        file: "../kernel/agenda-50",
        microseconds: 64_000,
        rows: &[
            in_agenda("agenda-insert/50", SLEEP),
            in_agenda("agenda-expire/50", WAKE),
        ],
    },
    System {
        file: "../kernel/agenda-100",
        microseconds: 72_000,
        rows: &[
            in_agenda("agenda-insert/100", SLEEP),
            in_agenda("agenda-expire/100", WAKE),
        ],
    },
    System {
        file: "../kernel/cancel-4",
        microseconds: 44_000,
        rows: &[in_agenda("agenda-cancel/4", DEATH)],
    },
    System {
        file: "../kernel/cancel-10",
        microseconds: 44_000,
        rows: &[in_agenda("agenda-cancel/10", DEATH)],
    },
    System {
        file: "../kernel/cancel-50",
        microseconds: 44_000,
        rows: &[in_agenda("agenda-cancel/50", DEATH)],
    },
    System {
        file: "../kernel/cancel-100",
        microseconds: 44_000,
        rows: &[in_agenda("agenda-cancel/100", DEATH)],
    },
];
