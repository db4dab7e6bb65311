//! A scenario: a system, what its threads do, and a log of events.

use crate::call::Call;
use crate::observation::Kind;
use crate::system::System;
use std::fmt;

/// What a scenario is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Mutexes, semaphores and conditions.
    Locks,
    /// Mailboxes.
    Mail,
    /// Threads and processes that come and go; regions; memory.
    Lives,
    /// Programs, tasks, ports, interrupts.
    Timing,
    /// Some of everything.
    Mixed,
}

/// A system and a log of what happens to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Its number.
    pub number: u32,
    /// What it is about.
    pub theme: Theme,
    /// What all of it is touched by, as the generator knows.
    pub touches: Vec<Kind>,
    /// The system.
    pub system: System,
    /// By thread: the calls that it makes in [`Event::Step`]s, from the first again
    /// after the last. Where it stands is not changed by a restart.
    pub scripts: Vec<Vec<Call>>,
    /// The log.
    pub events: Vec<Event>,
}

/// One event. None knows the state of the kernel: where it does not apply, nothing
/// happens. Before those that take no time of their own, [`GRID`](crate::GRID) ticks
/// pass, unless the timer is late or an upcall runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Time passes, and the timer interrupts whenever the kernel wants it to. An
    /// upcall that runs returns before time passes.
    Advance(u64),
    /// Time passes, and the timer is late: what falls due waits for the next event.
    Delay(u64),
    /// Whoever runs goes on: a thread makes the next call of its script, a task
    /// completes its job, an upcall returns. While nobody runs,
    /// [`IDLE_STEP`](crate::IDLE_STEP) ticks pass.
    Step,
    /// Whoever runs makes this call.
    Call(Call),
    /// A device raises its line.
    Raise(u16),
    /// A device shows a value in its register.
    SetRegister(u32, u32),
    /// Whoever runs stores to memory that is not its process's.
    Fault,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Advance(ticks) => write!(f, "advance {ticks}"),
            Event::Delay(ticks) => write!(f, "advance {ticks} with the timer late"),
            Event::Step => write!(f, "step"),
            Event::Call(call) => write!(f, "call: {call}"),
            Event::Raise(line) => write!(f, "raise line {line}"),
            Event::SetRegister(register, value) => {
                write!(f, "register {register:#x} shows {value}")
            }
            Event::Fault => write!(f, "fault"),
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "scenario {}: {:?}", self.number, self.theme)?;
        writeln!(f, "touches {:?}", self.touches)?;
        write!(f, "{}", self.system)?;
        for (thread, script) in self.scripts.iter().enumerate() {
            if !script.is_empty() {
                writeln!(f, "script of thread {thread}:")?;
            }
            for (place, call) in script.iter().enumerate() {
                writeln!(f, "  {place}: {call}")?;
            }
        }
        for (index, event) in self.events.iter().enumerate() {
            writeln!(f, "{}: {event}", index + 1)?;
        }
        Ok(())
    }
}
