//! What a thread owns: a list, so that its end gives back what there is and its place
//! follows from the first.

use core::cell::Cell;

use crate::sched::thread::state;
use crate::sync::object::kind;
use crate::{Object, Ref, System, Thread, same};

/// Mutexes with a ceiling that a thread can own when it locks one more.
const CEILINGS: u32 = 63;

impl Thread {
    /// Whether it owns so many mutexes with a ceiling that it can lock no other. O(1): of so
    /// many.
    pub(crate) fn owns_many(&self) -> bool {
        let (mut at, mut left) = (self.held.get(), CEILINGS);
        while let Some(mutex) = at
            && mutex.has_ceiling()
        {
            if left == 0 {
                return true;
            }
            left = left.wrapping_sub(1);
            at = mutex.held_next.get();
        }
        false
    }
}

impl System {
    /// A thread owns a mutex that is free. Returns whether the last owner ended without
    /// giving it back, which is told once. One with a ceiling comes to the head of that.
    /// O(ceilings that it owns), which are 65 at most: one that it has told before is beside.
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
        self.note_free(mutex);
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
