//! Microcode that comes while the system runs: what a loader process and the kernel say
//! to each other.
//!
//! A program that may be replaced has *room* twice, for the module that runs and for the
//! one that comes. The loader writes the coming one, in linked order, into the spare room
//! ([`Call::StageProgram`](crate::call::Call::StageProgram)), section by section, and
//! then asks for the change ([`Call::SwitchProgram`](crate::call::Call::SwitchProgram))
//! with a [`Frame`].
//!
//! Places are numbers here: of tasks, drivers, ports, interrupts and mailboxes by the
//! program's interface, of instructions and predicates within the room. Durations are
//! ticks of the board's timer, in units of `1/denominator` of which remainders count;
//! constants are order keys, see [`key`]. The kernel turns each number into a reference
//! when a record is staged, and refuses what names nothing.

use crate::id::NONE;
use crate::record::record;
use crate::value::ValueType;

/// Bytes of a record of either section.
pub const RECORD: usize = 16;
/// Most bytes that one call stages.
pub const MOST: usize = 64;

/// A section of the spare room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Section {
    /// [`Linked`] instructions.
    Instructions = 0,
    /// [`LinkedWait`]s.
    Predicates = 1,
}

/// When a comparison holds.
pub mod compare {
    /// The value is less than that to which it is compared.
    pub const LESS: u8 = 1;
    /// They are equal.
    pub const EQUAL: u8 = 2;
    /// It is greater.
    pub const GREATER: u8 = 4;
}

record! {
    /// An instruction. Operands as in module files, see
    /// [`Opcode`](crate::instruction::Opcode), but for the deadline of a release.
    pub struct Linked {
        /// An [`Opcode`](crate::instruction::Opcode).
        pub opcode: u8,
        /// Must be 0.
        pub reserved: u8,
        /// First operand.
        pub a: u16,
        /// Second operand.
        pub b: u16,
        /// Third operand.
        pub c: u16,
        /// Of a release: ticks to its deadline, at most 2^30.
        pub ticks: u32,
        /// And parts of a tick.
        pub parts: u32,
    }

    /// A predicate.
    pub struct LinkedWait {
        /// A [`PredicateKind`](crate::predicate::PredicateKind).
        pub kind: u8,
        /// When a comparison holds: bits of [`compare`]; else 0.
        pub comparison: u8,
        /// Number of the task, port, interrupt, mailbox or driver, or 0.
        pub subject: u16,
        /// Of a time: parts of a tick.
        pub parts: u32,
        /// Of a time: ticks. Of a constant: its order key. Low word, high word.
        pub value: [u32; 2],
    }
}

/// Maps a raw little-endian value, zero-extended to 64 bits, to a key whose unsigned
/// order among values of its type is theirs. NaN lies beyond the infinity of its sign;
/// -0 lies below +0.
pub const fn key(of: ValueType, raw: u64) -> u64 {
    use ValueType::*;
    let sign = match of {
        Opaque | Bool | U8 | U16 | U32 | U64 => return raw,
        I8 => 0x80,
        I16 => 0x8000,
        I32 | F32 => 0x8000_0000,
        I64 | F64 => 1 << 63,
    };
    match (of, raw & sign != 0) {
        (F32 | F64, true) => raw ^ (sign | (sign - 1)),
        _ => raw ^ sign,
    }
}

record! {
    /// What a program is besides its sections.
    pub struct Frame {
        /// Count of instructions; 0: the program becomes empty.
        pub instructions: u16,
        /// Count of predicates.
        pub predicates: u16,
        /// 0: durations lie in the records.
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
        /// Parts of a tick in which remainders count.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_of_one_type_are_in_the_order_of_its_values(raw: [u64; 2]) {
            for of in ValueType::ALL {
                let mask = match of.size() {
                    Some(8) | None => u64::MAX,
                    Some(size) => (1 << (8 * size)) - 1,
                };
                let [a, b] = raw.map(|raw| raw & mask);
                prop_assert_eq!(key(of, a).cmp(&key(of, b)), of.order_key(a).cmp(&of.order_key(b)), "{:?}", of);
            }
        }
    }
}
