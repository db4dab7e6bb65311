//! `grants`: what a process may use.

use super::programs::LINE;
use crate::definition::Form::{Duration, Either, Flag, Keyed, List, Number, Text, Word};
use crate::definition::Silent::{Means, Value};
use crate::definition::{Form, Table, firsts, key};
use crate::mailboxes;

const MAIL: Form = Word(&firsts(&mailboxes::RIGHTS));

pub(super) static GRANTS: Table = Table {
    about: "What the process may use; nothing else can be reached from it",
    keys: &[
        key(
            "device",
            List(&Either(&[Text, List(&Text)])),
            Means("none"),
            "Devices of the board, each granted to one process only. Where boards have different names for one, a list such as `[[\"rtc\", \"generator\"]]` takes the first that the board has. With page tables they are mapped from 0x4000_0000 on in this order, and a page is granted as a whole",
        ),
        key(
            "irq",
            List(&Either(&[Text, Number(1, 1023), List(&LINE)])),
            Means("none"),
            "Interrupt lines that its threads may wait for, by number or by device. Lists work as for `device`",
        ),
        key(
            "irq-interval",
            Duration,
            Means("no limit but how fast its thread waits again"),
            "Minimum interarrival time of each of these lines, up to 4s. A line that is raised more often stays masked, so an interrupt storm costs no more than this rate",
        ),
        key(
            "port",
            Keyed("PROGRAM.PORT", &Word(&["read", "write"])),
            Means("none"),
            "Ports of programs that it may read or write by calls, as in `{ \"flight.pilot\" = \"write\" }`. Only an `input` of a program can be written",
        ),
        key(
            "program",
            List(&Text),
            Means("none"),
            "Programs that it may replace while the system runs, in the configuration `es-load` or `all`. One process at most may replace a program",
        ),
        key(
            "mailbox",
            Keyed("MAILBOX", &Either(&[MAIL, List(&MAIL)])),
            Means("none"),
            "Mailboxes and what it may do with each: `send`, `receive`, `direct` (send past the server that the mailbox is attached to), `full` (receive as a server)",
        ),
        key(
            "mutex",
            List(&Text),
            Means("none"),
            "Mutexes that its threads may use",
        ),
        key(
            "semaphore",
            List(&Text),
            Means("none"),
            "Semaphores that its threads may use",
        ),
        key(
            "condition",
            List(&Text),
            Means("none"),
            "Condition variables that its threads may use",
        ),
        key(
            "region",
            Keyed("REGION", &Word(&["read", "write"])),
            Means("none"),
            "Shared memory that it may attach. `write` includes `read`",
        ),
        key(
            "manage",
            List(&Text),
            Means("none"),
            "Objects of any kind that its threads may create and delete",
        ),
        key(
            "supervise",
            List(&Text),
            Means("none"),
            "Processes that it may start and end, and is notified of when they end. Each process has one supervisor at most, and supervisors form no cycle",
        ),
        key("shutdown", Flag, Value("false"), "It may stop the machine"),
        key(
            "trace",
            Flag,
            Value("false"),
            "It reads the trace ring, one process at most. With page tables the ring is mapped read-only at 0x5000_0000; the process needs a static `GIORNATA_TRACE_CURSOR`",
        ),
        key(
            "inspect",
            Flag,
            Value("false"),
            "It reads the kernel's records while the system runs: what every thread does and waits for, and the registers of all of them. The hostlink server needs it for `giornata tasks --link`. With page tables they are mapped read-only at 0x5800_0000; else they are one region, padded to a power of two",
        ),
        key(
            "above-programs",
            Flag,
            Value("false"),
            "Its threads of a priority above those of all processes without this grant run before reactions of programs: they may keep instants waiting, and the build report says so. Without it reactions come first, whatever a thread's priority",
        ),
        key(
            "trusted-dma",
            Flag,
            Value("false"),
            "It programs a device that reads and writes memory by itself. The process is then outside of what protection promises, and the build report says so",
        ),
    ],
};
