//! The formats between processes and the second kernel (`kernel/next`), where they
//! differ from the first one's.
//!
//! Time crosses the border in ticks of the board's timer, absolute and 64 bits wide;
//! user code converts. What is made at run time has ids of 64 bits.

pub mod call;
pub mod control;
pub mod id;
pub mod linked;
pub mod load;
pub mod process;
pub mod rate;
pub mod ring;
