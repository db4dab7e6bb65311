//! The tables that describe one system to its kernel: threads, processes,
//! ports, drivers, programs. Written by the builder, linked beside the kernel
//! binary, never changed at run time.
//!
//! Indices are 16 bits; [`NONE`](crate::id::NONE) is "none". Addresses fit in
//! 32 bits (board memory and user spaces lie below 4 GiB). A [`Range`] names
//! entries of another table or of the `links` pool.

use crate::id::NONE;
use crate::instruction::{DurationEntry, Instruction};
use crate::load::Frame;
use crate::predicate::Predicate;
use crate::record::record;

/// The first word of the blob.
pub const MAGIC: u32 = u32::from_le_bytes(*b"GSYS");
/// Changes with every change of these tables.
pub const VERSION: u32 = 6;

record! {
    /// A run of entries in another table.
    pub struct Range {
        /// First entry.
        pub start: u16,
        /// Count of entries.
        pub count: u16,
    }

    /// One process.
    pub struct ProcessEntry {
        /// What the architecture loads to enter its address space: the number
        /// of the root page, or where regions confine it, its [`SpaceEntry`].
        pub space: u32,
        /// Its threads, contiguous.
        pub threads: Range,
        /// The thread that runs its upcalls; NONE without drivers.
        pub upcall: u16,
        /// A [`FaultPolicy`].
        pub on_fault: u8,
        /// Highest fixed priority its threads may ask for, or publish as a ceiling.
        pub max_priority: u8,
        /// [`GRANT_SHUTDOWN`] and others.
        pub grants: u32,
        /// Ports it may read by system call (`links`).
        pub readable: Range,
        /// Ports it may write by system call (`links`).
        pub writable: Range,
        /// Physical address of the pristine copy of its data.
        pub pristine: u32,
        /// Physical address of its data in use.
        pub data: u32,
        /// Bytes copied from `pristine` to `data` on (re)start.
        pub data_size: u32,
        /// Bytes zeroed after them (bss, blocks, stacks that do not lie apart).
        pub zero_size: u32,
        /// Physical address of the stacks of its threads that lie apart from
        /// its data: where regions confine it, all.
        pub stacks: u32,
        /// Bytes of them, zeroed on (re)start.
        pub stacks_size: u32,
        /// User address of `data`.
        pub data_address: u32,
        /// Bytes from there on that it may read and write and that lie in one
        /// stretch: its data, bss, control pages and blocks.
        pub data_stretch: u32,
        /// First address of its restartable sequence; equal to the end if none.
        pub restart_begin: u32,
        /// First address after its restartable sequence.
        pub restart_end: u32,
        /// The messages that it can have under way.
        pub messages: Range,
        /// Bytes that each of them can carry beyond what fits into words; a
        /// multiple of 8, or 0.
        pub message_size: u32,
        /// Offset in the arena of the port values of the first one's bytes; the
        /// others follow.
        pub message_place: u32,
        /// The process that may start and end it, and is told of its end; NONE =
        /// none.
        pub supervisor: u16,
        /// 1: it starts when its supervisor says so; else at boot.
        pub by_call: u16,
        /// User address of the memory that it can allocate.
        pub heap: u32,
        /// Bytes of it; a multiple of 16.
        pub heap_size: u32,
    }

    /// One thread.
    pub struct ThreadEntry {
        /// Its process.
        pub process: u16,
        /// A [`ThreadKind`].
        pub kind: u8,
        /// A [`Policy`].
        pub policy: u8,
        /// Fixed priority 0..=255 for FIFO and round robin.
        pub priority: u8,
        /// 1: ready at start.
        pub autostart: u8,
        /// For a task: the program that releases it; else NONE.
        pub program: u16,
        /// Where it starts.
        pub entry: u32,
        /// `a0`, `a1` at start.
        pub arguments: [u16; 4],
        /// Initial stack pointer.
        pub stack_top: u32,
        /// User address of its control page.
        pub control: u32,
        /// Round robin quantum, ns.
        pub quantum: u32,
        /// Bytes of its stack; a power of two where regions confine it.
        pub stack_size: u32,
        /// 1: a spare place, for a thread that the process creates.
        pub spare: u32,
        /// Execution budget of one job, ns; 0 = unlimited.
        pub budget: u64,
        /// Relative deadline of a deadline thread, ns.
        pub deadline: u64,
    }

