//! What there is once for all harts.

use core::cell::Cell;

use giornata_abi::Error;
use giornata_abi::ring::Kind;

use crate::boot::{Boot, Settings};
use crate::harts::Harts;
use crate::interrupt::LINES;
use crate::layout::{OnOne, OnSeveral, OnStreams};
use crate::process;
use crate::sched::ready::{LEVELS, TaskRecords};
use crate::streams::Streams;
use crate::{
    Agenda, Alarm, Hart, Line, Machine, Micro, Object, Outcome, Process, Rank, Ref, Region, Thread,
    Trace, record,
};

record! {
    /// The record of the system: its queues, its trace, what waits for an event. What is
    /// reached most lies in front, where compressed loads reach.
    pub struct System {
        /// What boot checks: the front of all records.
        pub boot: Boot,
        /// The most urgent rank in which a thread is ready; the idle rank at least.
        pub(crate) top: Cell<Ref<Rank>>,
        /// The first of the top: whose turn it is.
        pub first: Cell<Ref<Thread>>,
        /// Stands for the list of threads that wait in none.
        pub(crate) no_list: Ref<Object>,
        /// The serial number of the last question for something that others have.
        pub(crate) wait_serial: Cell<u32>,
        /// The level of the deadline band.
        pub(crate) band: u32,
        /// All threads, by number.
        pub threads: &'static [Thread],
        /// The E and S machine.
        pub micro: Micro,
        /// What happened.
        pub trace: Trace,
        /// The hart, if there is one.
        pub hart: OnOne<Hart>,
        /// The harts, if there are several.
        pub harts: OnSeveral<Harts>,
        /// The objects of the system, by slot.
        pub objects: &'static [Object],
        /// Makes the tokens of replies: the last one. Always odd, so none is 0; the same
        /// comes again after 2^31 calls, to one client and one server by then.
        pub(crate) token: Cell<u32>,
        /// Threads that a chain of waiting threads can have behind its first.
        pub(crate) depth: u32,
        /// Time events.
        pub agenda: Agenda,
        /// Rings at least once in 2^28 ticks,
        pub(crate) epoch: Ref<Alarm>,
        /// and so many records have been looked at since the epoch ended.
        pub(crate) looked: Cell<u32>,
        /// A rank for each fixed priority, most urgent first.
        pub(crate) ranks: Ref<[Rank; 256]>,
        /// The rank of deadlines that was opened last below the top.
        pub(crate) hint: Cell<Ref<Rank>>,
        /// Levels that are open, of those that another was opened above.
        pub(crate) open: [Cell<u32>; LEVELS],
        /// The processes of the system, by number.
        pub processes: &'static [Process],
        /// Regions of shared memory, by index.
        pub(crate) regions: &'static [Region],
        /// The interrupt line of each number.
        pub(crate) lines: [Option<Ref<Line>>; LINES],
        /// What seldom matters.
        pub settings: Settings,
        /// What the records of the task manager stand for, if there is one.
        pub(crate) task_records: TaskRecords,
        /// Stream graphs, if the kernel runs some.
        pub streams: OnStreams<Ref<Streams>>,
    }
}

impl System {
    /// Whose turn it is: the first of the ready queue.
    pub fn first(&self) -> Ref<Thread> {
        self.first.get()
    }

    /// Stops the machine.
    #[inline(never)]
    pub(crate) fn stop<M: Machine>(&self, status: usize) -> ! {
        let label = self.head(Kind::Stop, status as u16);
        self.trace.write(M::now(), label, 0, 0);
        M::stop(status)
    }

    /// Stops the machine, if the caller's process may.
    pub(crate) fn shutdown<M: Machine>(&self, me: Ref<Thread>, status: usize) -> Outcome {
        if me.process.grants & process::grant::SHUTDOWN == 0 {
            return Outcome::error(Error::EPERM);
        }
        if status > 255 {
            return Outcome::error(Error::EINVAL);
        }
        self.stop::<M>(status)
    }

    /// Bytes written into the trace ring since boot, for who reads it.
    pub(crate) fn trace_position(&self, me: Ref<Thread>) -> Outcome {
        match me.process.grants & process::grant::TRACE {
            0 => Outcome::error(Error::EPERM),
            _ => me.pair(self.trace.written.get() as usize, 0),
        }
    }

    /// What the records of the task manager stand for, for the agenda.
    #[cfg(feature = "rtm")]
    #[inline(always)]
    pub(crate) fn records(&self) -> crate::sched::agenda::Records {
        self.task_records
    }

    /// The same without one.
    #[cfg(not(feature = "rtm"))]
    #[inline(always)]
    pub(crate) fn records(&self) -> crate::sched::agenda::Records {
        crate::sched::agenda::Records
    }

    /// The thread that runs on the hart when no other can.
    #[inline(always)]
    pub fn idle(&self) -> Ref<Thread> {
        self.hart().idle
    }
}
