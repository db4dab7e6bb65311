//! The memory that a process may add to its heap.

use crate::{Error, Outcome, Process, Ref, System, Thread};

/// Memory is allocated in multiples of this.
const GRAIN: usize = 16;

impl System {
    /// What a process has no more when it begins anew.
    pub(crate) fn renew(&self, process: Ref<Process>) {
        process.spare.set(None);
        process.allocated.set(0);
    }

    /// Takes memory of the quota of the caller's process.
    pub(crate) fn allocate(&self, me: Ref<Thread>, bytes: usize) -> Outcome {
        let process = me.process;
        let image = process.image;
        let allocated = process.allocated.get() as usize;
        if bytes > image.heap_size.wrapping_sub(allocated) {
            return Outcome::error(Error::ENOMEM);
        }
        // (what is left is a multiple of the grain)
        let bytes = bytes.wrapping_add(GRAIN - 1) & !(GRAIN - 1);
        process.allocated.set(allocated.wrapping_add(bytes) as u32);
        me.pair(image.heap.wrapping_add(allocated), 0)
    }
}
