//! Processes that others supervise, and their memory.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::hardware::Hardware;
use crate::process::Life;
use crate::services::Reply;
use giornata_abi::call::Answer;
use giornata_abi::id::NONE;
use giornata_abi::trace::FaultCause;
use giornata_abi::{Error, Instant};

/// Bit of the news of a process: there are some.
const TOLD: u32 = 1 << 31;
/// The news of a process that its supervisor has started: none.
const STARTED: u32 = 1 << 30;
/// Bit of how it ended: it was started anew.
const RESTARTED: u32 = 1 << 16;
/// Memory is taken in multiples of this.
const GRAIN: u32 = 16;

impl<H: Hardware> Core<'_, H> {
    /// Whether a process does not start at boot.
    pub(crate) fn is_by_call(&self, process: u16) -> bool {
        self.process_entry(process).by_call != 0
    }

    /// The process with this number, if the caller's supervises it.
    fn supervised(&self, caller: u16, number: usize) -> Result<u16, Error> {
        let entry = self.system.processes.get(number).ok_or(Error::ESRCH)?;
        match entry.supervisor == self.thread_entry(caller).process {
            true => Ok(number as u16),
            false => Err(Error::EPERM),
        }
    }

    pub(crate) fn create_process(&mut self, caller: u16, number: usize) -> Result<Reply, Error> {
        let process = self.supervised(caller, number)?;
        let urgency = self.present_urgency(caller);
        let record = self.processes.at_mut(process);
        match record.life {
            Life::Alive => return Err(Error::EEXIST),
            Life::Dying(_) | Life::Restoring(_) => return Err(Error::EBUSY),
            Life::Dead => {}
        }
        record.life = Life::Restoring(0);
        record.urgency = urgency;
        self.dying = self.dying.saturating_add(1);
        self.services.pools.at_mut(process).news = STARTED;
        Ok(Reply::Done)
    }

    pub(crate) fn kill_process(&mut self, caller: u16, number: usize) -> Result<Reply, Error> {
        let process = self.supervised(caller, number)?;
        if !self.processes.at(process).is_alive() {
            return Err(Error::ESRCH);
        }
        let urgency = self.present_urgency(caller);
        self.kill(process, FaultCause::Killed, 0, 0, urgency);
        Ok(Reply::Done)
    }

    /// Notes why a process ends.
    pub(crate) fn note_cause(&mut self, process: u16, cause: FaultCause) {
        self.services.pools.at_mut(process).news = cause as u32;
    }

    /// A process has ended, or been started anew: its supervisor is told, now or
    /// when it asks.
    pub(crate) fn tell_supervisor(&mut self, process: u16, is_restarted: bool) {
        let supervisor = self.process_entry(process).supervisor;
        if supervisor == NONE {
            return;
        }
        let news = &mut self.services.pools.at_mut(process).news;
        if *news == STARTED {
            *news = 0;
            return;
        }
        *news |= TOLD | if is_restarted { RESTARTED } else { 0 };
        let watcher = &mut self.services.pools.at_mut(supervisor).watcher;
        let watcher = core::mem::replace(watcher, NONE);
        if watcher != NONE {
            self.end_wait(watcher);
            let answer = self.news_of(process);
            self.answer(watcher, answer);
            self.make_ready(watcher, End::Tail);
        }
    }

    /// What became of a process, told once.
    fn news_of(&mut self, process: u16) -> Answer {
        let news = core::mem::replace(&mut self.services.pools.at_mut(process).news, 0);
        let generation = self.processes.at(process).generation as usize;
        Answer::words([process as usize, generation, (news & !TOLD) as usize])
    }

    pub(crate) fn await_process(&mut self, caller: u16, until: Instant) -> Result<Reply, Error> {
        let own = self.thread_entry(caller).process;
        let (mut has_any, mut untold) = (false, NONE);
        for (process, entry) in (0..).zip(self.system.processes) {
            if entry.supervisor == own {
                has_any = true;
                if self.services.pools.at(process).news & TOLD != 0 {
                    untold = process;
                    break;
                }
            }
        }
        if !has_any {
            return Err(Error::EPERM);
        }
        if untold != NONE {
            let answer = self.news_of(untold);
            self.answer(caller, answer);
            return Ok(Reply::Later);
        }
        if self.services.pools.at(own).watcher != NONE {
            return Err(Error::EBUSY);
        }
        self.refuse_to_wait(until, Error::EAGAIN)?;
        self.services.pools.at_mut(own).watcher = caller;
        self.await_end(caller, until);
        Ok(Reply::Later)
    }

    pub(crate) fn allocate(&mut self, caller: u16, bytes: usize) -> Result<Reply, Error> {
        let process = self.thread_entry(caller).process;
        let entry = self.process_entry(process);
        let taken = &mut self.services.pools.at_mut(process).allotted;
        let left = entry.heap_size.saturating_sub(*taken);
        let bytes = u32::try_from(bytes).map_err(|_| Error::ENOMEM)?;
        if bytes > left {
            return Err(Error::ENOMEM);
        }
        let address = entry.heap.saturating_add(*taken);
        // what is left is a multiple of the grain
        *taken = taken.saturating_add(bytes.saturating_add(GRAIN - 1) & !(GRAIN - 1));
        Ok(Reply::Word(address as usize))
    }

    /// A process begins: all it takes from is whole.
    pub(crate) fn renew_pool(&mut self, process: u16) {
        self.services.pools.at_mut(process).allotted = 0;
        self.free_threads(process);
    }
}
