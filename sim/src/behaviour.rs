//! What simulated threads do.

use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;
use giornata_abi::{Duration, Instant};

use crate::Results;
use crate::kernel::{Kernel, Memory};
use giornata_rt::host;

use crate::builder::ROOM;

/// One thing that a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Uses the processor for this long (rounded up to ticks).
    Compute(Duration),
    /// Makes a system call.
    Call(Call, [usize; 6]),
    /// Does what it may not.
    Fault(FaultCause),
    /// Ends as its kind does: completes the job, returns this value from the
    /// upcall, or exits.
    End(usize),
}

impl Act {
    /// A system call with its first arguments.
    pub fn call(call: Call, arguments: &[usize]) -> Act {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        Act::Call(call, all)
    }
}

/// What a thread sees when it is asked what it does next.
pub struct Moment<'m> {
    /// The thread.
    pub thread: u16,
    /// For an upcall's thread: the driver.
    pub driver: Option<u16>,
    /// Starts of this thread (or of this driver) so far, from 1; for a task the
    /// number of its job.
    pub number: u32,
    /// It is at its beginning.
    pub begins: bool,
    /// What its last system call returned; `None` if it has not called since
    /// it was last asked.
    pub answer: Option<Results>,
    /// The clock.
    pub now: Instant,
    /// `a0` at its start: the block of a task or upcall.
    pub block: usize,
    pub(crate) kernel: &'m mut dyn Kernel,
    pub(crate) process: Memory,
    pub(crate) states: &'m mut host::Memory,
    /// How often the process has begun anew.
    pub(crate) life: u32,
}

impl Moment<'_> {
    /// Physical address of bytes of the process's memory.
    fn place(&self, address: usize, length: usize) -> Option<usize> {
        let offset = address.checked_sub(self.process.data)?;
        let end = offset.checked_add(length)?;
        (end <= self.process.data_size).then_some(self.process.data_place + offset)
    }

    /// Reads the process's memory; `false`: it has none there.
    #[must_use]
    pub fn read(&self, address: usize, to: &mut [u8]) -> bool {
        let place = self.place(address, to.len());
        place
            .inspect(|place| self.kernel.read(*place, to))
            .is_some()
    }

    /// Writes the process's memory; `false`: it has none there.
    #[must_use]
    pub fn write(&mut self, address: usize, from: &[u8]) -> bool {
        let place = self.place(address, from.len());
        place
            .inspect(|place| self.kernel.write(*place, from))
            .is_some()
    }

    /// The value of a word of the block; 0 where there is none.
    pub fn load(&self, offset: usize, size: usize) -> u64 {
        let mut word = [0; 8];
        let _ = self.read(self.block + offset, &mut word[..size]);
        u64::from_le_bytes(word)
    }

    /// Writes a word of the block.
    pub fn store(&mut self, offset: usize, size: usize, value: u64) {
        let is_there = self.write(self.block + offset, &value.to_le_bytes()[..size]);
        debug_assert!(is_there, "the block is shorter");
    }

    /// User address of [`ROOM`] bytes that the process has for buffers.
    pub fn room(&self) -> usize {
        self.process.data + self.process.data_size - ROOM
    }
}

/// What decides what a thread does. Asked at its beginning, and whenever the
/// last act has been carried out.
pub trait Behaviour {
    /// The next act.
    fn next(&mut self, moment: &mut Moment<'_>) -> Act;
}

impl<F: FnMut(&mut Moment<'_>) -> Act> Behaviour for F {
    fn next(&mut self, moment: &mut Moment<'_>) -> Act {
        self(moment)
    }
}
