//! The trace ring: records of 16 bytes, each by four stores.
//!
//! ```text
//! word 0   low word of the clock in ticks (Kind::More: text or value)
//! word 1   kind | hart << 8 | subject << 16
//! word 2   by kind
//! word 3   by kind
//! ```
//! Subjects are indices of the system's tables: threads, ports, drivers, processes and
//! programs are numbered as in the name map.
//!
//! # The ring
//! It is a power of two of bytes, mapped read-only into its readers; record n since
//! boot lies at `(16 * n) % bytes`. [`Call::TracePosition`] returns the bytes written
//! since boot modulo 2^32: a reader that asks before and after it copies knows what it
//! copied whole, and how much it lost. It asks more often than 2^32 bytes are written.
//!
//! # Time
//! The Window Invariant: between two readings of the clock in the ring lie less than
//! 2^31 + 2^28 ticks, because the kernel writes a [`Kind::Epoch`] whenever bit 31 of the
//! clock's low word changes, at the latest when it is next entered; and no logical
//! instant is stamped that is 2^30 ticks old. So a decoder that knows the latest 64-bit
//! time so far knows that of the next record: it is the one time with this low word in
//! `[latest - 2^30, latest + 2^32 - 2^30)`, see [`extended`]. Epoch, boot and lost
//! records say their high word.
//!
//! # Logical instants
//! Word 0 of the kinds marked *logical* is the low word of the logical instant, and
//! not of the clock. A [`Kind::Entered`] before them says when the kernel was entered
//! for that instant, if that is not the same tick; a [`Kind::Fraction`] what part of a
//! tick lies beyond it, if it is not a whole one. Both hold for the records of their
//! hart that are stamped with the same instant.
//!
//! [`Call::TracePosition`]: crate::call::Call::TracePosition

/// A record.
pub type Words = [u32; 4];

/// Bytes of a record.
pub const BYTES: usize = 16;
/// What [`Kind::Boot`] says the format is.
pub const FORMAT: u16 = 2;
/// First byte of a frame on a wire that holds a record: its number since boot and its
/// words follow, 21 bytes in all before stuffing. Numbers count modulo 2^28, as bytes do
/// modulo 2^32: the upper bits of the word tell nothing.
pub const FRAME: u8 = 2;
/// First byte of a frame that holds 16 bytes of the machine's memory, with their address in
/// the place of the number: what the kernel sends of its records when the machine stops.
pub const MEMORY: u8 = 3;
/// Bytes of a frame before stuffing.
pub const FRAME_BYTES: usize = 1 + 4 + BYTES;
/// No thread, no task, no driver: the idle thread as a subject.
pub const NONE: u16 = u16::MAX;
/// How far back a stamp may lie: see the Window Invariant.
pub const WINDOW_BACK: u64 = 1 << 30;
/// Most bytes in a head record ([`Kind::Log`], [`Kind::FaultText`]).
pub const HEAD_TEXT: usize = 4;
/// Bytes in a [`Kind::More`].
pub const MORE: usize = 12;
/// Most bytes of text in a head record and the one behind it.
pub const TEXT: usize = HEAD_TEXT + MORE;

/// Word 3 of [`Kind::Switch`]: in its low byte why the hart runs another thread.
pub mod reason {
    /// The thread that is left called, or was preempted.
    pub const NONE: u32 = 0;
    /// The job of the thread that is left has completed: instead of a
    /// [`Kind::Complete`](super::Kind::Complete).
    pub const COMPLETE: u32 = 1;
    /// An interrupt was delivered, the line in the upper half: instead of a
    /// [`Kind::Interrupt`](super::Kind::Interrupt).
    pub const INTERRUPT: u32 = 2;
    /// The thread runs in the place of another one, which is in the upper half.
    pub const HELPS: u32 = 3;
    /// Beside `COMPLETE`, also in word 2 of [`Kind::Complete`](super::Kind::Complete):
    /// the job completed after its deadline.
    pub const LATE: u32 = 0x100;
}

/// The deadline of a [`Kind::Release`] that is farther ahead than a word can say.
pub const FAR: u32 = u32::MAX;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal,)*) => {
        /// What a record tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Kind { $($(#[doc = $doc])* $name = $code,)* }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// The kind with this code.
            pub const fn from_code(code: u8) -> Option<Kind> {
                match code { $($code => Some(Kind::$name),)* _ => None }
            }

            /// The kind's name.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$name => stringify!($name),)* }
            }
        }
    };
}

