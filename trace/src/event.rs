//! Records as what they tell.

use giornata_abi::id::NONE;
use giornata_abi::load::How;
use giornata_abi::next::ring::Words;
use giornata_abi::trace::{FaultCause, TraceKind, TraceRecord, Violation};
use giornata_abi::{Duration, Instant, Ticks};

use crate::frame::Numbered;

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
    reason = "the fields are those of `TraceKind`, by its names"
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
        key: u32,
        deadline: Option<Instant>,
        band: u16,
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
    /// Part of a fault's message.
    FaultText {
        process: u16,
        offset: u32,
        text: [u8; 16],
    },
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
    /// The kernel met what cannot happen.
    Impossible { place: u32, x: u64, y: u64 },
    /// The system stops. `kernel_milliticks`: kernel time in thousandths of a tick, if
    /// it is measured.
    Stop {
        status: u16,
        kernel_milliticks: Option<u64>,
        elapsed: Ticks,
    },
    /// An upcall began or ended.
    Upcall {
        driver: u16,
        step: UpcallStep,
        at: Instant,
        value: u64,
    },
    /// The reader of the ring came too late for `count` records.
    Lost { count: u64 },
    /// Kernel time and elapsed time of a hart so far.
    Load {
        hart: u16,
        kernel: Duration,
        elapsed: Duration,
    },
    /// A program has other microcode from an instant on; `tag` 0: none.
    Change {
        program: u16,
        how: Option<How>,
        at: Instant,
        tag: u32,
    },
    /// A kind that this version does not know.
    Unknown(TraceRecord),
    /// The same of the second kernel.
    Strange(Words),
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

impl Event {
    /// Reads a record.
    pub fn read(numbered: &Numbered) -> Event {
        let Numbered { index, record } = numbered;
        Event {
            index: *index,
            tick: Ticks(record.tick),
            hart: record.hart,
            content: read_content(record).unwrap_or(Content::Unknown(*record)),
        }
    }
}

fn read_content(r: &TraceRecord) -> Option<Content> {
    let at = Instant(r.x);
    Some(match TraceKind::from_code(r.kind)? {
        TraceKind::Boot => Content::Boot {
            hertz: r.detail,
            capacity: r.x,
            tables: r.y,
        },
        TraceKind::Switch => Content::Switch {
            thread: index(u64::from(r.subject)),
            key: r.detail,
            deadline: deadline(r.x),
            band: (r.y >> 48) as u16,
            job: (r.y >> 32) as u16,
        },
        TraceKind::Release => Content::Release {
            thread: r.subject,
            job: r.detail,
            at,
            deadline: deadline(r.y),
        },
        TraceKind::Complete => Content::Complete {
            thread: r.subject,
            job: r.detail,
            at,
            execution: Duration(r.y),
        },
        TraceKind::Miss => Content::Miss {
            thread: r.subject,
            job: r.detail,
            deadline: at,
        },
        TraceKind::Violation => Content::Violation(Breach {
            program: r.subject,
            violation: Violation::from_code(r.detail as u8),
            handled: r.detail >> 8 & 0xFF != 0,
            at,
            task: index(r.y & 0xFFFF),
            driver: index(r.y >> 16 & 0xFFFF),
        }),
        TraceKind::Port => Content::Port {
            port: r.subject,
            offset: r.detail,
            at,
            piece: Piece::new(&r.y.to_le_bytes()),
        },
        TraceKind::Interrupt => Content::Interrupt {
            number: r.subject,
            at,
        },
        TraceKind::Fault => Content::Fault {
            process: r.subject,
            cause: FaultCause::ALL.get(r.detail as usize).copied(),
            code: r.detail,
            length: 0,
            pc: r.x,
            address: r.y,
        },
        TraceKind::FaultText => Content::FaultText {
            process: r.subject,
            offset: r.detail,
            text: text(r),
        },
        TraceKind::Process => Content::Process {
            process: r.subject,
            restarted: r.detail == 1,
            generation: r.x,
        },
        TraceKind::Log => Content::Log {
            thread: r.subject,
            length: (r.detail & 0xFF).min(16) as usize,
            more: r.detail & 0x100 != 0,
            text: text(r),
        },
        TraceKind::Impossible => Content::Impossible {
            place: r.detail,
            x: r.x,
            y: r.y,
        },
        TraceKind::Stop => Content::Stop {
            status: r.subject,
            kernel_milliticks: Some(r.x),
            elapsed: Ticks(r.y),
        },
        TraceKind::Upcall => Content::Upcall {
            driver: r.subject,
            step: UpcallStep::from_code(r.detail)?,
            at,
            value: r.y,
        },
        TraceKind::Lost => Content::Lost { count: r.x },
        TraceKind::Load => Content::Load {
            hart: r.subject,
            kernel: Duration(r.x),
            elapsed: Duration(r.y),
        },
        TraceKind::Change => Content::Change {
            program: r.subject,
            how: How::from_code(r.detail as usize),
            at,
            tag: r.y as u32,
        },
    })
}

fn index(raw: u64) -> Option<u16> {
    (raw as u16 != NONE).then_some(raw as u16)
}

fn deadline(raw: u64) -> Option<Instant> {
    (raw != 0 && raw != Instant::NEVER.0).then_some(Instant(raw))
}

fn text(r: &TraceRecord) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&r.x.to_le_bytes());
    bytes[8..].copy_from_slice(&r.y.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: TraceKind, subject: u16, detail: u32, x: u64, y: u64) -> Content {
        let record = TraceRecord {
            kind: kind as u8,
            hart: 0,
            subject,
            detail,
            tick: 9,
            x,
            y,
        };
        Event::read(&Numbered { index: 0, record }).content
    }

    #[test]
    fn a_switch_to_no_thread_is_idle() {
        let content = read(TraceKind::Switch, NONE, 7, 0, 201 << 48 | 5 << 32);
        let expected = Content::Switch {
            thread: None,
            key: 7,
            deadline: None,
            band: 201,
            job: 5,
        };
        assert_eq!(content, expected);
    }

    #[test]
    fn a_violation_names_task_driver_and_whether_it_is_handled() {
        let detail = Violation::Overrun as u32 | 1 << 8;
        let content = read(TraceKind::Violation, 0, detail, 20_000_000, 0xFFFF_0003);
        let breach = Breach {
            program: 0,
            violation: Some(Violation::Overrun),
            handled: true,
            at: Instant(20_000_000),
            task: Some(3),
            driver: None,
        };
        assert_eq!(content, Content::Violation(breach));
    }

    #[test]
    fn text_keeps_its_order_across_both_words() {
        let x = u64::from_le_bytes(*b"altitude");
        let y = u64::from_le_bytes(*b" 10.0 m\0");
        let Content::Log {
            thread: 2,
            length: 15,
            more: true,
            text,
        } = read(TraceKind::Log, 2, 15 | 0x100, x, y)
        else {
            panic!("a log record");
        };
        assert_eq!(&text[..15], b"altitude 10.0 m");
    }

    #[test]
    fn a_kind_of_a_later_version_is_kept_as_it_is() {
        let record = TraceRecord {
            kind: 250,
            hart: 1,
            subject: 2,
            detail: 3,
            tick: 4,
            x: 5,
            y: 6,
        };
        let event = Event::read(&Numbered { index: 8, record });
        assert_eq!(event.content, Content::Unknown(record));
    }
}
