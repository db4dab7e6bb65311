//! One cause of trouble, and how often.

use giornata_abi::{Duration, Instant};
use giornata_system::expect::{Kind, Subject};

use crate::fault::Fault;

/// What sets apart causes of one kind that happen to one subject: where a process
/// faulted.
pub(super) type Place = (u32, u64);

/// One cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// What happened.
    pub(super) kind: Kind,
    /// To what.
    pub(super) subject: Subject,
    /// How often.
    pub(super) count: u64,
    /// When first.
    pub(super) first: Instant,
    /// The longest execution of a job that overran, or response of one that was late; by
    /// how much an instant was at most.
    pub(super) worst: Duration,
    /// What the trace says of the first.
    pub(super) fault: Option<Fault>,
    /// Times that a handler of the program took it.
    pub(super) handled: u64,
    /// Jobs that completed late after all.
    pub(super) late: u64,
    /// Times that the process was started again.
    pub(super) restarts: u64,
    /// Times that it stayed away.
    pub(super) stops: u64,
    /// Jobs that were stopped and drivers that were not called, because of it.
    pub(super) skipped: u64,
    /// Who had the processor, or owns the mutex, instead.
    pub(super) other: Option<u16>,
    /// The mutex that it waits for.
    pub(super) mutex: Option<u16>,
    pub(super) place: Place,
    /// The logical instant that was counted last.
    pub(super) last: Option<Instant>,
}

impl Finding {
    pub(super) fn new(kind: Kind, subject: Subject, first: Instant) -> Finding {
        Finding {
            kind,
            subject,
            count: 0,
            first,
            worst: Duration(0),
            fault: None,
            handled: 0,
            late: 0,
            restarts: 0,
            stops: 0,
            skipped: 0,
            other: None,
            mutex: None,
            place: (0, 0),
            last: None,
        }
    }

    /// Once more, if not at this logical instant already.
    pub(super) fn count_at(&mut self, at: Instant) {
        if self.last != Some(at) {
            self.last = Some(at);
            self.count += 1;
        }
    }
}
