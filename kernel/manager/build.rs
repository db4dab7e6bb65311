//! Turns what the board's file says of the task manager into a constant.

#[path = "../board_file.rs"]
mod board_file;

use board_file::{number, section};

fn main() {
    let board = board_file::read();
    let devices = section(&board, "devices");
    // (a board without one has no kernel that drives it)
    let base = match devices.contains_key("task-manager") {
        true => number(section(devices, "task-manager"), "base"),
        false => 0,
    };
    let constant =
        format!("/// Where its registers lie.\npub(crate) const BASE: usize = {base:#x};\n");
    board_file::write("board.rs", &constant);
}
