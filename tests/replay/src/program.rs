//! Programs of a scenario: E and S code as the listings of the paper have it.

use std::fmt;

/// A program. Code addresses are indices of instructions; it begins with the
/// first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The code.
    pub code: Vec<Instruction>,
    /// The block that handles each violation: time safety, time share, overrun,
    /// fault.
    pub handlers: [Option<usize>; 4],
    /// The fixed priority of its tasks under S code; `None`: the deadline band.
    pub slot: Option<u8>,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Runs a driver in logical zero time.
    Call(usize),
    /// Releases a task's job with a deadline so many ticks after the instant.
    Release(usize, u64),
    /// Starts the block at an address when something comes true.
    Future(When, usize),
    /// Goes on at an address if a comparison holds.
    Branch(When, usize),
    /// Lets a task run until it completes; goes on at the address if the time
    /// comes first.
    Dispatch(usize, When, usize),
    /// Lets no task of the program run until then.
    Idle(When),
    /// Starts a thread of S code at an address.
    Fork(usize),
    /// Ends the block.
    Return,
}

/// What triggers, timeouts and branches ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// So many ticks have passed.
    After(u64),
    /// No job of the task is released and not completed.
    Completed(usize),
    /// The port has been written with another value.
    Changed(usize),
    /// The interrupt with this number came.
    Interrupt(u16),
    /// The port's value is at least this.
    AtLeast(usize, i32),
    /// The port's value is below this.
    Below(usize, i32),
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HANDLERS: [&str; 4] = ["on_time_safety", "on_time_share", "on_overrun", "on_fault"];
        for (address, instruction) in self.code.iter().enumerate() {
            for (handler, name) in self.handlers.iter().zip(HANDLERS) {
                if *handler == Some(address) {
                    writeln!(f, "{name}:")?;
                }
            }
            writeln!(f, "l{address}: {instruction}")?;
        }
        Ok(())
    }
}

/// In the notation of listings: tasks are `t` and their thread, drivers `d`, ports
/// `p`, durations in nanoseconds.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Instruction::Call(driver) => write!(f, "call d{driver}"),
            Instruction::Release(task, ticks) => {
                write!(f, "release t{task} {}ns", ticks * crate::TICK_NANOS)
            }
            Instruction::Future(when, to) => write!(f, "future {when} l{to}"),
            Instruction::Branch(when, to) => write!(f, "branch {when} l{to}"),
            Instruction::Dispatch(task, until, to) => {
                write!(f, "dispatch t{task} until {until} else l{to}")
            }
            Instruction::Idle(until) => write!(f, "idle {until}"),
            Instruction::Fork(to) => write!(f, "fork l{to}"),
            Instruction::Return => write!(f, "return"),
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            When::After(ticks) => write!(f, "after({}ns)", ticks * crate::TICK_NANOS),
            When::Completed(task) => write!(f, "completed(t{task})"),
            When::Changed(port) => write!(f, "changed(p{port})"),
            When::Interrupt(number) => write!(f, "irq({number})"),
            When::AtLeast(port, value) => write!(f, "p{port}>={value}"),
            When::Below(port, value) => write!(f, "p{port}<{value}"),
        }
    }
}
