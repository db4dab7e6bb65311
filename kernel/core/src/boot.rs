//! What boot checks before it lets the records count, and how a system begins and ends.

use core::cell::Cell;

use giornata_abi::ring::{FORMAT, Kind, head};

use crate::layout::{OnStreams, PRIME, Shape, Shaped, Target, fingerprint};
use crate::machine::high_word;
use crate::posix;
use crate::process::Image;
use crate::sched::account::Account;
use crate::sched::agenda::FARTHEST;
use crate::sched::thread::{Place, role};
use crate::streams;
use crate::trace::Entry;
use crate::{
    Handle, Hart, Line, Machine, Object, Outcome, Process, Rank, Region, System, Thread, micro,
    record,
};

/// What [`Boot::magic`] holds.
pub const MAGIC: u32 = u32::from_le_bytes(*b"GIO2");

/// Bytes that a machine may keep of the floating-point registers of a thread.
pub const FLOATING_BYTES: usize = 33 * 8;

/// The records of a system. One whose shape is not listed here could differ between
/// builder and kernel without either noticing.
const RECORDS: [Shape; 32] = [
    System::SHAPE,
    Hart::SHAPE,
    Thread::SHAPE,
    Place::SHAPE,
    Process::SHAPE,
    Image::SHAPE,
    Region::SHAPE,
    Object::SHAPE,
    Handle::SHAPE,
    Rank::SHAPE,
    Line::SHAPE,
    Entry::SHAPE,
    micro::Trigger::SHAPE,
    micro::Program::SHAPE,
    micro::Group::SHAPE,
    micro::Task::SHAPE,
    micro::Step::SHAPE,
    micro::Release::SHAPE,
    micro::Wait::SHAPE,
    micro::Driver::SHAPE,
    micro::Port::SHAPE,
    micro::Touch::SHAPE,
    micro::Copy::SHAPE,
    micro::Write::SHAPE,
    micro::Upcall::SHAPE,
    micro::Change::SHAPE,
    micro::Room::SHAPE,
    <OnStreams<streams::Streams>>::SHAPE,
    <OnStreams<streams::Filter>>::SHAPE,
    <OnStreams<streams::Position>>::SHAPE,
    <OnStreams<streams::Increment>>::SHAPE,
    <OnStreams<streams::Balance>>::SHAPE,
];

/// What [`Boot::layout`] holds.
pub const fn layout(target: Target) -> u32 {
    let (mut hash, mut at) = (target.width as u32, 0);
    while at < RECORDS.len() {
        hash = fingerprint(RECORDS[at], target, hash);
        at += 1;
    }
    hash
}

/// Tells whether records were changed on their way: any one word that differs makes
/// another sum (FNV-1a of words).
pub fn checksum(words: impl Iterator<Item = u32>) -> u32 {
    words.fold(0, |hash, word| (hash ^ word).wrapping_mul(PRIME))
}

/// Bits of [`Boot::flags`].
pub mod flag {
    /// When the machine stops, what is left of the trace goes to the console.
    pub const TRACE_TO_CONSOLE: u32 = 1;
}

record! {
    /// The front of the record of the system, and so of all records.
    pub struct Boot {
        /// [`MAGIC`].
        pub magic: u32,
        /// See [`layout`]: the builder and the kernel agree on every record.
        pub layout: u32,
        /// Bytes of the records, which lie in one piece, this one first.
        pub length: u32,
        /// Bytes behind them that are zero when the system begins.
        pub zeroed: u32,
        /// The [`checksum`] of the words behind this record.
        pub checksum: u32,
        /// Where the records lie: an address that the kernel knows.
        pub address: usize,
    }

    /// What the builder tells the kernel of the whole, and seldom matters.
    pub struct Settings {
        /// Bits of [`flag`].
        pub flags: u32,
        /// Ticks a second of the timer.
        pub hertz: u32,
        /// The machine stops at this tick with status 0: low word, high word. 0: never.
        pub stop: [u32; 2],
        /// Where the floating-point registers of threads are kept, by number; 0 if no
        /// process may use any. The architecture says how many bytes each has.
        pub floating: usize,
        /// Where the reader of the trace counts the records that it has sent on, in the
        /// memory of its process; 0: there is none.
        pub cursor: usize,
        /// The accounts of the threads, by number; none where no policy asks for them.
        pub(crate) accounts: &'static [Account],
        /// What the board's real-time clock showed at boot, in ns, and the tick of that: low
        /// and high word of each. All 0: the board has none, or nobody can ask for it.
        pub real_time: [Cell<u32>; 4],
    }
}

impl System {
    /// At boot: the threads that begin then are ready. The first of them runs.
    pub fn start<M: Machine>(&self) -> Outcome {
        let now = M::now();
        let records = self.trace.ring.len() as u32;
        self.hart().since.set(now);
        self.trace.write(
            now,
            head(Kind::Boot, 0, FORMAT),
            self.settings.hertz,
            records,
        );
        let (layout, high) = (self.boot.layout, high_word::<M>(now));
        self.trace
            .write(self.boot.checksum, head(Kind::More, 0, 0), layout, high);
        posix::note_real_time::<M>(self, now, high);
        self.agenda.begin(now);
        self.begin_epoch::<M>(now);
        for thread in self.threads {
            if thread.role & role::AUTOSTART != 0 && thread.process.is_alive() {
                thread.waits.set(None);
                self.insert(thread);
            }
        }
        self.start_streams();
        // (others are unmasked when a thread waits for them)
        for line in self.lines.iter().flatten() {
            if line.process.is_none() {
                M::unmask(line.number);
            }
        }
        // Logical time 0 is tick 0, unless the clock has run for long before.
        let is_early = high == 0 && now < FARTHEST;
        self.start_programs(if is_early { 0 } else { now });
        self.dispatch()
    }
}
