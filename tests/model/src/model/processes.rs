//! Processes that end, begin anew, and are supervised.

use super::queue::{End, Entry};
use super::{Life, Model, Outcome, Process, Reason, State, Tenancy, Urgency};
use crate::request::Reply;
use crate::system::System;
use giornata_abi::Error;
use giornata_abi::trace::FaultCause;

/// Bit of what a supervisor is told: the process lives again.
pub(super) const RESTARTED: u32 = 1 << 16;

/// Processes that have not begun.
pub(super) fn all(system: &System) -> Vec<Process> {
    let processes = 0..system.processes.len();
    let processes = processes.map(|process| {
        let owned = |thread: &usize| system.threads[*thread].process == process;
        let first = (0..system.threads.len()).find(owned).unwrap_or(0);
        let count = (0..system.threads.len()).filter(owned).count();
        Process {
            threads: first..first + count,
            life: Life::Dead,
            generation: 0,
            progress: 0,
            cause: None,
            news: None,
            places: Vec::new(),
        }
    });
    processes.collect()
}

impl Model {
    /// The threads of a process begin that do so by themselves.
    pub(super) fn begin(&mut self, process: usize) {
        self.processes[process].life = Life::Alive;
        self.processes[process].places.clear();
        // its memory is as it was at first
        for object in 0..self.objects.len() {
            if self.system.objects[object].rights[process] != 0 {
                self.objects[object].word = super::Word::Free;
            }
        }
        for thread in self.processes[process].threads.clone() {
            let spec = self.system.threads[thread];
            match spec.spare {
                true => self.free(thread),
                false => self.start(thread, spec.scheduling, Tenancy::Given),
            }
        }
    }

    /// A process ends. Its threads wait for nothing and lend nothing from now on; what is
    /// left is torn down as urgently as who ended it.
    pub(super) fn strike(&mut self, process: usize, cause: FaultCause, urgency: Urgency) {
        let record = &mut self.processes[process];
        (record.life, record.progress) = (Life::Dying, 0);
        (record.cause, record.news) = (Some(cause), None);
        let threads = record.threads.clone();
        // what it had not heard of, its next life does not hear of
        for (line, owner) in self.system.lines.iter().enumerate() {
            if *owner == process {
                (self.lines[line].masked, self.lines[line].latched) = (true, false);
            }
        }
        // (who is dead is asked for nothing, and gets nothing from its siblings)
        for entry in &mut self.queue {
            if let Entry::Thread(thread) = *entry
                && threads.contains(&thread)
                && let Some(rank) = self.threads[thread].rank
            {
                *entry = Entry::Dead(thread, rank);
            }
        }
        for thread in threads.clone() {
            // as long as somebody hangs on one of its threads it ends one after the other
            let ends_now = threads.clone().any(|thread| self.is_hung_on(thread));
            if ends_now {
                self.end_servers(thread);
            }
            // (who waits in a list or sleeps is woken by its timeout all the same)
            let record = &self.threads[thread];
            let waits = matches!(record.state, State::Blocked(_)) && !ends_now;
            let alarm = record.alarm.filter(|_| waits);
            self.end(thread);
            self.threads[thread].alarm = alarm;
            if self.system.threads[thread].spare {
                self.threads[thread].tenancy = Tenancy::Free;
            }
        }
        self.insert_entry(Entry::Teardown(process, urgency), urgency, End::Head);
    }

    /// The timeout of a thread has come whose process has ended: its turn is its own end.
    pub(super) fn expire_dead(&mut self, thread: usize) {
        if let Some(urgency) = self.place(thread) {
            self.insert_entry(Entry::Dead(thread, urgency), urgency, End::Tail);
        }
    }

    /// The end of a thread whose process has ended.
    pub(super) fn end_dead(&mut self, thread: usize) {
        self.threads[thread].alarm = None;
        self.end_servers(thread);
    }

    /// A piece of the end of a process: one of its threads serves no mailbox any more, a
    /// message that one was about to receive is lost, a client whose request one has, or
    /// that nobody is left to receive, gets an error. `false`: there is nothing left.
    pub(super) fn tear_down(&mut self, process: usize) -> bool {
        let record = &mut self.processes[process];
        let (threads, all) = (record.threads.clone(), 0..self.threads.len());
        let progress = record.progress;
        record.progress = progress.saturating_add(1);
        let pieces = threads.clone().chain(threads.clone()).chain(all);
        let Some(thread) = pieces.clone().nth(progress) else {
            return false;
        };
        if progress < threads.len() {
            self.end_dead(thread);
        } else if progress < 2 * threads.len() {
            if let Some(bound) = self.threads[thread].bound.take() {
                self.lose(bound);
            }
        } else if self.is_lost(thread, process) {
            self.refuse_client(thread);
        }
        true
    }

