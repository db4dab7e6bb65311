//! The word of the clock goes on: the trace hears of its high word, and no deadline is
//! ever ambiguous.
//!
//! Deadlines are low words of instants, which compare rightly as long as all that live
//! span less than 2^31 ticks. Those to come are less than 2^30 ahead. Those that passed,
//! of threads that wait or starve, are looked at once in an epoch, a few at a time, and
//! kept from falling further behind than [`LONG`]: they still precede all others, in
//! their order.

use core::cell::Cell;

use giornata_abi::ring::{Kind, head};

use crate::machine::high_word;
use crate::{Machine, System, before};

/// Ticks from one epoch to the next.
const EPOCH: u32 = 1 << 28;
/// Ticks that a deadline can fall behind, but for an epoch.
pub(crate) const LONG: u32 = 1 << 29;
/// Records that are looked at in one go,
const PIECE: u32 = 8;
/// and ticks to the next go.
const PAUSE: u32 = 1 << 12;

/// A deadline has not passed longer ago than this instant.
pub(crate) fn keep(deadline: &Cell<u32>, oldest: u32) {
    if before(deadline.get(), oldest) {
        deadline.set(oldest);
    }
}

impl System {
    /// An epoch begins: the trace hears of the high word of the clock.
    pub(crate) fn begin_epoch<M: Machine>(&self, now: u32) {
        self.trace
            .write(now, head(Kind::Epoch, 0, 0), high_word::<M>(now), 0);
        self.looked.set(0);
        self.await_epoch::<M>(now, EPOCH);
    }

    /// At its end, and whenever more records are to be looked at: O(1).
    pub(crate) fn on_epoch<M: Machine>(&self) {
        let (now, first) = (M::now(), self.looked.get());
        self.looked.set(first.wrapping_add(PIECE));
        for ahead in 0..PIECE {
            let index = first.wrapping_add(ahead);
            if !self.keep_record(index as usize, now.wrapping_sub(LONG)) {
                return self.begin_epoch::<M>(now);
            }
        }
        self.await_epoch::<M>(now, PAUSE);
    }

    /// Looks at one of all records in which deadlines are. False if there is none of this
    /// index.
    fn keep_record(&self, index: usize, oldest: u32) -> bool {
        let Some(thread) = self.threads.get(index) else {
            return self.keep_mail(index.wrapping_sub(self.threads.len()), oldest);
        };
        self.keep_rank(thread.rank.get(), oldest);
        self.keep_rank(thread.own.get(), oldest);
        if let Some(task) = thread.place.task {
            self.keep_rank(&task.rank, oldest);
            self.keep_rank(&task.group.rank, oldest);
        }
        true
    }

    /// Comes back in so many ticks, or at the instant at which the machine stops: stops
    /// it when its time is up.
    fn await_epoch<M: Machine>(&self, now: u32, mut ahead: u32) {
        let [low, stop_high] = self.settings.stop;
        let (left, borrow) = low.overflowing_sub(now);
        let left_high = stop_high
            .wrapping_sub(M::high(now))
            .wrapping_sub(borrow as u32);
        if low | stop_high != 0 {
            match left_high as i32 {
                0 if left != 0 => ahead = ahead.min(left),
                ..=0 => self.stop::<M>(0),
                _ => {}
            }
        }
        self.set_alarm::<M>(self.epoch, now.wrapping_add(ahead));
    }
}
