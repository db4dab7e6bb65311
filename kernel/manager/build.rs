//! Turns what the board's file says of the task manager into a constant.
//!
//! `GIORNATA_BOARD` names the board; one without a task manager gives address 0.

use std::path::PathBuf;
use std::{env, fs};
use toml::Table;

fn main() {
    let board = env::var("GIORNATA_BOARD").unwrap_or_else(|_| "qemu-virt64".into());
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let path = root.join("../../boards").join(format!("{board}.toml"));
    println!("cargo:rerun-if-env-changed=GIORNATA_BOARD");
    println!("cargo:rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let table: Table = text
        .parse()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let device = table
        .get("devices")
        .and_then(|devices| devices.get("task-manager"));
    let base = device.and_then(|device| device.get("base")?.as_integer());
    let constant = format!(
        "/// Where its registers lie.\npub(crate) const BASE: usize = {:#x};\n",
        base.unwrap_or(0)
    );
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("board.rs"), constant).expect("the output folder can be written");
}
