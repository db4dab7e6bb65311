//! `[process.*]`: processes and their threads.

use super::grants::GRANTS;
use crate::definition::Form::{
    Duration, Flag, Keyed, List, Number, Size, Table as Sub, Text, Word,
};
use crate::definition::Silent::{Means, Needed, Value};
use crate::definition::{Form, Table, key};
use crate::manifest::{ON_FAULT, POLICIES, STACKS};
use crate::restart::RESTART;
use crate::{services, supervisors};
use giornata_abi::id::NONE;

const ANY: Form = Size(u32::MAX as u64);
const STACK: &str = "Size of its stack, rounded up to 4K where there are page tables";

pub(super) static PROCESS: Table = Table {
    about: "A process: its code, the functions that it provides, and what it may use. `spare-threads`, `messages`, `message-size`, `heap` and `start` need the configuration `emeralds`, `pse51` or `all`",
    keys: &[
        key(
            "crate",
            Text,
            Means("needed without `c`"),
            "Its crate: a folder with a `Cargo.toml`, from the system file on, or a package of the workspace",
        ),
        key(
            "c",
            List(&Text),
            Means("none"),
            "Its C and C++ sources, beside a crate or without one: files, or all files of a folder whose names fit a pattern, as in `src/*.c`. Those that end with `.cpp`, `.cc` or `.cxx` are C++; archives (`.a`) and objects (`.o`) are linked as they are. C functions can be threads; tasks and drivers need a crate",
        ),
        key(
            "c-include",
            List(&Text),
            Means("none"),
            "Folders where its C and C++ sources find headers, from the system file on, in this order",
        ),
        key(
            "c-define",
            List(&Text),
            Means("none"),
            "Macros of its C and C++ sources, as `NAME` (which is 1) or `NAME=VALUE`",
        ),
        key(
            "c-flags",
            List(&Text),
            Means("none"),
            "Further flags for the compiler of its C and C++ sources, the last of all: a language standard (`-std=c11` concerns C, `-std=c++20` C++), optimisation, warnings. What decides how code is linked is the builder's",
        ),
        key(
            "posix",
            Flag,
            Value("false"),
            "Its C sources are written after POSIX.13-2003, profile PSE51: they are compiled and linked with the C library picolibc, and its thread `main` is the C function `main()`. Then it has no crate",
        ),
        key(
            "stack",
            ANY,
            Value("\"4K\""),
            "Size of each stack for which nothing else is said, rounded up to 4K where there are page tables",
        ),
        key(
            "stacks",
            Word(&STACKS),
            Value("\"shared\""),
            "`shared`: its threads can reach each other's stacks, with a guard below each. `private`: on boards with regions, each thread reaches only its own",
        ),
        key(
            "tasks",
            Keyed("FUNCTION", &Sub(&TASK)),
            Means("none"),
            "Task functions that it provides. One function is the body of one task, and each that is listed is used by a program",
        ),
        key(
            "drivers",
            Keyed("FUNCTION", &Sub(&DRIVER)),
            Means("none"),
            "Driver functions that it provides. Each that is listed is used by a program",
        ),
        key(
            "threads",
            Keyed("FUNCTION", &Sub(&THREAD)),
            Means("none"),
            "Its threads: each runs the function of its name",
        ),
        key(
            "max-priority",
            Number(0, 255),
            Value("100"),
            "The highest fixed priority that its threads may have, ask for, or publish as a ceiling",
        ),
        key(
            "parallel",
            Flag,
            Means("yes, unless it is written after POSIX or uses an object that is private"),
            "Whether several of its threads may run at the same time, on a board with several harts. Else one runs at a time, on whichever hart, as on a board with one",
        ),
        key(
            "spare-threads",
            Sub(&SPARE_THREADS),
            Means("none"),
            "Places for threads that it creates while it runs. Reports and traces call them `spare0`, `spare1` and so on",
        ),
        key(
            "messages",
            Number(0, NONE as u64 - 1),
            Means("8 if it may send, else 0"),
            "How many of its messages can be under way at once. A message that a thread already waits for takes none",
        ),
        key(
            "message-size",
            Size(services::LONGEST_MESSAGE),
            Value("16"),
            "Size of its longest message, rounded up to 8. Memory for it is kept for each of its messages",
        ),
        key(
            "heap",
            Size(services::MOST_HEAP),
            Value("0"),
            "Memory that it can allocate while it runs, rounded up to 16",
        ),
        key(
            "start",
            Word(&supervisors::STARTS),
            Value("\"boot\""),
            "`boot`: it starts with the system. `call`: it starts when its supervisor says so",
        ),
        key(
            "on-fault",
            Word(&ON_FAULT),
            Value("\"stop\""),
            "What happens when it faults or panics. `stop`: it ends. `restart`: it starts again with its initial data. `halt`: the machine stops with status 1",
        ),
        key(
            "restart",
            Sub(&RESTART),
            Means("the values below"),
            "With `on-fault = \"restart\"`: when it is restarted, and how often",
        ),
        key("grants", Sub(&GRANTS), Means("nothing"), "What it may use"),
    ],
};

static TASK: Table = Table {
    about: "A task function, as in `tasks = { control = { budget = \"2ms\" } }`",
    keys: &[
        key(
            "budget",
            Duration,
            Means("unlimited"),
            "Execution time that a job may take at most",
        ),
        key("stack", ANY, Means("the process's `stack`"), STACK),
    ],
};

static DRIVER: Table = Table {
    about: "A driver function, as in `drivers = { read_imu = { budget = \"20us\" } }`",
    keys: &[key(
        "budget",
        Duration,
        Needed,
        "Execution time that one call of it may take at most: 1ns to 4s. Nothing else runs meanwhile",
    )],
};

static THREAD: Table = Table {
    about: "A thread, as in `threads = { serve = { priority = 20 } }`",
    keys: &[
        key(
            "priority",
            Number(0, 255),
            Means("50, or `max-priority` if that is lower"),
            "Its fixed priority, up to the process's `max-priority`. 255 is the most urgent",
        ),
        key(
            "policy",
            Word(&POLICIES),
            Value("\"fifo\""),
            "`fifo`: it runs until it blocks or a more urgent thread is ready. `round-robin`: threads of one priority take turns, a `quantum` each. `deadline`: it runs in the deadline band, by its `deadline`",
        ),
        key(
            "quantum",
            Duration,
            Means("needed with `round-robin`"),
            "How long it runs before the next thread of its priority has its turn: 1ns to 4s",
        ),
        key(
            "deadline",
            Duration,
            Means("needed with `deadline`"),
            "Its deadline, relative to its activation",
        ),
        key(
            "budget",
            Duration,
            Means("unlimited"),
            "Execution time after which it goes behind the threads of its priority, or of its deadline, and may take as much again. It is not stopped: only tasks and drivers are",
        ),
        key("stack", ANY, Means("the process's `stack`"), STACK),
        key(
            "autostart",
            Flag,
            Value("true"),
            "Whether it is ready when its process starts",
        ),
    ],
};

static SPARE_THREADS: Table = Table {
    about: "Places for threads that the process creates while it runs. They have no priority until then",
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
            "Size of the stack of each, rounded up to 4K where there are page tables",
        ),
    ],
};
