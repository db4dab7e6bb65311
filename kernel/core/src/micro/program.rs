//! Programs, what of them waits, and the machine of the hart.

use core::cell::Cell;

use crate::micro::{Code, Driver, Group, Port, Release, Step, Task, Wait};
use crate::{Alarm, Line, Object, Process, Rank, Ref, Thread, record};

record! {
    /// A block that waits for its cause: a binding of the trigger queue, or (bit
    /// [`mode::S_THREAD`]) a thread of S code in the thread set.
    ///
    /// The Place Invariant: it stands in one list through `next`, that of free ones of its
    /// program, of its cause, of what is due, or of what is looked at in the next instant, as `mode`
    /// says; one that runs stands in none.
    pub struct Trigger {
        pub(crate) alarm: Alarm,
        /// Bits of [`mode`].
        pub(crate) mode: Cell<u32>,
        /// Order of activation.
        pub(crate) serial: Cell<u32>,
        /// The block; of a thread, where it goes on when its timeout expires.
        pub(crate) code: Cell<Code>,
        /// What it waits for, unless that is a time that is armed.
        pub(crate) wait: Cell<Option<Ref<Wait>>>,
        pub(crate) next: Cell<Option<Ref<Trigger>>>,
        /// Whose it is.
        pub program: Ref<Program>,
        /// The instant in which it is enabled; parts of a tick beyond it.
        pub(crate) due: Cell<u32>,
        pub(crate) rest: Cell<u32>,
        /// Of a port: its version or order key at activation. Of a time: the time. Of a
        /// handler: task and driver involved.
        pub(crate) state: [Cell<u32>; 2],
        /// The instant, by its number, in which it cannot fire.
        pub(crate) spent: Cell<u32>,
        /// The task that the thread dispatches, and the next thread that dispatches one.
        pub(crate) task: Cell<Option<Ref<Task>>>,
        pub(crate) peer: Cell<Option<Ref<Trigger>>>,
        /// Where the thread goes on when its task completes.
        pub(crate) then: Cell<Code>,
        /// Its reference time.
        pub(crate) reference: Time,
    }

    /// An exact time: low and high word of ticks, and parts of one.
    pub struct Time {
        pub(crate) low: Cell<u32>,
        pub(crate) high: Cell<u32>,
        pub(crate) rest: Cell<u32>,
    }

    /// A linked module.
    pub struct Program {
        /// Its blocks, by [`block`]; empty: it has none.
        pub code: [Cell<Code>; block::COUNT],
        /// Parts of a tick in which its durations count.
        pub parts: Cell<u32>,
        /// Instructions in one instant, at most; 0: the verifier has counted them.
        pub bound: Cell<u32>,
        /// What the verifier has counted: the bound from when a process of its tasks ends. The
        /// jobs of the dead end as they are released, so that a loop which runs a job each time
        /// comes to no end.
        pub counted_steps: u32,
        pub(crate) steps: Cell<u32>,
        /// The instant, by its number, of `steps`.
        pub(crate) counted: Cell<u32>,
        /// 1: a handler has got a bound of its own in it.
        pub(crate) exceeded: Cell<u32>,
        /// Free triggers, and free threads of S code: by the list of their alarms.
        pub(crate) free: [Cell<Option<Ref<Trigger>>>; 2],
        /// Threads of S code.
        pub(crate) threads: Cell<u32>,
        /// 1: S code governs its tasks, which changes when nothing is enabled any more.
        pub governed: Cell<u32>,
        /// The level at which S code runs its tasks; 0: their own urgency.
        pub level: u32,
        /// Its number in the trace.
        pub number: u32,
        /// All its triggers.
        pub triggers: &'static [Trigger],
        /// All its tasks, by group.
        pub groups: &'static [Group],
        /// Ports that tell a handler which task and driver.
        pub involved: [Option<Ref<Port>>; 2],
        /// How it is replaced, if it can be.
        pub change: Option<Ref<Change>>,
    }