    /// One port. A port's bytes lie in the kernel's arena, or for a task's own
    /// copy in the task's block.
    pub struct PortEntry {
        /// Process whose memory holds it; NONE = the kernel's arena.
        pub process: u16,
        /// Bytes.
        pub size: u16,
        /// Offset in the arena, or user address.
        pub place: u32,
        /// A [`ValueType`](crate::value::ValueType).
        pub value_type: u8,
        /// 1: changes are traced (values of the program, not a task's copies).
        pub traced: u8,
        /// Task whose own copy it is; NONE = nobody's.
        pub task: u16,
    }

    /// One value to move between two places: in the kernel's arena, or in a
    /// process's memory.
    pub struct MoveEntry {
        /// Process whose memory holds what is read; NONE = the arena.
        pub source: u16,
        /// Process whose memory is written; NONE = the arena; else [`NOWHERE`].
        pub sink: u16,
        /// Offset in the arena (a multiple of 8), or user address.
        pub from: u32,
        /// The same of what is written.
        pub to: u32,
        /// Bytes.
        pub size: u16,
        /// The port of the kernel that is written; NONE if it is none.
        pub port: u16,
        /// The task whose output is read; NONE = nobody's.
        pub task: u16,
        /// 1: what the port gets is traced.
        pub traced: u16,
    }

    /// One driver.
    pub struct DriverEntry {
        /// A [`DriverWork`].
        pub work: u8,
        /// Bytes of a register access: 1, 2, 4, 8.
        pub width: u8,
        /// Process of an upcall; else NONE.
        pub process: u16,
        /// What is moved before its work: the values of a copy, the inputs of
        /// an upcall, the value of a register access (`moves`).
        pub moves: Range,
        /// What is moved when its upcall has returned: the outputs (`moves`).
        pub results: Range,
        /// Task threads (`links`) that must not be running a job: its conflict set.
        pub conflicts: Range,
        /// Upcall: body function. Register: physical address.
        pub entry: u32,
        /// Upcall: user address of its block.
        pub block: u32,
        /// Upcall: user address of the start code.
        pub start: u32,
        /// Upcall: budget in ns.
        pub budget: u32,
    }

    /// One program: a linked module.
    pub struct ProgramEntry {
        /// First instruction of the module in `instructions`.
        pub code: u32,
        /// Count of instructions.
        pub code_length: u32,
        /// Its predicates.
        pub predicates: Range,
        /// Its durations.
        pub durations: Range,
        /// Local task index to thread (`links`).
        pub tasks: Range,
        /// Local driver index to driver (`links`).
        pub drivers: Range,
        /// Local port index to port (`links`).
        pub ports: Range,
        /// Local interrupt index to number (`links`).
        pub interrupts: Range,
        /// Local mailbox index to mailbox (`links`).
        pub mailboxes: Range,
        /// Remainders count in 1/denominator ns.
        pub denominator: u32,
        /// Most microcode steps in one instant.
        pub max_steps: u32,
        /// First block; NONE = the program is empty.
        pub start: u16,
        /// Handler blocks by violation; NONE = default.
        pub handlers: [u16; 4],
        /// Band of its slot: [`BAND_DEADLINE`], or a fixed priority.
        pub slot: u16,
        /// Ports that tell a handler which task and driver; NONE = no such port.
        pub violation_task: u16,
        /// See `violation_task`.
        pub violation_driver: u16,
        /// Instructions that there is room for; 0 = it cannot be replaced.
        pub room: u32,
        /// Most that `max_steps` of a module that comes later may be.
        pub step_room: u32,
        /// The tag of its module, see [`Frame::tag`](crate::load::Frame::tag).
        pub tag: u32,
        /// Predicates that there is room for.
        pub predicate_room: u16,
        /// Durations that there is room for.
        pub duration_room: u16,
        /// The process that may replace it; NONE = none.
        pub loader: u16,
        /// The block that begins each round, see
        /// [`ModuleHeader::round`](crate::module::ModuleHeader::round).
        pub round: u16,
    }

