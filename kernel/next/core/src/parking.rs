//! Parking: who waits for an owner that cannot run hangs on it.
//!
//! The Parking Invariant: a parked thread is in the ring `parked` of the owner of what
//! it wants, its *immediate* owner, which waits, or is parked itself, or has more
//! threads hanging on it than one waking brings back. A thread is as urgent as the
//! most urgent that hangs on it, wherever it stands: in the ready queue, in a list, or
//! hanging on another.

use crate::thread::state;
use crate::wait::{enter_ring, leave};
use crate::{Kernel, Ref, Thread, same};

/// Threads that one dispatch parks, and that one waking brings back.
pub(crate) const PIECE: u32 = 4;

impl Kernel {
    /// No thread can run in the place of `thread`: it waits with `owner`.
    #[inline(never)]
    pub(crate) fn park(&self, thread: Ref<Thread>, owner: Ref<Thread>) {
        self.remove(thread);
        thread.waits.set(Some(self.nowhere));
        thread.set(state::PARKED);
        enter_ring(thread, &owner.parked);
        owner.set(state::PARKED_ON);
        self.settle_place(owner, false);
    }

    /// A thread hangs on its owner no more. It is in no list and no queue.
    #[inline(never)]
    pub(crate) fn unhang(&self, thread: Ref<Thread>, owner: Ref<Thread>) {
        leave(thread);
        thread.clear(state::PARKED);
        if owner.parked.get().is_none() {
            owner.clear(state::PARKED_ON);
        }
    }

    /// The first four threads that hang on `owner` are ready again, the most urgent
    /// first, each followed by those that hang on it.
    #[inline(never)]
    pub(crate) fn unpark(&self, owner: Ref<Thread>) {
        let (mut at, mut left) = (owner, PIECE);
        loop {
            if let Some(first) = at.parked.get()
                && left != 0
            {
                left = left.wrapping_sub(1);
                self.unhang(first, at);
                first.waits.set(None);
                first.rank.set(self.base(first));
                self.insert(first);
                at = first;
                continue;
            }
            // (whoever has some left hanging on it stands where they would)
            self.settle_place(at, false);
            if same(at, owner) {
                return;
            }
            match at.wants.get().and_then(|wanted| wanted.owner.get()) {
                Some(below) => at = below,
                None => return,
            }
        }
    }
}
