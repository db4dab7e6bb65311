//! What a thread waits for of another: [`crate::sched::helping`] says what follows from it.

use core::cell::Cell;

use crate::layout::{Shape, Shaped};
use crate::{Object, Ref, System, Thread};

/// A mutex, or what the requests in a server's hand stand for.
pub(crate) struct Wants(Cell<Option<Ref<Object>>>);

impl Shaped for Wants {
    const SHAPE: Shape = <Cell<Option<Ref<Object>>>>::SHAPE;
}

impl Wants {
    /// It, if there is anything.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<Ref<Object>> {
        self.0.get()
    }
}

impl System {
    /// A thread wants something of its owner now, or nothing more: who runs may change,
    /// though no queue does.
    #[cfg_attr(not(feature = "services"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn set_wants(&self, thread: Ref<Thread>, wanted: Option<Ref<Object>>) {
        self.note_change();
        thread.wants.0.set(wanted);
    }
}
