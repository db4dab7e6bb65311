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
    about: "A machine: its memory map, its clocks, and what its kernel is made of",
    keys: &[
        key("name", Text, Needed, "The board's name"),
        key(
            "arch",
            Word(&["rv32", "rv64"]),
            Needed,
            "Whether its registers have 32 bits or 64",
        ),
        key(
            "protection",
            Word(&firsts(&Protection::NAMES)),
            Needed,
            "What confines processes: page tables (`sv39` with 64 bits, `sv32` with 32), or regions of the PMP (`pmp`, 32 bits)",
        ),
        key(
            "region-grain",
            BYTES,
            Means("needed with `pmp`"),
            "Size of the smallest region: a power of two from 64 to 1M",
        ),
        key(
            "target",
            Text,
            Needed,
            "The target of the Rust compiler for processes, as in `riscv64gc-unknown-none-elf`",
        ),
        key(
            "timer-hertz",
            Number(1, FASTEST as u64),
            Needed,
            "Ticks of the timer (`mtime`) in a second",
        ),
        key("memory", Sub(&MEMORY), Needed, "RAM as a whole"),
        key(
            "kernel",
            Sub(&KERNEL),
            Needed,
            "What the kernel is compiled for, and where it lies in RAM",
        ),
        key(
            "devices",
            Named(&Sub(&DEVICE)),
            Means("none"),
            "Devices, by name. There is always `clint`, and with the feature `plic` there is `plic`, both the kernel's own",
        ),
        key(
            "qemu",
            Sub(&QEMU),
            Means("QEMU does not run it"),
            "The emulator that `giornata run` starts",
        ),
        key(
            "rtl",
            Sub(&RTL),
            Means("it is no simulated chip"),
            "How the chip of `hw/soc` is simulated",
        ),
    ],
};

static MEMORY: Table = Table {
    about: "RAM as a whole. Regions of a board lie below 4 GiB and do not overlap",
    keys: &[
        key("base", ADDRESS, Needed, "Its first address"),
        key("size", BYTES, Needed, "Its size"),
    ],
};

static KERNEL: Table = Table {
    about: "What the kernel is compiled for, and where it lies in RAM",
    keys: &[
        key(
            "target",
            Text,
            Needed,
            "The target of the Rust compiler for the kernel. It has no floating point, whose registers belong to processes",
        ),
        key(
            "features",
            List(&Text),
            Means("none"),
            "Features of the crate `giornata-image` that say what the machine has, as in `[\"plic\", \"mcycle\", \"time\"]`",
        ),
        key("base", ADDRESS, Needed, "Where the kernel's image begins"),
        key(
            "size",
            BYTES,
            Needed,
            "Size of the image: text, constants, variables, and the hart's stack; the records of the system lie behind it, at a multiple of 4K",
        ),
        key(
            "cycle-hertz",
            Number(1, u32::MAX as u64),
            Needed,
            "What the cycle counter counts in a second",
        ),
        key(
            "harts",
            Number(1, 8),
            Needed,
            "Harts that the kernel runs on: 0 and those that follow",
        ),
        key(
            "plic-context",
            Number(0, 15871),
            Means("needed with the feature `plic`"),
            "The context of the PLIC that is machine mode of the boot hart",
        ),
        key(
            "task-records",
            Number(16, 256),
            Means("needed with the feature `rtm`"),
            "Records of the device `task-manager`, a power of two. Those of threads come first, then alarms",
        ),
        key(
            "console",
            Text,
            Needed,
            "The device to which the kernel writes when the machine stops: a 16550",
        ),
        key("exit", Text, Needed, "The device that stops the machine"),
        key(
            "real-time",
            Text,
            Means("none"),
            "The real-time clock at which `CLOCK_REALTIME` begins, read at boot: a goldfish",
        ),
    ],
};

static DEVICE: Table = Table {
    about: "A device",
    keys: &[
        key("base", ADDRESS, Needed, "The address of its first register"),
        key("size", BYTES, Needed, "Size of its registers"),
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
            "It is the kernel's own and cannot be granted",
        ),
        key(
            "kind",
            Word(&firsts(&Kind::NAMES)),
            Means("no driver of giornata knows it"),
            "Which driver of giornata's servers knows it",
        ),
    ],
};

static QEMU: Table = Table {
    about: "The emulator that `giornata run` starts",
    keys: &[
        key("command", Text, Needed, "Its command"),
        key(
            "arguments",
            List(&Text),
            Means("none"),
            "Its arguments. `-kernel` and the image come after them",
        ),
    ],
};

static RTL: Table = Table {
    about: "How the chip of `hw/soc` is simulated",
    keys: &[
        key(
            "core",
            Word(&["mmu", "pmp", "smp"]),
            Needed,
            "The core: with page tables, with regions of the PMP, or several with regions of the PMP and coherent caches",
        ),
        key(
            "harts",
            Number(1, 8),
            Means("needed with `smp`; else 1"),
            "Harts of the chip: 1, 2, 4 or 8 with `smp`",
        ),
        key(
            "caches",
            Word(&["shipped", "large"]),
            Needed,
            "Its two caches: as the core is shipped, 4 KiB each, or 64 KiB each",
        ),
        key(
            "ram-first",
            Number(1, 255),
            Needed,
            "Cycles that RAM takes for the first word of a burst",
        ),
        key(
            "ram-burst",
            Number(1, 255),
            Needed,
            "Cycles that RAM takes for each further word",
        ),
    ],
};