    /// One interrupt line of the board in use.
    pub struct InterruptEntry {
        /// Its number at the interrupt controller.
        pub number: u16,
        /// Process whose thread may await it; NONE = microcode only.
        pub process: u16,
        /// Nanoseconds that lie between two of its comings at least; 0 = any.
        pub interval: u32,
    }

    /// One object that threads synchronise by.
    pub struct ObjectEntry {
        /// An [`ObjectKind`].
        pub kind: u8,
        /// Bits of [`OBJECT_`](OBJECT_AT_BOOT).
        pub flags: u8,
        /// Priority of a mutex with [`OBJECT_CEILING`].
        pub ceiling: u8,
        /// Must be 0.
        pub reserved: u8,
        /// What each process may do with it: the first of as many `links` as
        /// there are processes, bits of [`RIGHT_`](RIGHT_USE).
        pub rights: u16,
        /// Of a mailbox: the mailbox of the server that it is attached to when the
        /// system boots; else NONE.
        pub server: u16,
        /// Count of a semaphore when it is created.
        pub initial: u32,
        /// Highest count of a semaphore.
        pub most: u32,
    }

    /// One region of memory that processes share.
    pub struct RegionEntry {
        /// Its user address, the same in every process.
        pub address: u32,
        /// Bytes: a power of two, whole pages.
        pub size: u32,
        /// Its physical address.
        pub place: u32,
        /// Physical address of the last tables of pages on the way to it, those
        /// for who writes and behind them those for who reads; 0 where regions of
        /// the PMP confine processes.
        pub tables: u32,
        /// What each process may do with it: the first of as many `links` as
        /// there are processes, bits of [`REGION_`](REGION_READ).
        pub grants: u16,
        /// Must be 0.
        pub reserved: u16,
    }

    /// The address space of one process where regions confine it: what the PMP
    /// holds while it runs. Regions are naturally aligned powers of two.
    pub struct SpaceEntry {
        /// The configuration byte of each entry of the PMP; 0 = off, as that of
        /// memory that is shared until the process attaches it. Never locked; the
        /// first [`KERNEL_REGIONS`] are those of the kernel's guard (0 here) and
        /// of the stack of the thread that runs.
        pub rights: [u8; 16],
        /// The address register of each entry behind those.
        pub places: [u32; 14],
        /// How many of them are in use.
        pub count: u32,
    }

