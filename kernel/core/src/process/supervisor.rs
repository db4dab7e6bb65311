//! Processes that others supervise, and the memory that a process allocates.

use giornata_abi::Error;
use giornata_abi::trace::FaultCause;

use crate::process::creation::{PROCESSES, watcher};
use crate::process::fault::leave_message;
use crate::process::life;
use crate::sched::thread::{Context, kind, state, tenancy};
use crate::{Machine, Outcome, Process, Ref, System, Thread, same};

/// Bytes of an `ecall`.
const CALL: usize = 4;

/// Bits of [`Process::news`], beside a [`FaultCause`].
mod news {
    /// There are some.
    pub(super) const TOLD: u32 = 1 << 31;
    /// Its supervisor has started it: there are none when it begins.
    pub(super) const STARTED: u32 = 1 << 30;
    /// It was restarted.
    pub(super) const RESTARTED: u32 = 1 << 16;
}

impl System {
    /// Starts a process that has ended or has not begun, or ends one as a fault would:
    /// if the caller's supervises it. The work on it is as urgent as the caller, and comes
    /// first.
    #[inline(never)]
    pub(crate) fn supervise<M: Machine>(
        &self,
        me: Ref<Thread>,
        number: usize,
        starts: bool,
    ) -> Outcome {
        let Some(process) = self.processes.get(number) else {
            return Outcome::error(Error::ESRCH);
        };
        if process.supervisor.is_none_or(|own| !same(own, me.process)) {
            return Outcome::error(Error::EPERM);
        }
        me.answer(0);
        let rank = me.own.get();
        match (process.life.get(), starts) {
            (life::ALIVE, false) => {
                let [candidate, standing, ..] = &process.reaper.context.a;
                candidate.set(0);
                standing.set(0);
                self.end_process::<M>(process, FaultCause::Killed as u32, life::SEARCH, rank);
            }
            (life @ (life::PAUSE | life::DEAD), true) => {
                process.life.set(life::RESTORE);
                if life == life::PAUSE {
                    // (not later than it would be anyway)
                    self.disarm(process.reaper);
                    process.reaper.clear(state::SLEEPS);
                } else {
                    process.news.set(news::STARTED);
                    process.restarts.set(0);
                }
                self.queue_reaper::<M>(process, rank);
            }
            (_, false) => return Outcome::error(Error::ESRCH),
            (life::ALIVE, true) => return Outcome::error(Error::EEXIST),
            (_, true) => return Outcome::error(Error::EBUSY),
        }
        self.dispatch_from(me)
    }

    /// Waits for the next process that ended or was restarted.
    pub(crate) fn await_process<M: Machine>(
        &self,
        me: Ref<Thread>,
        low: usize,
        high: usize,
    ) -> Outcome {
        let mut error = Error::EPERM;
        for process in self.processes {
            if process
                .supervisor
                .is_some_and(|supervisor| same(supervisor, me.process))
            {
                if process.news.get() & news::TOLD != 0 {
                    let (number, generation, how) = take_news(process);
                    return me.returns([number, generation, how, 0, 0, 0]);
                }
                error = Error::EAGAIN;
            }
        }
        if error as usize == Error::EPERM as usize {
            return Outcome::error(error);
        }
        if watcher(me.process).is_some() {
            return Outcome::error(Error::EBUSY);
        }
        me.process.joiners.owner.set(Some(me));
        self.await_end::<M>(me, PROCESSES, low, high, error)
    }

    /// A process has ended, or been started anew: its supervisor is told, now or when it
    /// asks.
    pub(crate) fn tell_supervisor<M: Machine>(&self, process: Ref<Process>, is_restarted: bool) {
        let Some(supervisor) = process.supervisor else {
            return;
        };
        let cause = process.news.get();
        if cause == news::STARTED {
            return process.news.set(0);
        }
        let how = if is_restarted { news::RESTARTED } else { 0 };
        process.news.set(cause | news::TOLD | how);
        if let Some(watcher) = watcher(supervisor) {
            let (number, generation, how) = take_news(process);
            self.end_join::<M>(watcher, number, generation, how);
        }
    }

    /// Looks at the thread of a process at an index, whether it is the one that says best
    /// what the process was at: the first that could compute, else the first that waits for
    /// what another thread has, else the first that waits. Returns 0 when it has been found.
    /// O(1).
    pub(crate) fn look_for_cause<M: Machine>(&self, process: Ref<Process>, index: usize) -> u32 {
        let [candidate, standing, ..] = &process.reaper.context.a;
        let Some(thread) = process.threads.get(index) else {
            let found = candidate.get().checked_sub(1);
            let found = found.and_then(|index| process.threads.get(index));
            self.find_cause::<M>(process, found);
            return 0;
        };
        let says = match (thread.wants.get(), thread.waits.get()) {
            (Some(_), _) => 2,
            (None, None) => {
                self.find_cause::<M>(process, Some(thread));
                return 0;
            }
            // (a task without a job, an upcall's thread and nobody say nothing)
            (None, Some(_)) => (thread.tenancy.get() >= tenancy::GIVEN) as usize,
        };
        if says > standing.get() {
            standing.set(says);
            candidate.set(index.wrapping_add(1));
        }
        1
    }

    /// Records what a process was at when its supervisor ended it, as of a thread that
    /// faulted there.
    #[inline(never)]
    pub(crate) fn find_cause<M: Machine>(&self, process: Ref<Process>, found: Option<Ref<Thread>>) {
        let cause = FaultCause::Killed as u32;
        process.life.set(life::MESSAGE);
        process.progress.set(0);
        let Some(thread) = found else {
            leave_message(process, 0, 0);
            return self.record_cause::<M>(process, None, cause, 0, 0);
        };
        let Context { pc, ra, .. } = &thread.context;
        // (who has called goes on behind the call, and its return address is on its stack)
        let (pc, ra) = match thread.kind.get() == kind::FULL {
            true => (pc.get(), ra.get()),
            false => (pc.get().wrapping_sub(CALL), 0),
        };
        self.record_registers::<M>(thread, ra);
        self.record_cause::<M>(process, found, cause, pc, 0);
    }

    /// Whether a process was ended by its supervisor.
    pub(crate) fn was_ended(process: Ref<Process>) -> bool {
        process.news.get() == FaultCause::Killed as u32
    }

    /// Notes why a process ends.
    pub(crate) fn note_end(&self, process: Ref<Process>, cause: u32) {
        process.news.set(cause);
    }
}

/// What became of a process, told once.
fn take_news(process: Ref<Process>) -> (usize, usize, usize) {
    let how = process.news.replace(0) & !news::TOLD;
    (
        process.number as usize,
        process.generation.get() as usize,
        how as usize,
    )
}
