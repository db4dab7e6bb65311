//! What a kernel needs to be replayed: a machine that has booted a scenario's
//! system and takes its events.
//!
//! Each method comes back when the kernel has nothing left to do: no piece of work
//! is left over, everything that is due by the clock has been handled, and every
//! line that is raised and unmasked has interrupted.

use crate::call::Call;
use crate::observation::{Runner, State};

/// The absolute instant up to which a call waits, in ticks since the boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The call does not wait.
    Now,
    /// Up to this tick.
    Tick(u64),
    /// For ever.
    Never,
}

/// A call with everything resolved that the log only names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'c> {
    /// The call.
    pub call: &'c Call,
    /// The id of the first object or thread that it names; else 0.
    pub first: u64,
    /// The id of the second: the mutex of a wait, the server of a mailbox.
    pub second: u64,
    /// How long it waits, or sleeps.
    pub until: Until,
}

/// What a call returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The number of the error, 0 for none.
    pub error: u8,
    /// Without an error, or with EOWNERDEAD:
    ///
    /// | call | words |
    /// |---|---|
    /// | clock, CPU time | nanoseconds |
    /// | read port | the value |
    /// | create, open | the object's id |
    /// | receive | four words, the priority |
    /// | receive bytes | the length, the priority, the sender, [`digest`] of the bytes |
    /// | serve | the same, the destination's id, its node, 1 if it came in |
    /// | create thread | the thread's index |
    /// | join | the value |
    /// | await process | the process, its generation, how it ended |
    /// | allocate | the offset from the start of the heap |
    /// | attach region | the length |
    ///
    /// Threads are told by their index. All other calls return none.
    pub words: Vec<u64>,
}

/// How a thread comes out of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Where it was interrupted, or it was seen before.
    Resumed,
    /// At its beginning: started, started anew, with a new job, with an upcall.
    Begins,
    /// Out of its call.
    Returns(Answer),
}

/// Something that left the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// A port of the programs: logical instant in ns, port, value.
    Port(u64, usize, u32),
    /// A device register.
    Register(u32, u32),
}

/// A kernel under replay.
pub trait Machine {
    /// The next step begins.
    fn begin_step(&mut self, step: usize) {
        let _ = step;
    }

    /// Who has the hart.
    fn runner(&mut self) -> Runner;

    /// The tick at which the kernel wants to be interrupted by the timer.
    fn alarm(&mut self) -> Option<u64>;

    /// Time passes up to a tick, without an interrupt. Whoever runs uses it.
    fn set_clock(&mut self, tick: u64);

    /// The timer interrupts.
    fn timer(&mut self);

    /// A device raises a line. It stays raised until it interrupts, which is when
    /// it is unmasked.
    fn raise(&mut self, line: u16);

    /// A device shows a value in a register.
    fn set_register(&mut self, address: u32, value: u32);

    /// Whoever runs makes a call.
    fn call(&mut self, request: &Request<'_>);

    /// The inputs of the task or upcall that runs, as its memory has them.
    fn inputs(&mut self) -> Vec<u32>;

    /// The task or upcall that runs writes its outputs into its memory and ends:
    /// a task completes, an upcall returns 0. Where fewer outputs are its own, the
    /// first count.
    fn complete(&mut self, outputs: &[u32]);

    /// Whoever runs faults.
    fn fault(&mut self);

    /// How the thread that runs, or the thread of the upcall that does, came out
    /// of the kernel; told once. `call` is the last call of a thread.
    fn departure(&mut self, call: Option<&Call>) -> Departure;

    /// What has left since the last time, in order.
    fn take_writes(&mut self) -> Vec<Write>;

    /// The id of what lives in a slot now.
    fn object_id(&mut self, slot: usize) -> Option<u64>;

    /// The id of a thread that lives, or has ended and can be joined.
    fn thread_id(&mut self, thread: usize) -> Option<u64>;

    /// Where everything stands.
    fn state(&mut self) -> State;
}

/// A checksum of a message's bytes, 32 bits of FNV-1a.
pub fn digest(bytes: &[u8]) -> u64 {
    let add = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811C_9DC5, add).into()
}
