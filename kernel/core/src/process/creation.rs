//! Threads that a process creates, joins and detaches (EMERALDS, section 4; POSIX
//! `pthread_create`, `pthread_join`, `pthread_detach`).
//!
//! A place keeps its stack; who lives in it is told by the serial number of its id, see
//! [`tenancy`]. Threads that wait for the end of another wait in a list of their
//! process; which one they mean lies in their temporary registers.

use core::cell::Cell;
use core::hint::cold_path;

use giornata_abi::Error;
use giornata_abi::call::Call;

use crate::process::begin::begin;
use crate::sched::ready::{level, link};
use crate::sched::thread::{role, tenancy};
use crate::sched::timer::FOR_EVER;
use crate::{Machine, Outcome, Process, Ref, System, Thread, differ, is_not, some};

/// Whom a thread that waits for news of a process joins: no thread.
#[cfg(feature = "processes")]
pub(crate) const PROCESSES: usize = usize::MAX;

/// The number of the thread that a thread joins.
fn joins(thread: Ref<Thread>) -> &'static Cell<usize> {
    // (the others have a meaning for all that wait)
    let [.., joined] = &thread.context.t;
    joined
}

/// Who is noted as one of a process that joins thread `number`, or [`PROCESSES`], if that does
/// not wait for something else by now.
#[inline(never)]
fn if_joins(
    noted: Option<Ref<Thread>>,
    process: Ref<Process>,
    number: usize,
) -> Option<Ref<Thread>> {
    let thread = noted?;
    let unusual = is_not(thread.waits.get(), &process.joiners) | (joins(thread).get() ^ number);
    noted.filter(|_| unusual == 0)
}

/// Who waits for news of a process that this one supervises: one at most. O(1).
#[cfg(feature = "processes")]
pub(crate) fn watcher(process: Ref<Process>) -> Option<Ref<Thread>> {
    if_joins(process.joiners.owner.get(), process, PROCESSES)
}

/// In the fifth argument of [`join_any`]: it is detached instead.
const DETACH: usize = 1;

/// [`System::join_thread`] of one that runs, [`System::detach_thread`] while others join, or
/// why it is refused.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // those of a handler, in its registers
extern "C" fn join_any<M: Machine>(
    slot: usize,
    serial: usize,
    low: usize,
    high: usize,
    how: usize,
    _: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let Some((thread, 0)) = system.sibling(me, slot, serial) else {
        return Outcome::error(Error::ESRCH);
    };
    let error = match thread.tenancy.get() {
        tenancy::NOBODY => Error::ESRCH,
        tenancy::JOINABLE if how != DETACH && slot == me.number() as usize => Error::EDEADLK,
        tenancy::JOINABLE if system.joiner(thread).is_none() => {
            if how == DETACH {
                thread.tenancy.set(tenancy::GIVEN);
                return Outcome::DONE;
            }
            thread.joiner.set(me.number() as u16);
            return system.await_end::<M>(me, slot, low, high, Error::EBUSY);
        }
        _ => Error::EINVAL,
    };
    Outcome::error(error)
}

/// [`System::create_thread`] of one of any urgency, or why it is refused.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // those of a handler, in its registers
extern "C" fn create_any<M: Machine>(
    body: usize,
    argument: usize,
    priority: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if system.may_not_create(me, priority) {
        return Outcome::error(Error::EPERM);
    }
    let Some(thread) = me.process.spare.get() else {
        return Outcome::error(Error::EAGAIN);
    };
    me.process.spare.set(thread.parked.take());
    if thread.serial.get() == u32::MAX {
        // its serial numbers are used up: an id names one thread in the life of a system
        return system.again(me, Call::CreateThread, [body, argument, priority, 0, 0, 0]);
    }
    let rank = system.rank_of_priority(priority);
    thread.waits.set(None);
    let _ = begin::<M>(me, thread, argument, body, rank);
    let (slot, serial) = (thread.number() as usize, thread.serial.get() as usize);
    me.results([slot, serial, 0, 0, 0, 0]);
    system.insert_and_dispatch(me, thread)
}

