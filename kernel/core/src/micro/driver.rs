//! Drivers, and the ports that they read and write.

use core::cell::Cell;

use crate::micro::{Group, Task, Trigger};
use crate::{Process, Ref, Thread, record};

record! {
    /// A port of a program. Its value lies in memory that no process reaches, at a multiple
    /// of 8 bytes, and what it does not fill of the last 8 is 0.
    pub struct Port {
        /// What waits for a change. (At the front: see `Line::watchers`.)
        pub(crate) watchers: Cell<Option<Ref<Trigger>>>,
        /// Where.
        pub place: usize,
        /// Bytes.
        pub size: u32,
        /// Its number in the trace.
        pub number: u32,
        /// 1: its changes are traced.
        pub traced: u32,
        /// The bit of its sign, low and high word; 0: its type has none.
        pub sign: [u32; 2],
        /// What makes a value with that bit an order key, by exclusive or; of others that is
        /// the bit itself.
        pub negative: [u32; 2],
        /// Counts its changes.
        pub(crate) version: Cell<u32>,
        /// Processes that may read it by a call.
        pub readers: &'static [Ref<Process>],
        /// Processes that may write it by a call.
        pub writers: &'static [Ref<Process>],
    }

    /// What a driver does.
    pub struct Driver {
        /// Tasks that must have no job meanwhile.
        pub touches: &'static [Touch],
        /// What is copied to where nobody waits for changes: 8 bytes each.
        pub copies: &'static [Copy],
        /// What is copied to ports of programs, behind that.
        pub writes: &'static [Write],
        /// The device register that it reads or writes; 0: none.
        pub register: usize,
        /// Bytes of it: 1, 2, 4, 8.
        pub width: u32,
        /// 0: there is nothing to it but at most four copies.
        pub is_not_short: u32,
        /// The function of a process that it runs.
        pub upcall: Option<Ref<Upcall>>,
        /// Its number in the trace.
        pub number: u32,
        /// What a violation's handler calls it.
        pub local: u32,
    }

    /// Tasks of one group.
    pub struct Touch {
        /// Their group.
        pub group: Ref<Group>,
        /// They.
        pub tasks: &'static [Ref<Task>],
        /// [`job::STOPPED`](super::job::STOPPED): the driver reads what they put out; else 0.
        pub reads: u32,
    }

    /// What a run of calls copies whose drivers do nothing else.
    pub struct Copies {
        /// Tasks that must have no job meanwhile; else the calls themselves run.
        pub touches: &'static [Touch],
        /// In the order of the calls.
        pub copies: &'static [Copy],
        /// How many calls there are, behind the instruction.
        pub calls: usize,
    }

    /// Eight bytes of a value.
    pub struct Copy {
        /// Physical address.
        pub from: usize,
        /// Physical address.
        pub to: usize,
    }

    /// A value of a port.
    pub struct Write {
        /// Physical address; 0: the value of the driver's register.
        pub from: usize,
        /// The port.
        pub port: Ref<Port>,
    }

    /// A function of a process, run in logical zero time.
    pub struct Upcall {
        /// The thread that runs it.
        pub thread: Ref<Thread>,
        /// Where it begins.
        pub entry: usize,
        /// Its first argument: the user address of its values.
        pub block: usize,
        /// Its second argument.
        pub body: usize,
        /// Ticks that it may take; 0: any.
        pub budget: u32,
        /// What it puts out.
        pub results: &'static [Write],
    }
}
