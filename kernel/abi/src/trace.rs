//! Trace records: what the kernel writes into its ring, and what leaves the
//! machine.
//!
//! A record is 32 bytes, stamped with the tick at which the kernel was entered
//! and the hart. The *port trace* is the `Port` records without their stamps;
//! the *decision trace* is `Switch` and friends without theirs; the *physical
//! trace* is everything.

use crate::record::record;

record! {
    /// One record of the trace.
    pub struct TraceRecord {
        /// A [`TraceKind`].
        pub kind: u8,
        /// The hart.
        pub hart: u8,
        /// Thread, port, process, interrupt..., by kind.
        pub subject: u16,
        /// By kind.
        pub detail: u32,
        /// Ticks of the board's timer at kernel entry.
        pub tick: u64,
        /// By kind; a logical instant in ns where there is one.
        pub x: u64,
        /// By kind.
        pub y: u64,
    }
}

impl TraceRecord {
    /// The record as four words, in the order of its bytes.
    pub const fn words(&self) -> [u64; 4] {
        let head = self.kind as u64
            | (self.hart as u64) << 8
            | (self.subject as u64) << 16
            | (self.detail as u64) << 32;
        [head, self.tick, self.x, self.y]
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal,)*) => {
        /// What a record tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum TraceKind { $($(#[doc = $doc])* $name = $code,)* }

        impl TraceKind {
            /// Every kind.
            pub const ALL: &'static [TraceKind] = &[$(TraceKind::$name,)*];

            /// The kind with this code.
            pub const fn from_code(code: u8) -> Option<TraceKind> {
                match code { $($code => Some(TraceKind::$name),)* _ => None }
            }

            /// The kind's name.
            pub const fn name(self) -> &'static str {
                match self { $(TraceKind::$name => stringify!($name),)* }
            }
        }
    };
}

kinds! {
    /// The system started. detail: timer ticks a second; x: trace ring capacity in records; y: hash of the system tables.
    Boot = 0,
    /// The hart runs another thread. subject: thread (NONE = idle); detail: urgency key; x: deadline in ns (0 = none); y: band << 48 | job << 32 (low 16 bits of it).
    Switch = 1,
    /// A task was released. subject: its thread; detail: job number; x: logical instant; y: deadline in ns.
    Release = 2,
    /// A job completed. subject: its thread; detail: job number; x: the instant latched; y: execution time in ns.
    Complete = 3,
    /// A job completed after its deadline; follows its `Complete`, so a job that is stopped or never completes has none. subject: its thread; detail: job number; x: deadline in ns; y: 0.
    Miss = 4,
    /// A violation. subject: program; detail: kind | handled << 8; x: logical instant; y: thread of the task | driver << 16 (NONE = none), both system-wide.
    Violation = 5,
    /// A port's value after a driver wrote it. subject: port; detail: byte offset of this piece; x: logical instant; y: up to 8 bytes of the value.
    Port = 6,
    /// An interrupt was delivered. subject: its number; detail: 0; x: the instant latched; y: 0.
    Interrupt = 7,
    /// A process faulted. subject: process; detail: cause (see `FaultCause`); x: program counter; y: address or argument.
    Fault = 8,
    /// Part of a fault's message: up to 16 bytes in x and y. subject: process; detail: byte offset.
    FaultText = 9,
    /// A process ended or was restarted. subject: process; detail: 0 stopped, 1 restarted; x: generation; y: 0.
    Process = 10,
    /// Text of a process. subject: thread; detail: bytes (1..=16), bit 8 set when more follows; x, y: the bytes.
    Log = 11,
    /// The kernel met what cannot happen. detail: place code; x, y: by place.
    Impossible = 12,
    /// The system stops. subject: exit status; detail: 0; x: kernel time in timer ticks * 1000; y: elapsed ticks.
    Stop = 13,
    /// An upcall began (detail 1) or ended (0 returned, 2 overrun, 3 fault). subject: driver; x: logical instant; y: returned value.
    Upcall = 14,
    /// Written by the reader of the ring: records were overwritten before they were read. x: how many.
    Lost = 15,
    /// Kernel time so far, ten times a second. subject: hart; x: kernel time in ns; y: elapsed ns.
    Load = 16,
    /// A program has other microcode from this instant on. subject: program; detail: a `How`; x: logical instant; y: the tag of its module (0 = it is empty).
    Change = 17,
}

/// Violations of a time-safe, well-behaved program, in the order of handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Violation {
    /// A driver or release met a job that has not completed.
    TimeSafety = 0,
    /// Two threads of one hart dispatched different tasks at once.
    TimeShare = 1,
    /// A job, an upcall or a module used more than its budget.
    Overrun = 2,
    /// A task's or driver's process faulted.
    Fault = 3,
}

impl Violation {
    /// Every violation, in the order of codes.
    pub const ALL: [Violation; 4] = [
        Violation::TimeSafety,
        Violation::TimeShare,
        Violation::Overrun,
        Violation::Fault,
    ];

    /// The violation with this code.
    pub fn from_code(code: u8) -> Option<Violation> {
        Self::ALL.get(code as usize).copied()
    }

    /// The name in system files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Violation::TimeSafety => "time-safety",
            Violation::TimeShare => "time-share",
            Violation::Overrun => "overrun",
            Violation::Fault => "fault",
        }
    }
}

/// Why a process faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FaultCause {
    /// Instruction fetch without the right to it.
    Execute = 0,
    /// Illegal or privileged instruction.
    Illegal = 1,
    /// Breakpoint.
    Breakpoint = 2,
    /// Load without the right to it, or misaligned.
    Load = 3,
    /// Store without the right to it, or misaligned.
    Store = 4,
    /// A stack ran into its guard.
    StackOverflow = 5,
    /// The program panicked; the text names file and line.
    Panic = 6,
    /// A system call that faults its caller by definition.
    Call = 7,
    /// Its supervisor ended it.
    Killed = 8,
}

impl FaultCause {
    /// Every cause, in the order of codes.
    pub const ALL: [FaultCause; 9] = {
        use FaultCause::*;
        [
            Execute,
            Illegal,
            Breakpoint,
            Load,
            Store,
            StackOverflow,
            Panic,
            Call,
            Killed,
        ]
    };

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            FaultCause::Execute => "jumped where it may not execute",
            FaultCause::Illegal => "illegal or privileged instruction",
            FaultCause::Breakpoint => "breakpoint",
            FaultCause::Load => "load from an address it may not read",
            FaultCause::Store => "store to an address it may not write",
            FaultCause::StackOverflow => "stack overflow",
            FaultCause::Panic => "panic",
            FaultCause::Call => "misused system call",
            FaultCause::Killed => "ended by its supervisor",
        }
    }
}
