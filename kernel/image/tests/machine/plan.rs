//! A system of the tests: what runs, and the memory image that boots it.
//!
//! ```text
//! from the base of RAM on
//! 0x04_0000  the records
//! 0x08_0000  page tables
//! 0x10_E000  the programs, 8 KiB
//! 0x12_9000  data of process 0, a page
//! 0x12_A000  its stacks, 8 of 1 KiB
//! 0x13_D000  data of process 1, and so on
//! ```
//! Virtual and physical addresses are the same. In caches of 64 KiB none of these share
//! lines, and neither do the kernel's text, constants and stack.

use giornata_abi::system::FaultPolicy;
use giornata_arch_riscv::pages::{Format, SV32, SV39};
use giornata_arch_riscv::regions::{FIRST, place, rights, word};
use giornata_core::boot::flag;
use giornata_core::process::region;
use giornata_core::process::{SPACE, grant};
use giornata_core::sched::thread::role;
use giornata_records::{self as records, Description, Line, ObjectKind, Rights};

use crate::boards::Board;

const PAGE: u64 = 4096;
const TABLES: u64 = 0x8_0000;
const TEXT_SIZE: u64 = 2 * PAGE;
const DATA: u64 = 0x12_9000;
const STACKS: u64 = DATA + PAGE;
const STACKS_SIZE: u64 = 2 * PAGE;
const STACK: u64 = 1024;
const PROCESS: u64 = 0x1_4000;
/// Where the region of shared memory lies.
const SHARED: u64 = 0x1F_0000;

/// A thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    pub(crate) program: &'static str,
    pub(crate) argument: u64,
    pub(crate) priority: u8,
    /// Ticks of its quantum; 0: it has none.
    pub(crate) quantum: u32,
}

/// A process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) threads: Vec<Thread>,
    /// The symbols at the ends of its restartable sequences.
    pub(crate) restartable: Option<(&'static str, &'static str)>,
    /// The device that it is granted, by its name in the board's file.
    pub(crate) device: Option<&'static str>,
    /// Each thread's stack is its own.
    pub(crate) private_stacks: bool,
    /// What comes after its end.
    pub(crate) on_fault: FaultPolicy,
    /// Places for threads that it creates.
    pub(crate) spares: usize,
    /// Who supervises it: then it begins by call.
    pub(crate) supervisor: Option<usize>,
    /// Words of its data that are copied when it begins anew, and words behind them that
    /// are zeroed.
    pub(crate) image: (u64, u64),
    /// It is granted the region of shared memory.
    pub(crate) shared: bool,
}

impl Default for Process {
    fn default() -> Process {
        Process {
            threads: Vec::new(),
            restartable: None,
            device: None,
            private_stacks: false,
            on_fault: FaultPolicy::Halt,
            spares: 0,
            supervisor: None,
            image: (0, 0),
            shared: false,
        }
    }
}

/// A system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) processes: Vec<Process>,
    /// Ticks; 0: it never stops.
    pub(crate) stop_at: u64,
    /// Objects that every process may use and manage, by slot. The last is not there at boot.
    pub(crate) objects: Vec<ObjectKind>,
}

impl Plan {
    /// A system without objects.
    pub(crate) fn new(processes: Vec<Process>, stop_at: u64) -> Plan {
        Plan {
            processes,
            stop_at,
            objects: Vec::new(),
        }
    }
}

/// Memory from the records on.
struct Memory {
    base: u64,
    bytes: Vec<u8>,
}

impl Memory {
    fn place(&mut self, at: u64, length: usize) -> &mut [u8] {
        let at = (at - self.base) as usize;
        if self.bytes.len() < at + length {
            self.bytes.resize(at + length, 0);
        }
        &mut self.bytes[at..at + length]
    }
}

/// Page tables of a system.
struct Tables {
    format: Format,
    width: usize,
    next: u64,
}

