//! Orders to a timer: from any thread of the process to the one that calls its
//! handler, without locks.
//!
//! ```text
//!             set              take              begin, one shot
//!    idle -----------> posted -------> armed ---------------------> idle
//!      ^                 |  ^            |  |                     + handling
//!      |     cancel      |  |    set     |  | begin, periodic
//!      +-----------------+--|------------+  +------> armed + handling
//!                           +------------+
//! ```
//!
//! While the handler runs, HANDLING is set beside any of the three; `end` clears it.
//!
//! The Slot Invariant: a slot whose bit in `used` is set belongs to the thread that set
//! it; by posting it goes to the word, and from there to the thread that replaces the
//! word. So no thread reads what another writes.

use core::cell::UnsafeCell;

use super::Series;
use crate::restartable::Word;

/// The timer is set; without a slot: to what its thread knows.
const ARMED: u32 = 1 << 0;
/// The handler runs.
const HANDLING: u32 = 1 << 1;
/// Where the number of the posted slot begins, which counts from 1.
const SLOT: u32 = 2;

/// One that is posted, one that the timer's thread reads, and those of threads that
/// are preempted while they set the timer.
const SLOTS: usize = 8;

/// The orders of a timer.
pub(super) struct Orders {
    word: Word,
    used: Word,
    slots: UnsafeCell<[Series; SLOTS]>,
}

// SAFETY: the Slot Invariant.
unsafe impl Sync for Orders {}

impl Orders {
    /// None.
    pub(super) const fn new() -> Orders {
        Orders {
            word: Word::new(0),
            used: Word::new(0),
            slots: UnsafeCell::new([Series::NEVER; SLOTS]),
        }
    }

    /// Any thread: these expiries, in place of others. `EAGAIN`: no slot is free.
    pub(super) fn post(&self, series: Series) -> Result<(), giornata_abi::Error> {
        let slot = self.claim().ok_or(giornata_abi::Error::EAGAIN)?;
        // SAFETY: the Slot Invariant.
        unsafe { self.place(slot).write_volatile(series) };
        let word = ARMED | slot << SLOT;
        self.free(self.word.update(|before| before & HANDLING | word));
        Ok(())
    }

    /// Any thread: no expiries. Whether there were to be any and no handler runs.
    pub(super) fn cancel(&self) -> bool {
        let before = self.word.update(|before| before & HANDLING);
        self.free(before);
        before & (ARMED | HANDLING) == ARMED
    }

    /// The timer's thread: what has been posted; else what it knows, if that has
    /// not been cancelled.
    pub(super) fn take(&self, known: Option<Series>) -> Option<Series> {
        let before = self.word.update(|before| before & (ARMED | HANDLING));
        let slot = before >> SLOT;
        if slot == 0 {
            return known.filter(|_| before & ARMED != 0);
        }
        // SAFETY: the Slot Invariant.
        let series = unsafe { self.place(slot).read_volatile() };
        self.free(before);
        Some(series)
    }

    /// The timer's thread, at the instant that it knows: whether the handler is to be
    /// called, after which the timer is idle if that `is_last`.
    pub(super) fn begin(&self, is_last: bool) -> bool {
        let after = if is_last { HANDLING } else { ARMED | HANDLING };
        self.word.compare_exchange(ARMED, after).is_ok()
    }

    /// The timer's thread: the handler has returned.
    pub(super) fn end(&self) {
        self.word.update(|before| before & !HANDLING);
    }

    /// The lowest slot that nobody has.
    fn claim(&self) -> Option<u32> {
        const ALL: u32 = (1 << SLOTS) - 1;
        let before = self.used.update(|used| (used | (used + 1)) & ALL);
        (before != ALL).then(|| before.trailing_ones() + 1)
    }

    /// Gives back the slot that was in the word, if there was one.
    fn free(&self, word: u32) {
        if let Some(bit) = (word >> SLOT).checked_sub(1) {
            self.used.update(|used| used & !(1 << bit));
        }
    }

    /// Where a slot lies.
    fn place(&self, slot: u32) -> *mut Series {
        let first = self.slots.get().cast::<Series>();
        first.wrapping_add(slot as usize - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::{Error, Instant};

    fn at(instant: u64) -> Series {
        Series::single(Instant(instant))
    }

    fn next(series: Option<Series>) -> Option<u64> {
        series.map(|series| series.next().0)
    }

    #[test]
    fn the_last_order_is_the_one_that_counts() {
        let orders = Orders::new();
        assert_eq!(next(orders.take(None)), None);
        for instant in 1..=100 {
            orders.post(at(instant)).unwrap();
        }
        let taken = orders.take(None);
        assert_eq!(next(taken), Some(100));
        assert_eq!(next(orders.take(taken)), Some(100), "still set");
        assert!(orders.cancel() && !orders.cancel());
        assert_eq!(next(orders.take(taken)), None);
        assert_eq!(orders.used.load(), 0, "all slots are free");
    }

    #[test]
    fn what_was_cancelled_or_replaced_does_not_begin() {
        let orders = Orders::new();
        orders.post(at(1)).unwrap();
        assert!(!orders.begin(true), "the thread does not know it yet");
        let taken = orders.take(None);
        orders.post(at(2)).unwrap();
        assert!(!orders.begin(true), "it knows another");
        orders.take(taken);
        orders.cancel();
        assert!(!orders.begin(true), "it was cancelled");
    }

    #[test]
    fn a_cancellation_while_the_handler_runs_says_so() {
        let orders = Orders::new();
        orders.post(at(1)).unwrap();
        let taken = orders.take(None);
        assert!(orders.begin(false));
        assert!(!orders.cancel());
        orders.post(at(2)).unwrap();
        assert!(!orders.cancel(), "it runs still");
        orders.end();
        assert_eq!(next(orders.take(taken)), None);
        orders.post(at(3)).unwrap();
        assert!(orders.cancel());
    }

    #[test]
    fn one_expiry_leaves_the_timer_idle_and_many_leave_it_armed() {
        let orders = Orders::new();
        for (is_last, is_set) in [(true, false), (false, true)] {
            orders.post(at(1)).unwrap();
            let taken = orders.take(None);
            assert!(orders.begin(is_last));
            orders.end();
            assert_eq!(orders.take(taken).is_some(), is_set);
        }
    }

    #[test]
    fn when_all_slots_are_taken_the_next_is_refused() {
        let orders = Orders::new();
        let claimed: std::vec::Vec<_> = (0..8).map(|_| orders.claim()).collect();
        assert_eq!(claimed, (1..=8).map(Some).collect::<std::vec::Vec<_>>());
        assert_eq!(orders.post(at(1)), Err(Error::EAGAIN));
        orders.free(3 << SLOT);
        assert_eq!(orders.post(at(1)), Ok(()));
        assert_eq!(next(orders.take(None)), Some(1));
    }

    #[test]
    fn no_order_of_many_threads_is_torn_or_lost() {
        let orders = Orders::new();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let orders = &orders;
                scope.spawn(move || {
                    for round in 0..1000 {
                        let value = thread * 1000 + round;
                        let period = giornata_abi::Duration(value + 1);
                        let series = Series::periodic(Instant(value), period).unwrap();
                        orders.post(series).unwrap();
                    }
                });
            }
            let mut known = None;
            for _ in 0..10_000 {
                known = orders.take(known);
                if let Some(mut series) = known {
                    let at = series.next();
                    assert_eq!(series.expire(at).at, at);
                    assert_eq!(series.next().0, 2 * at.0 + 1);
                }
            }
        });
        assert!(orders.take(None).is_some() || orders.cancel());
        assert_eq!(orders.used.load(), 0);
    }
}