    /// The head of the blob: sizes and places of the tables, and the rest.
    pub struct SystemHeader {
        /// [`MAGIC`].
        pub magic: u32,
        /// [`VERSION`].
        pub version: u32,
        /// CRC-32 of all bytes of the blob after this header.
        pub crc: u32,
        /// Bytes of the blob with this header.
        pub length: u32,
        /// Ticks a second of the board's timer.
        pub timer_hertz: u32,
        /// Level of the deadline band.
        pub deadline_band: u32,
        /// The machine stops at this instant with status 0; 0 = never.
        pub stop_at: u64,
        /// Trace kinds written, one bit a kind.
        pub trace_mask: u32,
        /// Physical address of the trace ring (head and records).
        pub trace_ring: u32,
        /// Slots of the trace ring; a power of two.
        pub trace_capacity: u32,
        /// Physical address of the kernel's free memory for its tables.
        pub ram: u32,
        /// Bytes of it.
        pub ram_size: u32,
        /// Bytes of the port arena.
        pub arena_size: u32,
        /// Slots of the trigger queue.
        pub triggers: u16,
        /// Slots of the thread set.
        pub s_threads: u16,
        /// Process that reads the trace; NONE = none.
        pub trace_process: u16,
        /// Count of spaces: 0 where page tables confine processes.
        pub spaces: u16,
        /// User address of the reader's [`TraceCursor`](crate::control::TraceCursor).
        pub trace_cursor: u32,
        /// Bits of [`FLAG_`](FLAG_TRACE_CONSOLE).
        pub flags: u32,
        /// Counts of the tables, in the order processes, threads, ports, drivers, programs, interrupts.
        pub processes: u16,
        /// See `processes`.
        pub threads: u16,
        /// See `processes`.
        pub ports: u16,
        /// See `processes`.
        pub drivers: u16,
        /// See `processes`.
        pub programs: u16,
        /// See `processes`.
        pub interrupts: u16,
        /// Count of instructions of all programs.
        pub instructions: u32,
        /// Count of predicates of all programs.
        pub predicates: u32,
        /// Count of durations of all programs.
        pub durations: u32,
        /// Count of links.
        pub links: u32,
        /// Count of moves.
        pub moves: u32,
        /// Count of objects.
        pub objects: u16,
        /// Count of messages.
        pub messages: u16,
        /// Count of regions that processes share.
        pub regions: u16,
        /// Must be 0.
        pub reserved: u16,
    }
}

/// The [`MoveEntry::sink`] of a value that is only looked at.
pub const NOWHERE: u16 = NONE - 1;
/// Entries of the PMP before those that a [`SpaceEntry`] places.
pub const KERNEL_REGIONS: usize = 2;
/// The band code of [`ProgramEntry::slot`] for the deadline band.
pub const BAND_DEADLINE: u16 = 0x100;
/// The process may stop the machine.
pub const GRANT_SHUTDOWN: u32 = 1;
/// The process may program a DMA device: outside the protection promise.
pub const GRANT_TRUSTED_DMA: u32 = 2;
/// The tables of programs, instructions, predicates and durations follow once
/// more behind all others: the spare ones, see [`load`](crate::load).
pub const FLAG_SPARE: u32 = 2;
/// At a stop the kernel writes what is left of the trace to the console.
pub const FLAG_TRACE_CONSOLE: u32 = 1;

/// The object exists when the system boots.
pub const OBJECT_AT_BOOT: u8 = 1;
/// Who has the mutex runs at its ceiling; else as urgently as those that wait.
pub const OBJECT_CEILING: u8 = 2;
/// The mutex or semaphore is of one process, whose threads take it by a
/// [`word`](crate::word).
pub const OBJECT_PRIVATE: u8 = 4;
/// The process may lock and unlock, wait and signal.
pub const RIGHT_USE: u16 = 1;
/// The process may create and delete the object.
pub const RIGHT_MANAGE: u16 = 2;
/// The process may receive from the mailbox; to use it is to send.
pub const RIGHT_RECEIVE: u16 = 4;
/// The process may send into the mailbox past the server that it is attached to.
pub const RIGHT_DIRECT: u16 = 8;
/// The process may receive from the mailbox as a server.
pub const RIGHT_FULL: u16 = 16;

/// Most regions of a system: what a process has attached is a word of bits.
pub const REGIONS: u16 = 32;
/// The process may attach the region to read it.
pub const REGION_READ: u16 = 1;
/// The process may attach the region to read and write it.
pub const REGION_WRITE: u16 = 2;
/// Where regions of the PMP confine processes: above this bit, the entry of the
/// process's [`SpaceEntry::rights`] that is the region's.
pub const REGION_ENTRY: u32 = 8;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ObjectKind {
    /// A semaphore for mutual exclusion: one thread has it.
    Mutex = 0,
    /// A semaphore that counts.
    Semaphore = 1,
    /// A condition variable.
    Condition = 2,
    /// Messages, the highest priority first.
    Mailbox = 3,
}

/// What happens to a process that faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FaultPolicy {
    /// It is torn down.
    Stop = 0,
    /// It is torn down and started anew.
    Restart = 1,
    /// The machine stops with status 1.
    Halt = 2,
}

