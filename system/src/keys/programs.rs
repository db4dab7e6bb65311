//! `[program.*]`: timing programs.

use crate::definition::Form::{Either, Flag, Keyed, List, Number, Table as Sub, Text, Word};
use crate::definition::Silent::{self, Means, Needed, Value};
use crate::definition::{Form, Table, key};
use crate::manifest::SCHEDULES;

pub(super) static PROGRAM: Table = Table {
    about: "A timing program. Every task and driver function that it names is listed by exactly one process",
    keys: &[
        key(
            "source",
            Text,
            Needed,
            "A program (`.giotto` or `.psi`) or a prebuilt module (`.gmod`)",
        ),
        key(
            "schedule",
            Word(&SCHEDULES),
            Value("\"edf\""),
            "Which released task runs: `edf` the one with the earliest deadline; `rm` by fixed priorities, the shorter deadline of release the higher; `fifo` the one released first. `s` takes the S code of the module, `s:KIND` generates S code when the system is built. A `priority` annotation of a task overrides what `rm` and `fifo` give it",
        ),
        key(
            "slot",
            Number(0, 255),
            Means("one below the deadline band; with `s`, the band"),
            "The highest fixed priority of its tasks under `rm`, `fifo` and `s`. It cannot be the priority of the deadline band",
        ),
        key(
            "on-violation",
            Sub(&ON_VIOLATION),
            Means("what the program says"),
            "What happens at each kind of violation",
        ),
        key(
            "registers",
            Keyed("FUNCTION", &Sub(&REGISTER)),
            Means("none"),
            "Driver functions that are one access to a device register each, and need no process. A driver with one written port loads the register, one with one read port stores to it",
        ),
        key(
            "interrupts",
            Keyed("INTERRUPT", &LINE),
            Means("needed for each interrupt of the program"),
            "The line behind each interrupt of the program: its number, or the device that raises it",
        ),
        key(
            "modules",
            List(&Text),
            Means("none"),
            "Other programs or modules that may take its place. What they name is bound, too",
        ),
        key(
            "boot",
            Flag,
            Value("true"),
            "`false`: the program is empty until a module is loaded",
        ),
        key(
            "room",
            Sub(&ROOM),
            Means("twice what the largest known module needs"),
            "What a module that is loaded later may need at most",
        ),
    ],
};

/// An interrupt line by number or device.
pub(super) const LINE: Form = Either(&[Text, Number(1, 1023)]);
const DECLARED: Silent = Means("what the program says");

static ON_VIOLATION: Table = Table {
    about: "What happens at each kind of violation: `\"skip\"`, or `\"handler:DRIVER\"`. A handler is a driver of the program, or a driver function of a process with two `u16` inputs: the program's indices of the task and of the driver involved, 65535 for none",
    keys: &[
        key(
            "time-safety",
            Text,
            DECLARED,
            "A driver or release comes while the task still runs",
        ),
        key(
            "time-share",
            Text,
            DECLARED,
            "Two threads of S code claim the hart at once",
        ),
        key(
            "overrun",
            Text,
            DECLARED,
            "A job or upcall uses up its budget",
        ),
        key("fault", Text, DECLARED, "A job or upcall faults"),
    ],
};

static REGISTER: Table = Table {
    about: "A driver function that is one access to a device register: `registers = { write_lamp = { device = \"uart0\", offset = 4, width = 1 } }`",
    keys: &[
        key("device", Text, Needed, "The device"),
        key(
            "offset",
            Number(0, u32::MAX as u64),
            Value("0"),
            "Bytes from the device's base",
        ),
        key("width", Number(1, 8), Value("1"), "Bytes: 1, 2, 4 or 8"),
    ],
};

const ROOMY: Silent = Means("twice what the largest known module needs");

static ROOM: Table = Table {
    about: "What a module that is loaded later may need at most, in a configuration that can replace programs. There is room for it twice: for the module that runs, and for the one that comes",
    keys: &[
        key("instructions", Number(1, 32_000), ROOMY, "Instructions"),
        key("predicates", Number(1, 32_000), ROOMY, "Predicates"),
        key("durations", Number(1, 32_000), ROOMY, "Durations"),
        key("steps", Number(1, 1 << 20), ROOMY, "Steps in one instant"),
        key(
            "triggers",
            Number(1, 4096),
            ROOMY,
            "Slots of the trigger queue",
        ),
        key(
            "threads",
            Number(1, 4096),
            ROOMY,
            "Slots of the thread set of S code",
        ),
    ],
};
