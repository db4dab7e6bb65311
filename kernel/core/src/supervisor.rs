//! Processes that others supervise, and the memory that a process allocates.

use giornata_abi::Error;
use giornata_abi::trace::FaultCause;

use crate::creation::{PROCESSES, joiner};
use crate::process::life;
use crate::{Kernel, Machine, Outcome, Process, Ref, Thread, same};

/// Bits of [`Process::news`], beside a [`FaultCause`].
mod news {
    /// There are some.
    pub(super) const TOLD: u32 = 1 << 31;
    /// Its supervisor has started it: there are none when it begins.
    pub(super) const STARTED: u32 = 1 << 30;
    /// It was restarted.
    pub(super) const RESTARTED: u32 = 1 << 16;
}

impl Kernel {
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
                self.end_process::<M>(process, FaultCause::Killed as u32, 0, 0, 0, rank);
            }
            (life::DEAD, true) => {
                process.news.set(news::STARTED);
                process.life.set(life::RESTORE);
                self.queue_reaper::<M>(process, rank);
            }
            (_, false) => return Outcome::error(Error::ESRCH),
            (life::ALIVE, true) => return Outcome::error(Error::EEXIST),
            (_, true) => return Outcome::error(Error::EBUSY),
        }
        self.go_from(me)
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
        if joiner(&me.process.joiners, PROCESSES).is_some() {
            return Outcome::error(Error::EBUSY);
        }
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
        if let Some(watcher) = joiner(&supervisor.joiners, PROCESSES) {
            let (number, generation, how) = take_news(process);
            self.end_join::<M>(watcher, number, generation, how);
        }
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
