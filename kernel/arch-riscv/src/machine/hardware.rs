//! The machine as the kernel's core sees it.

use core::ptr::{
    copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut, write_bytes,
};

use giornata_abi::Record;
use giornata_abi::Ticks;
use giornata_abi::call::Answer;
use giornata_abi::control::ControlPage;
use giornata_abi::load::Section;
use giornata_abi::system::{Bank, ProcessEntry, ProgramEntry, RegionEntry, System};
use giornata_abi::trace::TraceRecord;
use giornata_core::{Access, BadAddress, Beginning, Hardware};

use super::csr;
use super::floating;
use super::hart::HartBlock;
use super::lines::{Lines, lines};
use super::protection;
use crate::banks::Banks;
use crate::board::Board;
use crate::clint::Clint;
use crate::context::Context;
use crate::device::Device;
use crate::regions::Regions;
use crate::right::Right;
use crate::ring::Ring;

/// Bytes that one piece of [`Hardware::restore_memory`] or [`Hardware::clear`]
/// moves.
const PIECE: u32 = 256;

/// One hart, its devices, and the memory of the processes.
pub struct Machine {
    pub(super) hart: &'static HartBlock,
    pub(super) board: Board,
    pub(super) clint: Clint,
    pub(super) lines: Lines,
    processes: &'static [ProcessEntry],
    spaces: &'static [Regions],
    pub(super) contexts: &'static [Context],
    ring: Ring,
    banks: Banks,
}

/// Bytes in physical memory: the first stretch, and where the rest begins.
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) first: usize,
    pub(super) next: usize,
}

/// Copies by words where both places are aligned to them, else by bytes.
/// Answers whether anything changed. O(bytes).
///
/// # Safety
/// Both stretches must be RAM; the one written to is written by nobody else.
#[inline(never)]
unsafe fn copy(from: usize, to: usize, length: usize) -> bool {
    const WORD: usize = size_of::<usize>();
    let (mut at, mut changed) = (0, 0);
    if (from | to).is_multiple_of(WORD) {
        let whole = length / WORD * WORD;
        while at < whole {
            let to = with_exposed_provenance_mut::<usize>(to.wrapping_add(at));
            let from = with_exposed_provenance::<usize>(from.wrapping_add(at));
            // SAFETY: the caller vouches for both, and they are aligned.
            let new = unsafe { from.read() };
            // SAFETY: as above.
            changed |= new ^ unsafe { to.replace(new) };
            at = at.wrapping_add(WORD);
        }
    }
    while at < length {
        let to = with_exposed_provenance_mut::<u8>(to.wrapping_add(at));
        let from = with_exposed_provenance::<u8>(from.wrapping_add(at));
        // SAFETY: the caller vouches for both.
        let new = unsafe { from.read() };
        // SAFETY: as above.
        changed |= (new ^ unsafe { to.replace(new) }) as usize;
        at = at.wrapping_add(1);
    }
    changed != 0
}

impl Machine {
    /// The machine that the board and the system's header describe.
    ///
    /// # Safety
    /// Both must be true of the machine (Device Invariant, Memory Invariant).
    pub(super) unsafe fn new(
        hart: &'static HartBlock,
        board: Board,
        system: &System<'static>,
        spaces: &'static [Regions],
        contexts: &'static [Context],
        banks: Banks,
    ) -> Machine {
        let header = system.header;
        // SAFETY: the board says where the CLINT lies (Device Invariant).
        let clint = unsafe { Device::at(board.clint) };
        // SAFETY: the board is true of the machine (Device Invariant).
        let lines = unsafe { lines(&board) };
        // SAFETY: the header names memory of the ring alone (Memory Invariant).
        let ring = unsafe { Ring::new(header.trace_ring as usize, header.trace_capacity) };
        let machine = Machine {
            hart,
            clint: Clint::new(clint, HartBlock::NUMBER),
            lines,
            board,
            processes: system.processes,
            spaces,
            contexts,
            ring,
            banks,
        };
        for (context, thread) in contexts.iter().zip(system.threads) {
            let (process, control) = (thread.process, thread.control as usize);
            let found = machine.in_data(process, control, ControlPage::SIZE);
            // SAFETY: the memory of a process is RAM (Memory Invariant).
            unsafe { context.set_control(found.unwrap_or(0)) };
        }
        machine
    }

