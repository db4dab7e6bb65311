//! Codes that records of the trace carry, see [`ring`](crate::ring).

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
    /// An instance of a filter used up its budget.
    Overrun = 9,
}

impl FaultCause {
    /// Every cause, in the order of codes.
    pub const ALL: [FaultCause; 10] = {
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
            Overrun,
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
            FaultCause::Overrun => "an instance of a filter used up its budget",
        }
    }
}
