//! Records as what they tell.

use giornata_abi::load::How;
use giornata_abi::ring::Words;
use giornata_abi::trace::{FaultCause, Violation};
use giornata_abi::{Duration, Instant, Ticks};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Records written before it, since boot.
    pub index: u64,
    /// The tick at which the kernel was entered.
    pub tick: Ticks,
    /// Where.
    pub hart: u8,
    /// What.
    pub content: Content,
}

/// What happened. Threads, ports, drivers, processes and programs are indices
/// of the system's tables.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields are those of `giornata_abi::ring::Kind`, by its names"
)]
pub enum Content {
    /// The system started.
    Boot {
        hertz: u32,
        capacity: u64,
        tables: u64,
    },
    /// The hart runs another thread; `None` is idle.
    Switch {
        thread: Option<u16>,
        deadline: Option<Instant>,
        job: u16,
    },
    /// A task was released.
    Release {
        thread: u16,
        job: u32,
        at: Instant,
        deadline: Option<Instant>,
    },
    /// A job completed.
    Complete {
        thread: u16,
        job: u32,
        at: Instant,
        execution: Duration,
    },
    /// A job was uncompleted at its deadline.
    Miss {
        thread: u16,
        job: u32,
        deadline: Instant,
    },
    /// A violation.
    Violation(Breach),
    /// Part of a port's value, from byte `offset` on.
    Port {
        port: u16,
        offset: u32,
        at: Instant,
        piece: Piece,
    },
    /// An interrupt was delivered.
    Interrupt { number: u16, at: Instant },
    /// A process faulted.
    Fault {
        process: u16,
        cause: Option<FaultCause>,
        code: u32,
        /// Bytes of its message, where records of their own bring them.
        length: u32,
        pc: u64,
        address: u64,
    },
    /// Registers of the thread whose fault comes next.
    Registers { thread: u16, sp: u64, ra: u64 },
    /// Part of a panic's note or message, or of the stack of a thread that faulted.
    FaultText {
        process: u16,
        offset: u32,
        text: [u8; 16],
    },
    /// A thread has another priority of its own. `by`: the thread that asked for it.
    /// `policy`: its policy as well.
    Priority {
        thread: u16,
        priority: u16,
        by: u16,
        policy: Option<u8>,
    },
    /// What a thread is called from now on, up to the first zero.
    Name { thread: u16, text: [u8; 16] },
    /// A process ended or was restarted.
    Process {
        process: u16,
        restarted: bool,
        generation: u64,
    },
    /// Text of a process.
    Log {
        thread: u16,
        length: usize,
        more: bool,
        text: [u8; 16],
    },
    /// The system stops.
    Stop { status: u16 },
    /// An upcall began or ended.
    Upcall {
        driver: u16,
        step: UpcallStep,
        at: Instant,
        value: u64,
    },
    /// The reader of the ring came too late for `count` records.
    Lost { count: u64 },
    /// A program has other microcode from an instant on; `tag` 0: none.
    Change {
        program: u16,
        how: Option<How>,
        at: Instant,
        tag: u32,
    },
    /// A kind that this version does not know.
    Unknown(Words),
}

/// Some bytes of a port's value; the last of a value may be followed by zeroes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    bytes: [u8; Piece::MOST],
    length: usize,
}

impl Piece {
    /// Bytes that one record can bring.
    pub const MOST: usize = 12;

    /// The first [`MOST`](Self::MOST) of these bytes.
    pub fn new(bytes: &[u8]) -> Piece {
        let length = bytes.len().min(Piece::MOST);
        let mut piece = [0; Piece::MOST];
        piece[..length].copy_from_slice(&bytes[..length]);
        Piece {
            bytes: piece,
            length,
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// A violation of a time-safe, well-behaved program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The program.
    pub program: u16,
    /// Which violation; `None` for a code that this version does not know.
    pub violation: Option<Violation>,
    /// Whether a handler of the program runs.
    pub handled: bool,
    /// The logical instant.
    pub at: Instant,
    /// The thread of the task involved.
    pub task: Option<u16>,
    /// The driver involved.
    pub driver: Option<u16>,
}

/// How far an upcall has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpcallStep {
    /// It began.
    Begun,
    /// It returned.
    Returned,
    /// It was stopped at the end of its budget.
    Overran,
    /// It faulted.
    Faulted,
}

impl UpcallStep {
    /// The step with this code in a record.
    pub(crate) fn from_code(code: u32) -> Option<UpcallStep> {
        Some(match code {
            0 => UpcallStep::Returned,
            1 => UpcallStep::Begun,
            2 => UpcallStep::Overran,
            3 => UpcallStep::Faulted,
            _ => return None,
        })
    }
}
