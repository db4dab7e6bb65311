//! The board that is simulated: memory of processes, interrupt lines, device
//! registers, the timer, the trace.

use crate::banks::Banks;
use crate::memory::ProcessMemory;
use crate::shared::Shared;
use giornata_abi::Ticks;
use giornata_abi::call::Answer;
use giornata_abi::load::Section;
use giornata_abi::system::{Bank, ProgramEntry, RegionEntry, System};
use giornata_abi::trace::TraceRecord;
use giornata_core::{Access, BadAddress, Beginning, CHUNK, Hardware};
use std::collections::BTreeMap;

/// Pieces of work that one kernel entry does.
const PIECES: u32 = 4;
/// Bytes that one piece of restoring or clearing moves.
const RESTORED: usize = 1024;

/// One interrupt line: a level that stays pending until the kernel takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Line {
    open: bool,
    pending: bool,
}

/// A store to a device register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// When.
    pub tick: Ticks,
    /// Where.
    pub address: u32,
    /// Bytes.
    pub width: u8,
    /// What.
    pub value: u64,
}

/// How a thread leaves the kernel when it runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    /// Out of a system call.
    Answer(Answer),
    /// At its beginning.
    Start(Beginning),
}

/// Who is told each trace record.
pub(crate) type Listener<'a> = Box<dyn FnMut(&TraceRecord) + 'a>;

/// A board with as much memory as its system's tables name.
pub struct Board<'a> {
    pub(crate) clock: Ticks,
    processes: Vec<ProcessMemory>,
    /// The memory that processes share.
    pub shared: Shared,
    lines: BTreeMap<u16, Line>,
    /// What loads of device registers answer, by address; 0 where nothing is.
    pub registers: BTreeMap<u32, u64>,
    /// The stores to device registers so far.
    pub stores: Vec<Store>,
    pub(crate) records: Vec<TraceRecord>,
    pub(crate) listener: Option<Listener<'a>>,
    pending: u32,
    /// Pieces of work of this kernel entry.
    pub(crate) pieces: u32,
    /// Process and control page of each thread.
    controls: Vec<(u16, usize)>,
    /// How each thread leaves the kernel, if not where it was interrupted.
    pub(crate) departures: Vec<Option<Departure>>,
    banks: Banks,
}

impl<'a> Board<'a> {
    pub(crate) fn new(system: &System<'_>) -> Board<'a> {
        Board {
            clock: Ticks(0),
            processes: (0..system.processes.len() as u16)
                .map(|process| ProcessMemory::of(system, process))
                .collect(),
            shared: Shared::of(system),
            lines: BTreeMap::new(),
            registers: BTreeMap::new(),
            stores: Vec::new(),
            records: Vec::new(),
            listener: None,
            pending: 0,
            pieces: 0,
            controls: system
                .threads
                .iter()
                .map(|thread| (thread.process, thread.control as usize))
                .collect(),
            departures: vec![None; system.threads.len()],
            banks: Banks::of(system),
        }
    }

    /// The memory of a process.
    ///
    /// # Panics
    /// If the system has no such process.
    pub fn memory(&mut self, process: u16) -> &mut ProcessMemory {
        &mut self.processes[process as usize]
    }

    /// A device raises a line; it comes when the kernel has it open.
    pub(crate) fn raise(&mut self, number: u16) {
        let line = self.lines.entry(number).or_default();
        self.pending += !line.pending as u32;
        line.pending = true;
    }

    /// Takes the lowest line that is raised and open; it is closed then.
    pub(crate) fn take_interrupt(&mut self) -> Option<u16> {
        if self.pending == 0 {
            return None;
        }
        let raised = |(_, line): &(&u16, &mut Line)| line.open && line.pending;
        let (number, line) = self.lines.iter_mut().find(raised)?;
        *line = Line::default();
        self.pending -= 1;
        Some(*number)
    }

    /// Whether the kernel has a line open.
    pub fn is_open(&self, number: u16) -> bool {
        self.lines.get(&number).is_some_and(|line| line.open)
    }
}

/// A length, if the kernel may copy so much at once.
fn checked(length: usize) -> usize {
    assert!(length <= CHUNK, "the kernel copies {length} bytes at once");
    length
}

impl Hardware for Board<'_> {
    fn read(
        &mut self,
        process: u16,
        from: usize,
        to: &mut [u64],
        length: usize,
    ) -> Result<bool, BadAddress> {
        let memory = self.processes.get_mut(process as usize);
        let memory = memory.ok_or(BadAddress)?;
        let bytes = match memory.range(from, checked(length)) {
            Some(bytes) => bytes.to_vec(),
            None => self.shared.read(process, from, length)?.to_vec(),
        };
        if length > to.len() * 8 {
            return Err(BadAddress);
        }
        let before = to.to_vec();
        for (word, piece) in to.iter_mut().zip(bytes.chunks(8)) {
            let mut all = word.to_le_bytes();
            all[..piece.len()].copy_from_slice(piece);
            *word = u64::from_le_bytes(all);
        }
        Ok(before != to)
    }

