//! Objects that threads synchronise by and send messages to, and memory that processes
//! share.

use crate::definition::Form::{Flag, Number, Size, Text, Word};
use crate::definition::Silent::{Means, Needed, Value};
use crate::definition::{Table, key};
use crate::{objects, shared};

const AT_BOOT: &str =
    "`false`: it does not exist until a process that is granted to `manage` it creates it";

pub(super) static MUTEX: Table = Table {
    about: "A semaphore for mutual exclusion. Objects need the configuration `emeralds`, `pse51` or `all`; no two of any kind have one name, and each is granted to some process",
    keys: &[
        key(
            "protocol",
            Word(&objects::PROTOCOLS),
            Value("\"inherit\""),
            "`inherit`: the owner inherits the priority of its most urgent waiter. `ceiling`: the owner runs at the mutex's ceiling",
        ),
        key(
            "ceiling",
            Number(0, 255),
            Means("needed with `ceiling`, refused with `inherit`"),
            "The priority of the owner; it may be above its process's `max-priority`. A thread of a higher priority cannot lock the mutex",
        ),
        key(
            "private",
            Flag,
            Value("false"),
            "Only one process uses it, and its threads lock it without a call while nobody waits. Not with a ceiling",
        ),
        key("at-boot", Flag, Value("true"), AT_BOOT),
    ],
};

pub(super) static SEMAPHORE: Table = Table {
    about: "A counting semaphore, in the configuration `emeralds`, `pse51` or `all`",
    keys: &[
        key(
            "initial",
            Number(0, objects::MOST),
            Value("0"),
            "Its count when it is created. The count of a private semaphore is given in the code of its process",
        ),
        key(
            "most",
            Number(1, objects::MOST),
            Means("as high as it can be"),
            "Its highest count; 32767 at most if it is private",
        ),
        key(
            "private",
            Flag,
            Value("false"),
            "Only one process uses it, and its threads take it without a call while it counts more than 0 and nobody waits",
        ),
        key("at-boot", Flag, Value("true"), AT_BOOT),
    ],
};

pub(super) static CONDITION: Table = Table {
    about: "A condition variable, in the configuration `emeralds`, `pse51` or `all`",
    keys: &[key("at-boot", Flag, Value("true"), AT_BOOT)],
};

pub(super) static MAILBOX: Table = Table {
    about: "A mailbox, in the configuration `emeralds`, `pse51` or `all`",
    keys: &[
        key(
            "server",
            Text,
            Means("messages arrive here"),
            "The mailbox of a protocol server that this one is attached to: what is sent to this mailbox goes to the server, which may send it on",
        ),
        key("at-boot", Flag, Value("true"), AT_BOOT),
    ],
};

pub(super) static REGION: Table = Table {
    about: "Memory that processes share, in the configuration `emeralds`, `pse51` or `all`. It keeps its content while some process has it attached; at least one process is granted to write it",
    keys: &[key(
        "size",
        Size(shared::MOST as u64),
        Needed,
        "Its size, rounded up to a power of two and to 4K",
    )],
};
