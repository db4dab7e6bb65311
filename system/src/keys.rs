//! The keys of a system file: what [`SystemFile`](crate::SystemFile) reads.

use crate::config::CONFIGS;
use crate::definition::Form::{
    Duration, Either, Flag, Keyed, List, Named, Number, Size, Table as Sub, Text, Word,
};
use crate::definition::Silent::{Means, Needed, Value};
use crate::definition::{Form, Table, firsts, key};
use crate::manifest::{ON_FAULT, POLICIES, SCHEDULES, STACKS};
use crate::{hostlink, mailboxes, objects, services, shared, supervisors};
use giornata_abi::id::NONE;

const ANY: Form = Size(u32::MAX as u64);

/// The whole file.
pub static SYSTEM: Table = Table {
    about: "What a system is made of: its programs, its processes, and what they may use",
    keys: &[
        key(
            "format",
            Number(1, u32::MAX as u64),
            Value("1"),
            "The format of the file: a newer one is refused by giornata that does not know it",
        ),
        key("name", Text, Needed, "The system's name"),
        key("board", Text, Needed, "A board: a file of `boards/`"),
        key(
            "expect",
            List(&Text),
            Means("a run is good only if nothing of the kind happens"),
            "What may happen in a good run: `KIND` or `KIND:NAME`, as in `fault:water`",
        ),
        key(
            "kernel",
            Sub(&KERNEL),
            Means("a kernel that runs programs"),
            "Which kernel",
        ),
        key(
            "hostlink",
            Sub(&HOSTLINK),
            Means("whoever has the line"),
            "Whom the hostlink server obeys",
        ),
        key(
            "program",
            Named(&Sub(&PROGRAM)),
            Means("no program"),
            "Timing programs, by name",
        ),
        key(
            "mutex",
            Named(&Sub(&MUTEX)),
            Means("none"),
            "Semaphores for mutual exclusion, by name",
        ),
        key(
            "semaphore",
            Named(&Sub(&SEMAPHORE)),
            Means("none"),
            "Semaphores that count, by name",
        ),
        key(
            "condition",
            Named(&Sub(&CONDITION)),
            Means("none"),
            "Condition variables, by name",
        ),
        key(
            "mailbox",
            Named(&Sub(&MAILBOX)),
            Means("none"),
            "Mailboxes, by name",
        ),
        key(
            "region",
            Named(&Sub(&REGION)),
            Means("none"),
            "Memory that processes share, by name",
        ),
        key(
            "process",
            Named(&Sub(&PROCESS)),
            Needed,
            "Processes, by name",
        ),
    ],
};

static KERNEL: Table = Table {
    about: "Which kernel, and its capacities",
    keys: &[
        key(
            "config",
            Word(&CONFIGS),
            Value("\"es\""),
            "The configuration: `es` runs programs, `es-load` can replace them while the system runs, `emeralds` has services and runs no programs, `all` has everything",
        ),
        key(
            "deadline-band",
            Number(0, 255),
            Value("200"),
            "The fixed priority at which the deadline band lies; no thread may have it",
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
            "At a stop the kernel sends the rest of the trace to the console",
        ),
        key(
            "triggers",
            Number(1, 4096),
            Means("what the programs need"),
            "Slots of the trigger queue",
        ),
        key(
            "s-threads",
            Number(1, 4096),
            Means("what the programs need"),
            "Slots of the thread set of S code",
        ),
    ],
};

static HOSTLINK: Table = Table {
    about: "Whom the hostlink server obeys",
    keys: &[
        key(
            "key",
            Text,
            Means("whoever has the line"),
            "The public key of who may change the machine: 64 hexadecimal digits, or a file with them",
        ),
        key(
            "seed",
            Number(0, hostlink::MOST),
            Value("0"),
            "A number that no other machine has",
        ),
    ],
};

static PROGRAM: Table = Table {
    about: "A timing program",
    keys: &[
        key(
            "source",
            Text,
            Needed,
            "A program (`.giotto`) or a prebuilt module (`.gmod`)",
        ),
        key(
            "schedule",
            Word(&SCHEDULES),
            Value("\"edf\""),
            "Who decides among released tasks: earliest deadline first, rate monotonic, first in first out, the S code of the module (`s`) or S code that is generated (`s:...`)",
        ),
        key(
            "slot",
            Number(0, 255),
            Means("just below the deadline band"),
            "The highest fixed priority of its tasks",
        ),
        key(
            "on-violation",
            Sub(&ON_VIOLATION),
            Means("what the program says"),
            "What happens at a violation: `skip`, or `handler:DRIVER`",
        ),
        key(
            "registers",
            Keyed(&Sub(&REGISTER)),
            Means("none"),
            "Driver functions that are one access to a device register each",
        ),
        key(
            "interrupts",
            Keyed(&LINE),
            Means("none"),
            "The line behind each interrupt of the program: its number, or the device that raises it",
        ),
        key(
            "modules",
            List(&Text),
            Means("none"),
            "Other programs or modules that may take its place",
        ),
        key(
            "boot",
            Flag,
            Value("true"),
            "`false`: it is empty until a module is loaded",
        ),
        key(
            "room",
            Sub(&ROOM),
            Means("twice what the largest known module needs"),
            "What a module that comes later may need at most",
        ),
    ],
};