    /// What a loader may name in a program, and where it puts code.
    pub struct Change {
        /// The process that may replace the program.
        pub loader: Ref<Process>,
        /// Tasks by number.
        pub tasks: &'static [Ref<Task>],
        /// Drivers by number.
        pub drivers: &'static [Ref<Driver>],
        /// Ports by number.
        pub ports: &'static [Ref<Port>],
        /// Interrupts by number.
        pub lines: &'static [Ref<Line>],
        /// Mailboxes by number.
        pub mailboxes: &'static [Ref<Object>],
        /// Most that the bound of a module may be.
        pub most: u32,
        /// A predicate that holds always.
        pub always: Ref<Wait>,
        /// Where code that comes is put; and the code that runs, if it is not the first.
        pub spare: Cell<Ref<Room>>,
        /// See `spare`.
        pub used: Cell<Ref<Room>>,
        /// The tag of what runs; 0: nothing.
        pub tag: Cell<u32>,
        /// Bits of what is asked for, see [`crate::micro`].
        pub(crate) asked: Cell<u32>,
        /// Rings when it may happen.
        pub(crate) alarm: Alarm,
        /// The instant before which it may not.
        pub(crate) until: [Cell<u32>; 2],
        /// What is asked for: its blocks.
        pub(crate) code: [Cell<Code>; block::COUNT],
        /// Its parts of a tick, bound and tag.
        pub(crate) frame: [Cell<u32>; 3],
    }

    /// Memory for code that comes at run time. Instruction number n refers to record n of
    /// `steps` or `releases`.
    pub struct Room {
        /// Instructions.
        pub code: Code,
        /// What they need.
        pub steps: &'static [Step],
        /// What they need.
        pub releases: &'static [Release],
        /// Predicates.
        pub waits: &'static [Wait],
    }

    /// The E and S machine of a hart: where it stopped, and what is due.
    pub struct Micro {
        /// The instant that is handled, or was; its number; parts of a tick beyond it.
        pub(crate) instant: Cell<u32>,
        pub(crate) count: Cell<u32>,
        pub(crate) rest: Cell<u32>,
        /// The number of the instant of which the trace tells.
        pub(crate) told: Cell<u32>,
        /// The block that was interrupted: its program (none: no block), its code, and the
        /// thread of S code that runs it.
        pub(crate) program: Cell<Option<Ref<Program>>>,
        pub(crate) code: Cell<Code>,
        pub(crate) s_thread: Cell<Option<Ref<Trigger>>>,
        /// What is due, in order.
        pub(crate) due: Cell<Option<Ref<Trigger>>>,
        /// Threads of S code came, went, or dispatch others.
        pub(crate) unsettled: Cell<u32>,
        /// 0: no handler runs; 1: one that interrupted no block; 2: one that did.
        pub(crate) handling: Cell<u32>,
        /// The record of the trigger whose block runs, for the next that is activated; and
        /// whether it is still in the agenda.
        pub(crate) unused: Cell<Option<Ref<Trigger>>>,
        pub(crate) again: Cell<u32>,
        /// What is looked at in the next instant: it fired in this one, or was asked.
        pub(crate) later: Cell<Option<Ref<Trigger>>>,
        /// Goes on with what was interrupted: a thread that lives in the kernel.
        pub thread: Ref<Thread>,
        /// Its level. While somebody as urgent runs, what falls due is latched.
        pub level: u32,
        /// What waits for a message.
        pub(crate) mail: Cell<Option<Ref<Trigger>>>,
        /// Threads of S code that dispatch a task, in order; the first has the hart.
        pub(crate) dispatchers: Cell<Option<Ref<Trigger>>>,
        /// The only thread that dispatches a task, if it has nothing unusual about it and nothing
        /// is due: while it stands here, one completion after another makes it go on without
        /// the event loop, and `running` is its task. See [`System::unsettle`].
        pub(crate) quick: Cell<Option<Ref<Trigger>>>,
        /// How much code it had left then.
        pub(crate) mark: Cell<usize>,
        /// The task that is ready because S code dispatches it.
        pub(crate) running: Cell<Option<Ref<Task>>>,
        /// Where it is ready, if deadlines decide: so that one task after another takes the
        /// same place in the queue.
        pub slot: Ref<Rank>,
        /// Changes of programs that wait for a safe instant.
        pub(crate) ripe: Cell<u32>,
        /// Changes that have happened.
        pub(crate) changes: Cell<u32>,
        /// Order of activation.
        pub(crate) serial: Cell<u32>,
        /// In which units.
        pub(crate) parts: Cell<u32>,
        /// Of the time that was computed last: what is left of a tick.
        pub(crate) remainder: Cell<u32>,
        /// The interrupt that came in it.
        pub(crate) line: Cell<Option<Ref<Line>>>,
        /// The block that a handler interrupted.
        pub(crate) outer: Cell<Code>,
        pub(crate) outer_thread: Cell<Option<Ref<Trigger>>>,
        /// How far the instruction has come that was interrupted: items, bytes of one; and
        /// whether they changed it.
        pub(crate) progress: Cell<u32>,
        pub(crate) offset: Cell<u32>,
        pub(crate) changed: Cell<u32>,
        /// The driver that is at work, and how far: a [`stage`]; and what its upcall
        /// returned.
        pub(crate) driver: Cell<Option<Ref<Driver>>>,
        pub(crate) stage: Cell<u32>,
        pub(crate) value: Cell<usize>,
        /// For whom: a trigger or timeout, or a branch that leads there.
        pub(crate) asker: Cell<Option<Ref<Trigger>>>,
        pub(crate) target: Cell<Code>,
        pub(crate) branches: Cell<u32>,
        /// Where upcalls are ready.
        pub(crate) reaction: Ref<Rank>,
        /// 64 bytes of memory, by their physical address.
        pub scratch: usize,
        /// All programs.
        pub programs: &'static [Program],
        /// All ports of programs, by number.
        pub ports: &'static [Port],
    }
}

