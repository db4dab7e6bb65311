//! What a system consists of, by numbers: what the records are made from.

use giornata_abi::system::FaultPolicy;
use giornata_core::layout::Target;

use crate::program::Programs;
use crate::streams::Streams;

/// The depth of chains in a system that does not say.
pub const DEPTH: u32 = 16;

/// A system.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The fixed priority at whose level the deadline band lies.
    pub band: u8,
    /// Threads that a chain of waiting threads can have behind its first; 0: [`DEPTH`].
    pub depth: u32,
    /// The processes.
    pub processes: Vec<Process>,
    /// The threads: those of a process in a row, processes in order.
    pub threads: Vec<Thread>,
    /// The objects.
    pub objects: Vec<Object>,
    /// The interrupt lines in use.
    pub lines: Vec<Line>,
    /// Bits of [`flag`](giornata_core::boot::flag).
    pub flags: u32,
    /// Ticks a second of the timer.
    pub timer_hertz: u32,
    /// The machine stops at this tick; 0: never.
    pub stop_at: u64,
    /// Where floating-point registers are kept; 0: nowhere.
    pub floating: u64,
    /// What the architecture finds in the process of the kernel's own threads.
    pub kernel_space: Vec<u64>,
    /// Where the reader of the trace counts what it has sent; 0: nowhere.
    pub trace_cursor: u64,
    /// Regions of shared memory.
    pub regions: Vec<Region>,
    /// Programs.
    pub programs: Programs,
    /// Records of the trace ring, a power of two, at least 16.
    pub trace_records: usize,
    /// Where the ring lies; `None`: among the records.
    pub trace_ring: Option<u64>,
    /// Threads have accounts, for the policies of POSIX.
    pub accounts: bool,
    /// Records of the task manager; 0: there is none.
    pub task_records: usize,
    /// Harts that the kernel runs on; 0 as 1. A kernel of several has other records.
    pub harts: u32,
    /// The first of several harts takes the timer and the lines, and runs no thread.
    pub control_apart: bool,
    /// Stream graphs; `None`: a kernel that runs none, and has other records.
    pub streams: Option<Streams>,
}

impl Description {
    /// What its records are for, where an address has `width` bytes.
    pub(crate) fn target(&self, width: usize) -> Target {
        Target {
            width,
            several: self.harts > 1,
            streams: self.streams.is_some(),
        }
    }

    pub(crate) fn hart_count(&self) -> usize {
        self.harts.max(1) as usize
    }
}

/// A process.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// What the architecture loads.
    pub space: Vec<u64>,
    /// The most urgent fixed priority that its threads may ask for.
    pub max_priority: u8,
    /// Bits of [`grant`](giornata_core::process::grant).
    pub grants: u32,
    /// No two of its threads run at the same time, where there are several harts.
    pub in_turn: bool,
    /// First address of its restartable sequences, and behind them.
    pub restartable: (u64, u64),
    /// The user address of its data, its bytes, its physical address.
    pub data: (u64, u64, u64),
    /// Bytes below its data that it reads and writes in one piece with them: stacks.
    pub below: u64,
    /// Who supervises it.
    pub supervisor: Option<usize>,
    /// It begins when its supervisor says so, not at boot.
    pub by_call: bool,
    /// What comes after its end.
    pub on_fault: Option<FaultPolicy>,
    /// When it is restarted, and how often: without more, at once and any number of times.
    pub restart: Restart,
    /// Where the pristine copy of its data lies, the bytes of it, and the zeroes behind
    /// them in its data.
    pub image: (u64, u64, u64),
    /// Where its stacks lie, if not in its data, and their bytes.
    pub stacks: (u64, u64),
    /// How many messages it has, and the bytes that the longest can have.
    pub messages: (u32, u32),
    /// Physical address of the room for their bytes, 16 each at least, in whole words;
    /// `None`: it lies among the records.
    pub rooms: Option<u64>,
    /// The user address of the memory that it can allocate, and its bytes.
    pub heap: (u64, u64),
}

/// When a process that faults is restarted, and how often.
#[derive(Clone, Debug, Default)]
pub struct Restart {
    /// Ticks before the second restart of a window, doubled for each further one.
    pub pause: u32,
    /// The most ticks before a restart.
    pub longest: u32,
    /// Restarts in a window; 0: any number.
    pub most: u32,
    /// Ticks of a window, which begins at a restart.
    pub window: u64,
    /// What comes when there have been so many: not a restart.
    pub beyond: Option<FaultPolicy>,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// Its process.
    pub process: usize,
    /// Its fixed priority.
    pub priority: u8,
    /// Of a thread with the role of that name: ticks from its beginning to its deadline.
    pub deadline: u32,
    /// Bits of [`role`](giornata_core::sched::thread::role).
    pub role: u16,
    /// Where it begins.
    pub entry: u64,
    /// `a0` and `a1` at its start; `a0` is the user address of its control page, of a task or
    /// an upcall that of its block.
    pub arguments: [u64; 2],
    /// First address above its stack, and its bytes.
    pub stack: (u64, u64),
    /// The user's global and thread pointers; the thread pointer is the end of the control
    /// page.
    pub pointers: (u64, u64),
    /// Physical address of its control page.
    pub control: u64,
    /// The region of its own stack, where it has one.
    pub stack_region: u64,
    /// Ticks of its quantum, or of the budget of a job; 0: no limit.
    pub allowance: u32,
}

/// What lives in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ObjectKind {
    /// A counting semaphore.
    Semaphore = giornata_core::sync::object::kind::SEMAPHORE,
    /// A mutex.
    Mutex = giornata_core::sync::object::kind::MUTEX,
    /// A condition variable.
    Condition = giornata_core::sync::object::kind::CONDITION,
    /// A mailbox.
    Mailbox = giornata_core::sync::object::kind::MAILBOX,
}

/// A slot for an object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What lives in it.
    pub kind: ObjectKind,
    /// It exists when the system boots.
    pub at_boot: bool,
    /// Count of a semaphore when it is created.
    pub initial: u32,
    /// The highest count of a semaphore.
    pub most: u32,
    /// The ceiling of a mutex.
    pub ceiling: Option<u8>,
    /// The threads of one process take it by a word of their memory.
    pub private: bool,
    /// The slot of the mailbox of the server to which a mailbox is attached.
    pub server: Option<usize>,
    /// What each process may do with it.
    pub rights: Vec<Rights>,
}

/// What a process may do with an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Use it.
    pub used: bool,
    /// Create and delete it.
    pub managed: bool,
    /// Receive from it.
    pub received: bool,
    /// Send past the server to which it is attached.
    pub direct: bool,
    /// Receive from it as a protocol server.
    pub full: bool,
}

/// A region of shared memory.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Its address in every process.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
    /// Where it lies.
    pub place: u64,
    /// What the architecture opens it by.
    pub tables: u64,
    /// What each process may do with it, see
    /// [`Share::grant`](giornata_core::process::region::Share).
    pub grants: Vec<u32>,
}

/// An interrupt line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    /// Its number at the interrupt controller.
    pub number: u32,
    /// The process whose threads may await it.
    pub process: Option<usize>,
    /// Minimum interarrival time in ticks: so long it stays masked when it has come.
    pub interval: u32,
}
