//! What build scripts of the kernel do with the board's file: read it, and write what they
//! made of it. A module of each of them.

use std::path::PathBuf;
use std::{env, fs};

use toml::{Table, Value};

/// The file of the board that `GIORNATA_BOARD` names; of `qemu-virt64` if it is not set.
pub(crate) fn read() -> Table {
    let board = env::var("GIORNATA_BOARD").unwrap_or_else(|_| "qemu-virt64".into());
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let path = root.join("../../boards").join(format!("{board}.toml"));
    println!("cargo:rerun-if-env-changed=GIORNATA_BOARD");
    println!("cargo:rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Writes a file into the output folder, which is returned.
pub(crate) fn write(name: &str, text: &str) -> PathBuf {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join(name), text).expect("the output folder can be written");
    out
}

/// A table in a table.
pub(crate) fn section<'a>(table: &'a Table, key: &str) -> &'a Table {
    table
        .get(key)
        .and_then(Value::as_table)
        .unwrap_or_else(|| panic!("the board has no [{key}]"))
}

/// A number, or a size in text with a suffix K or M.
pub(crate) fn number(table: &Table, key: &str) -> u64 {
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
