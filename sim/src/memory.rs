//! The memory of the simulated processes.

use giornata_abi::Record;
use giornata_abi::control::ControlPage;
use giornata_abi::system::{System, ThreadKind};
use giornata_core::BadAddress;
use giornata_rt::host;
use zerocopy::IntoBytes;

/// First address of a page that every simulated process has for itself, beside
/// what its tables name: buffers of scripts, messages of panics.
pub const SCRATCH: usize = 0x7000_0000;
/// Bytes of that page.
pub const SCRATCH_SIZE: usize = 4096;
/// Most bytes between the first and the last address that a process's tables name.
const LARGEST: usize = 1 << 26;

/// A run of addresses, readable and writable, aligned to 8 bytes.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    start: usize,
    words: Vec<u64>,
}

impl Segment {
    pub(crate) fn new(start: usize, end: usize) -> Segment {
        let start = start & !7;
        Segment {
            start,
            words: vec![0; end.saturating_sub(start).div_ceil(8)],
        }
    }

    /// The bytes of an address range, if it lies here wholly.
    pub(crate) fn range(&mut self, address: usize, length: usize) -> Option<&mut [u8]> {
        let offset = address.checked_sub(self.start)?;
        let bytes = self.words.as_mut_bytes();
        bytes.get_mut(offset..offset.checked_add(length)?)
    }

    /// Zeroes up to `most` bytes from `offset`; the next offset, or `None` at the end.
    pub(crate) fn clear(&mut self, offset: usize, most: usize) -> Option<usize> {
        let bytes = self.words.as_mut_bytes();
        let end = bytes.len().min(offset + most);
        bytes.get_mut(offset..end).unwrap_or_default().fill(0);
        (end < bytes.len()).then_some(end)
    }
}

/// The memory of one process: its control pages and blocks at the user
/// addresses that the tables name, the scratch page, and the states of its
/// functions.
pub struct ProcessMemory {
    area: Segment,
    scratch: Segment,
    states: host::Memory,
}

impl ProcessMemory {
    /// Memory for everything that the tables place in this process.
    ///
    /// # Panics
    /// If the addresses lie more than 64 MiB apart.
    pub fn of(system: &System<'_>, process: u16) -> ProcessMemory {
        let ranges = named_ranges(system, process);
        let start = ranges.iter().map(|(at, _)| *at).min().unwrap_or(0);
        let end = ranges.iter().map(|(at, size)| at + size).max().unwrap_or(0);
        assert!(
            end - start <= LARGEST,
            "process {process} spreads over {start:#x}..{end:#x}"
        );
        ProcessMemory {
            area: Segment::new(start, end),
            scratch: Segment::new(SCRATCH, SCRATCH + SCRATCH_SIZE),
            states: host::Memory::new(),
        }
    }

    /// The bytes of an address range that is wholly the process's.
    pub fn range(&mut self, address: usize, length: usize) -> Option<&mut [u8]> {
        match self.area.range(address, length) {
            Some(bytes) => Some(bytes),
            None => self.scratch.range(address, length),
        }
    }

    /// Copies memory out.
    pub fn read(&mut self, from: usize, to: &mut [u8]) -> Result<(), BadAddress> {
        to.copy_from_slice(self.range(from, to.len()).ok_or(BadAddress)?);
        Ok(())
    }

    /// Copies into memory.
    pub fn write(&mut self, to: usize, from: &[u8]) -> Result<(), BadAddress> {
        self.range(to, from.len())
            .ok_or(BadAddress)?
            .copy_from_slice(from);
        Ok(())
    }

    /// A little-endian word of up to 8 bytes; `None` where it is not the process's.
    pub fn word(&mut self, address: usize, size: usize) -> Option<u64> {
        let mut word = [0; 8];
        self.read(address, word.get_mut(..size)?).ok()?;
        Some(u64::from_le_bytes(word))
    }

    /// Where a body finds its block: the address to the end of the area, and
    /// the states of the process's functions.
    pub(crate) fn block(&mut self, address: usize) -> (&mut [u8], &mut host::Memory) {
        let offset = address.wrapping_sub(self.area.start);
        let bytes = self.area.words.as_mut_bytes();
        (
            bytes.get_mut(offset..).unwrap_or_default(),
            &mut self.states,
        )
    }

    /// Zeroes up to `most` bytes from `offset`; the next offset, or `None` at the end.
    pub(crate) fn restore(&mut self, offset: usize, most: usize) -> Option<usize> {
        self.states = host::Memory::new();
        self.scratch.words.fill(0);
        self.area.clear(offset, most)
    }
}

/// Everything that the tables place in a process: addresses and sizes.
fn named_ranges(system: &System<'_>, process: u16) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    for entry in system.threads.iter().filter(|t| t.process == process) {
        ranges.push((entry.control as usize, ControlPage::SIZE));
        if entry.kind == ThreadKind::Task as u8 {
            ranges.push((entry.arguments()[0] as usize, 0));
        }
    }
    for port in system.ports.iter().filter(|p| p.process == process) {
        ranges.push((port.place as usize, port.size as usize));
    }
    for driver in system.drivers.iter().filter(|d| d.process == process) {
        ranges.push((driver.block as usize, 0));
    }
    for step in system.moves {
        let size = (step.size as usize).next_multiple_of(8);
        for (_, address) in [(step.source, step.from), (step.sink, step.to)]
            .into_iter()
            .filter(|(owner, _)| *owner == process)
        {
            ranges.push((address as usize, size));
        }
    }
    // a control page or block at 0 belongs to a thread or driver without one
    ranges.retain(|(address, _)| *address != 0);
    ranges
}
