//! Programs by numbers: code whose operands name tasks by their threads, drivers and
//! ports by their indices, and instructions by theirs.

use giornata_abi::value::ValueType;
use giornata_core::micro::block;

/// All that programs need.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// The programs.
    pub programs: Vec<Program>,
    /// Ports of programs: their numbers are those of the name map, and of calls.
    pub ports: Vec<Port>,
    /// Drivers.
    pub drivers: Vec<Driver>,
    /// Threads of a fixed priority above this one run before the machine, and so keep
    /// reactions waiting; `None`: no thread does.
    pub precede: Option<u8>,
    /// Physical address of 64 bytes for the machine.
    pub scratch: u64,
    /// Physical address, a multiple of 8, and bytes of memory for drivers that write what
    /// they read: as much as [`spare_bytes`](crate::spare_bytes) of any.
    pub spare: (u64, u32),
}

/// A linked module.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its tasks.
    pub groups: Vec<Group>,
    /// Its code.
    pub code: Vec<Op>,
    /// Its predicates.
    pub waits: Vec<Wait>,
    /// Addresses of its blocks, see [`block`].
    pub blocks: [Option<usize>; block::COUNT],
    /// Parts of a tick in which its durations count; at least 1.
    pub parts: u32,
    /// Instructions in one instant, at most; 0: the verifier has counted them.
    pub bound: u32,
    /// What the verifier has counted, if it has.
    pub counted_steps: u32,
    /// The fixed priority at which S code runs its tasks; `None`: their own urgency.
    pub priority: Option<u8>,
    /// Triggers that can wait at once.
    pub triggers: usize,
    /// Threads of S code that can wait at once.
    pub threads: usize,
    /// Ports that tell a handler which task and driver.
    pub involved: [Option<usize>; 2],
    /// How it is replaced, if it can be.
    pub change: Option<Change>,
}

/// Tasks that are released together: see [`Group`](giornata_core::micro::Group).
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// In the order of their threads, which follow one another.
    pub tasks: Vec<Task>,
    /// They are no ring, ever.
    pub apart: bool,
    /// They have fixed priorities.
    pub fixed: bool,
}

/// A task.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Its thread.
    pub thread: usize,
    /// What a violation's handler calls it.
    pub number: u32,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Ends the block.
    Return,
    /// Runs a driver.
    Call(usize),
    /// Releases the group of a task, with its deadline in ticks and parts of one.
    Release(usize, u32, u32),
    /// Predicate and address.
    Future(usize, usize),
    /// Task, predicate and address.
    Dispatch(usize, usize, usize),
    /// Predicate.
    Idle(usize),
    /// Address.
    Fork(usize),
    /// Address.
    Jump(usize),
    /// Predicate and address.
    Branch(usize, usize),
    /// So many calls follow whose drivers only copy. It is put in when the records are laid.
    Copies(usize),
}

impl Op {
    /// Where it leads, if elsewhere.
    pub fn target(&self) -> Option<usize> {
        let mut op = *self;
        op.target_mut().copied()
    }

    pub(crate) fn target_mut(&mut self) -> Option<&mut usize> {
        match self {
            Op::Future(_, target)
            | Op::Branch(_, target)
            | Op::Dispatch(_, _, target)
            | Op::Fork(target)
            | Op::Jump(target) => Some(target),
            Op::Return | Op::Call(_) | Op::Release(..) | Op::Idle(_) | Op::Copies(_) => None,
        }
    }
}

/// A predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Holds always.
    True,
    /// Never holds.
    Never,
    /// Ticks and parts of one.
    After(u64, u32),
    /// A task.
    Released(usize),
    /// A task.
    Completed(usize),
    /// A port.
    Changed(usize),
    /// A port, when it holds (bits of [`compare`](giornata_core::micro::compare)), and
    /// the order key of the constant.
    Constant(usize, u32, u64),
    /// A port, and when it holds.
    Activation(usize, u32),
    /// An interrupt line, by its place among the system's.
    Interrupt(usize),
    /// A mailbox, by its slot.
    Message(usize),
    /// A driver.
    Upcall(usize),
}

/// How a program is replaced.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The process that may replace it.
    pub loader: usize,
    /// Threads of tasks by number.
    pub tasks: Vec<usize>,
    /// Drivers by number.
    pub drivers: Vec<usize>,
    /// Ports by number.
    pub ports: Vec<usize>,
    /// Interrupt lines by number.
    pub lines: Vec<usize>,
    /// Slots of mailboxes by number.
    pub mailboxes: Vec<usize>,
    /// Most that the bound of a module may be.
    pub most: u32,
    /// Instructions that there is room for, and predicates.
    pub room: (usize, usize),
    /// The tag of what runs first; 0: nothing.
    pub tag: u32,
}

/// A port.
#[derive(Clone, Debug, Default)]
pub struct Port {
    /// Physical address of its value, a multiple of 8; what it does not fill of the last 8
    /// bytes is 0.
    pub place: u64,
    /// Bytes.
    pub size: u32,
    /// Its type; `None`: opaque.
    pub order: Option<ValueType>,
    /// Its changes are traced.
    pub traced: bool,
    /// Processes that may read it by a call.
    pub readers: Vec<usize>,
    /// Processes that may write it by a call.
    pub writers: Vec<usize>,
}

/// What a driver does.
#[derive(Clone, Debug, Default)]
pub struct Driver {
    /// Tasks that must have no job meanwhile.
    pub touches: Vec<usize>,
    /// Those of which it reads what they put out.
    pub reads: Vec<usize>,
    /// Values that it moves, or gives to its upcall.
    pub moves: Vec<Move>,
    /// The device register that it reads into what it writes, or writes with what it reads:
    /// its address and bytes.
    pub register: Option<(u64, u32)>,
    /// The function of a process that it runs.
    pub upcall: Option<Upcall>,
    /// What a violation's handler calls it.
    pub local: u32,
}

/// A value that moves.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Physical address, a multiple of 8.
    pub from: u64,
    /// Where to.
    pub to: To,
    /// Bytes.
    pub size: u32,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// A port of a program.
    Port(usize),
    /// Memory of a process: a physical address, a multiple of 8.
    Place(u64),
}

/// A function of a process.
#[derive(Clone, Debug, Default)]
pub struct Upcall {
    /// The thread that runs it.
    pub thread: usize,
    /// Where it begins.
    pub entry: u64,
    /// The user address of its values.
    pub block: u64,
    /// Its second argument.
    pub body: u64,
    /// Ticks that it may take; 0: any.
    pub budget: u32,
    /// What it puts out.
    pub results: Vec<Move>,
}
