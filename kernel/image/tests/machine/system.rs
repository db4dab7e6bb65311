//! Lays a system out in memory by hand: tables, page tables, processes.

use giornata_abi::Record;
use giornata_abi::id::NONE;
use giornata_abi::module::crc32;
use giornata_abi::system::*;
use giornata_abi::trace::TraceKind;

/// Where the board's file puts the tables.
pub(crate) const SYSTEM: u32 = 0x8004_0000;
const PAGE: u32 = 4096;
const TEXT: u32 = 0x1000_0000;
const DATA: u32 = 0x1001_0000;
const STACKS: u32 = 0x1002_0000;
const UART: (u32, u32) = (0x4000_0000, 0x1000_0000);
const RING_SLOTS: u32 = 8192;
const HEADER: usize = size_of::<SystemHeader>();

const READ: u64 = 2;
const WRITE: u64 = 4;
const EXECUTE: u64 = 8;

/// One thread of a process.
#[derive(Clone, Copy)]
pub(crate) struct Thread {
    pub(crate) entry: u32,
    pub(crate) argument: u32,
    pub(crate) policy: Policy,
    pub(crate) priority: u8,
}

/// One process.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) threads: Vec<Thread>,
    pub(crate) on_fault: FaultPolicy,
    pub(crate) restartable: (u32, u32),
    pub(crate) has_uart: bool,
    /// Where its data lie if it restarts; 0 = where they are.
    pub(crate) data: u32,
}

/// A system.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) processes: Vec<Process>,
    /// Nanoseconds; 0 = when a process says so.
    pub(crate) stop_at: u64,
    pub(crate) quantum: u32,
    /// Bytes of the kernel's tables.
    pub(crate) kernel_memory: u32,
}

/// Memory from [`SYSTEM`] on.
struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    fn page(&mut self, count: u32) -> u32 {
        let at = self.bytes.len().next_multiple_of(PAGE as usize);
        self.bytes.resize(at + (count * PAGE) as usize, 0);
        SYSTEM + at as u32
    }

    fn word(&mut self, at: u32) -> &mut [u8] {
        &mut self.bytes[(at - SYSTEM) as usize..][..8]
    }

    /// Maps a page into the space with this root table.
    fn map(&mut self, root: u32, address: u32, physical: u32, rights: u64) {
        let mut table = root;
        for level in [2, 1] {
            let at = table + (address >> (12 + 9 * level) & 511) * 8;
            let mut entry = u64::from_le_bytes(self.word(at).try_into().unwrap());
            if entry == 0 {
                entry = u64::from(self.page(1)) >> 12 << 10 | 1;
                self.word(at).copy_from_slice(&entry.to_le_bytes());
            }
            table = (entry >> 10 << 12) as u32;
        }
        let entry = u64::from(physical) >> 12 << 10 | rights | 0b1101_0001;
        self.word(table + (address >> 12 & 511) * 8)
            .copy_from_slice(&entry.to_le_bytes());
    }
}

/// The memory image of a system whose processes share `text`.
pub(crate) fn lay_out(plan: &Plan, text: &[u8]) -> Vec<u8> {
    let mut memory = Memory {
        bytes: vec![0; 4 * PAGE as usize],
    };
    let text_pages = (text.len() as u32).div_ceil(PAGE);
    let text_at = memory.page(text_pages);
    memory.bytes[(text_at - SYSTEM) as usize..][..text.len()].copy_from_slice(text);
    let (mut processes, mut threads) = (Vec::new(), Vec::new());
    for process in &plan.processes {
        let start = threads.len() as u16;
        let root = memory.page(1);
        for page in 0..text_pages {
            memory.map(
                root,
                TEXT + page * PAGE,
                text_at + page * PAGE,
                READ | EXECUTE,
            );
        }
        let data = memory.page(1);
        memory.map(root, DATA, data, READ | WRITE);
        if process.has_uart {
            memory.map(root, UART.0, UART.1, READ | WRITE);
        }
        for thread in &process.threads {
            threads.push(thread_entry(
                &mut memory,
                root,
                processes.len(),
                start,
                threads.len(),
                thread,
                plan,
            ));
        }
        let count = threads.len() as u16 - start;
        processes.push(process_entry(
            process,
            root >> 12,
            Range { start, count },
            data,
        ));
    }
    let interrupts = plan.processes.iter().position(|p| p.has_uart);
    let interrupts: Vec<_> = interrupts
        .map(|p| InterruptEntry {
            number: 10,
            process: p as u16,
            interval: 0,
        })
        .into_iter()
        .collect();
    let mut header = header(plan, &mut memory);
    (header.processes, header.threads) = (processes.len() as u16, threads.len() as u16);
    header.interrupts = interrupts.len() as u16;
    write_tables(&mut memory, header, &processes, &threads, &interrupts);
    memory.bytes
}

