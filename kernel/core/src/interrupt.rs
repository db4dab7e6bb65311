//! Interrupts: delivered to handler threads in user mode and to microcode.
//!
//! A line is closed (masked) from the moment it comes until its handler thread
//! awaits it again, so that a storm costs its handler's process, not others; where
//! the system file sets an interval, it stays closed until that is over, so that a
//! storm costs the handler's less urgent neighbours no more than that rate. A line
//! that no process owns serves microcode only and is opened again as soon
//! as the reaction to it has settled.

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::thread::State;
use giornata_abi::call::Answer;
use giornata_abi::id::NONE;
use giornata_abi::trace::TraceKind;
use giornata_abi::{Duration, Error, Instant};

/// One line that the system uses.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt {
    /// It may come.
    pub(crate) open: bool,
    /// It came and has not been handled.
    pub(crate) latched: bool,
    /// It was handled, and its owner has not been told.
    pub(crate) pending: bool,
    /// The thread that awaits it.
    pub(crate) waiter: u16,
    /// When it came.
    pub(crate) came: Instant,
}

impl Interrupt {
    /// A line that has never been opened.
    pub const EMPTY: Interrupt = Interrupt {
        open: false,
        latched: false,
        pending: false,
        waiter: NONE,
        came: Instant::START,
    };
}

impl<H: Hardware> Core<'_, H> {
    pub(crate) fn line(&self, number: u16) -> Option<u16> {
        self.system
            .interrupts
            .iter()
            .position(|i| i.number == number)
            .map(|i| i as u16)
    }

    /// The owner of a line; NONE if it serves microcode.
    fn owner(&self, line: u16) -> u16 {
        self.system
            .interrupts
            .get(line as usize)
            .map_or(NONE, |i| i.process)
    }

    fn number(&self, line: u16) -> u16 {
        self.system
            .interrupts
            .get(line as usize)
            .map_or(NONE, |i| i.number)
    }

    /// Lets a line come.
    fn open(&mut self, line: u16) {
        self.interrupts.at_mut(line).open = true;
        let number = self.number(line);
        self.hardware.open_interrupt(number);
    }

    /// The line is closed: by its coming, or for good.
    pub(crate) fn closed(&mut self, line: u16) {
        self.interrupts.at_mut(line).open = false;
    }

    /// A line comes now, and is handled at once.
    pub(crate) fn came(&mut self, line: u16) {
        let now = self.now();
        let record = self.interrupts.at_mut(line);
        (record.open, record.came) = (false, now);
    }

    /// Opens the lines that serve microcode.
    pub(crate) fn open_microcode_lines(&mut self) {
        for line in 0..self.interrupts.len() {
            if self.owner(line) == NONE && !self.interrupts.at(line).open {
                self.open(line);
            }
        }
    }

    /// Closes the lines of a process that dies.
    pub(crate) fn close_interrupts_of(&mut self, process: u16) {
        for line in 0..self.interrupts.len() {
            if self.owner(line) == process {
                let number = self.number(line);
                self.hardware.close_interrupt(number);
                self.closed(line);
                self.interrupts.at_mut(line).pending = false;
            }
        }
    }

    /// No line wakes this thread any more. O(lines).
    pub(crate) fn forget_waiter(&mut self, thread: u16) {
        for line in 0..self.interrupts.len() {
            let waiter = &mut self.interrupts.at_mut(line).waiter;
            if *waiter == thread {
                *waiter = NONE;
            }
        }
    }

    /// A line came: only noted, at bounded cost.
    pub(crate) fn latch(&mut self, number: u16) {
        let now = self.now();
        let Some(line) = self.line(number) else {
            self.hardware.close_interrupt(number);
            return;
        };
        let record = self.interrupts.at_mut(line);
        if !record.latched {
            record.latched = true;
            record.came = now;
            self.latched = self.latched.saturating_add(1);
        }
    }

    /// Delivers one line that came: to its handler thread. Answers its number
    /// and instant, for microcode.
    #[inline(never)] // in two places
    pub(crate) fn deliver(&mut self) -> Option<(u16, Instant)> {
        if self.latched == 0 {
            return None;
        }
        let line = self.interrupts.iter().position(|i| i.latched)? as u16;
        self.latched = self.latched.saturating_sub(1);
        self.closed(line);
        let owner = self.owner(line);
        let record = self.interrupts.at_mut(line);
        record.latched = false;
        let (waiter, came) = (record.waiter, record.came);
        record.pending = waiter == NONE && owner != NONE;
        if waiter != NONE {
            self.wake_handler(line, waiter);
        }
        let number = self.number(line);
        self.trace(TraceKind::Interrupt, number, 0, came.0, 0);
        Some((number, came))
    }

    /// The system call: the thread waits for a line of its process.
    pub(crate) fn await_interrupt(&mut self, thread: u16, number: usize) -> Option<Answer> {
        let process = self.thread_entry(thread).process;
        let line = u16::try_from(number)
            .ok()
            .and_then(|n| self.line(n))
            .filter(|l| self.owner(*l) == process);
        let Some(line) = line else {
            return Some(Answer::error(Error::EPERM));
        };
        let record = self.interrupts.at_mut(line);
        if record.waiter != NONE {
            return Some(Answer::error(Error::EBUSY));
        }
        if core::mem::replace(&mut record.pending, false) {
            return Some(Answer::DONE);
        }
        record.waiter = thread;
        let opens = record.came + self.interval(line);
        if opens > self.now() {
            self.suspend(thread, State::Throttled);
            self.agenda.insert(thread, opens);
        } else {
            self.suspend(thread, State::Awaiting);
            self.open(line);
        }
        None
    }

    /// What lies between two comings of a line at least. Before its first, as if it
    /// had come when the system started.
    fn interval(&self, line: u16) -> Duration {
        let entry = self.system.interrupts.get(line as usize);
        Duration(entry.map_or(0, |entry| entry.interval as u64))
    }

    /// The interval after the last coming of the line that a thread awaits is over.
    /// O(lines).
    pub(crate) fn open_for(&mut self, waiter: u16) {
        let line = self.interrupts.iter().position(|i| i.waiter == waiter);
        self.threads.at_mut(waiter).state = State::Awaiting;
        if let Some(line) = line {
            self.open(line as u16);
        }
    }
}