impl Tables {
    fn table(&mut self) -> u64 {
        self.next += PAGE;
        self.next - PAGE
    }

    fn entry(&self, memory: &mut Memory, at: u64) -> u64 {
        let mut bytes = [0; 8];
        bytes[..self.width].copy_from_slice(memory.place(at, self.width));
        u64::from_le_bytes(bytes)
    }

    fn set(&self, memory: &mut Memory, at: u64, entry: u64) {
        let width = self.width;
        memory
            .place(at, width)
            .copy_from_slice(&entry.to_le_bytes()[..width]);
    }

    /// Maps pages to themselves.
    fn map(&mut self, memory: &mut Memory, root: u64, from: u64, size: u64, rights: u64) {
        let (bits, levels) = if self.width == 8 { (9, 3) } else { (10, 2) };
        for address in (from..from + size).step_by(PAGE as usize) {
            let index = |level: u64| address >> (12 + bits * level) & ((1 << bits) - 1);
            let mut table = root;
            for level in (1..levels).rev() {
                let at = table + index(level) * self.width as u64;
                let mut entry = self.entry(memory, at);
                if entry == 0 {
                    entry = self.table() >> 12 << 10 | 1;
                    self.set(memory, at, entry);
                }
                table = entry >> 10 << 12;
            }
            // valid, user, accessed, dirty
            let leaf = address >> 12 << 10 | rights << 1 | 0b1101_0001;
            self.set(memory, table + index(0) * self.width as u64, leaf);
        }
    }
}

/// What a process may touch: from, bytes, rights.
fn regions(board: Board, index: usize, process: &Process) -> Vec<(u64, u64, u8)> {
    use rights::{EXECUTE, NAPOT, READ, WRITE};
    let own = board.ram() + index as u64 * PROCESS;
    let stacks = if process.private_stacks && board.has_regions() {
        READ | WRITE
    } else {
        NAPOT | READ | WRITE
    };
    let mut regions = vec![
        (board.text(), TEXT_SIZE, NAPOT | READ | EXECUTE),
        (own + DATA, PAGE, NAPOT | READ | WRITE),
        (own + STACKS, STACKS_SIZE, stacks),
    ];
    if let Some(device) = process.device {
        let section = format!("devices.{device}");
        let (base, size) = (
            board.number(&section, "base"),
            board.number(&section, "size"),
        );
        regions.push((base, size.max(256), NAPOT | READ | WRITE));
    }
    if process.shared {
        // closed until it is attached
        regions.push((board.ram() + SHARED, PAGE, 0));
    }
    regions
}

/// The words of a space of regions.
fn words(regions: &[(u64, u64, u8)], private_stacks: bool) -> Vec<u64> {
    let mut words = vec![0; SPACE];
    let configure = |words: &mut Vec<u64>, entry: usize, byte: u8| {
        words[word::RIGHTS + entry / 4] |= u64::from(byte) << (entry % 4 * 8);
    };
    if private_stacks {
        configure(&mut words, 1, rights::NAPOT | rights::READ | rights::WRITE);
    }
    for (index, (base, size, byte)) in regions.iter().enumerate() {
        words[word::PLACES + index] = place(*base as usize, *size as usize) as u64;
        configure(&mut words, index + FIRST, *byte);
    }
    words
}

