//! What simulated threads do.

use crate::memory::ProcessMemory;
use giornata_abi::Instant;
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::trace::FaultCause;
use giornata_abi::{Duration, Ticks};
use std::cell::RefCell;
use std::rc::Rc;

/// One thing that a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Uses the processor for this long (rounded up to ticks).
    Compute(Duration),
    /// Uses the processor for ever.
    Spin,
    /// Makes a system call.
    Call(Request),
    /// Does what it may not.
    Fault(FaultCause),
    /// Ends as its kind does: completes the job, returns this value from the
    /// upcall, or exits.
    End(usize),
}

impl Act {
    /// A system call with its first arguments.
    pub fn call(call: Call, arguments: &[usize]) -> Act {
        Act::request(call as usize, arguments)
    }

    /// A system call by number, which may be none.
    pub fn request(number: usize, arguments: &[usize]) -> Act {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        Act::Call(Request {
            number,
            arguments: all,
        })
    }

    /// Sleeps until an absolute instant.
    pub fn sleep_until(at: Instant) -> Act {
        Act::call(Call::Sleep, &[at.0 as u32 as usize, (at.0 >> 32) as usize])
    }
}

/// What a thread sees when it is asked what it does next.
pub struct Moment<'m> {
    /// The thread.
    pub thread: u16,
    /// For an upcall's thread: the driver.
    pub driver: Option<u16>,
    /// Starts of this thread (or of this driver) so far, from 1; for a task the
    /// number of its job.
    pub number: u32,
    /// It is at its beginning.
    pub begins: bool,
    /// What its last system call answered; `None` if it has not called since
    /// it was last asked.
    pub answer: Option<Answer>,
    /// The clock.
    pub now: Instant,
    /// Its process's memory.
    pub memory: &'m mut ProcessMemory,
    /// `a0` at its start: the block of a task or upcall.
    pub block: usize,
}

impl Moment<'_> {
    /// The value of a word of the block; 0 where there is none.
    pub fn load(&mut self, offset: usize, size: usize) -> u64 {
        self.memory.word(self.block + offset, size).unwrap_or(0)
    }

    /// Writes a word of the block.
    pub fn store(&mut self, offset: usize, size: usize, value: u64) {
        let bytes = value.to_le_bytes();
        let written = self.memory.write(self.block + offset, &bytes[..size]);
        debug_assert!(written.is_ok(), "the block is shorter");
    }
}

/// What decides what a thread does. Asked at its beginning, and whenever the
/// last act has been carried out.
pub trait Behaviour {
    /// The next act.
    fn next(&mut self, moment: &mut Moment<'_>) -> Act;
}

impl<F: FnMut(&mut Moment<'_>) -> Act> Behaviour for F {
    fn next(&mut self, moment: &mut Moment<'_>) -> Act {
        self(moment)
    }
}

/// Answers of system calls, shared between a script and who reads them.
pub type Answers = Rc<RefCell<Vec<Answer>>>;

/// Acts in order, from the first again at each start of the thread, and the
/// end of the thread after the last.
#[derive(Clone, Debug, Default)]
pub struct Script {
    acts: Vec<Act>,
    at: usize,
    endless: bool,
    answers: Answers,
}

impl Script {
    /// A script of these acts.
    pub fn new(acts: impl Into<Vec<Act>>) -> Script {
        Script {
            acts: acts.into(),
            ..Script::default()
        }
    }

    /// The same, from the first act again after the last.
    pub fn endless(mut self) -> Script {
        self.endless = true;
        self
    }

    /// The answers of its calls, in order.
    pub fn answers(&self) -> Answers {
        self.answers.clone()
    }
}

impl Behaviour for Script {
    fn next(&mut self, moment: &mut Moment<'_>) -> Act {
        if moment.begins {
            self.at = 0;
        }
        self.answers.borrow_mut().extend(moment.answer);
        if self.endless && self.at >= self.acts.len() {
            self.at = 0;
        }
        let act = self.acts.get(self.at).copied();
        self.at += 1;
        act.unwrap_or(Act::End(0))
    }
}

/// Where a thread stands in what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// What is left of the act that uses the processor.
    pub(crate) remaining: Ticks,
    pub(crate) begins: bool,
    pub(crate) answer: Option<Answer>,
    pub(crate) number: u32,
    pub(crate) driver: Option<u16>,
    pub(crate) block: usize,
}

impl Context {
    /// A thread that has not started.
    pub(crate) const IDLE: Context = Context {
        remaining: Ticks(0),
        begins: true,
        answer: None,
        number: 0,
        driver: None,
        block: 0,
    };
}
