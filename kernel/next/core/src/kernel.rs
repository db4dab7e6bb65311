//! All there is to one hart.

use core::cell::Cell;

use crate::interrupt::LINES;
use crate::ready::LEVELS;
use crate::thread::role;
use crate::{Agenda, Line, Machine, Object, Outcome, Rank, Ref, Thread, Trace, record};

record! {
    /// The record of a hart: its queues, its trace, what waits for it.
    pub struct Kernel {
        /// The most urgent rank in which a thread is ready; the idle rank at least.
        pub(crate) top: Cell<Ref<Rank>>,
        /// The first of the top: whose turn it is.
        pub(crate) slot: Cell<Ref<Thread>>,
        /// Time events.
        pub agenda: Agenda,
        /// What happened, and whom the hart charges.
        pub trace: Trace,
        /// Stands for the list of threads that wait in none.
        pub(crate) nowhere: Ref<Object>,
        /// A rank for each fixed priority, most urgent first.
        pub(crate) ranks: Ref<[Rank; 256]>,
        /// The level of the deadline band.
        pub(crate) band: u32,
        /// The rank of deadlines that was opened last below the top.
        pub(crate) hint: Cell<Ref<Rank>>,
        /// Levels that are open, of those that another was opened above.
        pub(crate) open: [Cell<u32>; LEVELS],
        /// The interrupt line of each number.
        pub(crate) lines: [Option<Ref<Line>>; LINES],
        /// The thread that runs when no other can.
        pub(crate) idle: Ref<Thread>,
        /// All threads, by number.
        pub threads: &'static [Thread],
    }
}

impl Kernel {
    /// At boot: the threads that begin then are ready. The first of them runs.
    pub fn start<M: Machine>(&self) -> Outcome {
        let now = M::now();
        self.trace.since.set(now);
        self.agenda.begin(now);
        M::alarm(self.agenda.next(), now);
        for thread in self.threads {
            if thread.place.role & role::AUTOSTART != 0 {
                thread.waits.set(None);
                self.insert(thread);
            }
        }
        self.go()
    }

    /// Whose turn it is: the first of the ready queue.
    pub fn slot(&self) -> Ref<Thread> {
        self.slot.get()
    }

    /// The thread that runs when no other can.
    pub fn idle(&self) -> Ref<Thread> {
        self.idle
    }
}
