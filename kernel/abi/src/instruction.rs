//! The instructions of the E and S machines, from one list.
//!
//! The list gives the opcodes, the operand kinds that the verifier checks, the
//! names that the disassembler prints, and the semantics in words.

use crate::record::record;

/// What an operand field of an instruction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing; must be 0.
    None,
    /// Module-local index of a driver.
    Driver,
    /// Module-local index of a task.
    Task,
    /// Index into the module's predicate pool, any kind.
    Predicate,
    /// Index into the module's predicate pool, evaluated on the spot: any kind
    /// but those that compare with a port's state at activation, which a branch
    /// has none of. `after` counts from the reference time of the block or thread.
    Test,
    /// Index into the module's duration pool.
    Duration,
    /// Index of an instruction of the module.
    Address,
}

macro_rules! instructions {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $text:literal, [$a:ident, $b:ident, $c:ident];)*) => {
        /// What an instruction does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Opcode { $($(#[doc = $doc])* $name = $code,)* }

        impl Opcode {
            /// Every opcode.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name,)*];

            /// The opcode with this code.
            pub const fn from_code(code: u8) -> Option<Opcode> {
                match code { $($code => Some(Opcode::$name),)* _ => None }
            }

            /// The mnemonic in listings.
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Opcode::$name => $text,)* }
            }

            /// The kinds of operands `a`, `b`, `c`.
            pub const fn operands(self) -> [Operand; 3] {
                match self { $(Opcode::$name => [Operand::$a, Operand::$b, Operand::$c],)* }
            }

            /// The semantics in words, for the generated table.
            pub const fn semantics(self) -> &'static str {
                match self { $(Opcode::$name => concat!($($doc,)*),)* }
            }
        }
    };
}

instructions! {
    /// End the block or thread.
    Return = 0, "return", [None, None, None];
    /// Run driver `a` in logical zero time: copy, register access, or upcall.
    Call = 1, "call", [Driver, None, None];
    /// Mark task `a` released; its deadline is duration `b` after the instant.
    Release = 2, "release", [Task, Duration, None];
    /// Append (predicate `a`, address `b`, state of `a`'s ports now) to the trigger queue.
    Future = 3, "future", [Predicate, Address, None];
    /// Run task `a` until `b` expires. `a` already completed: next instruction, no time. `a` completes first: next instruction. `b` expires first: go to `c`.
    Dispatch = 4, "dispatch", [Task, Predicate, Address];
    /// Give this module's tasks nothing until `a` expires, then next instruction.
    Idle = 5, "idle", [Predicate, None, None];
    /// Start a new thread at `a` whose reference time is the latched clock; the parent continues first.
    Fork = 6, "fork", [Address, None, None];
    /// Go to `a`; keeps the reference time.
    Jump = 7, "jump", [Address, None, None];
    /// Go to `b` if the test `a` holds, else to the next instruction.
    Branch = 8, "branch", [Test, Address, None];
}

record! {
    /// One instruction: an opcode and three operands, eight bytes.
    pub struct Instruction {
        /// An [`Opcode`].
        pub opcode: u8,
        /// Must be 0.
        pub reserved: u8,
        /// First operand.
        pub a: u16,
        /// Second operand.
        pub b: u16,
        /// Third operand.
        pub c: u16,
    }
}

impl Instruction {
    /// An instruction from its parts.
    pub const fn new(opcode: Opcode, a: u16, b: u16, c: u16) -> Instruction {
        Instruction {
            opcode: opcode as u8,
            reserved: 0,
            a,
            b,
            c,
        }
    }

    /// The opcode, if the code is one.
    pub const fn opcode(&self) -> Option<Opcode> {
        Opcode::from_code(self.opcode)
    }
}

record! {
    /// One entry of a module's duration pool: `nanos + remainder/denominator` ns.
    pub struct DurationEntry {
        /// Whole nanoseconds.
        pub nanos: u64,
        /// In units of `1/denominator` ns.
        pub remainder: u32,
        /// Must be 0.
        pub reserved: u32,
    }
}