    /// The trace.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Cycles spent in the kernel since boot.
    pub(super) fn kernel_cycles(&self) -> u64 {
        self.hart.kernel_cycles()
    }

    /// Where bytes of a process's data lie: what it may read and write, and
    /// what is found by one comparison.
    #[inline(always)] // on the path of every value
    fn in_data(&self, process: u16, at: usize, length: usize) -> Option<usize> {
        let process = self.processes.get(process as usize)?;
        let offset = at.wrapping_sub(process.data_address as usize);
        let stretch = process.data_stretch as usize;
        let is_inside = offset < stretch && length <= stretch - offset;
        is_inside.then_some((process.data as usize).wrapping_add(offset))
    }

    /// The control page of a thread.
    #[inline(always)]
    fn control(&self, thread: u16) -> Option<Device> {
        self.contexts
            .get(thread as usize)
            .and_then(Context::control)
    }

    /// Where any bytes of a process lie, if it has the right to all of them.
    /// At most a page, so two stretches are concerned at most.
    #[inline(never)]
    fn find(
        &self,
        process: u16,
        at: usize,
        length: usize,
        right: Right,
    ) -> Result<Found, BadAddress> {
        let process = self.processes.get(process as usize).ok_or(BadAddress)?;
        let memory = &self.board.memory;
        protection::walk(process, self.spaces, memory, at, length, right)
    }
}

impl Hardware for Machine {
    fn read(
        &mut self,
        process: u16,
        from: usize,
        to: &mut [u64],
        length: usize,
    ) -> Result<bool, BadAddress> {
        if length > size_of_val(to) {
            return Err(BadAddress);
        }
        let kernel = to.as_mut_ptr().expose_provenance();
        if let Some(start) = self.in_data(process, from, length) {
            // SAFETY: the stretch is RAM outside the kernel's objects (Memory
            // Invariant), and `to` is long enough.
            return Ok(unsafe { copy(start, kernel, length) });
        }
        let found = self.find(process, from, length, Right::Read)?;
        // SAFETY: as above.
        let changed = unsafe { copy(found.start, kernel, found.first) };
        let kernel = kernel.wrapping_add(found.first);
        // SAFETY: as above.
        Ok(changed | unsafe { copy(found.next, kernel, length - found.first) })
    }

    fn write(
        &mut self,
        process: u16,
        to: usize,
        from: &[u64],
        length: usize,
    ) -> Result<(), BadAddress> {
        if length > size_of_val(from) {
            return Err(BadAddress);
        }
        let kernel = from.as_ptr().expose_provenance();
        if let Some(start) = self.in_data(process, to, length) {
            // SAFETY: the stretch is RAM outside the kernel's objects (Memory
            // Invariant), and `from` is long enough.
            unsafe { copy(kernel, start, length) };
            return Ok(());
        }
        let found = self.find(process, to, length, Right::Write)?;
        // SAFETY: as above.
        unsafe { copy(kernel, found.start, found.first) };
        let kernel = kernel.wrapping_add(found.first);
        // SAFETY: as above.
        unsafe { copy(kernel, found.next, length - found.first) };
        Ok(())
    }

    fn load_register(&mut self, address: u32, width: u8) -> u64 {
        // SAFETY: the builder lets a driver name granted registers only (Device Invariant).
        let register = unsafe { Device::at(address as usize) };
        match width {
            1 => register.load::<u8>(0) as u64,
            2 => register.load::<u16>(0) as u64,
            4 => register.load::<u32>(0) as u64,
            _ => register.load(0),
        }
    }

    fn store_register(&mut self, address: u32, width: u8, value: u64) {
        // SAFETY: the builder lets a driver name granted registers only (Device Invariant).
        let register = unsafe { Device::at(address as usize) };
        match width {
            1 => register.store(0, value as u8),
            2 => register.store(0, value as u16),
            4 => register.store(0, value as u32),
            _ => register.store(0, value),
        }
    }

    fn open_interrupt(&mut self, number: u16) {
        self.lines.open(number);
    }

