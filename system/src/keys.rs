//! The keys of a system file: what [`SystemFile`](crate::SystemFile) reads.
//!
//! A meaning is one to three sentences without the last full stop: editors show it beside
//! the key, and the reference is made of it.

mod grants;
mod objects;
mod processes;
mod programs;
mod streams;

use crate::config::{CONFIGS, CONTROL};
use crate::definition::Form::{Flag, List, Named, Number, Table as Sub, Text, Word};
use crate::definition::Silent::{Means, Needed, Value};
use crate::definition::{Table, key};
use crate::hostlink;

/// The whole file.
pub static SYSTEM: Table = Table {
    about: "What a system is made of: its programs, its processes, and what each of them may use",
    keys: &[
        key(
            "format",
            Number(1, u32::MAX as u64),
            Value("1"),
            "The format of the file. A giornata that does not know the format refuses the file and says so",
        ),
        key("name", Text, Needed, "The system's name"),
        key(
            "board",
            Text,
            Needed,
            "The board: the name of a file of giornata's `boards/`, or the path of a board file of your own, ending in `.toml`",
        ),
        key(
            "expect",
            List(&Text),
            Means("a run is good only if none of this happens"),
            "What has to happen in a good run, each `KIND` or `KIND:NAME`, as in `fault:water`; with a duration, `late:5ms`, how late instants of programs may be handled (1 ms if nothing is said). The kinds are fault, panic, stop, restart, miss, overrun, time-safety, time-share, late, never-run, starved, blocked and status",
        ),
        key(
            "kernel",
            Sub(&KERNEL),
            Means("a kernel that runs programs"),
            "The kernel's configuration and capacities",
        ),
        key(
            "hostlink",
            Sub(&HOSTLINK),
            Means("requests need no signature"),
            "Whose requests the hostlink server carries out",
        ),
        key(
            "program",
            Named(&Sub(&programs::PROGRAM)),
            Means("no program"),
            "Timing programs, by name. At one instant they act in the order of the file",
        ),
        key(
            "stream",
            Named(&Sub(&streams::STREAM)),
            Means("none"),
            "Stream graphs, by name",
        ),
        key(
            "mutex",
            Named(&Sub(&objects::MUTEX)),
            Means("none"),
            "Semaphores for mutual exclusion, by name",
        ),
        key(
            "semaphore",
            Named(&Sub(&objects::SEMAPHORE)),
            Means("none"),
            "Counting semaphores, by name",
        ),
        key(
            "condition",
            Named(&Sub(&objects::CONDITION)),
            Means("none"),
            "Condition variables, by name",
        ),
        key(
            "mailbox",
            Named(&Sub(&objects::MAILBOX)),
            Means("none"),
            "Mailboxes, by name",
        ),
        key(
            "region",
            Named(&Sub(&objects::REGION)),
            Means("none"),
            "Memory that processes share, by name. There are 32 regions at most",
        ),
        key(
            "process",
            Named(&Sub(&processes::PROCESS)),
            Needed,
            "Processes, by name. There is one at least",
        ),
    ],
};

static KERNEL: Table = Table {
    about: "The kernel's configuration and capacities",
    keys: &[
        key(
            "config",
            Word(&CONFIGS),
            Value("\"es\""),
            "`es` runs programs; `es-load` can also replace them while the system runs. `emeralds` runs no programs and has services: mutexes, semaphores, condition variables, mailboxes, shared memory, threads and processes that are created or started by a call. `pse51` has mutexes, semaphores, condition variables and created threads of these, and what POSIX asks for beyond. `all` has everything but that, `all-posix` everything",
        ),
        key(
            "deadline-band",
            Number(0, 255),
            Value("200"),
            "The fixed priority at which all threads with deadlines run, the earliest deadline first. No thread may have this fixed priority",
        ),
        key(
            "control-hart",
            Word(&CONTROL),
            Value("\"shared\""),
            "On a board of several harts, what the first does, which takes the timer and the interrupt lines: `shared`: it runs threads as the others do; `apart`: it runs none, so that no event waits for more than a section of the kernel on another hart",
        ),
        key(
            "trace",
            Number(16, 1 << 20),
            Value("16384"),
            "Records of the trace ring: a power of two",
        ),
        key(
            "trace-console",
            Flag,
            Value("true"),
            "When the machine stops, the kernel sends to the console what the trace ring still holds",
        ),
        key(
            "triggers",
            Number(1, 4096),
            Means("what the verifier finds the programs to need"),
            "Slots of the trigger queue",
        ),
        key(
            "s-threads",
            Number(1, 4096),
            Means("what the verifier finds the programs to need"),
            "Slots of the thread set of S code",
        ),
    ],
};

static HOSTLINK: Table = Table {
    about: "Whose requests the hostlink server carries out",
    keys: &[
        key(
            "key",
            Text,
            Means("requests need no signature"),
            "The public key that requests which change the machine must be signed with: 64 hexadecimal digits, or the path of a file with them",
        ),
        key(
            "seed",
            Number(0, hostlink::MOST),
            Value("0"),
            "A number that no other machine has. With it a request that was signed for one machine or boot is refused by another",
        ),
    ],
};
