//! What the builder lays beside the constants of a process.

use crate::next::rate::Rate;
use crate::record::record;

pub use crate::process::GRANTS_SYMBOL;

record! {
    /// Where a process finds what it was granted, and how its clock counts. The
    /// addresses of its devices follow, one `u32` each, in the order of the system
    /// file, and then as many lengths in bytes.
    pub struct Grants {
        /// Nanoseconds and ticks of the board's timer.
        pub rate: Rate,
        /// Address of the trace ring; 0 = not granted.
        pub trace_ring: u32,
        /// Records that the trace ring holds, a power of two; 0 = not granted.
        pub trace_records: u32,
        /// Count of devices.
        pub devices: u32,
        /// 0.
        pub zero: u32,
    }
}