/// What a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ThreadKind {
    /// Runs from start to exit, blocks as it likes.
    Thread = 0,
    /// Runs one job per release.
    Task = 1,
    /// Runs a process's upcalls.
    Upcall = 2,
}

/// How a thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Policy {
    /// First in, first out at its priority.
    Fifo = 0,
    /// Like FIFO, to the tail after each quantum.
    RoundRobin = 1,
    /// By absolute deadline, in the deadline band.
    Deadline = 2,
}

/// What a driver call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DriverWork {
    /// Copies each read port to the written port of the same position.
    Copy = 0,
    /// Loads a device register into the written port.
    Load = 1,
    /// Stores the read port to a device register.
    Store = 2,
    /// Runs a function of a process.
    Upcall = 3,
}

impl ThreadEntry {
    /// `a0` and `a1` at start.
    pub const fn arguments(&self) -> [u32; 2] {
        let [a, b, c, d] = self.arguments;
        [(b as u32) << 16 | a as u32, (d as u32) << 16 | c as u32]
    }

    /// Packs `a0` and `a1`.
    pub const fn pack_arguments(a0: u32, a1: u32) -> [u16; 4] {
        [a0 as u16, (a0 >> 16) as u16, a1 as u16, (a1 >> 16) as u16]
    }
}

impl ProgramEntry {
    /// A program without code, names or room.
    pub const EMPTY: ProgramEntry = {
        let none = Range { start: 0, count: 0 };
        ProgramEntry {
            code: 0,
            code_length: 0,
            predicates: none,
            durations: none,
            tasks: none,
            drivers: none,
            ports: none,
            interrupts: none,
            mailboxes: none,
            denominator: 1,
            max_steps: 0,
            start: NONE,
            handlers: [NONE; 4],
            slot: BAND_DEADLINE,
            violation_task: NONE,
            violation_driver: NONE,
            room: 0,
            step_room: 0,
            tag: 0,
            predicate_room: 0,
            duration_room: 0,
            loader: NONE,
            round: NONE,
        }
    };

    /// The same program with another module in its room: what it is linked to
    /// stays.
    pub fn with(&self, frame: &Frame) -> ProgramEntry {
        let range = |range: Range, count| Range { count, ..range };
        ProgramEntry {
            code_length: frame.instructions.into(),
            predicates: range(self.predicates, frame.predicates),
            durations: range(self.durations, frame.durations),
            denominator: frame.denominator,
            max_steps: frame.max_steps.min(self.step_room),
            start: match frame.instructions {
                0 => NONE,
                _ => frame.start,
            },
            handlers: frame.handlers,
            tag: frame.tag,
            round: frame.round,
            ..*self
        }
    }
}

impl MoveEntry {
    /// Bytes to a place in the arena that is no port's.
    pub const fn bytes(to: u32, size: u16) -> MoveEntry {
        MoveEntry {
            source: NONE,
            sink: NONE,
            from: 0,
            to,
            size,
            port: NONE,
            task: NONE,
            traced: 0,
        }
    }

    /// The value of one port to another, the one of index `port`.
    pub const fn copy(from: &PortEntry, to: &PortEntry, port: u16) -> MoveEntry {
        let size = if from.size < to.size {
            from.size
        } else {
            to.size
        };
        MoveEntry {
            source: from.process,
            from: from.place,
            task: from.task,
            size,
            ..MoveEntry::output(NONE, 0, to, port)
        }
    }

    /// The value of a port to an address of a process.
    pub const fn input(from: &PortEntry, process: u16, address: u32) -> MoveEntry {
        MoveEntry {
            source: from.process,
            sink: process,
            from: from.place,
            to: address,
            size: from.size,
            port: NONE,
            task: from.task,
            traced: 0,
        }
    }

