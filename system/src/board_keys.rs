//! The keys of a board's file: what [`Board`](crate::Board) and the kernel's build read.

use crate::board::{Kind, Protection};
use crate::definition::Form::{Flag, List, Named, Number, Size, Table as Sub, Text, Word};
use crate::definition::Silent::{Means, Needed, Value};
use crate::definition::{Form, Table, firsts, key};
use giornata_abi::rate::FASTEST;

const ADDRESS: Form = Number(0, u32::MAX as u64);
const BYTES: Form = Size(u32::MAX as u64);

/// The whole file.
pub static BOARD: Table = Table {
    about: "A machine: its memory map and its clocks",
    keys: &[
        key("name", Text, Needed, "The board's name"),
        key(
            "arch",
            Word(&["rv32", "rv64"]),
            Needed,
            "The width of its registers",
        ),
        key(
            "protection",
            Word(&firsts(&Protection::NAMES)),
            Needed,
            "What confines user mode: page tables, or regions of the PMP",
        ),
        key(
            "region-grain",
            BYTES,
            Means("needed with `pmp`"),
            "Bytes of the smallest region: a power of two from 64 on",
        ),
        key("target", Text, Needed, "What processes are compiled for"),
        key(
            "timer-hertz",
            Number(1, FASTEST as u64),
            Needed,
            "What the timer counts in a second",
        ),
        key("memory", Sub(&MEMORY), Needed, "RAM as a whole"),
        key(
            "kernel",
            Sub(&KERNEL),
            Needed,
            "The kernel's binary, and where it lies",
        ),
        key(
            "devices",
            Named(&Sub(&DEVICE)),
            Means("none"),
            "Devices, by name",
        ),
        key(
            "qemu",
            Sub(&QEMU),
            Means("nothing emulates it"),
            "How the machine is emulated",
        ),
        key(
            "rtl",
            Sub(&RTL),
            Means("it is no simulated chip"),
            "How the chip is simulated",
        ),
    ],
};

static MEMORY: Table = Table {
    about: "A part of the memory map",
    keys: &[
        key("base", ADDRESS, Needed, "Its first address"),
        key("size", BYTES, Needed, "Its bytes"),
    ],
};

static KERNEL: Table = Table {
    about: "The kernel's binary, and where it lies",
    keys: &[
        key("target", Text, Needed, "What the kernel is compiled for"),
        key(
            "features",
            List(&Text),
            Means("none"),
            "Parts of the kernel for what this machine has",
        ),
        key("base", ADDRESS, Needed, "Where its image begins"),
        key("size", BYTES, Needed, "Bytes of its image"),
        key(
            "system",
            ADDRESS,
            Means("behind the image"),
            "Where the system's tables begin",
        ),
        key(
            "cycle-hertz",
            Number(1, u32::MAX as u64),
            Means("not known"),
            "Cycles a second",
        ),
        key(
            "harts",
            Number(1, 64),
            Value("1"),
            "Harts that the kernel runs on",
        ),
        key(
            "plic-context",
            Number(0, 15871),
            Value("0"),
            "Context of the interrupt controller that is machine mode of the boot hart",
        ),
        key(
            "console",
            Text,
            Means("none"),
            "The device for the last words",
        ),
        key(
            "exit",
            Text,
            Means("none"),
            "The device that stops the machine",
        ),
    ],
};

static DEVICE: Table = Table {
    about: "A device",
    keys: &[
        key("base", ADDRESS, Needed, "Its first register"),
        key("size", BYTES, Needed, "Bytes of its registers"),
        key(
            "irq",
            Number(1, 1023),
            Means("it raises none"),
            "Its line at the interrupt controller",
        ),
        key(
            "kernel",
            Flag,
            Value("false"),
            "It is the kernel's own, and granted to no process",
        ),
        key(
            "kind",
            Word(&firsts(&Kind::NAMES)),
            Means("none knows it"),
            "Which driver knows it",
        ),
    ],
};

static QEMU: Table = Table {
    about: "How the machine is emulated",
    keys: &[
        key("command", Text, Needed, "The emulator"),
        key("arguments", List(&Text), Means("none"), "Its arguments"),
    ],
};

static RTL: Table = Table {
    about: "How the chip is simulated",
    keys: &[
        key("core", Text, Needed, "The core"),
        key("caches", Text, Value("\"shipped\""), "Its caches"),
        key(
            "ram-first",
            Number(0, 1024),
            Means("as fast as the chip"),
            "Cycles of the first word of a burst",
        ),
        key(
            "ram-burst",
            Number(0, 1024),
            Means("as fast as the chip"),
            "Cycles of each further word",
        ),
    ],
};