impl System {
    /// Starts a thread in a free place of the caller's process.
    ///
    /// The usual case without a frame: who has the turn has it still, because others as
    /// urgent are ready, or the most urgent alone is more urgent.
    #[inline(always)]
    pub(crate) fn create_thread<M: Machine>(
        &'static self,
        me: Ref<Thread>,
        body: usize,
        argument: usize,
        priority: usize,
    ) -> Outcome {
        let process = me.process;
        if let Some(thread) = process.spare.get() {
            let (next, refused) = (thread.parked.get(), self.may_not_create(me, priority));
            if !refused && thread.serial.get() != u32::MAX {
                let rank = self.rank_of_priority(priority);
                let is_queued = match rank.head.get() {
                    Some(head) => {
                        link(thread, head);
                        true
                    }
                    None => self.opens_second(rank, thread),
                };
                if is_queued {
                    process.spare.set(next);
                    thread.parked.set(None);
                    thread.waits.set(None);
                    return begin::<M>(me, thread, argument, body, rank);
                }
            }
        }
        cold_path();
        create_any::<M>(body, argument, priority, 0, 0, 0, me, self)
    }

    /// Whether a priority is none that the caller may give.
    #[inline(always)]
    fn may_not_create(&self, me: Ref<Thread>, priority: usize) -> bool {
        let own = level::LOWEST.wrapping_sub(priority as u32);
        (priority > 255) | (own < me.process.most) | (own == self.band)
    }

    /// A thread, and 0 if it is one of the caller's process with this serial number.
    #[inline(always)]
    pub(crate) fn sibling(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
    ) -> Option<(Ref<Thread>, usize)> {
        let thread = self.threads.get(slot)?;
        let other = differ(thread.process, me.process);
        Some((
            thread,
            other | (thread.serial.get() ^ serial as u32) as usize,
        ))
    }

    /// Waits for the end of a created thread of the caller's process, and frees its place.
    ///
    /// The usual case without a call: it has ended.
    #[inline(always)]
    pub(crate) fn join_thread<M: Machine>(
        &'static self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        low: usize,
        high: usize,
    ) -> Outcome {
        if let Some((thread, unusual)) = self.sibling(me, slot, serial)
            && unusual | (thread.tenancy.get() ^ tenancy::ENDED) as usize == 0
        {
            let [value, ..] = &thread.context.a;
            let value = value.get();
            self.free_place(thread);
            return me.pair(value, 0);
        }
        cold_path();
        join_any::<M>(slot, serial, low, high, 0, 0, me, self)
    }

    /// Says that nobody will join a created thread of the caller's process.
    #[inline(always)]
    pub(crate) fn detach_thread<M: Machine>(
        &'static self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
    ) -> Outcome {
        if let Some((thread, 0)) = self.sibling(me, slot, serial) {
            let tenancy = thread.tenancy.get();
            if tenancy == tenancy::ENDED {
                self.free_place(thread);
                return Outcome::DONE;
            }
            let joiners = &me.process.joiners.waiters;
            if (tenancy ^ tenancy::JOINABLE) as usize | some(joiners.get()) == 0 {
                thread.tenancy.set(tenancy::GIVEN);
                return Outcome::DONE;
            }
        }
        cold_path();
        join_any::<M>(slot, serial, 0, 0, DETACH, 0, me, self)
    }

    /// Who waits for the end of a thread: one at most. O(1).
    #[inline(always)]
    fn joiner(&self, thread: Ref<Thread>) -> Option<Ref<Thread>> {
        let noted = self.threads.get(thread.joiner.get() as usize);
        if_joins(noted, thread.process, thread.number() as usize)
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
        let joiner = self.joiner(thread);
        if let Some(joiner) = joiner {
            self.end_join::<M>(joiner, value, 0, 0);
        } else if thread.tenancy.get() == tenancy::JOINABLE {
            return thread.tenancy.set(tenancy::ENDED);
        }
        if thread.role & role::SPARE != 0 {
            return self.free_place(thread);
        }
        thread.tenancy.set(tenancy::NOBODY);
    }

    /// What a thread waited for in the list of joiners has come.
    #[inline(never)]
    pub(crate) fn end_join<M: Machine>(&self, joiner: Ref<Thread>, a: usize, b: usize, c: usize) {
        joiner.results([a, b, c, 0, 0, 0]);
        self.leave(joiner);
        self.awaken::<M>(joiner);
    }

    /// The place of a created thread can be taken again.
    #[inline(always)]
    pub(crate) fn free_place(&self, thread: Ref<Thread>) {
        let spare = &thread.process.spare;
        thread.tenancy.set(tenancy::NOBODY);
        thread.parked.set(spare.get());
        spare.set(Some(thread));
    }
}