    /// What lies at an address of a process to a port, the one of index `port`.
    pub const fn output(process: u16, address: u32, to: &PortEntry, port: u16) -> MoveEntry {
        MoveEntry {
            source: process,
            sink: to.process,
            from: address,
            to: to.place,
            size: to.size,
            port: if to.process == NONE { port } else { NONE },
            task: NONE,
            traced: to.traced as u16,
        }
    }
}

/// What a driver moves before and after its work. `ports` are all ports, reads
/// and writes name some of them, in the order of its block at `block`.
#[cfg(feature = "alloc")]
pub fn moves_of_driver(
    driver: &DriverEntry,
    ports: &[PortEntry],
    reads: &[u16],
    writes: &[u16],
) -> (alloc::vec::Vec<MoveEntry>, alloc::vec::Vec<MoveEntry>) {
    use alloc::vec::Vec;
    let port = |index: &u16| ports.get(*index as usize);
    let output = |address: u32, index: &u16| {
        Some(MoveEntry::output(
            driver.process,
            address,
            port(index)?,
            *index,
        ))
    };
    if driver.work == DriverWork::Copy as u8 {
        let pairs = reads.iter().zip(writes);
        let copies = pairs.filter_map(|(r, w)| Some(MoveEntry::copy(port(r)?, port(w)?, *w)));
        return (copies.collect(), Vec::new());
    }
    if driver.work == DriverWork::Load as u8 {
        return (
            writes.iter().filter_map(|w| output(0, w)).collect(),
            Vec::new(),
        );
    }
    let all = reads.iter().chain(writes);
    let sizes = all.filter_map(port).map(|p| p.size as usize);
    let mut places = Vec::new();
    crate::process::block_offsets(sizes, |at| {
        places.push(driver.block.wrapping_add(at as u32))
    });
    let (inputs, outputs) = places.split_at(reads.len().min(places.len()));
    let inputs = inputs.iter().zip(reads);
    let inputs = inputs.filter_map(|(at, r)| Some(MoveEntry::input(port(r)?, driver.process, *at)));
    let outputs = outputs.iter().zip(writes);
    let outputs = outputs.filter_map(|(at, w)| output(*at, w));
    (inputs.collect(), outputs.collect())
}

impl Range {
    /// The entries of `table` that this range names; none if it leaves the table.
    pub fn of<'a, T>(&self, table: &'a [T]) -> &'a [T] {
        let start = self.start as usize;
        table.get(start..start + self.count as usize).unwrap_or(&[])
    }
}

/// The tables of one system, wherever they lie.
#[derive(Clone, Copy, Debug)]
pub struct System<'a> {
    /// The head.
    pub header: &'a SystemHeader,
    /// The processes.
    pub processes: &'a [ProcessEntry],
    /// The threads.
    pub threads: &'a [ThreadEntry],
    /// The ports.
    pub ports: &'a [PortEntry],
    /// The drivers.
    pub drivers: &'a [DriverEntry],
    /// The programs.
    pub programs: &'a [ProgramEntry],
    /// The interrupts.
    pub interrupts: &'a [InterruptEntry],
    /// The code of all programs.
    pub instructions: &'a [Instruction],
    /// The predicates of all programs.
    pub predicates: &'a [Predicate],
    /// The durations of all programs.
    pub durations: &'a [DurationEntry],
    /// The pool of 16-bit indices.
    pub links: &'a [u16],
    /// The values that drivers move.
    pub moves: &'a [MoveEntry],
    /// What threads synchronise by.
    pub objects: &'a [ObjectEntry],
    /// The memory that processes share.
    pub regions: &'a [RegionEntry],
}

/// The tables that microcode lies in: there are two of each where programs may
/// be replaced, one in use and one spare.
#[derive(Clone, Copy, Debug)]
pub struct Bank<'a> {
    /// The programs.
    pub programs: &'a [ProgramEntry],
    /// The code of all programs.
    pub instructions: &'a [Instruction],
    /// The predicates of all programs.
    pub predicates: &'a [Predicate],
    /// The durations of all programs.
    pub durations: &'a [DurationEntry],
}
