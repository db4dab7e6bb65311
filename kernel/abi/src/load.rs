//! Microcode that comes while the system runs: what a loader process and the
//! kernel say to each other.
//!
//! A program that may be replaced has *room* twice, for the module that runs
//! and for the one that comes. The loader writes the coming one into the spare
//! room ([`Call::StageProgram`](crate::call::Call::StageProgram)), section by
//! section, and then asks for the change
//! ([`Call::SwitchProgram`](crate::call::Call::SwitchProgram)) with a
//! [`Frame`]. The indices of tasks, drivers, ports and interrupts in it are
//! those that the program was linked with: its *interface*.

use crate::instruction::{DurationEntry, Instruction};
use crate::predicate::Predicate;
use crate::record::record;

/// A section of the spare room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Section {
    /// [`Instruction`]s.
    Instructions = 0,
    /// [`Predicate`]s.
    Predicates = 1,
    /// [`DurationEntry`]s.
    Durations = 2,
}

impl Section {
    /// Every section.
    pub const ALL: [Section; 3] = [
        Section::Instructions,
        Section::Predicates,
        Section::Durations,
    ];

    /// The section with this code.
    pub const fn from_code(code: usize) -> Option<Section> {
        match code {
            0 => Some(Section::Instructions),
            1 => Some(Section::Predicates),
            2 => Some(Section::Durations),
            _ => None,
        }
    }

    /// Bytes of one of its records.
    pub const fn record(self) -> usize {
        match self {
            Section::Instructions => size_of::<Instruction>(),
            Section::Predicates => size_of::<Predicate>(),
            Section::Durations => size_of::<DurationEntry>(),
        }
    }
}

record! {
    /// What a program is besides its sections.
    pub struct Frame {
        /// Count of instructions; 0: the program becomes empty.
        pub instructions: u16,
        /// Count of predicates.
        pub predicates: u16,
        /// Count of durations.
        pub durations: u16,
        /// Address of the first block.
        pub start: u16,
        /// Address of the block that begins each round, see
        /// [`ModuleHeader::round`](crate::module::ModuleHeader::round).
        pub round: u16,
        /// Address of the block by which a round is begun in the place of
        /// another module's.
        pub resume: u16,
        /// Handler blocks by violation; NONE = default.
        pub handlers: [u16; 4],
        /// Remainders count in 1/denominator ns.
        pub denominator: u32,
        /// Most microcode steps in one instant; the kernel allows no more than
        /// the system does.
        pub max_steps: u32,
        /// What [`Call::ProgramStatus`](crate::call::Call::ProgramStatus) shows
        /// of it: the checksum of its module.
        pub tag: u32,
    }
}

/// When a program changes, and with what it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum How {
    /// At the first instant at which all its tasks have completed; the new
    /// module begins with its start block.
    Restart = 0,
    /// At the first instant at which all its tasks have completed and it waits
    /// for nothing but its next round; the new module begins with that round, at
    /// its instant, and finds the ports as they are.
    CarryOver = 1,
    /// A change that has been asked for and has not happened does not happen.
    Withdraw = 2,
}

impl How {
    /// The meaning of a code.
    pub const fn from_code(code: usize) -> Option<How> {
        match code {
            0 => Some(How::Restart),
            1 => Some(How::CarryOver),
            2 => Some(How::Withdraw),
            _ => None,
        }
    }
}

/// Bits of the state that [`Call::ProgramStatus`](crate::call::Call::ProgramStatus) answers.
pub mod state {
    /// The program has code.
    pub const LOADED: usize = 1;
    /// A change has been asked for and has not happened yet.
    pub const PENDING: usize = 2;
    /// The spare room is being brought up to date after a change.
    pub const SETTLING: usize = 4;
}
