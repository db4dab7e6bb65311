//! One entry of the trigger queue.

use giornata_abi::id::NONE;
use giornata_abi::{Instant, LogicalTime};

use crate::chain::Link;

/// Marks a binding whose trigger is not a time trigger: no remainder is this large.
const UNTIMED: u32 = u32::MAX;

/// A trigger binding (g, a, s) of the trigger queue: 24 bytes.
///
/// A time trigger carries its due time, exact; any other the state of its
/// port at activation.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Due nanoseconds, or the port's state at activation.
    value: u64,
    /// Due remainder, or [`UNTIMED`].
    remainder: u32,
    /// The instant (by its serial number) in which it is not looked at any
    /// more; 0 = none.
    pub(crate) spent: u32,
    pub(crate) program: u16,
    /// Local predicate; NONE = the start of a program.
    pub(crate) predicate: u16,
    pub(crate) address: u16,
    next: u16,
}

impl Binding {
    /// A free slot.
    pub const EMPTY: Binding = Binding {
        value: 0,
        remainder: 0,
        spent: 0,
        program: NONE,
        predicate: NONE,
        address: 0,
        next: NONE,
    };

    pub(crate) const fn on_event(
        program: u16,
        predicate: u16,
        address: u16,
        state: u64,
    ) -> Binding {
        Binding {
            value: state,
            remainder: UNTIMED,
            program,
            predicate,
            address,
            ..Binding::EMPTY
        }
    }

    /// Fills a free slot in its place with a time trigger.
    pub(crate) fn set_timed(
        &mut self,
        program: u16,
        predicate: u16,
        address: u16,
        due: LogicalTime,
    ) {
        self.value = due.nanos;
        self.remainder = due.remainder;
        self.spent = 0;
        self.program = program;
        self.predicate = predicate;
        self.address = address;
    }

    /// A time trigger that is due at another time, a whole nanosecond.
    pub(crate) fn set_due(&mut self, due: Instant) {
        (self.value, self.remainder) = (due.0, 0);
    }

    /// When a time trigger is due; `None` for other triggers.
    pub(crate) const fn due(&self) -> Option<LogicalTime> {
        match self.remainder {
            UNTIMED => None,
            remainder => Some(LogicalTime {
                nanos: self.value,
                remainder,
            }),
        }
    }

    /// The state of the trigger's port at activation.
    pub(crate) const fn state(&self) -> u64 {
        self.value
    }

    /// Whether both bind the same trigger of the same program to the same address.
    pub(crate) const fn same_pair(&self, other: &Binding) -> bool {
        self.program == other.program
            && self.predicate == other.predicate
            && self.address == other.address
    }
}

impl Link for Binding {
    fn next(&self) -> u16 {
        self.next
    }
    fn set_next(&mut self, next: u16) {
        self.next = next;
    }
}
