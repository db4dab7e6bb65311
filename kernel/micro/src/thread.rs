//! One entry of the thread set.

use giornata_abi::LogicalTime;
use giornata_abi::id::NONE;

use crate::chain::Link;

/// A thread instance (t, b, m, a, s) of the thread set: 40 bytes.
#[derive(Clone, Copy, Debug)]
pub struct SThread {
    /// The thread's reference time: its timeouts count from here.
    pub(crate) reference: LogicalTime,
    /// State of the timeout's port when the instance was made.
    pub(crate) state: u64,
    /// The instant (by its serial number) in which its timeout is not
    /// evaluated any more; 0 = none.
    pub(crate) spent: u32,
    pub(crate) program: u16,
    /// The dispatched task's thread; NONE = idle.
    pub(crate) task: u16,
    /// Local predicate; NONE = true (a fork).
    pub(crate) timeout: u16,
    /// Where it goes on when its task completes.
    pub(crate) completed: u16,
    /// Where it goes on when its timeout expires.
    pub(crate) expired: u16,
    pub(crate) next: u16,
    /// Its task completed.
    pub(crate) latched: bool,
    /// The host holds a timer request of it.
    pub(crate) armed: bool,
    /// Its time-share violation has been reported.
    pub(crate) reported: bool,
}

impl SThread {
    /// A free slot.
    pub const EMPTY: SThread = SThread {
        reference: LogicalTime {
            nanos: 0,
            remainder: 0,
        },
        state: 0,
        spent: 0,
        program: NONE,
        task: NONE,
        timeout: NONE,
        completed: NONE,
        expired: NONE,
        next: NONE,
        latched: false,
        armed: false,
        reported: false,
    };
}

impl Link for SThread {
    fn next(&self) -> u16 {
        self.next
    }
    fn set_next(&mut self, next: u16) {
        self.next = next;
    }
}
