//! Processes: what they hold, how they die, and how they come back.
//!
//! ```text
//!            fault, panic              walked            restored
//!   Alive -----------------> Dying -------------> Restoring --------> Alive
//!                              | policy stop
//!                              +---------------> Dead
//! ```
//! From the first instant of `Dying` none of its threads runs. The walk gives
//! back one thing a piece that a thread had, and then visits the next; after the
//! last it detaches one shared region a piece. Restoring takes one kilobyte a
//! piece. Both run at the urgency that the faulting thread
//! had, so that a more urgent thread does not wait for them.

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::thread::State;
use giornata_abi::system::{FaultPolicy, ThreadKind};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_queue::Urgency;

/// Where a process stands; see the drawing above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    /// The next thread of the walk.
    Dying(u16),
    /// The next byte to restore.
    Restoring(u32),
    Dead,
}

/// What the kernel knows of one process.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    pub(crate) life: Life,
    /// Urgency of its teardown.
    pub(crate) urgency: Urgency,
    /// Times it was restarted.
    pub(crate) generation: u16,
}

impl Process {
    /// A process that holds nothing.
    pub const EMPTY: Process = Process {
        life: Life::Alive,
        urgency: Urgency { level: 0, key: 0 },
        generation: 0,
    };

    pub(crate) fn is_alive(&self) -> bool {
        self.life == Life::Alive
    }
}

/// What a piece of teardown came to.
pub(crate) enum Teardown {
    /// A piece is done.
    Piece,
    /// A task's job was stopped.
    StoppedJob(u16),
}

impl<H: Hardware> Core<'_, H> {
    /// A process did what it may not: it dies, and nobody else notices.
    pub(crate) fn kill(
        &mut self,
        process: u16,
        cause: FaultCause,
        pc: u64,
        address: u64,
        urgency: Urgency,
    ) {
        self.trace(TraceKind::Fault, process, cause as u32, pc, address);
        let record = self.processes.at_mut(process);
        if !record.is_alive() {
            return;
        }
        record.life = Life::Dying(0);
        record.urgency = urgency;
        self.dying = self.dying.saturating_add(1);
        self.begin_teardown(process);
        self.note_cause(process, cause);
    }

    /// One piece of the most urgent teardown, unless a thread is more urgent.
    pub(crate) fn tear_down(&mut self) -> Option<Teardown> {
        if self.dying == 0 {
            return None;
        }
        let (process, urgency) = self.first_dying()?;
        if let Some((_, top)) = self.most_urgent()
            && top.is_more_urgent_than(urgency)
        {
            return None;
        }
        match self.processes.at(process).life {
            Life::Dying(step) => Some(self.walk(process, step)),
            Life::Restoring(offset) => {
                match self.hardware.restore_memory(process, offset) {
                    Some(next) => self.processes.at_mut(process).life = Life::Restoring(next),
                    None => self.revive(process),
                }
                Some(Teardown::Piece)
            }
            Life::Alive | Life::Dead => None,
        }
    }

    /// The most urgent of those that are torn down. O(processes).
    fn first_dying(&self) -> Option<(u16, Urgency)> {
        let mut first: Option<(u16, Urgency)> = None;
        for (index, process) in (0..).zip(self.processes.iter()) {
            let is_dying = matches!(process.life, Life::Dying(_) | Life::Restoring(_));
            let is_first = |(_, best): (u16, Urgency)| process.urgency.is_more_urgent_than(best);
            if is_dying && first.is_none_or(is_first) {
                first = Some((index, process.urgency));
            }
        }
        first
    }

    /// Takes from one thread what it holds; after the last, what the process shares,
    /// and its lines.
    fn walk(&mut self, process: u16, step: u16) -> Teardown {
        let threads = self.process_entry(process).threads;
        if step >= threads.count {
            if self.detach_next(process) {
                return Teardown::Piece;
            }
            self.close_interrupts_of(process);
            self.bury(process);
            return Teardown::Piece;
        }
        let thread = threads.start.saturating_add(step);
        if self.part(thread) {
            return Teardown::Piece;
        }
        self.processes.at_mut(process).life = Life::Dying(step.saturating_add(1));
        let was_busy = self.threads.at(thread).is_busy();
        self.forget_waiter(thread);
        self.suspend(thread, State::Dormant);
        self.threads.at_mut(thread).stopped = true;
        self.rename(thread);
        self.has_stopped = true;
        let is_task = self.thread_entry(thread).kind == ThreadKind::Task as u8;
        if is_task && was_busy {
            Teardown::StoppedJob(thread)
        } else {
            Teardown::Piece
        }
    }

    /// After the walk: the process's policy.
    fn bury(&mut self, process: u16) {
        let policy = self.process_entry(process).on_fault;
        if policy == FaultPolicy::Restart as u8 {
            self.processes.at_mut(process).life = Life::Restoring(0);
            return;
        }
        self.processes.at_mut(process).life = Life::Dead;
        self.dying = self.dying.saturating_sub(1);
        let generation = self.processes.at(process).generation as u64;
        self.trace(TraceKind::Process, process, 0, generation, 0);
        self.tell_supervisor(process, false);
        if policy == FaultPolicy::Halt as u8 {
            self.stop = Some(1);
        }
    }

    /// Its memory is as at the start: it lives again.
    fn revive(&mut self, process: u16) {
        self.dying = self.dying.saturating_sub(1);
        let record = self.processes.at_mut(process);
        record.life = Life::Alive;
        record.generation = record.generation.wrapping_add(1);
        let generation = record.generation as u64;
        self.trace(TraceKind::Process, process, 1, generation, 0);
        self.start_process(process);
        self.tell_supervisor(process, true);
    }

    /// Starts the threads of a process that start by themselves.
    pub(crate) fn start_process(&mut self, process: u16) {
        self.renew_pool(process);
        let threads = self.process_entry(process).threads;
        for thread in threads.start..threads.start.saturating_add(threads.count) {
            let entry = self.thread_entry(thread);
            if entry.kind == ThreadKind::Thread as u8 && entry.autostart != 0 {
                self.start_thread(thread);
            }
        }
    }
}
