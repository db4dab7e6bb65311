//! `[stream.*]`: stream graphs.

use crate::definition::Form::{Duration, Keyed, Size, Table as Sub, Text};
use crate::definition::Silent::{Means, Needed};
use crate::definition::{Table, key};

const MOST_STACK: u64 = 16 << 20;

pub(super) static STREAM: Table = Table {
    about: "A stream graph, whose filters run below all other threads. Each of them is a thread of a process",
    keys: &[
        key("source", Text, Needed, "A program in Sigma (`.sigma`)"),
        key(
            "process",
            Text,
            Means("each filter has its own"),
            "The process that runs the filters and has their functions, those named under `filters` excepted",
        ),
        key(
            "budget",
            Duration,
            Means("no limit"),
            "Most execution time of an instance of each filter. A filter that takes longer ends its process, as a fault does",
        ),
        key(
            "stack",
            Size(MOST_STACK),
            Means("that of the process"),
            "Size of the stack of each filter",
        ),
        key(
            "filters",
            Keyed("FILTER", &Sub(&FILTER)),
            Means("none"),
            "What is different for single filters, sources, sinks, `dup`, `split`, `join` and `permute` of the program: `filters = { screen = { process = \"display\" } }`. Filters of different processes are protected from each other",
        ),
    ],
};

static FILTER: Table = Table {
    about: "What is different for a filter, as in `filters = { screen = { process = \"display\", budget = \"2ms\" } }`",
    keys: &[
        key(
            "process",
            Text,
            Means("that of the stream"),
            "The process that runs it and has its functions",
        ),
        key(
            "budget",
            Duration,
            Means("that of the stream"),
            "Most execution time of an instance",
        ),
        key(
            "stack",
            Size(MOST_STACK),
            Means("that of the stream"),
            "Size of its stack",
        ),
    ],
};
