//! Priorities that threads give each other.

use giornata_abi::ring::Kind;

use crate::sched::ready::level;
use crate::sched::thread::tenancy;
use crate::{Error, Machine, Outcome, Rank, Ref, System, Thread, same};

impl System {
    /// Changes the fixed priority of a thread of the caller's process.
    ///
    /// One that rises, or is given what it has, comes behind its equals; one that falls
    /// to their head; the owner of a mutex is never moved behind them (POSIX,
    /// `pthread_mutexattr_setprotocol`).
    #[inline(never)]
    pub(crate) fn set_priority<M: Machine>(
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
                    self.record_priority::<M>(thread, thread.own.get(), me, 0);
                    let owns = thread.held.get().is_some();
                    self.settle_place(thread, owns);
                    let is_moved = !same(before, thread.rank.get());
                    if !is_moved && !owns && thread.waits.get().is_none() {
                        self.set_rank(thread, before, false);
                    }
                    me.answer(0);
                    return self.dispatch();
                }
            }
            _ => Error::ESRCH,
        };
        Outcome::error(error)
    }

    /// Records that a thread has another priority of its own, and by whom. `how`: as in the
    /// record.
    #[inline(never)]
    pub(crate) fn record_priority<M: Machine>(
        &self,
        thread: Ref<Thread>,
        own: Ref<Rank>,
        by: Ref<Thread>,
        how: u32,
    ) {
        let priority = level::LOWEST.wrapping_sub(own.level());
        let label = self.head(Kind::Priority, thread.number() as u16);
        let told = priority & 0xFFFF | by.number() << 16;
        self.trace.write(M::now(), label, told, how);
    }
}
