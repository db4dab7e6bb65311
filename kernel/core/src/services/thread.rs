//! Threads that a process creates, joins and detaches (EMERALDS, section 4;
//! POSIX `pthread_create`, `pthread_join`, `pthread_detach`).
//!
//! ```text
//!            create               exit              join
//!   Free --------------> Joinable ------> Ended ------------+
//!    ^                      | detach                        |
//!    |      exit            v                               |
//!    +------------------ Detached                           |
//!    +------------------------------------------------------+
//! ```
//! A place keeps its stack; who lives in it is told by the generation of its id.

use crate::core_state::Core;
use crate::dispatch::{End, beginning};
use crate::event::Beginning;
use crate::hardware::Hardware;
use crate::services::Reply;
use crate::thread::State;
use giornata_abi::id::NONE;
use giornata_abi::{Duration, Error, Id, Instant, Ticks};

/// How the place of a thread stands; see the drawing above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Of a thread that the system has from the start.
    Given,
    Free,
    Joinable,
    Detached,
    Ended,
}

impl<H: Hardware> Core<'_, H> {
    /// All places for threads of a process are free. O(threads).
    pub(crate) fn free_threads(&mut self, process: u16) {
        self.services.pools.at_mut(process).thread = NONE;
        let threads = self.process_entry(process).threads;
        for thread in threads.start..threads.start.saturating_add(threads.count) {
            if self.thread_entry(thread).spare != 0 {
                self.free_thread(thread);
            }
        }
    }

    pub(crate) fn free_thread(&mut self, thread: u16) {
        let process = self.thread_entry(thread).process;
        let first = &mut self.services.pools.at_mut(process).thread;
        let tie = self.services.ties.at_mut(thread);
        tie.place = Place::Free;
        tie.next_spare = core::mem::replace(first, thread);
    }

    pub(crate) fn create_thread(
        &mut self,
        caller: u16,
        body: usize,
        argument: usize,
        priority: usize,
    ) -> Result<Reply, Error> {
        let process = self.thread_entry(caller).process;
        if !self.may_have(process, priority) {
            return Err(Error::EPERM);
        }
        let services = &mut self.services;
        let first = &mut services.pools.at_mut(process).thread;
        let thread = *first;
        if thread == NONE {
            return Err(Error::EAGAIN);
        }
        let tie = services.ties.at_mut(thread);
        *first = tie.next_spare;
        tie.place = Place::Joinable;
        tie.joiner = NONE;
        let entry = self.thread_entry(thread);
        let (now, quantum) = (self.now(), self.quantum(entry));
        let record = self.threads.at_mut(thread);
        record.priority = priority as u8;
        (record.left, record.spent) = (quantum, Ticks(0));
        record.deadline = now + Duration(entry.deadline);
        let id = Id::new(thread, record.generation);
        let begin = Beginning {
            arguments: [argument, body],
            ..beginning(entry)
        };
        self.hardware.start(thread, begin);
        self.note_id(thread);
        self.make_ready(thread, End::Tail);
        Ok(Reply::Word(id.0 as usize))
    }

    /// The created thread with this id, of the caller's process.
    fn created(&self, caller: u16, id: Id) -> Result<u16, Error> {
        let thread = id.index();
        let record = self.threads.get(thread).ok_or(Error::ESRCH)?;
        let process = self.thread_entry(caller).process;
        let place = self.services.ties.at(thread).place;
        if record.generation != id.generation()
            || self.thread_entry(thread).process != process
            || place == Place::Free
        {
            return Err(Error::ESRCH);
        }
        match place {
            Place::Given | Place::Detached => Err(Error::EINVAL),
            _ => Ok(thread),
        }
    }

    pub(crate) fn join_thread(
        &mut self,
        caller: u16,
        id: Id,
        until: Instant,
    ) -> Result<Reply, Error> {
        let thread = self.created(caller, id)?;
        if thread == caller {
            return Err(Error::EDEADLK);
        }
        let tie = self.services.ties.at_mut(thread);
        if tie.joiner != NONE {
            return Err(Error::EINVAL);
        }
        if tie.place == Place::Ended {
            let value = tie.value;
            self.rename(thread);
            self.free_thread(thread);
            return Ok(Reply::Word(value));
        }
        self.refuse_to_wait(until, Error::EBUSY)?;
        self.services.ties.at_mut(thread).joiner = caller;
        self.await_end(caller, until);
        Ok(Reply::Later)
    }

    /// A thread waits for the end of another, or of a process.
    pub(crate) fn await_end(&mut self, caller: u16, until: Instant) {
        self.suspend(caller, State::Joining);
        let tie = self.services.ties.at_mut(caller);
        tie.until = until;
        tie.timed = until != Instant::NEVER;
        if tie.timed {
            self.agenda.insert(caller, until);
        }
    }

    pub(crate) fn detach_thread(&mut self, caller: u16, id: Id) -> Result<Reply, Error> {
        let thread = self.created(caller, id)?;
        let tie = self.services.ties.at_mut(thread);
        if tie.joiner != NONE {
            return Err(Error::EINVAL);
        }
        if tie.place == Place::Ended {
            self.rename(thread);
            self.free_thread(thread);
        } else {
            tie.place = Place::Detached;
        }
        Ok(Reply::Done)
    }

    /// A thread has ended of itself.
    pub(crate) fn retire(&mut self, thread: u16, value: usize) {
        let tie = self.services.ties.at_mut(thread);
        let joiner = core::mem::replace(&mut tie.joiner, NONE);
        match tie.place {
            Place::Joinable if joiner == NONE => {
                tie.value = value;
                tie.place = Place::Ended;
            }
            Place::Joinable | Place::Detached => {
                self.rename(thread);
                self.free_thread(thread);
            }
            Place::Given | Place::Free | Place::Ended => self.rename(thread),
        }
        if joiner != NONE {
            self.end_wait(joiner);
            self.release_waiter(joiner, Ok(Reply::Word(value)));
        }
    }

    /// A thread does not wait for an end any more.
    pub(crate) fn end_wait(&mut self, joiner: u16) {
        if core::mem::replace(&mut self.services.ties.at_mut(joiner).timed, false) {
            self.agenda.remove(joiner);
        }
    }

    /// A thread that waited for an end does so no more: nobody knows it as one
    /// that does. O(threads of its process).
    pub(crate) fn stop_joining(&mut self, joiner: u16) {
        self.end_wait(joiner);
        let process = self.thread_entry(joiner).process;
        let pool = self.services.pools.at_mut(process);
        if pool.watcher == joiner {
            pool.watcher = NONE;
            return;
        }
        let threads = self.process_entry(process).threads;
        for thread in threads.start..threads.start.saturating_add(threads.count) {
            let tie = self.services.ties.at_mut(thread);
            if tie.joiner == joiner {
                tie.joiner = NONE;
                return;
            }
        }
    }
}
