//! The control page of a thread, and the cursor of a trace reader: memory of a process
//! that the kernel reads by checked copy and never believes.

use crate::record::record;

/// Byte offset of [`ControlPage::serial`].
pub const SERIAL: usize = core::mem::offset_of!(ControlPage, serial);
/// Byte offset of [`ControlPage::next_lock`].
pub const NEXT_LOCK: usize = core::mem::offset_of!(ControlPage, next_lock);
/// What the kernel writes there: the thread has the mutex that it told of.
pub const TAKEN: u32 = 1;
/// The same, and who had it before ended without giving it back.
pub const TAKEN_FROM_DEAD: u32 = 2;
/// Byte offset of [`ControlPage::next_serial`].
pub const NEXT_SERIAL: usize = core::mem::offset_of!(ControlPage, next_serial);
/// Byte offset of [`ControlPage::ceiling`].
pub const CEILING: usize = core::mem::offset_of!(ControlPage, ceiling);
/// Byte offset of [`ControlPage::pending`].
pub const PENDING: usize = core::mem::offset_of!(ControlPage, pending);
/// What [`ControlPage::deadline`] says of a deadline farther ahead than it can say.
pub const FAR: u32 = u32::MAX;

record! {
    /// One per thread, in its own process; `tp` points to its end when the thread
    /// begins, where its thread-local variables lie.
    ///
    /// The kernel writes the id when the thread is made, and the fields of the job when
    /// it starts one; it reads `ceiling` before it lets another thread run in this
    /// one's stead. A wrong value hurts the owner's process only: a ceiling is clamped
    /// to the most urgent priority that the manifest grants the process.
    pub struct ControlPage {
        /// Written by the kernel: slot of this thread's id.
        pub slot: u32,
        /// Written by the kernel: serial number of this thread's id.
        pub serial: u32,
        /// Written by the kernel: number of the job that runs, from 1.
        pub job: u32,
        /// Written by the kernel: nominal release of the job in ticks, low and high word.
        pub release: [u32; 2],
        /// Written by the kernel: deadline of the job in ticks after its release; 0 =
        /// none, [`FAR`] = at least so far.
        pub deadline: u32,
        /// Written by the thread: ceiling priority in force; 0 = none.
        pub ceiling: u32,
        /// Written by the kernel: 1 when a preemption was put off for the ceiling.
        pub pending: u32,
        /// Written by the thread before it blocks: the complement of the slot of the
        /// mutex that it will lock when it goes on; 0 = none. Written by the kernel:
        /// [`TAKEN`] or [`TAKEN_FROM_DEAD`], if the thread has that mutex already.
        pub next_lock: u32,
        /// Written by the thread before `next_lock`: the serial number of that mutex.
        pub next_serial: u32,
        /// Written by the thread when it begins, in a process with thread-local variables:
        /// what the word of a private mutex says of it as the owner, see [`crate::word`].
        pub word: u32,
        /// 0.
        pub zero: u32,
    }

    /// Where the reader of the trace ring has got to: in the reader's memory.
    pub struct TraceCursor {
        /// Records sent so far, since boot.
        pub sent: u64,
    }
}
