//! What a kernel does with a scenario, as far as it is compared: what its threads
//! see, what leaves through ports, and where everything stands at the end.

use std::fmt;

/// Who has the hart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// Nobody.
    Idle,
    /// A thread that is no upcall's.
    Thread(usize),
    /// The upcall of a driver.
    Upcall(usize),
    /// The machine has stopped with a status.
    Stopped(u8),
}

/// Something that is seen in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// The event applied to nobody.
    Skipped,
    /// From this tick on, somebody else has the hart. Only what holds when the
    /// kernel has nothing left to do is seen.
    Switch(u64, Runner),
    /// Whoever runs is at its beginning.
    Begins,
    /// The call of whoever runs returns: the error, 0 for none, and the words of
    /// [`Answer`](crate::Answer). Objects are told as slot + 256 * tenant, counted
    /// from 0.
    Returns(u8, Vec<u64>),
    /// The task or upcall that runs is about to end, and found these inputs.
    Inputs(Vec<u32>),
    /// A port is written: the logical instant in ns, the port, the value.
    Port(u64, usize, u32),
    /// A driver stores to a register.
    Register(u32, u32),
}

/// What a kernel does with a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// Step 0 is the boot, step `n` the `n`th event. Port writes, in order, then
    /// switches and what threads see.
    pub steps: Vec<Vec<Occurrence>>,
    /// Where everything stands at the end.
    pub end: State,
}

/// Where everything stands when the log is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// By thread.
    pub threads: Vec<ThreadState>,
    /// By slot.
    pub objects: Vec<ObjectState>,
    /// By process.
    pub processes: Vec<ProcessState>,
    /// The values of the programs' ports.
    pub ports: Vec<u32>,
}

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadState {
    /// Not started, ended, between two jobs, or its process is dead.
    Inactive,
    /// It can run, or does. So can one that waits for a mutex which is free or
    /// intended for it.
    Ready,
    /// A released task that S code does not let run.
    Held,
    /// It sleeps until a tick.
    Sleeping(u64),
    /// It waits for an interrupt.
    AwaitsInterrupt(u16),
    /// It waits for what lives in a slot, up to a tick. One that was signalled
    /// waits for its mutex, for ever.
    Waits(usize, Option<u64>),
    /// It waits for the end of a thread or a process.
    AwaitsEnd(Option<u64>),
}

/// How an object stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectState {
    /// Nothing lives in the slot.
    Gone,
    /// A mutex: its owner, and of one without whether the last died. A free mutex
    /// that threads wait for counts as owned by the one that gets it: the most
    /// urgent, and of equals the first that asked.
    Mutex(Option<usize>, bool),
    /// A semaphore's count.
    Semaphore(u32),
    /// A condition.
    Condition,
    /// A mailbox's messages, in the order in which they are received.
    Mailbox(Vec<Message>),
}

/// A message that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its priority.
    pub priority: u32,
    /// Its bytes; 16 for one that was sent as words.
    pub length: u32,
    /// Its first 8 bytes; 0 for one of more than 16.
    pub content: u64,
}

/// How a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    /// It lives.
    Alive,
    /// It has ended, or has not begun.
    Dead,
    /// It is being torn down or restored.
    Changing,
}

/// Something of which kernels may differ, because no document promises it or
/// because the second design changes it on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// Threads of equal priority, or round robin.
    Equals = 0,
    /// Protocol servers, whose urgency comes from messages.
    Servers = 1,
    /// Something was asked of a mutex between its release and the moment when the
    /// waiter that gets it runs: a waiter keeps its place, and the mutex is still
    /// free there.
    Handover = 2,
    /// A ceiling mutex passed to a waiter, its owner blocked, or it was unlocked and
    /// taken again in one call.
    Ceiling = 3,
    /// A thread waited for a condition with another mutex locked.
    NestedWait = 4,
    /// A process was killed or created by call, an upcall faulted, or a teardown
    /// waits for more urgent threads.
    Teardown = 5,
    /// Something was due before an event, because the timer was late.
    Late = 6,
    /// The priority of a thread was set that has ended and was not joined.
    EndedThread = 7,
    /// Time passed during an upcall.
    UpcallTime = 8,
}

impl Kind {
    /// Every kind, by its code.
    pub const ALL: [Kind; 9] = [
        Kind::Equals,
        Kind::Servers,
        Kind::Handover,
        Kind::Ceiling,
        Kind::NestedWait,
        Kind::Teardown,
        Kind::Late,
        Kind::EndedThread,
        Kind::UpcallTime,
    ];
}

/// A scenario is touched by a kind from a step on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// By what.
    pub kind: Kind,
    /// The first step of it.
    pub step: usize,
}

/// What was recorded of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What the recorded kernel did.
    pub observation: Observation,
    /// What of that another kernel may do otherwise: at most one touch a kind.
    pub touches: Vec<Touch>,
}

const ERRORS: [&str; 16] = [
    "success",
    "EPERM",
    "ESRCH",
    "EFAULT",
    "EINVAL",
    "ENOSYS",
    "EBUSY",
    "EAGAIN",
    "EDEADLK",
    "ETIMEDOUT",
    "EOWNERDEAD",
    "EIDRM",
    "EEXIST",
    "EOVERFLOW",
    "EMSGSIZE",
    "ENOMEM",
];

impl fmt::Display for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Runner::Idle => write!(f, "nobody"),
            Runner::Thread(thread) => write!(f, "thread {thread}"),
            Runner::Upcall(driver) => write!(f, "the upcall of d{driver}"),
            Runner::Stopped(status) => write!(f, "nobody: stopped with {status}"),
        }
    }
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Occurrence::Skipped => write!(f, "nothing happens"),
            Occurrence::Switch(tick, runner) => write!(f, "at tick {tick} runs {runner}"),
            Occurrence::Begins => write!(f, "begins"),
            Occurrence::Returns(error, words) => {
                let name = ERRORS.get(usize::from(*error)).unwrap_or(&"unknown");
                write!(f, "returns {name} {words:?}")
            }
            Occurrence::Inputs(values) => write!(f, "finds inputs {values:?}"),
            Occurrence::Port(nanos, port, value) => {
                write!(f, "port p{port} := {value} at {nanos} ns")
            }
            Occurrence::Register(address, value) => {
                write!(f, "register {address:#x} := {value}")
            }
        }
    }
}