const LINE: Form = Either(&[Text, Number(1, 1023)]);

static ON_VIOLATION: Table = Table {
    about: "What happens at a violation: `skip`, or `handler:DRIVER`",
    keys: &[
        key(
            "time-safety",
            Text,
            Means("what the program says"),
            "A driver or release comes while the task runs",
        ),
        key(
            "time-share",
            Text,
            Means("what the program says"),
            "Two threads of S code claim the hart at once",
        ),
        key(
            "overrun",
            Text,
            Means("what the program says"),
            "A job or upcall uses up its budget",
        ),
        key(
            "fault",
            Text,
            Means("what the program says"),
            "A job or upcall faults",
        ),
    ],
};

static REGISTER: Table = Table {
    about: "An access to a device register",
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

static ROOM: Table = Table {
    about: "What a module that comes later may need at most",
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

const ROOMY: crate::definition::Silent = Means("twice what the largest known module needs");
const AT_BOOT: &str = "`false`: it is not there until a process that may creates it";

pub(crate) static MUTEX: Table = Table {
    about: "A semaphore for mutual exclusion",
    keys: &[
        key(
            "protocol",
            Word(&objects::PROTOCOLS),
            Value("\"inherit\""),
            "`inherit`: the owner runs as urgently as the most urgent thread that waits; `ceiling`: at its ceiling",
        ),
        key(
            "ceiling",
            Number(0, 255),
            Means("needed with `protocol = \"ceiling\"`"),
            "The priority of the owner",
        ),
        key(
            "private",
            Flag,
            Value("false"),
            "One process has it, and its threads take it without a call while nobody waits",
        ),
        key("at-boot", Flag, Value("true"), AT_BOOT),
    ],
};

pub(crate) static SEMAPHORE: Table = Table {
    about: "A semaphore that counts",
    keys: &[
        key(
            "initial",
            Number(0, objects::MOST),
            Value("0"),
            "Its count when it is created",
        ),
        key(
            "most",
            Number(1, objects::MOST),
            Means("as high as it can be"),
            "Its highest count",
        ),
        key(
            "private",
            Flag,
            Value("false"),
            "One process has it, and its threads take it without a call while nobody waits",
        ),
        key("at-boot", Flag, Value("true"), AT_BOOT),
    ],
};

pub(crate) static CONDITION: Table = Table {
    about: "A condition variable",
    keys: &[key("at-boot", Flag, Value("true"), AT_BOOT)],
};

pub(crate) static MAILBOX: Table = Table {
    about: "A mailbox",
    keys: &[
        key(
            "server",
            Text,
            Means("messages arrive here"),
            "The mailbox of a server: what is sent to this one goes there, until the server sends it on",
        ),
        key("at-boot", Flag, Value("true"), AT_BOOT),
    ],
};

static REGION: Table = Table {
    about: "Memory that processes share",
    keys: &[key(
        "size",
        Size(shared::MOST as u64),
        Needed,
        "Bytes, rounded up to a power of two and to 4K",
    )],
};

static PROCESS: Table = Table {
    about: "A process: its code, what it provides and what it may use",
    keys: &[
        key(
            "crate",
            Text,
            Means("C sources only"),
            "A folder with a `Cargo.toml` beside the system file, or a package of the workspace",
        ),
        key(
            "c",
            List(&Text),
            Means("none"),
            "C sources: files, or all of a folder whose names fit a pattern, as in `src/*.c`",
        ),
        key(
            "stack",
            ANY,
            Value("\"4K\""),
            "Bytes of each stack that does not say otherwise",
        ),
        key(
            "stacks",
            Word(&STACKS),
            Value("\"shared\""),
            "`private`: where regions protect, each thread reaches its own stack only",
        ),
        key(
            "tasks",
            Keyed(&Sub(&TASK)),
            Means("none"),
            "Task functions that it provides",
        ),
        key(
            "drivers",
            Keyed(&Sub(&DRIVER)),
            Means("none"),
            "Driver functions that it provides",
        ),
        key(
            "threads",
            Keyed(&Sub(&THREAD)),
            Means("none"),
            "Its threads, each a function of its name",
        ),
        key(
            "max-priority",
            Number(0, 255),
            Value("100"),
            "The highest fixed priority that its threads may have, ask for, or publish as a ceiling",
        ),
        key(
            "spare-threads",
            Sub(&SPARE_THREADS),
            Means("none"),
            "Places for threads that it creates while it runs",
        ),
        key(
            "messages",
            Number(0, NONE as u64 - 1),
            Means("8 if it may send, else 0"),
            "Messages that it can have under way",
        ),
        key(
            "message-size",
            Size(services::LONGEST_MESSAGE),
            Value("16"),
            "Bytes of its longest message, rounded up to 8",
        ),
        key(
            "heap",
            Size(services::MOST_HEAP),
            Value("0"),
            "Bytes of memory that it can allocate while it runs",
        ),
        key(
            "start",
            Word(&supervisors::STARTS),
            Value("\"boot\""),
            "`call`: it begins when its supervisor says so",
        ),
        key(
            "on-fault",
            Word(&ON_FAULT),
            Value("\"stop\""),
            "What happens when it faults: it stops, is restarted, or the machine stops",
        ),
        key("grants", Sub(&GRANTS), Means("nothing"), "What it may use"),
    ],
};

static TASK: Table = Table {
    about: "A task function",
    keys: &[
        key(
            "budget",
            Duration,
            Means("unlimited"),
            "Most execution time of a job",
        ),
        key(
            "stack",
            ANY,
            Means("the process's `stack`"),
            "Bytes of its stack",
        ),
    ],
};

static DRIVER: Table = Table {
    about: "A driver function",
    keys: &[key(
        "budget",
        Duration,
        Means("refused"),
        "Most execution time of an upcall, up to 4 s",
    )],
};

static THREAD: Table = Table {
    about: "A thread",
    keys: &[
        key(
            "priority",
            Number(0, 255),
            Value("50"),
            "Its fixed priority; 255 is the most urgent",
        ),
        key(
            "policy",
            Word(&POLICIES),
            Value("\"fifo\""),
            "How it is scheduled among its equals",
        ),
        key(
            "quantum",
            Duration,
            Means("needed with `round-robin`"),
            "Its share of time among its equals",
        ),
        key(
            "deadline",
            Duration,
            Means("needed with `deadline`"),
            "Relative to its activation",
        ),
        key(
            "budget",
            Duration,
            Means("unlimited"),
            "Most execution time of a job",
        ),
        key(
            "stack",
            ANY,
            Means("the process's `stack`"),
            "Bytes of its stack",
        ),
        key(
            "autostart",
            Flag,
            Value("true"),
            "Whether it is ready at the start",
        ),
    ],
};

static SPARE_THREADS: Table = Table {
    about: "Places for threads that the process creates",
    keys: &[
        key(
            "count",
            Number(1, services::MOST_SPARE),
            Needed,
            "How many there are",
        ),
        key(
            "stack",
            ANY,
            Means("the process's `stack`"),
            "Bytes of the stack of each",
        ),
    ],
};

static GRANTS: Table = Table {
    about: "What a process may use",
    keys: &[
        key(
            "device",
            List(&Either(&[Text, List(&Text)])),
            Means("none"),
            "Devices of the board, each of one process; a list instead of a name is for what boards have by different names",
        ),
        key(
            "irq",
            List(&Either(&[Text, Number(1, 1023), List(&LINE)])),
            Means("none"),
            "Interrupt lines that its threads may await, by number or device",
        ),
        key(
            "irq-interval",
            Duration,
            Means("as often as its handler awaits it"),
            "The least time between two occurrences of one of these lines",
        ),
        key(
            "port",
            Keyed(&Word(&["read", "write"])),
            Means("none"),
            "Ports, as `program.port`; only an input of the program can be written",
        ),
        key(
            "program",
            List(&Text),
            Means("none"),
            "Programs that it may replace while the system runs",
        ),
        key(
            "mailbox",
            Keyed(&Either(&[MAIL, List(&MAIL)])),
            Means("none"),
            "Mailboxes, and what it may do with each",
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
            Keyed(&Word(&["read", "write"])),
            Means("none"),
            "Shared memory that it may attach; who may write may read",
        ),
        key(
            "manage",
            List(&Text),
            Means("none"),
            "Objects that its threads may create and delete",
        ),
        key(
            "supervise",
            List(&Text),
            Means("none"),
            "Processes that it may start and end, and is told of when they end",
        ),
        key("shutdown", Flag, Value("false"), "It may stop the machine"),
        key(
            "trace",
            Flag,
            Value("false"),
            "It reads the trace ring; one process at most",
        ),
        key(
            "trusted-dma",
            Flag,
            Value("false"),
            "It programs a device that reads and writes memory by itself: outside the protection promise",
        ),
    ],
};

const MAIL: Form = Word(&firsts(&mailboxes::RIGHTS));
