//! Priorities that threads give each other.

use crate::ready::level;
use crate::thread::tenancy;
use crate::{Error, Kernel, Outcome, Ref, Thread, same};

impl Kernel {
    /// Changes the fixed priority of a thread of the caller's process.
    ///
    /// One that rises, or is given what it has, comes behind its equals; one that falls
    /// to their head; the owner of a mutex is never moved behind them (POSIX,
    /// `pthread_mutexattr_setprotocol`).
    #[inline(never)]
    pub(crate) fn set_priority(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        priority: usize,
    ) -> Outcome {
        let level = level::LOWEST.wrapping_sub(priority as u32);
        let error = match self.threads.get(slot) {
            Some(thread)
                if thread.serial.get() == serial as u32
                    && thread.tenancy.get() != tenancy::NOBODY
                    && thread.process.is_alive() =>
            {
                let may = priority <= 255 && level >= me.process.most && level != self.band;
                if !may || !same(thread.process, me.process) {
                    Error::EPERM
                } else if thread.has_jobs() || thread.own.get().level() == self.band {
                    Error::EINVAL
                } else {
                    let before = thread.rank.get();
                    thread.own.set(self.rank_of_priority(priority));
                    let owns = thread.held.get().is_some();
                    self.settle_place(thread, owns);
                    let is_moved = !same(before, thread.rank.get());
                    if !is_moved && !owns && thread.waits.get().is_none() {
                        self.set_rank(thread, before, false);
                    }
                    me.answer(0);
                    return self.go();
                }
            }
            _ => Error::ESRCH,
        };
        Outcome::error(error)
    }
}
