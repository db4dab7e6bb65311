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

use crate::id::NONE;
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

impl Frame {
    /// Words that hold one.
    pub const WORDS: usize = size_of::<Frame>() / 8;

    /// That of no module: the program becomes empty.
    pub const EMPTY: Frame = Frame {
        instructions: 0,
        predicates: 0,
        durations: 0,
        start: NONE,
        round: NONE,
        resume: NONE,
        handlers: [NONE; 4],
        denominator: 1,
        max_steps: 0,
        tag: 0,
    };

    /// The frame whose bytes are these words.
    pub const fn from_words(words: [u64; Frame::WORDS]) -> Frame {
        let [a, b, c, d] = words;
        const fn quarter(word: u64, index: u32) -> u16 {
            (word >> (16 * index)) as u16
        }
        Frame {
            instructions: quarter(a, 0),
            predicates: quarter(a, 1),
            durations: quarter(a, 2),
            start: quarter(a, 3),
            round: quarter(b, 0),
            resume: quarter(b, 1),
            handlers: [quarter(b, 2), quarter(b, 3), quarter(c, 0), quarter(c, 1)],
            denominator: (c >> 32) as u32,
            max_steps: d as u32,
            tag: (d >> 32) as u32,
        }
    }

    /// Whether its counts are within these and its addresses within its code.
    pub fn fits(&self, counts: [u32; 3]) -> bool {
        let mine = [self.instructions, self.predicates, self.durations];
        let inside = |address: u16| address < self.instructions;
        let optional = |address: u16| address == NONE || inside(address);
        mine.into_iter()
            .zip(counts)
            .all(|(mine, room)| u32::from(mine) <= room)
            && (self.instructions == 0 || inside(self.start))
            && optional(self.round)
            && optional(self.resume)
            && self.handlers.into_iter().all(optional)
            && self.denominator > 0
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    fn frame() -> Frame {
        Frame {
            instructions: 1,
            predicates: 2,
            durations: 3,
            start: 0,
            round: 5,
            resume: NONE,
            handlers: [6, 7, 8, NONE],
            denominator: 9,
            max_steps: 10,
            tag: 0xDEAD_BEEF,
        }
    }

    #[test]
    fn a_frame_is_its_words() {
        let mut bytes = [0; Frame::WORDS * 8];
        let mut at = 0;
        frame().encode(&mut |field| {
            bytes[at..at + field.len()].copy_from_slice(field);
            at += field.len();
        });
        let mut words = [0; Frame::WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        assert_eq!((at, Frame::from_words(words)), (bytes.len(), frame()));
    }

    #[test]
    fn a_frame_fits_its_room_and_its_addresses_its_code() {
        let fitting = Frame {
            instructions: 9,
            ..frame()
        };
        assert!(fitting.fits([9, 2, 3]));
        assert!(!fitting.fits([8, 2, 3]) && !fitting.fits([9, 1, 3]) && !fitting.fits([9, 2, 2]));
        assert!(!frame().fits([9, 2, 3]));
        for broken in [
            Frame {
                start: 9,
                ..fitting
            },
            Frame {
                round: 9,
                ..fitting
            },
            Frame {
                resume: 9,
                ..fitting
            },
            Frame {
                handlers: [NONE, NONE, NONE, 9],
                ..fitting
            },
            Frame {
                denominator: 0,
                ..fitting
            },
        ] {
            assert!(!broken.fits([9, 2, 3]));
        }
    }
}
