//! Processes: what their threads have in common.

use core::cell::Cell;

use crate::{Ref, Thread, record};

/// Words of an address space that the architecture loads.
pub const SPACE: usize = 16;

record! {
    /// A process.
    pub struct Process {
        /// What the architecture loads to enter its address space: the first word of
        /// page tables, or the registers of regions. The builder and the architecture
        /// alone know what they mean.
        pub space: [Cell<usize>; SPACE],
        /// Which of its lives this is; 0: it has not begun.
        pub generation: Cell<u32>,
        /// Its number in the trace.
        pub number: u32,
        /// Its threads.
        pub threads: &'static [Thread],
        /// The most urgent level that its threads may ask for, or publish as a ceiling.
        pub most: u32,
        /// Bits of [`grant`].
        pub grants: u32,
        /// Where its restartable sequence begins; equal to the end if there is none.
        pub restart_begin: usize,
        /// First address behind it.
        pub restart_end: usize,
        /// The user address of its data, the bytes of it that it reads and writes in
        /// one piece, and where they lie.
        pub data: usize,
        /// See `data`.
        pub data_size: usize,
        /// See `data`.
        pub data_place: usize,
        /// Who supervises it.
        pub supervisor: Option<Ref<Process>>,
    }
}

/// Bits of [`Process::grants`].
pub mod grant {
    /// It may stop the machine.
    pub const SHUTDOWN: u32 = 1;
    /// It may program a device that reads and writes memory by itself.
    pub const TRUSTED_DMA: u32 = 2;
    /// It reads the trace.
    pub const TRACE: u32 = 4;
}