    fn write(
        &mut self,
        process: u16,
        to: usize,
        from: &[u64],
        length: usize,
    ) -> Result<(), BadAddress> {
        let bytes: Vec<u8> = from.iter().flat_map(|word| word.to_le_bytes()).collect();
        let bytes = bytes.get(..checked(length)).ok_or(BadAddress)?;
        let memory = self.processes.get_mut(process as usize);
        let written = memory.ok_or(BadAddress)?.write(to, bytes);
        written.or_else(|_| self.shared.write(process, to, bytes))
    }

    fn load_register(&mut self, address: u32, width: u8) -> u64 {
        let value = self.registers.get(&address).copied().unwrap_or(0);
        value & u64::MAX >> (64 - 8 * width.clamp(1, 8) as u32)
    }

    fn store_register(&mut self, address: u32, width: u8, value: u64) {
        self.stores.push(Store {
            tick: self.clock,
            address,
            width,
            value,
        });
    }

    fn open_interrupt(&mut self, number: u16) {
        self.lines.entry(number).or_default().open = true;
    }

    fn close_interrupt(&mut self, number: u16) {
        self.lines.entry(number).or_default().open = false;
    }

    /// Time stands still inside the kernel: whether one would come is seen
    /// outside, to which the kernel goes after so many pieces.
    fn is_interrupted(&mut self) -> bool {
        self.pieces += 1;
        self.pieces >= PIECES
    }

    fn restore_memory(&mut self, process: u16, offset: u32) -> Option<u32> {
        let memory = self.processes.get_mut(process as usize)?;
        memory
            .restore(offset as usize, RESTORED)
            .map(|next| next as u32)
    }

    fn share(&mut self, process: u16, region: &RegionEntry, _: u16, access: Option<Access>) {
        self.shared.open(process, region.address, access);
    }

    fn clear(&mut self, region: &RegionEntry, offset: u32) -> Option<u32> {
        let (offset, most) = (offset as usize, RESTORED);
        let next = self.shared.clear(region.address, offset, most)?;
        Some(next as u32)
    }

    fn load_control(&mut self, thread: u16, offset: usize) -> u32 {
        let (process, control) = self.controls[thread as usize];
        let memory = self.processes.get_mut(process as usize);
        let word = memory.and_then(|memory| memory.word(control + offset, 4));
        word.unwrap_or(0) as u32
    }

    fn store_control(&mut self, thread: u16, offset: usize, value: u32) {
        let (process, control) = self.controls[thread as usize];
        let memory = self.processes.get_mut(process as usize);
        // a thread without a control page hears nothing
        let _ = memory.map(|memory| memory.write(control + offset, &value.to_le_bytes()));
    }

    /// Where a process's bytes lie is where it sees them.
    fn device_address(&mut self, process: u16, address: usize) -> Option<usize> {
        let memory = self.processes.get_mut(process as usize)?;
        memory.range(address, 1).map(|_| address)
    }

    fn stage(&mut self, section: Section, first: usize, records: &[u64], length: usize) -> bool {
        self.banks.stage(section, first, records, length)
    }

    fn restage(&mut self, section: Section, first: usize, count: usize) {
        self.banks.restage(section, first, count);
    }

    fn stage_entry(&mut self, program: u16, entry: &ProgramEntry) {
        self.banks.stage_entry(program, entry);
    }

    fn flip(&mut self) -> Option<Bank<'static>> {
        self.banks.flip()
    }

    fn answer(&mut self, thread: u16, answer: Answer) {
        self.departures[thread as usize] = Some(Departure::Answer(answer));
    }

    fn start(&mut self, thread: u16, beginning: Beginning) {
        self.departures[thread as usize] = Some(Departure::Start(beginning));
    }

    fn now(&mut self) -> Ticks {
        self.clock
    }

    fn trace(&mut self, record: TraceRecord) {
        match &mut self.listener {
            Some(listener) => listener(&record),
            None => self.records.push(record),
        }
    }
}
