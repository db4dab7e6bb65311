//! Interrupt lines.

use core::cell::Cell;
use core::hint::cold_path;

use crate::trace::reason;
use crate::{Kernel, Machine, Outcome, Process, Ref, Thread, record, some};

/// Numbers that an interrupt line can have, and 0 for none.
pub const LINES: usize = 64;

record! {
    /// An interrupt line of the board that the system uses.
    pub struct Line {
        /// Its number at the interrupt controller.
        pub number: u32,
        /// 1: it came while no thread waited.
        pub(crate) latched: Cell<u32>,
        /// Which process's threads may await it.
        pub process: Option<Ref<Process>>,
        /// Who waits for it.
        pub(crate) handler: Cell<Option<Ref<Thread>>>,
    }
}

impl Kernel {
    /// Lines have risen: the handler of one runs, if it is the most urgent. The record
    /// of the switch tells.
    #[inline(always)]
    pub fn on_line<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let number = M::claim();
        let Some(Some(line)) = self.lines.get(number as usize) else {
            cold_path();
            return Outcome::DONE;
        };
        let Some(handler) = line.handler.get() else {
            cold_path();
            line.latched.set(1);
            return Outcome::DONE;
        };
        let odd = some(handler.wants.get()) | handler.state.get() as usize;
        if self.opens_top_unless(odd, handler.rank.get(), handler) {
            line.handler.set(None);
            handler.waits.set(None);
            return Outcome::because(handler, reason::INTERRUPT | (number as usize) << 16);
        }
        cold_path();
        line.handler.set(None);
        self.awaken::<M>(handler);
        self.go_from(me)
    }

    /// Waits for a line that the caller's process is granted.
    pub(crate) fn await_interrupt<M: Machine>(&self, me: Ref<Thread>, number: usize) -> Outcome {
        let granted = self.lines.get(number).copied().flatten();
        let granted = granted.filter(|line| {
            line.process
                .is_some_and(|process| crate::same(process, me.process))
        });
        let Some(line) = granted else {
            return Outcome::error(crate::Error::EPERM);
        };
        if line.handler.get().is_some() {
            return Outcome::error(crate::Error::EBUSY);
        }
        if line.latched.replace(0) != 0 {
            return Outcome::DONE;
        }
        me.answer(0);
        line.handler.set(Some(me));
        M::unmask(line.number);
        self.block(me, self.nowhere)
    }
}
