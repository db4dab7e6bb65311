//! Regions of memory that processes share.

use core::cell::Cell;

use crate::{Ref, record};

/// Bit of a grant and of an access: to read.
pub const READ: u32 = 1;
/// Bit of a grant and of an access: to write.
pub const WRITE: u32 = 2;
/// Where in a grant the architecture's own begin.
pub const GRANT_PLACE: u32 = 8;

record! {
    /// A region of shared memory.
    pub struct Region {
        /// Its address in every process.
        pub address: usize,
        /// Its bytes, a multiple of 4.
        pub size: usize,
        /// Where it lies.
        pub place: usize,
        /// What the architecture opens it by, beside the grant.
        pub tables: usize,
        /// Processes that have it.
        pub(crate) users: Cell<u32>,
        /// Bytes that are zero, or have been since somebody has it.
        pub(crate) zeroed: Cell<usize>,
    }

    /// What a process may do with a region.
    pub struct Share {
        /// It.
        pub region: Ref<Region>,
        /// [`READ`], [`WRITE`], and from [`GRANT_PLACE`] on what the architecture opens it
        /// by; 0: nothing.
        pub grant: u32,
    }
}