kinds! {
    /// The first record. subject: [`FORMAT`]; 2: timer ticks a second; 3: records that the ring holds. One `More` follows: hash of the system tables (low, high), high word of the clock.
    Boot = 0,
    /// The hart runs another thread. subject: the thread that is left; 2: in the upper half the thread that runs; 3: a [`reason`]. [`NONE`] is idle.
    Switch = 1,
    /// Tasks were released together. Logical. subject: the first thread; 2: which, see [`members`]; 3: deadline in ticks after the instant, 0 = none, [`FAR`] = at least so far.
    Release = 2,
    /// A job completed and no switch record tells it. subject: its thread; 2: 0 or [`reason::LATE`]; 3: the job's number, 0 = as counted by releases.
    Complete = 3,
    /// The clock. 2: its high word.
    Epoch = 4,
    /// A violation. Logical. subject: program; 2: [`Violation`](crate::trace::Violation) | handled << 8; 3: thread of the task | driver << 16 ([`NONE`]: none).
    Violation = 5,
    /// A port's value after a driver wrote it. Logical. subject: port; 2, 3: its first 8 bytes. As many `More` follow as its size needs.
    Port = 6,
    /// An interrupt was delivered and no switch record tells it. subject: its line.
    Interrupt = 7,
    /// A process faulted. subject: process; 2: [`FaultCause`](crate::trace::FaultCause), and in the upper half the bytes that are to come in [`FaultText`](Kind::FaultText) (fewer if they cannot be read); 3: low word of the program counter, of a panic the address of those bytes. One `More` follows: its high word, and low and high word of the address that was reached for, of a panic its third argument.
    Fault = 8,
    /// Part of what a panic tells, or of the stack from the pointer in [`Registers`](Kind::Registers) on. subject: process; 2: byte offset; 3: 4 bytes. One `More` follows: 12 bytes, zero where nothing more could be read.
    FaultText = 9,
    /// A process ended or was restarted. subject: process; 2: 0 stopped, 1 restarted; 3: generation.
    Process = 10,
    /// Text of a process. subject: thread; 2: bytes (1..=16), bit 8 set when more of the text follows; 3: its first 4 bytes. One `More` follows if there are more than 4.
    Log = 11,
    /// 12 bytes more of the record before it, of the same hart, in words 0, 2 and 3.
    More = 12,
    /// The system stops. subject: exit status.
    Stop = 13,
    /// An upcall began (1) or ended (0 returned, 2 overrun, 3 fault). Logical. subject: driver; 2: which; 3: returned value, low word.
    Upcall = 14,
    /// Written by a reader instead of records that were overwritten before it read them. 0: as of the record that follows; 2: how many; 3: high word of the time of the record that follows.
    Lost = 15,
    /// A logical instant is no whole tick. Logical. 2: numerator; 3: denominator of the part of a tick beyond it.
    Fraction = 16,
    /// A program has other microcode from this instant on. Logical. subject: program; 2: a [`How`](crate::load::How); 3: the tag of its module (0 = it is empty).
    Change = 17,
    /// The kernel was entered for a logical instant. Logical. 2: low word of the clock then.
    Entered = 18,
    /// Of a fault that is no panic, before it; also of a process that its supervisor ended, of the thread that says best what it was at. subject: the thread; 2: low word of its stack pointer; 3: low word of its return address, 0 if that is on its stack.
    Registers = 19,
    /// A thread has another priority of its own; in kernels for POSIX, also one that was created. subject: the thread; 2: the priority, that of the deadline band if it runs by deadlines, and in the upper half the thread that asked for it, or itself if it is a sporadic server that has used its budget up or has it again; 3: 0, or of `SetPolicy` 1 and the [`policy`](crate::posix::policy) in the second byte.
    Priority = 20,
    /// A thread is called something. subject: the thread; 2: bytes (0..=16); 3: the first 4 bytes. One `More` follows.
    Name = 21,
}

/// Word 1.
#[inline(always)]
pub const fn head(kind: Kind, hart: u8, subject: u16) -> u32 {
    kind as u32 | (hart as u32) << 8 | (subject as u32) << 16
}

