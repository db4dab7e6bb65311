//! Which functions had called which, by call frame information.
//!
//! The Frame Invariant: where a function keeps the canonical frame address, the return
//! address and the registers that it saved, its call frame information says for each of
//! its instructions; so with the program counter, the stack pointer, the return address
//! and a copy of the stack each caller follows from the one that it called.

use gimli::{CfaRule, Register, RegisterRule, UnwindContext, UnwindOffset, UnwindSection};

use crate::{Executable, Frame};

/// The return address, by the calling convention.
const RA: u16 = 1;
/// The stack pointer.
const SP: u16 = 2;
/// Integer registers.
const REGISTERS: usize = 32;
/// A backtrace of more calls than this is cut.
const DEEPEST: usize = 64;

/// What is known of the registers of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Where it was.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The return address; `None` if it is nobody's.
    pub ra: Option<u64>,
}

/// A copy of some memory of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The first address.
    pub start: u64,
    /// What lay there.
    pub bytes: Vec<u8>,
}

impl Memory {
    /// The bytes at an address.
    pub fn read(&self, address: u64, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.start)?).ok()?;
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// A word of the process.
    pub fn word(&self, address: u64, is_64: bool) -> Option<u64> {
        let bytes = self.read(address, if is_64 { 8 } else { 4 })?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u64::from(*byte)),
        )
    }
}

/// The functions that a thread was in, the innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backtrace {
    /// Each with what was inlined into it in front of it.
    pub frames: Vec<Frame>,
    /// There were more callers, but what is known of the stack ends here.
    pub is_cut: bool,
}

/// A step from a function to its caller.
enum Step {
    To(u64),
    /// The function has no caller.
    End,
    /// It is not known.
    Lost,
}

/// Where a function keeps a register of its caller.
enum Saved {
    /// So far from the canonical frame address.
    At(i64),
    In(Register),
    Same,
    Lost,
}

/// What call frame information says of an instruction.
struct Row {
    /// The canonical frame address: a register and a number. `None` where it is a
    /// calculation, which no compiler of processes writes.
    cfa: Option<(Register, i64)>,
    saved: Vec<(Register, Saved)>,
    /// The register of the return address, or a number that is none.
    link: u16,
    /// What it is about was interrupted, and has called nothing.
    is_signal: bool,
}

struct Walk<'a> {
    executable: &'a Executable,
    memory: &'a Memory,
    registers: [Option<u64>; REGISTERS],
}

impl Executable {
    /// What a thread was in with these registers, and `memory` its stack, from the stack
    /// pointer on or from anywhere.
    pub fn backtrace(&self, registers: Registers, memory: &Memory) -> Backtrace {
        let mut known = [None; REGISTERS];
        known[usize::from(RA)] = registers.ra;
        known[usize::from(SP)] = Some(registers.sp);
        let mut walk = Walk {
            executable: self,
            memory,
            registers: known,
        };
        let mut trace = Backtrace::default();
        let mut inside = registers.pc;
        for depth in 0..DEEPEST {
            trace.frames.extend(self.frames(inside));
            let is_signal = self.row(inside).is_some_and(|row| row.is_signal);
            match walk.step(inside, depth == 0) {
                Step::To(caller) if is_signal => inside = caller,
                // a caller is in its call, which lies before the instruction it goes on with
                Step::To(caller) => inside = caller.wrapping_sub(1),
                Step::End => return trace,
                Step::Lost => break,
            }
        }
        trace.is_cut = true;
        trace
    }
}

impl Executable {
    /// Whether call frame information says how the instruction at an address leads to its
    /// caller.
    pub fn has_frame(&self, pc: u64) -> bool {
        self.row(pc).is_some()
    }

    fn row(&self, pc: u64) -> Option<Row> {
        let own = self.row_in(&self.debug_frame, pc);
        own.or_else(|| self.row_in(&self.eh_frame, pc))
    }

    fn row_in<S>(&self, section: &S, pc: u64) -> Option<Row>
    where
        S: UnwindSection<crate::executable::Reader>,
        S::Offset: UnwindOffset<usize>,
    {
        let mut context = UnwindContext::new();
        let function = section
            .fde_for_address(&self.bases, pc, S::cie_from_offset)
            .ok()?;
        let row = function
            .unwind_info_for_address(section, &self.bases, &mut context, pc)
            .ok()?;
        let cfa = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => Some((*register, *offset)),
            CfaRule::Expression(_) => None,
        };
        let saved = row.registers().map(|(register, rule)| {
            let saved = match rule {
                RegisterRule::Offset(offset) => Saved::At(*offset),
                RegisterRule::Register(other) => Saved::In(*other),
                RegisterRule::SameValue => Saved::Same,
                _ => Saved::Lost,
            };
            (*register, saved)
        });
        Some(Row {
            cfa,
            saved: saved.collect(),
            link: function.cie().return_address_register().0,
            is_signal: function.is_signal_trampoline(),
        })
    }
}

impl Walk<'_> {
    fn step(&mut self, pc: u64, is_first: bool) -> Step {
        let Some(caller) = self.caller(pc, is_first) else {
            return match self.executable.is_code(pc) && self.is_start(pc) {
                true => Step::End,
                false => Step::Lost,
            };
        };
        match caller {
            0 => Step::End,
            caller if self.executable.is_code(caller.wrapping_sub(1)) => Step::To(caller),
            _ => Step::Lost,
        }
    }

    /// Assembly at which threads start: it has no caller.
    fn is_start(&self, pc: u64) -> bool {
        let function = self.executable.function_at(pc);
        function.is_some_and(|(name, _)| name.starts_with("giornata_start_"))
    }

    /// The return address of the function at `pc`; the registers become its caller's.
    fn caller(&mut self, pc: u64, is_first: bool) -> Option<u64> {
        let Some(row) = self.executable.row(pc) else {
            // code of nobody, or assembly that calls nothing: its caller is in `ra`
            let is_leaf = is_first && !self.is_start(pc);
            return self.registers[usize::from(RA)].take().filter(|_| is_leaf);
        };
        let (register, offset) = row.cfa?;
        let cfa = self.register(register)?.wrapping_add_signed(offset);
        let mut before = self.registers;
        // what a called function may change without saving it
        for (number, value) in before.iter_mut().enumerate() {
            let is_preserved = matches!(number, 8 | 9 | 18..=27);
            if !is_preserved && number != usize::from(RA) {
                *value = None;
            }
        }
        before[usize::from(SP)] = Some(cfa);
        let mut link = None;
        for (register, saved) in row.saved {
            let known = before.get(usize::from(register.0)).copied().flatten();
            let value = match saved {
                Saved::At(offset) => self
                    .memory
                    .word(cfa.wrapping_add_signed(offset), self.executable.is_64),
                Saved::In(other) => self.register(other),
                Saved::Same => known,
                Saved::Lost => None,
            };
            match before.get_mut(usize::from(register.0)) {
                Some(place) => *place = value,
                None if register.0 == row.link => link = value,
                None => {}
            }
        }
        // (of a signal's frame the interrupted function has its own return address, too; a
        // sequence that returns by another register has a caller that is seldom known)
        let caller = match link {
            Some(_) => link,
            None => before[usize::from(RA)].take(),
        };
        self.registers = before;
        caller
    }

    fn register(&self, register: Register) -> Option<u64> {
        *self.registers.get(usize::from(register.0))?
    }
}