/// The description of a system, and the memory from the records on.
pub(crate) fn lay_out(board: Board, plan: &Plan) -> Vec<u8> {
    let build = board.build();
    let mut memory = Memory {
        base: board.records(),
        bytes: Vec::new(),
    };
    let mut tables = Tables {
        format: if board.width() == 8 { SV39 } else { SV32 },
        width: board.width(),
        next: board.ram() + TABLES,
    };
    let mut description = Description {
        band: 200,
        timer_hertz: board.number("", "timer-hertz") as u32,
        stop_at: plan.stop_at,
        flags: flag::TRACE_TO_CONSOLE,
        trace_records: 512,
        floating: board.ram() + 0x20_0000,
        ..Description::default()
    };
    if board.has_regions() {
        description.kernel_space = vec![0; SPACE];
        description.kernel_space[word::WIDE] = 1;
    }
    let rights = Rights {
        used: true,
        managed: true,
        received: true,
        ..Rights::default()
    };
    let count = plan.objects.len();
    let objects = plan
        .objects
        .iter()
        .enumerate()
        .map(|(slot, kind)| records::Object {
            kind: *kind,
            at_boot: slot + 1 < count,
            initial: 0,
            most: 1000,
            ceiling: None,
            private: false,
            server: None,
            rights: vec![rights; plan.processes.len()],
        });
    description.objects = objects.collect();
    for (index, process) in plan.processes.iter().enumerate() {
        let regions = regions(board, index, process);
        let space = if board.has_regions() {
            words(&regions, process.private_stacks)
        } else {
            let root = tables.table();
            for (from, size, rights) in regions {
                let size = size.max(PAGE);
                tables.map(&mut memory, root, from, size, u64::from(rights & 7));
            }
            vec![tables.format.satp((root >> 12) as u32)]
        };
        let own = board.ram() + index as u64 * PROCESS;
        description.processes.push(records::Process {
            space,
            max_priority: 255,
            grants: grant::SHUTDOWN,
            restartable: process
                .restartable
                .map_or((0, 0), |(a, b)| (build.address(a), build.address(b))),
            data: (own + DATA, PAGE, own + DATA),
            on_fault: Some(process.on_fault),
            supervisor: process.supervisor,
            by_call: process.supervisor.is_some(),
            // (what it is copied from does not matter)
            image: (board.text(), process.image.0 * 4, process.image.1 * 4),
            messages: (8, 16),
            ..records::Process::default()
        });
        if let Some(device) = process.device {
            description.lines.push(Line {
                number: board.number(&format!("devices.{device}"), "irq") as u32,
                process: Some(index),
                ..Line::default()
            });
        }
        let created = Thread {
            program: "created",
            argument: 0,
            priority: 0,
            quantum: 0,
        };
        let places = (0..process.spares).map(|_| (created, role::SPARE));
        let threads = process.threads.iter().map(|thread| match thread.quantum {
            0 => (*thread, role::AUTOSTART),
            _ => (*thread, role::AUTOSTART | role::ROUND_ROBIN),
        });
        for (number, (thread, role)) in threads.chain(places).enumerate() {
            let base = own + STACKS + number as u64 % 8 * STACK;
            let is_own = process.private_stacks && board.has_regions();
            description.threads.push(records::Thread {
                process: index,
                priority: thread.priority,
                role,
                entry: build.address(thread.program),
                // (what begins anew is told the second)
                arguments: [thread.argument; 2],
                stack: (base + STACK, STACK),
                // the programs find their data by `gp`
                pointers: (own + DATA, own + DATA + 0x800),
                control: own + DATA + 0x800 - 64,
                allowance: thread.quantum,
                stack_region: match is_own {
                    true => place(base as usize, STACK as usize) as u64,
                    false => 0,
                },
                ..records::Thread::default()
            });
        }
    }
    let grant = |(index, process): (usize, &Process)| {
        let entry = regions(board, index, process).len() - 1 + FIRST;
        match process.shared {
            true => region::READ | region::WRITE | (entry as u32) << region::GRANT_PLACE,
            false => 0,
        }
    };
    description.regions.push(records::Region {
        address: board.ram() + SHARED,
        size: PAGE,
        place: board.ram() + SHARED,
        tables: 0,
        grants: plan.processes.iter().enumerate().map(grant).collect(),
    });
    let built = records::build(&description, board.width(), board.records());
    memory
        .place(board.records(), built.bytes.len())
        .copy_from_slice(&built.bytes);
    memory
        .place(board.text(), build.text.len())
        .copy_from_slice(&build.text);
    memory.bytes
}
