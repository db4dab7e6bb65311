//! Threads that a process creates, joins and detaches (EMERALDS, section 4; POSIX
//! `pthread_create`, `pthread_join`, `pthread_detach`).
//!
//! A place keeps its stack; who lives in it is told by the serial number of its id, see
//! [`tenancy`]. Threads that wait for the end of another wait in a list of their
//! process; which one they mean lies in their temporary registers.

use giornata_abi::Error;

use crate::ready::level;
use crate::thread::{role, tenancy};
use crate::timer::FOR_EVER;
use crate::wait::leave;
use crate::{Kernel, Machine, Object, Outcome, Ref, Thread, same};

/// Whom a thread that waits for news of a process joins: no thread.
pub(crate) const PROCESSES: usize = usize::MAX;

/// The number of the thread that a thread joins.
fn joins(thread: Ref<Thread>) -> &'static core::cell::Cell<usize> {
    // (the first two hold its timeout)
    let [_, _, joined, ..] = &thread.context.t;
    joined
}

/// The first in a list of joiners that waits for the end of thread `number`. O(joiners).
#[inline(never)]
pub(crate) fn joiner(list: Ref<Object>, number: usize) -> Option<Ref<Thread>> {
    let first = list.waiters.get()?;
    let mut at = first;
    loop {
        if joins(at).get() == number {
            return Some(at);
        }
        at = at.next.get();
        if same(at, first) {
            return None;
        }
    }
}

impl Kernel {
    /// Starts a thread in a free place of the caller's process.
    pub(crate) fn create_thread<M: Machine>(
        &self,
        me: Ref<Thread>,
        body: usize,
        argument: usize,
        priority: usize,
    ) -> Outcome {
        let process = me.process;
        let own = level::LOWEST.wrapping_sub(priority as u32);
        if priority > 255 || own < process.most || own == self.band {
            return Outcome::error(Error::EPERM);
        }
        let Some(thread) = process.spare.get() else {
            return Outcome::error(Error::EAGAIN);
        };
        let next = thread.next.get();
        process
            .spare
            .set(if same(next, thread) { None } else { Some(next) });
        self.begin::<M>(thread, argument, body, self.rank_of_priority(priority));
        thread.tenancy.set(tenancy::JOINABLE);
        thread.waits.set(None);
        let (slot, serial) = (thread.number() as usize, thread.serial.get() as usize);
        me.results([slot, serial, 0, 0, 0, 0]);
        self.insert_and_go(me, thread)
    }

    /// Waits for the end of a created thread of the caller's process and frees its place;
    /// or says that nobody will.
    #[inline(never)]
    pub(crate) fn join<M: Machine>(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        until: Option<(usize, usize)>,
    ) -> Outcome {
        let process = me.process;
        let Some(thread) = self.threads.get(slot) else {
            return Outcome::error(Error::ESRCH);
        };
        let tenancy = thread.tenancy.get();
        if thread.serial.get() != serial as u32
            || tenancy == tenancy::NOBODY
            || !same(thread.process, process)
        {
            return Outcome::error(Error::ESRCH);
        }
        if tenancy == tenancy::GIVEN || joiner(&process.joiners, slot).is_some() {
            return Outcome::error(Error::EINVAL);
        }
        let has_ended = tenancy == tenancy::ENDED;
        if has_ended {
            self.free_place(thread);
        }
        match until {
            None => {
                if !has_ended {
                    thread.tenancy.set(tenancy::GIVEN);
                }
                Outcome::DONE
            }
            Some(_) if has_ended => {
                let [value, ..] = &thread.context.a;
                me.returns([value.get(), 0, 0, 0, 0, 0])
            }
            Some(_) if same(thread, me) => Outcome::error(Error::EDEADLK),
            Some((low, high)) => self.await_end::<M>(me, slot, low, high, Error::EBUSY),
        }
    }

    /// The caller waits for the end of thread `number`, or for [`PROCESSES`]; `error` if
    /// it does not wait.
    #[inline(never)]
    pub(crate) fn await_end<M: Machine>(
        &self,
        me: Ref<Thread>,
        number: usize,
        low: usize,
        high: usize,
        error: Error,
    ) -> Outcome {
        if low | high == 0 {
            return Outcome::error(error);
        }
        if low & high != FOR_EVER {
            self.arm::<M>(me, low, high);
        }
        joins(me).set(number);
        self.wait_behind(me, &me.process.joiners)
    }

    /// A thread has ended of itself, with a value.
    pub(crate) fn end_tenancy<M: Machine>(&self, thread: Ref<Thread>, value: usize) {
        let joiner = joiner(&thread.process.joiners, thread.number() as usize);
        if let Some(joiner) = joiner {
            self.end_join::<M>(joiner, value, 0, 0);
        } else if thread.tenancy.get() == tenancy::JOINABLE {
            return thread.tenancy.set(tenancy::ENDED);
        }
        if thread.place.role & role::SPARE != 0 {
            return self.free_place(thread);
        }
        thread.tenancy.set(tenancy::NOBODY);
    }

    /// What a thread waited for in the list of joiners has come.
    #[inline(never)]
    pub(crate) fn end_join<M: Machine>(&self, joiner: Ref<Thread>, a: usize, b: usize, c: usize) {
        joiner.results([a, b, c, 0, 0, 0]);
        leave(joiner);
        self.awaken::<M>(joiner);
    }

    /// The place of a created thread can be taken again. One whose serial numbers are
    /// used up is not: an id names one thread in the life of a system.
    #[inline(never)]
    pub(crate) fn free_place(&self, thread: Ref<Thread>) {
        thread.tenancy.set(tenancy::NOBODY);
        if thread.serial.get() != u32::MAX {
            let spare = &thread.process.spare;
            thread.next.set(spare.get().unwrap_or(thread));
            spare.set(Some(thread));
        }
    }
}