    /// A process begins anew when it has ended, or is dead.
    pub(super) fn succeed(&mut self, process: usize) {
        let is_its = |entry: &Entry| match *entry {
            Entry::Dead(thread, _) => self.threads[thread].process == process,
            _ => false,
        };
        let queue = self.queue.iter().copied().filter(|entry| !is_its(entry));
        self.queue = queue.collect();
        let begins = self.begins(process);
        match begins {
            true => {
                self.processes[process].generation += 1;
                self.begin(process);
            }
            false => self.processes[process].life = Life::Dead,
        }
        self.report(process, begins);
    }

    /// Whether a process that has ended begins anew.
    fn begins(&self, process: usize) -> bool {
        self.processes[process].life == Life::Restoring || self.system.processes[process].restarts
    }

    /// Whether nobody will reply to the request of a thread when a process has ended.
    fn is_lost(&self, thread: usize, process: usize) -> bool {
        match self.threads[thread].state {
            State::Calls {
                server: Some(server),
                ..
            } => self.threads[server].process == process,
            State::Calls { mailbox, .. } => {
                self.may_receive(process, mailbox) && !self.has_receiver(mailbox, process)
            }
            _ => false,
        }
    }

    fn may_receive(&self, process: usize, mailbox: usize) -> bool {
        use giornata_abi::system::{RIGHT_FULL, RIGHT_RECEIVE};
        self.system.objects[mailbox].rights[process] & (RIGHT_RECEIVE | RIGHT_FULL) != 0
    }

    /// Whether a process lives, or will, that may receive from a mailbox.
    fn has_receiver(&self, mailbox: usize, ends: usize) -> bool {
        let lives = |process: usize| match process == ends {
            true => self.begins(process),
            false => self.processes[process].life != Life::Dead,
        };
        (0..self.processes.len())
            .any(|process| lives(process) && self.may_receive(process, mailbox))
    }

    /// The process with this number, if the caller's supervises it.
    fn supervised(&self, caller: usize, number: usize) -> Result<usize, Error> {
        let spec = self.system.processes.get(number).ok_or(Error::ESRCH)?;
        match spec.supervisor == Some(self.threads[caller].process) {
            true => Ok(number),
            false => Err(Error::EPERM),
        }
    }

    pub(super) fn create_process(&mut self, caller: usize, number: usize) -> Outcome {
        let number = self.supervised(caller, number)?;
        let urgency = self.own(caller);
        let process = &mut self.processes[number];
        match process.life {
            Life::Alive => return Err(Error::EEXIST),
            Life::Dying | Life::Restoring => return Err(Error::EBUSY),
            Life::Dead => {}
        }
        (process.life, process.cause, process.news) = (Life::Restoring, None, None);
        // (there is nothing left of it)
        process.progress = usize::MAX;
        self.insert_entry(Entry::Teardown(number, urgency), urgency, End::Head);
        Ok(Some(Reply::DONE))
    }

    pub(super) fn kill_process(&mut self, caller: usize, number: usize) -> Outcome {
        let number = self.supervised(caller, number)?;
        if self.processes[number].life != Life::Alive {
            return Err(Error::ESRCH);
        }
        let urgency = self.own(caller);
        self.strike(number, FaultCause::Killed, urgency);
        Ok(Some(Reply::DONE))
    }

    pub(super) fn await_process(&mut self, caller: usize, until: u64) -> Outcome {
        let own = self.threads[caller].process;
        let specs = self.system.processes.iter().enumerate();
        let supervised = specs.filter(|(_, spec)| spec.supervisor == Some(own));
        let supervised: Vec<usize> = supervised.map(|(number, _)| number).collect();
        if supervised.is_empty() {
            return Err(Error::EPERM);
        }
        let untold = |number: &&usize| self.processes[**number].news.is_some();
        if let Some(number) = supervised.iter().find(untold) {
            return Ok(Some(self.tell(*number)));
        }
        if self.watcher_of(own).is_some() {
            return Err(Error::EBUSY);
        }
        match until {
            0 => return Err(Error::EAGAIN),
            _ => self.block(caller, Reason::Process, until),
        }
        Ok(None)
    }

    fn watcher_of(&self, process: usize) -> Option<usize> {
        let mut threads = self.processes[process].threads.clone();
        threads.find(|thread| self.threads[*thread].state == State::Blocked(Reason::Process))
    }

    /// What became of a process; told once.
    fn tell(&mut self, number: usize) -> Reply {
        let process = &mut self.processes[number];
        let news = process.news.take().expect("there are some");
        Reply::values(&[number as u32, process.generation, news])
    }

    /// A process has ended, or begun anew after that.
    fn report(&mut self, number: usize, is_alive: bool) {
        let cause = self.processes[number].cause.take();
        let supervisor = self.system.processes[number].supervisor;
        let (Some(cause), Some(supervisor)) = (cause, supervisor) else {
            return;
        };
        let restarted = if is_alive { RESTARTED } else { 0 };
        self.processes[number].news = Some(cause as u32 | restarted);
        if let Some(watcher) = self.watcher_of(supervisor) {
            let reply = self.tell(number);
            self.wake(watcher, reply);
        }
    }
}
