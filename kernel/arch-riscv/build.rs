//! Turns the board's file into constants, and a memory region for the linker.
//!
//! `GIORNATA_BOARD` names the board; `qemu-virt64` if it is not set.

#[path = "../board_file.rs"]
mod board_file;

use std::env;

use board_file::{number, section};
use toml::Table;

fn main() {
    let board = board_file::read();
    board_file::write("board.rs", &constants(&board));
    let out = board_file::write("board.ld", &region(&board));
    println!("cargo:rustc-link-search={}", out.display());
}

/// Rust constants: what the machine is.
fn constants(board: &Table) -> String {
    let kernel = section(board, "kernel");
    let device = |name: &str| number(section(section(board, "devices"), name), "base");
    let named = |key: &str| {
        device(
            kernel[key]
                .as_str()
                .unwrap_or_else(|| panic!("`{key}` is text")),
        )
    };
    let real_time = match kernel.contains_key("real-time") {
        true => named("real-time"),
        false => 0,
    };
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let (timer, cycles) = (number(board, "timer-hertz"), number(kernel, "cycle-hertz"));
    let (plic, context) = match has("PLIC") {
        true => (device("plic"), number(kernel, "plic-context")),
        false => (0, 0),
    };
    let harts = number(kernel, "harts");
    assert!(
        has("HARTS") == (harts > 1) && (1..=8).contains(&harts),
        "the board has {harts} harts, and the feature `harts` is for 2 to 8"
    );
    let memory = section(board, "memory");
    let (base, end) = (
        number(memory, "base"),
        number(memory, "base") + number(memory, "size"),
    );
    let system = number(kernel, "base") + number(kernel, "size");
    assert_eq!(system % 4096, 0, "the records begin a page");
    assert!(base <= system && system < end, "the records lie in RAM");
    format!(
        "/// The core-local interruptor.\n\
         pub const CLINT: usize = {:#x};\n\
         /// The platform-level interrupt controller, if there is one.\n\
         pub const PLIC: usize = {plic:#x};\n\
         /// Which context of it is the boot hart's machine mode.\n\
         pub const PLIC_CONTEXT: usize = {context};\n\
         /// `mcycle` counts what the timer counts.\n\
         pub const CYCLES_ARE_TICKS: bool = {};\n\
         /// Ticks a second of the timer.\n\
         pub const TIMER_HERTZ: u32 = {timer};\n\
         /// Where the records of the system lie; the stack of the hart ends there.\n\
         pub const RECORDS: usize = {system:#x};\n\
         /// First address behind RAM.\n\
         pub const MEMORY_END: usize = {end:#x};\n\
         /// Harts on which the kernel runs.\n\
         pub const HARTS: usize = {harts};\n\
         /// The 16550 for the last words.\n\
         pub const CONSOLE: usize = {:#x};\n\
         /// What ends the machine.\n\
         pub const EXIT: usize = {:#x};\n\
         /// The goldfish real-time clock; 0: there is none.\n\
         pub const REAL_TIME: usize = {real_time:#x};\n",
        device("clint"),
        has("MCYCLE") && timer == cycles,
        named("console"),
        named("exit"),
    )
}

/// The memory of the image, for the linker script.
fn region(board: &Table) -> String {
    let kernel = section(board, "kernel");
    let (base, size) = (number(kernel, "base"), number(kernel, "size"));
    let harts = number(kernel, "harts");
    format!("HARTS = {harts};\nMEMORY {{ KERNEL : ORIGIN = {base:#x}, LENGTH = {size:#x} }}\n")
}