    fn close_interrupt(&mut self, number: u16) {
        self.lines.close(number);
    }

    #[inline(always)]
    fn is_interrupted(&mut self) -> bool {
        csr::pending() & csr::EXTERNAL != 0
    }

    fn restore_memory(&mut self, process: u16, offset: u32) -> Option<u32> {
        let process = self.processes.get(process as usize)?;
        // copied from the pristine data, zeroed behind them, zeroed elsewhere
        let zeroed = process.data_size.saturating_add(process.zero_size);
        let size = zeroed.saturating_add(process.stacks_size);
        if offset >= size {
            return None;
        }
        // a piece is one of these, never two
        let (is_copied, bound, base) = if offset < process.data_size {
            (true, process.data_size, process.data)
        } else if offset < zeroed {
            (false, zeroed, process.data)
        } else {
            (false, size, process.stacks.wrapping_sub(zeroed))
        };
        let end = offset.saturating_add(PIECE).min(bound);
        let length = (end - offset) as usize;
        let to = with_exposed_provenance_mut::<u8>(base.wrapping_add(offset) as usize);
        if is_copied {
            let from =
                with_exposed_provenance::<u8>(process.pristine.wrapping_add(offset) as usize);
            // SAFETY: the builder keeps a process's data and its copy apart (Memory Invariant).
            unsafe { copy_nonoverlapping(from, to, length) };
        } else {
            // SAFETY: the process's data and stacks are its own (Memory Invariant).
            unsafe { write_bytes(to, 0, length) };
        }
        (end < size).then_some(end)
    }

    fn share(&mut self, process: u16, region: &RegionEntry, granted: u16, access: Option<Access>) {
        let Some(process) = self.processes.get(process as usize) else {
            return;
        };
        let current = self.hart.current.get().map(|context| &context.space);
        // SAFETY: the core passes on what the builder wrote.
        unsafe { protection::share(process, self.spaces, current, region, granted, access) };
    }

    fn clear(&mut self, region: &RegionEntry, offset: u32) -> Option<u32> {
        if offset >= region.size {
            return None;
        }
        let length = PIECE.min(region.size - offset);
        let to = with_exposed_provenance_mut::<u8>(region.place.wrapping_add(offset) as usize);
        // SAFETY: the builder keeps memory that is shared apart from all else
        // (Memory Invariant).
        unsafe { write_bytes(to, 0, length as usize) };
        let end = offset + length;
        (end < region.size).then_some(end)
    }

    #[inline(always)]
    fn load_control(&mut self, thread: u16, offset: usize) -> u32 {
        self.control(thread).map_or(0, |page| page.load(offset))
    }

    #[inline(always)]
    fn store_control(&mut self, thread: u16, offset: usize, value: u32) {
        if let Some(page) = self.control(thread) {
            page.store(offset, value);
        }
    }

    #[inline(always)]
    fn store_job(&mut self, thread: u16, words: [u32; 6]) {
        if let Some(page) = self.control(thread) {
            page.store(0, words);
        }
    }

    #[inline(always)]
    fn finish(&mut self, thread: u16) {
        if let Some(context) = self.contexts.get(thread as usize) {
            context.finish();
        }
    }

    #[inline(always)]
    fn answer(&mut self, thread: u16, answer: Answer) {
        if let Some(context) = self.contexts.get(thread as usize) {
            context.answer(&answer.0);
        }
    }

    fn start(&mut self, thread: u16, beginning: Beginning) {
        let Some(context) = self.contexts.get(thread as usize) else {
            return;
        };
        context.start(
            beginning.entry as usize,
            beginning.stack_top as usize,
            beginning.thread_pointer as usize,
            &beginning.arguments,
        );
        floating::forget(self.hart, context);
    }

    fn device_address(&mut self, process: u16, address: usize) -> Option<usize> {
        self.in_data(process, address, 1)
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

    #[inline(always)]
    fn now(&mut self) -> Ticks {
        self.clint.now()
    }

    #[inline(always)]
    fn trace(&mut self, record: TraceRecord) {
        self.ring.append(record.words());
    }

    #[inline(always)]
    fn trace_value(&mut self, record: TraceRecord, value: &[u64]) {
        self.ring.append_value(record.words(), value);
    }
}
