//! What a hart was about, as far as its records have told.

use giornata_abi::ring::Kind;
use giornata_abi::{Instant, Ticks};

/// One hart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hart {
    /// Who runs, and since when.
    running: Option<(u16, u64)>,
    /// A logical instant, and when the kernel was entered for it.
    pub(crate) entered: Option<(u64, u64)>,
    /// A logical instant, and numerator and denominator of what part of a tick lies
    /// beyond it.
    pub(crate) fraction: Option<(u64, u32, u32)>,
    /// The last record, if more of it may come.
    pub(crate) awaited: Option<Awaited>,
}

/// A record of which more is to come.
#[derive(Clone, Debug)]
pub(crate) struct Awaited {
    pub(crate) kind: Kind,
    pub(crate) index: u64,
    pub(crate) subject: u16,
    pub(crate) tick: Ticks,
    /// Its words 2 and 3.
    pub(crate) words: [u32; 2],
    /// The logical instant of a port's value.
    pub(crate) at: Instant,
    /// Bytes of that which have come.
    pub(crate) offset: u32,
}

impl Hart {
    /// Another thread runs from `time` on; who ran before it, and for how long.
    pub(crate) fn switch(&mut self, thread: Option<u16>, time: u64) -> Option<(u16, u64)> {
        let next = thread.map(|thread| (thread, time));
        let before = std::mem::replace(&mut self.running, next);
        before.map(|(thread, since)| (thread, time.saturating_sub(since)))
    }

    /// For how long a thread has run by `time` since it was switched to, or since this
    /// was asked; 0 if it does not run.
    pub(crate) fn take_turn(&mut self, thread: u16, time: u64) -> u64 {
        match &mut self.running {
            Some((running, since)) if *running == thread => {
                time.saturating_sub(std::mem::replace(since, time))
            }
            _ => 0,
        }
    }
}
