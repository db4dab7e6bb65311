//! What the kernel needs of the machine it runs on.

use crate::event::Beginning;
use giornata_abi::Ticks;
use giornata_abi::call::Answer;
use giornata_abi::load::Section;
use giornata_abi::system::{Bank, ProgramEntry, RegionEntry};
use giornata_abi::trace::TraceRecord;

/// An address range that is not wholly in the process's memory with the needed rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadAddress;

/// What a process may do with memory that it shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Read and write it.
    Write,
}

/// Most bytes that one [`Hardware::read`] or [`Hardware::write`] moves: the
/// longest copy between two looks at pending interrupts.
pub const CHUNK: usize = 64;

/// The machine at the edge of the kernel: memory of processes, device
/// registers, interrupt lines, the clock. Implemented by `image` for a board
/// and by `sim` for the host. Nothing here blocks.
pub trait Hardware {
    /// Copies `length` bytes (at most [`CHUNK`]) of user memory of `process`
    /// into the front of `to`, a little-endian word after the other, after
    /// checking that the process may read all of it; answers whether `to` held
    /// anything else there before. O(bytes).
    fn read(
        &mut self,
        process: u16,
        from: usize,
        to: &mut [u64],
        length: usize,
    ) -> Result<bool, BadAddress>;

    /// Copies the first `length` bytes (at most [`CHUNK`]) of `from` into user
    /// memory of `process` after checking that the process may write all of it;
    /// writes nothing on error. O(bytes).
    fn write(
        &mut self,
        process: u16,
        to: usize,
        from: &[u64],
        length: usize,
    ) -> Result<(), BadAddress>;

    /// Loads a device register of 1, 2, 4 or 8 bytes that the manifest grants.
    fn load_register(&mut self, address: u32, width: u8) -> u64;

    /// Stores to a device register of 1, 2, 4 or 8 bytes that the manifest grants.
    fn store_register(&mut self, address: u32, width: u8, value: u64);

    /// Lets an interrupt line come (again): unmask, or complete the last one.
    fn open_interrupt(&mut self, number: u16);

    /// Masks an interrupt line.
    fn close_interrupt(&mut self, number: u16);

    /// Whether an interrupt waits that the caller of the kernel can hand in: then
    /// work that is long is left for that. Asked between two pieces. O(1).
    fn is_interrupted(&mut self) -> bool;

    /// Restores a piece of a process's memory to its state before the start:
    /// `offset` counts from the first byte of its data through the zeroed
    /// rest. At most 1 KiB a call; answers the offset of the next piece, or `None`
    /// when all is restored.
    fn restore_memory(&mut self, process: u16, offset: u32) -> Option<u32>;

    /// Opens a region to user mode of a process and to copies from and to it, or
    /// closes it. `granted` is what the system's tables say of the region in that
    /// process. O(1).
    fn share(&mut self, process: u16, region: &RegionEntry, granted: u16, access: Option<Access>) {
        let _ = (process, region, granted, access);
    }

    /// Zeroes a piece of a region, from `offset` on: at most 1 KiB a call; answers
    /// the offset of the next piece, or `None` when all is zero.
    fn clear(&mut self, region: &RegionEntry, offset: u32) -> Option<u32> {
        let _ = (region, offset);
        None
    }

    /// The 32-bit word at `offset` of a thread's control page; 0 for a thread
    /// that has none. O(1).
    fn load_control(&mut self, thread: u16, offset: usize) -> u32;

    /// Writes it; nothing happens for a thread that has none. O(1).
    fn store_control(&mut self, thread: u16, offset: usize, value: u32);

    /// Writes its words from the first on.
    fn store_job(&mut self, thread: u16, words: [u32; 6]) {
        for (offset, word) in (0..).step_by(4).zip(words) {
            self.store_control(thread, offset, word);
        }
    }

    /// Where a byte of the process's data lies for devices; `None` if it is none. O(1).
    fn device_address(&mut self, process: u16, address: usize) -> Option<usize> {
        let _ = (process, address);
        None
    }

    /// Writes the first `length` bytes of `records` into a table of the spare
    /// bank, from record `first` on; answers whether there is one that long.
    fn stage(&mut self, section: Section, first: usize, records: &[u64], length: usize) -> bool {
        let _ = (section, first, records, length);
        false
    }

    /// Copies a few records of a table from the bank in use to the spare one.
    fn restage(&mut self, section: Section, first: usize, count: usize) {
        let _ = (section, first, count);
    }

    /// Writes an entry of the spare bank's programs.
    fn stage_entry(&mut self, program: u16, entry: &ProgramEntry) {
        let _ = (program, entry);
    }

    /// The spare bank takes the place of the one in use, which nobody reads from
    /// now on: the new one's tables. `None`: there is none.
    fn flip(&mut self) -> Option<Bank<'static>> {
        None
    }

    /// A thread leaves the kernel with this answer of its system call when it
    /// runs next. O(1).
    fn answer(&mut self, thread: u16, answer: Answer);

    /// The same with [`Answer::DONE`].
    fn finish(&mut self, thread: u16) {
        self.answer(thread, Answer::DONE);
    }

    /// A thread leaves the kernel at its beginning when it runs next, whatever
    /// it was at. O(1).
    fn start(&mut self, thread: u16, beginning: Beginning);

    /// The timer's count.
    fn now(&mut self) -> Ticks;

    /// Appends a record to the hart's trace ring. O(1).
    fn trace(&mut self, record: TraceRecord);

    /// Appends a record for each word of a value: `record` with the word in
    /// `y`, its byte offset in `detail`. O(words).
    fn trace_value(&mut self, record: TraceRecord, value: &[u64]) {
        for (detail, y) in (0..).step_by(8).zip(value) {
            self.trace(TraceRecord {
                detail,
                y: *y,
                ..record
            });
        }
    }
}
