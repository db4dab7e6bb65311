//! Helping: a thread that waits for somebody keeps its place, and lends it.
//!
//! A thread that wants a mutex, or has called a server, stays in the ready queue at
//! its own urgency. When its turn comes the dispatcher follows `wants` from owner to
//! owner and runs the end of the chain. So nothing is inherited, computed or given
//! back: chains, several mutexes, releases in any order, timeouts and deaths are
//! right by construction.
//!
//! An owner that cannot run (it sleeps, or waits for an object) lends nothing on: its
//! waiters leave the ready queue and are *parked* on it, each on its immediate owner,
//! and come back with it.

use core::hint::cold_path;

use crate::object::kind;
use crate::thread::state;
use crate::trace::reason;
use crate::{Kernel, Object, Outcome, Ref, Thread, same};

impl Kernel {
    /// Another thread's turn: the first of the queue runs, or the owner of what it
    /// wants.
    #[inline(always)]
    pub(crate) fn go(&self) -> Outcome {
        let slot = self.slot.get();
        self.run_wanting(slot, slot.wants.get())
    }

    /// The same, of a caller whose result is written: it goes on if it has the turn.
    #[inline(never)]
    pub(crate) extern "C" fn go_from(&self, me: Ref<Thread>) -> Outcome {
        let _ = me;
        self.go()
    }

    /// The first of the queue, with what it wants at hand.
    #[inline(always)]
    pub(crate) fn run_wanting(&self, slot: Ref<Thread>, wants: Option<Ref<Object>>) -> Outcome {
        match wants {
            None => Outcome::switch(slot),
            Some(wanted) => {
                cold_path();
                self.resolve(slot, wanted)
            }
        }
    }

    /// Follows what `slot` wants to a thread that can run. O(depth of the chain), which
    /// the system bounds; no circles, because what would close one is refused.
    #[inline(never)]
    extern "C" fn resolve(&self, mut slot: Ref<Thread>, wanted: Ref<Object>) -> Outcome {
        let (mut at, mut wanted) = (slot, wanted);
        if !slot.process.is_alive() {
            // it lends nothing: its turn is its own end
            return Outcome::switch(slot);
        }
        loop {
            match wanted.owner.get() {
                None if wanted.kind.get() != kind::MUTEX => {
                    // nobody serves it
                    self.orphan(at, wanted);
                    slot = self.slot.get();
                    at = slot;
                }
                // it is free: the most urgent that wants it takes it now
                None => {
                    self.take_over(at, wanted);
                    break;
                }
                Some(owner) if !owner.process.is_alive() => {
                    at = self.meet_dead_owner(at, wanted, owner);
                    break;
                }
                Some(owner) if owner.waits.get().is_some() => {
                    self.park(slot, owner);
                    slot = self.slot.get();
                    at = slot;
                }
                Some(owner) => at = owner,
            }
            match at.wants.get() {
                None => break,
                Some(next) => wanted = next,
            }
        }
        if same(at, slot) {
            return Outcome::switch(at);
        }
        Outcome::because(at, reason::HELPS | (slot.number() as usize) << 16)
    }

    /// Whether a thread may wait for something of this owner: that closes no circle.
    #[inline(never)]
    pub(crate) extern "C" fn may_wait(&self, thread: Ref<Thread>, owner: Ref<Thread>) -> bool {
        let mut at = owner;
        loop {
            if same(at, thread) {
                return false;
            }
            match at.wants.get().and_then(|wanted| wanted.owner.get()) {
                Some(owner) => at = owner,
                None => return true,
            }
        }
    }

    /// A mutex that is free goes to a thread that wants it.
    #[inline(always)]
    pub(crate) fn take_over(&self, thread: Ref<Thread>, mutex: Ref<Object>) {
        mutex.owner.set(Some(thread));
        mutex.count.set(mutex.count.get().wrapping_sub(1));
        thread.wants.set(None);
    }

    /// No thread can run in the place of `thread`: it waits with `owner`.
    #[inline(never)]
    fn park(&self, thread: Ref<Thread>, owner: Ref<Thread>) {
        self.remove(thread);
        thread.waits.set(Some(self.nowhere));
        thread.set(state::PARKED);
        thread.next.set(owner.parked.get().unwrap_or(thread));
        owner.parked.set(Some(thread));
        owner.set(state::PARKED_ON);
    }

    /// Threads that are parked on `owner` are ready again.
    #[inline(never)]
    pub(crate) fn unpark(&self, owner: Ref<Thread>) {
        owner.clear(state::PARKED_ON);
        while let Some(thread) = owner.parked.get() {
            let next = thread.next.get();
            owner
                .parked
                .set(if same(next, thread) { None } else { Some(next) });
            thread.next.set(thread);
            thread.clear(state::PARKED);
            thread.waits.set(None);
            self.insert(thread);
        }
    }
}
