//! Stream graphs: filters, and what each waits for.
//!
//! ```text
//!                    end of an instance: balances of its position's increments
//!   runs  -----------------------------------------------+
//!    ^                                                    v
//!    |   first of the rank of streams       counter 0   counter > 0
//!   ready <-------------------------------------+      waits, in no list
//!    ^                                                    |
//!    +----------------------------------------------------+
//!            another's end brings its counter to 0
//! ```
//!
//! A filter waits for *balances*: of each channel that it takes tokens from, those that are
//! there less those that its next instance takes; of each that it puts tokens in, the room less
//! what it puts. Its counter is the number of its balances below zero, and its thread is ready
//! while that is 0: the Counter Invariant. An instance's end changes the balances of the
//! filter's own channels, no others, so its work does not depend on the size of the graph. All
//! filters have one rank, below every other thread, in which they take turns. (Louise and
//! others: *Psigma*, section 3.1.2.)
//!
//! The kernel knows nothing of tokens, channels and where these lie.

use core::cell::Cell;

use crate::{Rank, Ref, Thread, record};

#[cfg(feature = "streams")]
mod complete;
#[cfg(feature = "streams")]
mod invariants;
#[cfg(feature = "streams")]
mod life;
#[cfg(not(feature = "streams"))]
mod none;

record! {
    /// All stream graphs of the system.
    pub struct Streams {
        /// Where filters are ready.
        pub(crate) rank: Rank,
        /// The filters.
        pub filters: &'static [Filter],
        /// What they wait for.
        pub balances: &'static [Balance],
    }

    /// A filter: a thread that runs one instance after the other.
    pub struct Filter {
        /// It.
        pub thread: Ref<Thread>,
        /// How many of its balances are below zero.
        pub(crate) counter: Cell<u32>,
        /// The position of its next instance, or of the one that runs.
        pub(crate) position: Cell<u32>,
        /// How often it has been through its positions: low word, high word.
        pub(crate) cycles: [Cell<u32>; 2],
        /// How many increments of that position have been added: not 0 while the end of an
        /// instance has begun and is not done.
        pub(crate) added: Cell<u32>,
        /// The first argument of its thread, which says to the process which filter it is.
        pub argument: usize,
        /// Its cycle.
        pub positions: &'static [Position],
    }

    /// A position of a filter's cycle.
    pub struct Position {
        /// What its end adds.
        pub increments: &'static [Increment],
    }

    /// A change of one balance.
    pub struct Increment {
        /// Which.
        pub balance: Ref<Balance>,
        /// What is added, as two's complement.
        pub change: u32,
    }

    /// What a filter waits for: what is there less what its next instance needs.
    pub struct Balance {
        /// It, as two's complement.
        pub(crate) value: Cell<u32>,
        /// Who waits while it is below zero.
        pub filter: Ref<Filter>,
    }
}

impl Balance {
    /// Its value.
    pub fn value(&self) -> i32 {
        self.value.get().cast_signed()
    }
}

impl Filter {
    /// How many of its balances are below zero.
    pub fn counter(&self) -> u32 {
        self.counter.get()
    }

    /// The position of its next instance, or of the one that runs.
    pub fn position(&self) -> u32 {
        self.position.get()
    }

    /// Whether the end of an instance has begun and is not done.
    pub fn is_ending(&self) -> bool {
        self.added.get() != 0
    }
}
