//! The board: constants from its file under `boards/`.

include!(concat!(env!("OUT_DIR"), "/board.rs"));
