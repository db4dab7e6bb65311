//! Linked code: what instructions refer to.
//!
//! Microcode stays portable outside the kernel. Here everything that it names has
//! been resolved, by the builder or by the kernel when code comes at run time: an
//! instruction is a tag and one reference, durations are ticks, a jump is the code
//! from its target on.

use core::cell::Cell;

use crate::micro::{Copies, Driver, Group, Port, Task};
use crate::{Line, Object, Ref, record, tagged};

/// Instructions from one address on; the end of it ends the block.
pub type Code = &'static [Cell<Op>];

tagged! {
    /// An instruction. Tags are the opcodes of module files, and one behind them.
    pub enum Op {
        /// Ends the block or thread.
        Return = 0,
        /// Runs a driver in logical zero time.
        Call(Ref<Driver>) = 1,
        /// Releases the tasks of a group.
        Release(Ref<Release>) = 2,
        /// Lets a block begin when its trigger is enabled.
        Future(Ref<Step>) = 3,
        /// Runs a task until it completes, or until a timeout.
        Dispatch(Ref<Step>) = 4,
        /// Gives the program's tasks nothing until a timeout.
        Idle(Ref<Step>) = 5,
        /// Begins a thread of S code.
        Fork(Ref<Step>) = 6,
        /// Goes elsewhere.
        Jump(Ref<Step>) = 7,
        /// Goes elsewhere if a test holds.
        Branch(Ref<Step>) = 8,
        /// Copies what the drivers of the calls behind it would, in their place.
        Copies(Ref<Copies>) = 9,
    }

    /// What a trigger, a timeout or a test waits for. Tags are the kinds of predicates
    /// of module files.
    pub enum Cause {
        /// Nothing: it holds always.
        True = 0,
        /// It never holds.
        Never = 1,
        /// A time after the reference time.
        After = 2,
        /// A task is released and has not completed.
        Released(Ref<Task>) = 3,
        /// A task is not released, or has completed its job.
        Completed(Ref<Task>) = 4,
        /// A port has another value than at activation.
        Changed(Ref<Port>) = 5,
        /// A port compares to a constant.
        Constant(Ref<Port>) = 6,
        /// A port compares to its value at activation.
        Activation(Ref<Port>) = 7,
        /// An interrupt came at this instant.
        Interrupt(Ref<Line>) = 8,
        /// A mailbox holds a message.
        Message(Ref<Object>) = 9,
        /// A function of a process returns true.
        Upcall(Ref<Driver>) = 10,
    }
}

record! {
    /// A predicate, for one address to which it leads.
    pub struct Wait {
        /// Its kind and subject.
        pub cause: Cell<Cause>,
        /// Of a time: ticks, low and high word. Of a constant: its order key, low and high
        /// word.
        pub value: [Cell<u32>; 2],
        /// Of a time: parts of a tick, in units of the program's. Of a comparison: bits of
        /// [`compare`].
        pub detail: Cell<u32>,
        /// The instant, by its number, in which it fired: it does so once in each.
        pub(crate) fired: Cell<u32>,
    }

    /// What an instruction needs that waits or goes elsewhere.
    pub struct Step {
        /// Of a dispatch: which task.
        pub task: Cell<Option<Ref<Task>>>,
        /// The trigger, timeout or test.
        pub wait: Cell<Ref<Wait>>,
        /// Where it leads.
        pub code: Cell<Code>,
    }

    /// What a release needs.
    pub struct Release {
        /// Which tasks.
        pub group: Cell<Ref<Group>>,
        /// From the instant to the deadline, in ticks; at most
        /// [`FARTHEST`](crate::sched::agenda::FARTHEST).
        pub ticks: Cell<u32>,
        /// And parts of a tick, in units of the program's.
        pub parts: Cell<u32>,
    }
}

/// When a comparison holds.
pub mod compare {
    use giornata_abi::load::compare;

    /// The port's value is less.
    pub const LESS: u32 = compare::LESS as u32;
    /// Both are equal.
    pub const EQUAL: u32 = compare::EQUAL as u32;
    /// It is greater.
    pub const GREATER: u32 = compare::GREATER as u32;
}
