//! What a thread owns: a list, so that its end gives back what there is and its place
//! follows from the first.

use core::cell::Cell;

use crate::object::kind;
use crate::thread::state;
use crate::{Kernel, Object, Ref, Thread, same};

impl Kernel {
    /// A thread owns a mutex that is free. Returns whether the last owner ended without
    /// giving it back, which is told once. One with a ceiling comes to the head of that.
    /// O(ceilings that it owns).
    #[inline(never)]
    pub(crate) fn acquire(&self, thread: Ref<Thread>, mutex: Ref<Object>) -> bool {
        let mut at: Option<Ref<Object>> = None;
        let mut next = thread.held.get();
        let follows =
            |other: Ref<Object>| !mutex.has_ceiling() || other.most.get() <= mutex.most.get();
        while let Some(other) = next
            && other.has_ceiling()
            && follows(other)
        {
            at = next;
            next = other.held_next.get();
        }
        let before: &Cell<_> = at.map_or(&thread.held, |at| &at.held_next);
        before.set(Some(mutex));
        mutex.held_prev.set(at);
        mutex.held_next.set(next);
        if let Some(next) = next {
            next.held_prev.set(Some(mutex));
        }
        mutex.owner.set(Some(thread));
        if mutex.has_ceiling() {
            thread.set(state::CEILING);
            self.settle_place(thread, true);
        }
        let kind = mutex.kind.get();
        mutex.kind.set(kind & !kind::ABANDONED);
        kind & kind::ABANDONED != 0
    }

    /// Nobody owns a mutex any more. Its owner leaves the ceiling, to the head of its
    /// equals. O(1), and as [`settle_place`](Self::settle_place) of a ceiling.
    #[inline(never)]
    pub(crate) fn release(&self, mutex: Ref<Object>) {
        let Some(owner) = mutex.owner.take() else {
            return;
        };
        let next = mutex.held_next.get();
        let mut before = &owner.held;
        if before.get().is_some_and(|first| !same(first, mutex))
            && let Some(prev) = mutex.held_prev.get()
        {
            before = &prev.held_next;
        }
        before.set(next);
        if let Some(next) = next {
            next.held_prev.set(mutex.held_prev.get());
        }
        if mutex.has_ceiling() {
            if !owner.held.get().is_some_and(|first| first.has_ceiling()) {
                owner.clear(state::CEILING);
            }
            self.settle_place(owner, true);
        }
    }
}