/// Kind, hart and subject of a word 1; `None` for a kind that this version does not know.
pub const fn split_head(word: u32) -> (Option<Kind>, u8, u16) {
    (
        Kind::from_code(word as u8),
        (word >> 8) as u8,
        (word >> 16) as u16,
    )
}

/// The 64-bit time of a record with this word 0, when the latest of those before it is
/// `latest`: see the Window Invariant. Times before 0 count as 0.
pub const fn extended(latest: u64, low: u32) -> u64 {
    let ahead = (low.wrapping_sub(latest as u32)).wrapping_add(WINDOW_BACK as u32) as u64;
    match ahead < WINDOW_BACK {
        true => latest.saturating_sub(WINDOW_BACK - ahead),
        false => latest.saturating_add(ahead - WINDOW_BACK),
    }
}

/// Which tasks a [`Kind::Release`] releases.
///
/// Bit 31 clear: thread `first + i` for each bit i that is set, of bits 0 to 30.
/// Bit 31 set: the `n` threads from `first` on, with n in bits 0 to 15. The builder
/// makes this word once for a group of tasks.
pub mod members {
    /// The word says how many threads, one after the other.
    pub const RUN: u32 = 1 << 31;
    /// The first thread only.
    pub const ONE: u32 = 1;

    /// The threads that a word names, in order; numbers of no thread are left out.
    pub fn threads(first: u16, word: u32) -> impl Iterator<Item = u16> {
        let end = match word & RUN {
            0 => 31,
            _ => word & 0xFFFF,
        };
        (0..end)
            .filter(move |index| word & RUN != 0 || word >> index & 1 != 0)
            .filter_map(move |index| first.checked_add(index as u16))
    }

    /// The first thread and the word of a set of threads in ascending order, if one
    /// record can name it.
    pub fn of(threads: &[u16]) -> Option<(u16, u32)> {
        let (first, last) = (*threads.first()?, *threads.last()?);
        let span = last.checked_sub(first)?;
        if usize::from(span) == threads.len() - 1 {
            return Some((first, RUN | threads.len() as u32));
        }
        let mut word = 0;
        for thread in threads {
            let index = thread.checked_sub(first).filter(|index| *index < 31)?;
            word |= 1 << index;
        }
        (span < 31).then_some((first, word))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn kinds_have_the_codes_that_they_are_found_by() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_code(*kind as u8), Some(*kind), "{}", kind.name());
        }
        assert_eq!(Kind::from_code(Kind::ALL.len() as u8), None);
    }

    #[test]
    fn a_head_comes_apart_as_it_was_put_together() {
        let word = head(Kind::Port, 3, 0xABCD);
        assert_eq!(word, 0xABCD_0306);
        assert_eq!(split_head(word), (Some(Kind::Port), 3, 0xABCD));
    }

    #[test]
    fn a_group_is_named_by_a_run_or_by_bits() {
        assert_eq!(members::of(&[7]), Some((7, members::RUN | 1)));
        assert_eq!(members::of(&[2, 3, 4]), Some((2, members::RUN | 3)));
        assert_eq!(members::of(&[2, 4, 32]), Some((2, 0b101 | 1 << 30)));
        assert_eq!(members::of(&[2, 33]), None);
        assert_eq!(members::of(&[]), None);
        let one: Vec<u16> = members::threads(9, members::ONE).collect();
        assert_eq!(one, [9]);
        let at_the_end: Vec<u16> = members::threads(65_534, members::RUN | 5).collect();
        assert_eq!(at_the_end, [65_534, 65_535]);
    }

    proptest! {
        #[test]
        fn a_group_that_has_a_word_is_read_back(
            first in 0u16..60_000, set in proptest::collection::btree_set(0u16..40, 1..20),
        ) {
            let threads: Vec<u16> = set.into_iter().map(|index| first + index).collect();
            if let Some((first, word)) = members::of(&threads) {
                let read: Vec<u16> = members::threads(first, word).collect();
                prop_assert_eq!(read, threads);
            } else {
                prop_assert!(threads[threads.len() - 1] - threads[0] >= 31);
            }
        }

        #[test]
        fn a_time_in_the_window_is_known_by_its_low_word(
            last in 0u64..1 << 62, ahead in -(1i64 << 30)..(3i64 << 30),
        ) {
            let time = last.saturating_add_signed(ahead);
            prop_assert_eq!(extended(last, time as u32), time);
        }
    }
}
