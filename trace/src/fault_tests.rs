use giornata_abi::panic::NOTE;
use giornata_system::memory_map::{Machine, Stretch};

use super::*;
use crate::sample;

fn stretch(start: u32, size: u32, what: &str, rights: &str) -> Stretch {
    Stretch {
        start,
        size,
        what: what.into(),
        rights: rights.into(),
    }
}

/// Two processes on a board of regions, or of page tables.
fn names(is_translated: bool) -> NameMap {
    let mut names = sample::names();
    names.machine = Machine {
        is_translated,
        word: 4,
        memory: vec![
            stretch(0x8000_0000, 0x10_0000, "the kernel", ""),
            stretch(0x1000_0000, 0x1000, "device uart0", ""),
        ],
    };
    names.processes[0].memory = vec![
        stretch(0x8008_0000, 0x800, "code", "rx"),
        stretch(0x8008_1000, 0x100, "constants", "r"),
        stretch(0x8008_4000, 0x1000, "stack of fast", "rw"),
        stretch(0x8008_5000, 0x100, "data", "rw"),
    ];
    names.processes[1].memory = vec![stretch(0x8009_0000, 0x100, "data", "rw")];
    names.threads[0].stack_top = 0x8008_5000;
    names.threads[0].guard = if is_translated { 4096 } else { 0 };
    names
}

fn words(cause: FaultCause, address: u64, is_translated: bool) -> String {
    let fault = Fault {
        thread: Some(0),
        cause: Some(cause),
        pc: 0x8008_0010,
        address,
        registers: Some((0x8008_4800, 0x8008_0020)),
        ..Fault::default()
    };
    fault.explain(&names(is_translated), None).words
}

#[test]
fn a_fault_says_what_was_reached_for() {
    use FaultCause::{Load, Store};
    for (cause, address, expected) in [
        (Load, 0, "null pointer: load from 0x0"),
        (Store, 0xFFC, "null pointer: store to 0xffc"),
        (
            Store,
            0x8008_0020,
            "store to 0x80080020: its own code cannot be written",
        ),
        (
            Store,
            0x8008_1004,
            "store to 0x80081004: its own constants cannot be written",
        ),
        (
            Load,
            0x8008_5001,
            "misaligned load from 0x80085001, in its own data",
        ),
        (
            Load,
            0x8009_0010,
            "load from 0x80090010: memory of process io, its data",
        ),
        (
            Load,
            0x8000_0040,
            "load from 0x80000040: memory of the kernel",
        ),
        (
            Store,
            0x1000_0004,
            "store to 0x10000004: device uart0 is not granted to it",
        ),
        (
            Load,
            0x4000_0000,
            "load from 0x40000000: no memory of its own",
        ),
        (
            Load,
            u64::MAX,
            "load from 0xffffffffffffffff: no memory of its own",
        ),
    ] {
        let told = words(cause, address, false);
        assert_eq!(told, format!("{expected}, at pc 0x80080010"));
    }
    // (where addresses are each process's own, another's is nobody's)
    let told = words(Load, 0x8009_0010, true);
    assert_eq!(
        told,
        "load from 0x80090010: memory of the kernel, at pc 0x80080010"
    );
}

#[test]
fn a_stack_overflow_says_whose_stack_and_by_how_much() {
    let fault = |cause, sp, address| Fault {
        thread: Some(0),
        cause: Some(cause),
        address,
        registers: Some((sp, 0)),
        ..Fault::default()
    };
    let say = |fault: Fault| fault.explain(&names(true), None).words;
    let expected = "stack overflow of thread fast by 16 bytes: its stack has 4096, at pc 0x0";
    for cause in [FaultCause::StackOverflow, FaultCause::Store] {
        assert_eq!(say(fault(cause, 0x8008_3FF0, 0x8008_3FFC)), expected);
    }
    // a frame that is larger than any guard
    let told = say(fault(
        FaultCause::Store,
        0x8008_4000 - 70_000,
        0x8008_4000 - 69_990,
    ));
    assert!(
        told.starts_with("stack overflow of thread fast by 70000 bytes"),
        "{told}"
    );
    // a pointer into the guard, while the stack is high
    let told = say(fault(FaultCause::Load, 0x8008_4800, 0x8008_3F00));
    assert!(
        told.contains("the guard below the stack of thread fast"),
        "{told}"
    );
}

#[test]
fn a_jump_says_where_to() {
    let say = |pc| {
        let fault = Fault {
            cause: Some(FaultCause::Execute),
            pc,
            address: pc,
            ..Fault::default()
        };
        fault.explain(&names(false), None).words
    };
    assert!(say(4).starts_with("jump to a null pointer (0x4)"));
    assert!(say(0x8008_5010).starts_with("jump to 0x80085010: its own data is no code"));
    assert!(say(0x8009_0000).starts_with("jump to 0x80090000: memory of process io, its data"));
}

/// A note of 32 bit with a text behind it, at 0x80084100.
fn note(text: &[u8], file: (u32, u32), line: u32) -> Fault {
    let at = 0x8008_4100u32;
    let words = [
        0x8008_0010,
        at,
        0,
        at + 32,
        text.len() as u32,
        file.0,
        file.1,
        line,
    ];
    let mut memory: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.extend(text);
    Fault {
        cause: Some(FaultCause::Panic),
        pc: at.into(),
        address: NOTE as u64,
        memory,
        ..Fault::default()
    }
}

#[test]
fn a_panic_tells_the_message_that_it_made() {
    let panic = note(b"the len is 3 but the index is 7", (0, 0), 0);
    assert_eq!(
        panic.message(&names(false), None),
        "the len is 3 but the index is 7"
    );
    let told = panic.explain(&names(false), None);
    assert_eq!(told.line(), "panic: the len is 3 but the index is 7");
    assert_eq!(told.callers(), [""; 0]);
}

#[test]
fn a_panic_with_a_file_says_the_line_though_there_are_no_symbols() {
    let at = 0x8008_4100u32;
    let panic = note(b"src/lib.rs", (at + 32, 10), 40);
    let told = panic.explain(&names(false), None);
    assert_eq!(told.line(), "panic: src/lib.rs, at src/lib.rs:40");
}

#[test]
fn a_note_that_is_cut_or_wild_is_a_panic_without_a_message() {
    for length in [0, 4, 31, 40] {
        let mut panic = note(b"message", (0xFFFF_FFF0, u32::MAX), 7);
        panic.memory.truncate(length);
        let told = panic.explain(&names(false), None).line();
        assert!(told.starts_with("panic"), "{told}");
    }
    assert_eq!(note(b"", (0, 0), 0).message(&names(false), None), "");
}
