//! The control page of a thread, and the cursor of a trace reader: memory of
//! a process that the kernel reads by checked copy and never believes.

use crate::record::record;

/// Byte offset of [`ControlPage::next_lock`].
pub const NEXT_LOCK: usize = core::mem::offset_of!(ControlPage, next_lock);
/// What the kernel writes there: the thread has the mutex that it told of.
pub const TAKEN: u32 = 1;
/// The same, and who had it before ended without giving it back.
pub const TAKEN_FROM_DEAD: u32 = 2;

record! {
    /// One per thread, in its own process.
    ///
    /// The kernel writes the fields of the job when it starts one; it reads
    /// `ceiling` before it lets a thread of another priority preempt. A wrong
    /// value hurts the owner's process only: a ceiling is clamped to the most
    /// urgent priority that the manifest grants the process.
    pub struct ControlPage {
        /// Written by the kernel: this thread's id.
        pub thread: u32,
        /// Written by the kernel: number of the job that runs, from 1.
        pub job: u32,
        /// Written by the kernel: nominal release of the job, ns, low and high half.
        pub release: [u16; 4],
        /// Written by the kernel: absolute deadline of the job, ns, as `release`.
        pub deadline: [u16; 4],
        /// Written by the thread: ceiling priority in force; 0 = none.
        pub ceiling: u32,
        /// Written by the kernel: 1 when a preemption was put off for the ceiling.
        pub pending: u32,
        /// Written by the thread before it blocks: the complement of the id of the
        /// mutex that it will lock when it goes on; 0 = none. Written by the kernel:
        /// [`TAKEN`], if the thread has that mutex already.
        pub next_lock: u32,
        /// Reserved for thread-local storage.
        pub tls: u32,
    }

    /// Where the reader of the trace ring has got to: in the reader's memory.
    pub struct TraceCursor {
        /// Records sent so far, since boot.
        pub sent: u64,
    }

    /// Head of the trace ring, mapped read-only into the reader; records follow.
    pub struct TraceRing {
        /// Records written so far, since boot; record n lies in slot n % capacity.
        pub written: u64,
        /// Slots; a power of two.
        pub capacity: u64,
    }
}
