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

/// Memory is allocated in multiples of this.
const GRAIN: usize = 16;

impl Kernel {
    /// The process with this number, if the caller's supervises it.
    #[inline(never)]
    fn supervised(&self, me: Ref<Thread>, number: usize) -> Result<Ref<Process>, Error> {
        let process = self.processes.get(number).ok_or(Error::ESRCH)?;
        match process.supervisor {
            Some(supervisor) if same(supervisor, me.process) => Ok(process),
            _ => Err(Error::EPERM),
        }
    }

    /// Starts a process that has ended or has not begun.
    pub(crate) fn create_process<M: Machine>(&self, me: Ref<Thread>, number: usize) -> Outcome {
        let process = match self.supervised(me, number) {
            Ok(process) => process,
            Err(error) => return Outcome::error(error),
        };
        match process.life.get() {
            life::ALIVE => return Outcome::error(Error::EEXIST),
            life::DEAD => {}
            _ => return Outcome::error(Error::EBUSY),
        }
        process.news.set(news::STARTED);
        process.life.set(life::RESTORE);
        self.begin_reaping::<M>(me, process)
    }

    /// Ends a process as a fault would.
    pub(crate) fn kill_process<M: Machine>(&self, me: Ref<Thread>, number: usize) -> Outcome {
        let process = match self.supervised(me, number) {
            Ok(process) => process,
            Err(error) => return Outcome::error(error),
        };
        if !process.is_alive() {
            return Outcome::error(Error::ESRCH);
        }
        self.end_process::<M>(process, FaultCause::Killed as u32, 0, 0);
        self.begin_reaping::<M>(me, process)
    }

    /// The work on a process is as urgent as the caller, and comes first.
    fn begin_reaping<M: Machine>(&self, me: Ref<Thread>, process: Ref<Process>) -> Outcome {
        me.answer(0);
        self.queue_reaper::<M>(process, me.own.get());
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
                    let [number, generation, how] = take_news(process);
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
            self.end_join::<M>(watcher, take_news(process));
        }
    }

    /// Notes why a process ends.
    pub(crate) fn note_end(&self, process: Ref<Process>, cause: u32) {
        process.news.set(cause);
    }

    /// What a process has no more when it begins anew.
    pub(crate) fn renew(&self, process: Ref<Process>) {
        process.spare.set(None);
        process.allocated.set(0);
    }

    /// Takes memory of the quota of the caller's process.
    pub(crate) fn allocate(&self, me: Ref<Thread>, bytes: usize) -> Outcome {
        let process = me.process;
        let image = process.image;
        let allocated = process.allocated.get() as usize;
        if bytes > image.heap_size.wrapping_sub(allocated) {
            return Outcome::error(Error::ENOMEM);
        }
        // (what is left is a multiple of the grain)
        let bytes = bytes.wrapping_add(GRAIN - 1) & !(GRAIN - 1);
        process.allocated.set(allocated.wrapping_add(bytes) as u32);
        me.returns([image.heap.wrapping_add(allocated), 0, 0, 0, 0, 0])
    }
}

/// What became of a process, told once.
fn take_news(process: Ref<Process>) -> [usize; 3] {
    let how = process.news.replace(0) & !news::TOLD;
    [
        process.number as usize,
        process.generation.get() as usize,
        how as usize,
    ]
}
