//! The board that this image is built for, from its file under `boards/`.

use giornata_arch_riscv::Board;

include!(concat!(env!("OUT_DIR"), "/board.rs"));