/// Bits of [`Trigger::mode`].
pub mod mode {
    /// It is a binding, and its alarm is or was set for its time.
    pub const TIMED: u32 = 1;
    /// Its alarm is set.
    pub const ARMED: u32 = 2;
    /// It hangs on its cause.
    pub const HUNG: u32 = 4;
    /// It stands in the list of what is due.
    pub const DUE: u32 = 8;
    /// It is a thread of S code.
    pub const S_THREAD: u32 = 16;
    /// The task that the thread dispatches has completed.
    pub const COMPLETED: u32 = 32;
    /// The time-share violation of its dispatch has been reported.
    pub const REPORTED: u32 = 64;
    /// It is a handler of a violation.
    pub const HANDLER: u32 = 128;
    /// The interrupt came for which it waits.
    pub const CAME: u32 = 256;
    /// Instructions of its program are counted; never cleared.
    pub const COUNTED: u32 = 512;
    /// It stands in front in the list of what is due, and is not in its place yet.
    pub const UNPLACED: u32 = 1024;
}

/// How far a driver is; of an upcall that ended, what its record in the trace says.
pub mod stage {
    /// Its upcall has returned; the results are being copied.
    pub const RETURNED: u32 = 0;
    /// The upcall runs.
    pub const RUNNING: u32 = 1;
    /// It was stopped at its budget.
    pub const OVERRUN: u32 = 2;
    /// It faulted.
    pub const FAULT: u32 = 3;
    /// The values are being copied.
    pub const COPYING: u32 = 4;
}

/// What blocks of a program are for.
pub mod block {
    /// The first. Without one the program does nothing.
    pub const START: usize = 0;
    /// Begins a round that another module was to begin.
    pub const RESUME: usize = 1;
    /// Begins each round.
    pub const ROUND: usize = 2;
    /// Handles the first [`Violation`](giornata_abi::trace::Violation); the others follow.
    /// Without one there is the default action only.
    pub const HANDLERS: usize = 3;
    /// How many there can be.
    pub const COUNT: usize = 7;
}