fn write_tables(
    memory: &mut Memory,
    mut header: SystemHeader,
    processes: &[ProcessEntry],
    threads: &[ThreadEntry],
    interrupts: &[InterruptEntry],
) {
    let mut body = Vec::new();
    let align = |body: &mut Vec<u8>| body.resize(body.len().next_multiple_of(8), 0);
    processes.iter().for_each(|p| p.append_to(&mut body));
    align(&mut body);
    threads.iter().for_each(|t| t.append_to(&mut body));
    align(&mut body);
    interrupts.iter().for_each(|i| i.append_to(&mut body));
    align(&mut body);
    header.crc = crc32(&body);
    header.length = (HEADER + body.len()) as u32;
    let mut blob = Vec::new();
    header.append_to(&mut blob);
    blob.extend(body);
    memory.bytes[..blob.len()].copy_from_slice(&blob);
}

fn thread_entry(
    memory: &mut Memory,
    root: u32,
    process: usize,
    first: u16,
    index: usize,
    thread: &Thread,
    plan: &Plan,
) -> ThreadEntry {
    // a page of stack above a page that is not mapped
    let stack = STACKS + (index as u32 - u32::from(first)) * 2 * PAGE + PAGE;
    let page = memory.page(1);
    memory.map(root, stack, page, READ | WRITE);
    ThreadEntry {
        process: process as u16,
        kind: ThreadKind::Thread as u8,
        policy: thread.policy as u8,
        priority: thread.priority,
        autostart: 1,
        program: NONE,
        entry: thread.entry,
        arguments: ThreadEntry::pack_arguments(thread.argument, 0),
        stack_top: stack + PAGE,
        control: DATA + 0x800,
        quantum: plan.quantum,
        stack_size: PAGE,
        spare: 0,
        budget: 0,
        deadline: 0,
    }
}

fn process_entry(process: &Process, space: u32, threads: Range, data: u32) -> ProcessEntry {
    let none = Range { start: 0, count: 0 };
    ProcessEntry {
        space,
        threads,
        upcall: NONE,
        on_fault: process.on_fault as u8,
        max_priority: 0,
        grants: GRANT_SHUTDOWN,
        readable: none,
        writable: none,
        pristine: 0,
        data: if process.data == 0 {
            data
        } else {
            process.data
        },
        data_size: 0,
        zero_size: PAGE,
        stacks: 0,
        stacks_size: 0,
        data_address: 0,
        data_stretch: 0,
        restart_begin: process.restartable.0,
        restart_end: process.restartable.1,
        messages: Range { start: 0, count: 0 },
        message_size: 0,
        message_place: 0,
        supervisor: NONE,
        by_call: 0,
        heap: 0,
        heap_size: 0,
    }
}

fn header(plan: &Plan, memory: &mut Memory) -> SystemHeader {
    let ring = memory.page(RING_SLOTS * 32 / PAGE + 1);
    let ram = memory.page(plan.kernel_memory.div_ceil(PAGE));
    let kinds = [
        TraceKind::Boot,
        TraceKind::Fault,
        TraceKind::Process,
        TraceKind::Log,
        TraceKind::Interrupt,
        TraceKind::Switch,
        TraceKind::Stop,
        TraceKind::Load,
    ];
    SystemHeader {
        magic: MAGIC,
        version: VERSION,
        crc: 0,
        length: 0,
        timer_hertz: 10_000_000,
        deadline_band: 200,
        stop_at: plan.stop_at,
        trace_mask: kinds
            .into_iter()
            .fold(0, |mask, kind| mask | 1 << kind as u32),
        trace_ring: ring,
        trace_capacity: RING_SLOTS,
        ram,
        ram_size: plan.kernel_memory,
        arena_size: 0,
        triggers: 0,
        s_threads: 0,
        trace_process: NONE,
        spaces: 0,
        trace_cursor: 0,
        flags: FLAG_TRACE_CONSOLE,
        processes: 0,
        threads: 0,
        ports: 0,
        drivers: 0,
        programs: 0,
        interrupts: 0,
        instructions: 0,
        predicates: 0,
        durations: 0,
        links: 0,
        moves: 0,
        objects: 0,
        messages: 0,
        regions: 0,
        reserved: 0,
    }
}
