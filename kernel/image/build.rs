//! Turns the board's file into constants and a memory region for the linker.
//!
//! `GIORNATA_BOARD` names the board; `qemu-virt64` if it is not set.

use std::path::PathBuf;
use std::{env, fs};
use toml::{Table, Value};

/// Where a CLINT counts.
const MTIME: u64 = 0xBFF8;

fn main() {
    let board = env::var("GIORNATA_BOARD").unwrap_or_else(|_| "qemu-virt64".into());
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let path = root.join("../../boards").join(format!("{board}.toml"));
    println!("cargo:rerun-if-env-changed=GIORNATA_BOARD");
    println!("cargo:rerun-if-changed={}", path.display());
    println!("cargo:rerun-if-changed=kernel.ld");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let table: Table = text
        .parse()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let is_pmp = table.get("protection").and_then(Value::as_str) == Some("pmp");
    assert_eq!(
        is_pmp,
        env::var_os("CARGO_FEATURE_REGIONS").is_some(),
        "the features are those that the board's file names"
    );
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("board.rs"), constants(&table)).expect("the output folder can be written");
    fs::write(out.join("board.ld"), region(&table)).expect("the output folder can be written");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none") {
        println!("cargo:rustc-link-search={}", out.display());
        println!("cargo:rustc-link-search={}", root.display());
        println!("cargo:rustc-link-arg-bins=-Tkernel.ld");
        println!("cargo:rustc-link-arg-bins=--gc-sections");
    }
}

/// Rust constants: the board as the edge sees it, and where the image looks.
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
    let (timer, cycles) = (number(board, "timer-hertz"), number(kernel, "cycle-hertz"));
    assert!(
        timer > 0 && cycles % timer == 0,
        "cycle-hertz is a multiple of timer-hertz"
    );
    let has_plic = env::var_os("CARGO_FEATURE_PLIC").is_some();
    assert_eq!(number(kernel, "harts"), 1, "the kernel runs on one hart");
    let memory = section(board, "memory");
    let end = number(memory, "base") + number(memory, "size");
    let system = number(kernel, "system");
    let below = number(kernel, "base") + number(kernel, "size");
    assert!(
        below <= system && system < end,
        "the system's tables lie behind the kernel, in RAM"
    );
    format!(
        "pub(crate) const BOARD: Board = Board {{\n\
         \x20   clint: {:#x},\n    plic: {:#x},\n    plic_context: {},\n\
         \x20   memory: {system:#x}..{end:#x},\n    timer_hertz: {timer},\n    cycles_per_tick: {},\n}};\n\
         pub(crate) const SYSTEM: usize = {system:#x};\n\
         pub(crate) const CONSOLE: usize = {:#x};\n\
         pub(crate) const EXIT: usize = {:#x};\n\
         pub(crate) const TIME: usize = {:#x};\n",
        device("clint"),
        if has_plic { device("plic") } else { 0 },
        if has_plic {
            number(kernel, "plic-context")
        } else {
            0
        },
        cycles / timer,
        named("console"),
        named("exit"),
        device("clint") + MTIME,
    )
}

/// The region of the image, for the linker script.
fn region(board: &Table) -> String {
    let kernel = section(board, "kernel");
    let (base, size) = (number(kernel, "base"), number(kernel, "size"));
    format!("MEMORY {{ KERNEL : ORIGIN = {base:#x}, LENGTH = {size:#x} }}\n")
}

fn section<'a>(table: &'a Table, key: &str) -> &'a Table {
    table
        .get(key)
        .and_then(Value::as_table)
        .unwrap_or_else(|| panic!("the board has no [{key}]"))
}

/// A number, or a size in text with a suffix K or M.
fn number(table: &Table, key: &str) -> u64 {
    let value = table
        .get(key)
        .unwrap_or_else(|| panic!("the board has no `{key}`"));
    let number = match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::String(text) => size(text),
        _ => None,
    };
    number.unwrap_or_else(|| panic!("`{key}` is a number or a size"))
}

fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    Some(digits.trim().parse::<u64>().ok()? * unit)
}
