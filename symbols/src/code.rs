//! What a function does to the stack pointer and whom it calls, read from its code.
//!
//! The code is followed from its first instruction to its last, with what registers hold as
//! far as the function itself says it: constants, and places a known way from the stack
//! pointer. Where a branch leads, registers hold nothing that is known, and the stack pointer
//! is as low as at the lowest branch there. So what is found does not depend on debug
//! information, which libraries in archives may lack.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const RA: usize = 1;
const SP: usize = 2;
const FP: usize = 8;
/// What a call does not preserve: `ra`, `t0` to `t6`, `a0` to `a7`.
const LOST_BY_CALLS: u32 = 0xF003_FCE2;

/// What an instruction adds is less far than this.
const LOWER: u64 = 1 << 11;

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Unknown,
    Constant(u64),
    /// So many bytes below the stack pointer that the function began with.
    Below(i64),
    /// The stack pointer less something that is not known.
    Lower,
    /// The stack pointer and something that is not known.
    Near,
}

/// An instruction, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Set(usize, u64),
    AddImmediate(usize, usize, i64),
    /// The sum has 32 bits and a sign.
    AddNarrow(usize, usize, i64),
    AndImmediate(usize, usize, i64),
    Add(usize, usize, usize),
    Subtract(usize, usize, usize),
    StoreZero(usize, i64),
    /// To an address; whether it compares the stack pointer.
    Branch(u64, bool),
    /// To an address; whether it comes back.
    Jump(u64, bool),
    /// To a register and an offset; whether it comes back.
    JumpTo(usize, i64, bool),
    /// Something else, by which this register changes.
    Other(usize),
}

/// What the code of a function says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Code {
    /// Bytes that it takes of the stack at most, without what it takes by a register.
    pub(crate) frame: u64,
    /// Where it goes beyond itself, by a call or a jump.
    pub(crate) targets: BTreeSet<u64>,
    /// Upper parts of addresses that it makes, and what it adds to registers: which belong
    /// together a compiler says in any order.
    pub(crate) uppers: BTreeSet<u64>,
    pub(crate) lowers: BTreeSet<i64>,
    /// It calls, or ends by going to, what a register leads to.
    pub(crate) is_by_pointer: bool,
    /// The instruction by which it takes of the stack what only a register says.
    pub(crate) grows: Option<u64>,
    /// It stores a zero into what it has taken so.
    pub(crate) is_probed: bool,
}

impl Code {
    /// Whether it may make an address, of its parts.
    pub(crate) fn makes(&self, address: u64) -> bool {
        let near = address.saturating_sub(LOWER)..=address.saturating_add(LOWER);
        let mut uppers = self.uppers.range(near);
        uppers.any(|upper| {
            let lower = address.wrapping_sub(*upper) as i64;
            lower == 0 || self.lowers.contains(&lower)
        })
    }

    /// Reads the code of a function. O(its instructions).
    pub(crate) fn read(bytes: &[u8], range: &Range<u64>, is_64: bool) -> Code {
        let mut reader = Follower::new(range.clone(), is_64);
        for (pc, size, word) in instructions(bytes, range.start) {
            if let Operation::Branch(target, _) | Operation::Jump(target, false) =
                decode(word, size, pc, is_64)
            {
                reader.labels.insert(target);
            }
        }
        // twice: what branches backwards is known only then
        for _ in 0..2 {
            reader.begin();
            for (pc, size, word) in instructions(bytes, range.start) {
                reader.come_to(pc);
                reader.follow(pc, decode(word, size, pc, is_64));
            }
        }
        reader.code
    }
}

/// Address, bytes and encoding of each instruction.
fn instructions(bytes: &[u8], start: u64) -> impl Iterator<Item = (u64, usize, u32)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let pc = start + at as u64;
        let low = u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
        if low & 3 != 3 {
            at += 2;
            return Some((pc, 2, low.into()));
        }
        let word = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?);
        at += 4;
        Some((pc, 4, word))
    })
}

struct Follower {
    range: Range<u64>,
    is_64: bool,
    labels: BTreeSet<u64>,
    /// By where a branch leads to, forwards or backwards: how far below its start the stack
    /// pointer is there.
    forwards: BTreeMap<u64, i64>,
    backwards: BTreeMap<u64, i64>,
    /// By label behind which the code is: this, and the frame, when it came there.
    at_labels: BTreeMap<u64, (i64, u64)>,
    registers: [Value; 32],
    depth: i64,
    /// At a jump by a table.
    depth_of_table: Option<i64>,
    /// The code before does not come here by itself.
    is_cut: bool,
    /// The last instruction took of the stack what a register says.
    has_just_grown: bool,
    code: Code,
}

impl Follower {
    fn new(range: Range<u64>, is_64: bool) -> Follower {
        Follower {
            range,
            is_64,
            labels: BTreeSet::new(),
            forwards: BTreeMap::new(),
            backwards: BTreeMap::new(),
            at_labels: BTreeMap::new(),
            registers: [Value::Unknown; 32],
            depth: 0,
            depth_of_table: None,
            is_cut: false,
            has_just_grown: false,
            code: Code::default(),
        }
    }

    fn begin(&mut self) {
        self.registers = [Value::Unknown; 32];
        (self.depth, self.is_cut) = (0, false);
        self.depth_of_table = None;
    }

    fn come_to(&mut self, pc: u64) {
        let known = self.forwards.get(&pc).copied();
        if self.is_cut {
            let otherwise = self.depth_of_table.unwrap_or(self.code.frame as i64);
            let known = known.or_else(|| self.backwards.get(&pc).copied());
            self.depth = known.unwrap_or(otherwise);
        } else if let Some(known) = known {
            self.depth = self.depth.max(known);
        }
        if self.is_cut || self.labels.contains(&pc) {
            self.registers = [Value::Unknown; 32];
            self.at_labels.insert(pc, (self.depth, self.code.frame));
        }
        self.is_cut = false;
    }

    fn value(&self, register: usize) -> Value {
        match register {
            0 => Value::Constant(0),
            SP => Value::Below(self.depth),
            _ => self.registers[register],
        }
    }

    fn constant(&self, value: u64) -> Value {
        let narrow = u64::from(value as u32);
        Value::Constant(if self.is_64 { value } else { narrow })
    }

    /// A constant as a number with a sign.
    fn signed(&self, constant: u64) -> i64 {
        match self.is_64 {
            true => constant as i64,
            false => i64::from(constant as u32 as i32),
        }
    }

    fn set(&mut self, pc: u64, register: usize, value: Value) {
        match (register, value) {
            (0, _) => {}
            (SP, Value::Below(depth)) => self.go_down(depth),
            (SP, Value::Lower | Value::Near) => self.grow(pc),
            // another stack, or back to a place that a register has kept
            (SP, _) => {}
            _ => self.registers[register] = value,
        }
    }

    fn go_down(&mut self, depth: i64) {
        self.depth = depth.max(0);
        self.code.frame = self.code.frame.max(self.depth as u64);
    }

    fn grow(&mut self, pc: u64) {
        self.code.grows.get_or_insert(pc);
        self.has_just_grown = true;
    }

    fn branch_to(&mut self, pc: u64, target: u64) {
        let depths = match target > pc {
            true => &mut self.forwards,
            false => &mut self.backwards,
        };
        let depth = depths.entry(target).or_insert(self.depth);
        *depth = self.depth.max(*depth);
    }

    /// What a loop takes of the stack until that is as low as a register says is no frame.
    fn leave_loop(&mut self, target: u64) {
        if let Some((depth, frame)) = self.at_labels.get(&target) {
            (self.depth, self.code.frame) = (*depth, *frame);
        }
    }

    fn leave(&mut self, pc: u64, target: u64, comes_back: bool) {
        match self.range.contains(&target) && !comes_back {
            true => self.branch_to(pc, target),
            false => {
                self.code.targets.insert(target);
            }
        }
    }

    fn forget_by_call(&mut self) {
        for register in 0..32 {
            if LOST_BY_CALLS >> register & 1 == 1 {
                self.registers[register] = Value::Unknown;
            }
        }
    }

    fn follow(&mut self, pc: u64, operation: Operation) {
        let had_grown = std::mem::take(&mut self.has_just_grown);
        match operation {
            Operation::Set(to, constant) => {
                if let value @ Value::Constant(upper) = self.constant(constant) {
                    self.code.uppers.insert(upper);
                    self.set(pc, to, value);
                }
            }
            Operation::AddImmediate(to, from, value) => {
                self.code.lowers.insert(value);
                let sum = match self.value(from) {
                    Value::Constant(known) => self.constant(known.wrapping_add_signed(value)),
                    Value::Below(depth) => Value::Below(depth - value),
                    // (a frame pointer is where the stack pointer was at first)
                    Value::Unknown if (to, from) == (SP, FP) && value <= 0 => Value::Below(-value),
                    other => other,
                };
                self.set(pc, to, sum);
            }
            Operation::AddNarrow(to, from, value) => {
                self.code.lowers.insert(value);
                let sum = match self.value(from) {
                    Value::Constant(known) => {
                        let sum = known.wrapping_add_signed(value) as i32;
                        self.constant(i64::from(sum) as u64)
                    }
                    _ => Value::Unknown,
                };
                self.set(pc, to, sum);
            }
            Operation::AndImmediate(to, from, value) => {
                let kept = match self.value(from) {
                    Value::Below(depth) if value < 0 => Value::Below(depth - value),
                    Value::Lower if value < 0 => Value::Lower,
                    _ => Value::Unknown,
                };
                self.set(pc, to, kept);
            }
            Operation::Add(to, one, other) => {
                let sum = match (self.value(one), self.value(other)) {
                    (Value::Constant(one), Value::Constant(other)) => {
                        self.constant(one.wrapping_add(other))
                    }
                    (Value::Below(depth), Value::Constant(known))
                    | (Value::Constant(known), Value::Below(depth)) => {
                        Value::Below(depth - self.signed(known))
                    }
                    _ if one == SP || other == SP => Value::Near,
                    _ => Value::Unknown,
                };
                self.set(pc, to, sum);
            }
            Operation::Subtract(to, one, other) => {
                let difference = match (self.value(one), self.value(other)) {
                    (Value::Below(depth), Value::Constant(known)) => {
                        Value::Below(depth + self.signed(known))
                    }
                    (Value::Below(_), _) if one == SP => Value::Lower,
                    _ => Value::Unknown,
                };
                self.set(pc, to, difference);
            }
            Operation::StoreZero(base, offset) => {
                let word = if self.is_64 { 8 } else { 4 };
                self.code.is_probed |= match self.registers[base] {
                    _ if base == SP => offset == 0 && had_grown,
                    Value::Near => offset == 0 || offset == -word,
                    Value::Below(_) => offset == -word,
                    _ => false,
                };
            }
            Operation::Branch(target, true) if target <= pc => self.leave_loop(target),
            Operation::Branch(target, _) => self.branch_to(pc, target),
            Operation::Jump(target, comes_back) => {
                self.leave(pc, target, comes_back);
                match comes_back {
                    true => self.forget_by_call(),
                    false => self.is_cut = true,
                }
            }
            Operation::JumpTo(base, offset, comes_back) => {
                match self.value(base) {
                    Value::Constant(known) if base != 0 => {
                        self.leave(pc, known.wrapping_add_signed(offset), comes_back);
                    }
                    // (who still has a frame goes on within the function)
                    _ if !comes_back && self.depth > 0 => self.depth_of_table = Some(self.depth),
                    _ if !comes_back && base == RA => {}
                    _ => self.code.is_by_pointer = true,
                }
                match comes_back {
                    true => self.forget_by_call(),
                    false => self.is_cut = true,
                }
            }
            Operation::Other(register) => self.set(pc, register, Value::Unknown),
        }
    }
}

fn decode(word: u32, size: usize, pc: u64, is_64: bool) -> Operation {
    match size {
        2 => short(word as u16, pc, is_64),
        _ => long(word, pc),
    }
}

fn long(word: u32, pc: u64) -> Operation {
    let register = |bit: u32| (word >> bit & 31) as usize;
    let (to, one, other) = (register(7), register(15), register(20));
    let immediate = i64::from(word as i32 >> 20);
    let upper = i64::from((word & 0xFFFF_F000) as i32);
    let function = word >> 12 & 7;
    match word & 0x7F {
        0x37 => Operation::Set(to, upper as u64),
        0x17 => Operation::Set(to, pc.wrapping_add_signed(upper)),
        0x13 if function == 0 => Operation::AddImmediate(to, one, immediate),
        0x13 if function == 7 => Operation::AndImmediate(to, one, immediate),
        0x1B if function == 0 => Operation::AddNarrow(to, one, immediate),
        0x33 if function == 0 && word >> 25 == 0 => Operation::Add(to, one, other),
        0x33 if function == 0 && word >> 25 == 0x20 => Operation::Subtract(to, one, other),
        0x23 if other == 0 => {
            let offset = (word as i32 >> 25) << 5 | (word >> 7 & 31) as i32;
            Operation::StoreZero(one, offset.into())
        }
        0x63 => {
            let sign = (word as i32 >> 19) as u32 & 0xFFFF_F000;
            let offset = sign | word << 4 & 0x800 | word >> 20 & 0x7E0 | word >> 7 & 0x1E;
            let target = pc.wrapping_add_signed(i64::from(offset as i32));
            Operation::Branch(target, one == SP || other == SP)
        }
        0x6F => {
            let sign = (word as i32 >> 11) as u32 & 0xFFF0_0000;
            let offset = sign | word & 0x000F_F000 | word >> 9 & 0x800 | word >> 20 & 0x7FE;
            Operation::Jump(pc.wrapping_add_signed(i64::from(offset as i32)), to != 0)
        }
        0x67 => Operation::JumpTo(one, immediate, to != 0),
        // stores have no register to write
        0x23 | 0x27 => Operation::Other(0),
        _ => Operation::Other(to),
    }
}

fn short(word: u16, pc: u64, is_64: bool) -> Operation {
    let bit = |from: u16, to: u16| (word >> from & 1) << to;
    let full = usize::from(word >> 7 & 31);
    let second = usize::from(word >> 2 & 31);
    let (low, high) = (
        8 + usize::from(word >> 2 & 7),
        8 + usize::from(word >> 7 & 7),
    );
    // six bits with a sign
    let six = i64::from(((bit(12, 15) | (word >> 2 & 31) << 10) as i16) >> 10);
    let jump = || {
        let offset = bit(12, 11) | bit(11, 4) | bit(10, 9) | bit(9, 8) | bit(8, 10) | bit(7, 6);
        let offset = offset | bit(6, 7) | bit(5, 3) | bit(4, 2) | bit(3, 1) | bit(2, 5);
        pc.wrapping_add_signed((((offset << 4) as i16) >> 4).into())
    };
    let branch = || {
        let offset = bit(12, 8) | bit(11, 4) | bit(10, 3) | bit(6, 7) | bit(5, 6);
        let offset = offset | bit(4, 2) | bit(3, 1) | bit(2, 5);
        pc.wrapping_add_signed((((offset << 7) as i16) >> 7).into())
    };
    match (word & 3, word >> 13) {
        (0, 0) => {
            let offset = word >> 7 & 0x30 | word >> 1 & 0x3C0 | word >> 4 & 4 | word >> 2 & 8;
            Operation::AddImmediate(low, SP, offset.into())
        }
        (0, 1..=3) => Operation::Other(low),
        (1, 0) => Operation::AddImmediate(full, full, six),
        (1, 1) if is_64 => Operation::AddNarrow(full, full, six),
        (1, 1) => Operation::Jump(jump(), true),
        (1, 2) => Operation::AddImmediate(full, 0, six),
        (1, 3) if full == SP => {
            let offset = bit(12, 9) | bit(6, 4) | bit(5, 6) | bit(4, 8) | bit(3, 7) | bit(2, 5);
            Operation::AddImmediate(SP, SP, (((offset << 6) as i16) >> 6).into())
        }
        (1, 3) => Operation::Set(full, (six << 12) as u64),
        (1, 4) => match (word >> 10 & 3, word >> 12 & 1, word >> 5 & 3) {
            (2, ..) => Operation::AndImmediate(high, high, six),
            (3, 0, 0) => Operation::Subtract(high, high, low),
            _ => Operation::Other(high),
        },
        (1, 5) => Operation::Jump(jump(), false),
        (1, _) => Operation::Branch(branch(), false),
        (2, 4) => match (word >> 12 & 1, full, second) {
            (0, base, 0) => Operation::JumpTo(base, 0, false),
            (0, to, from) => Operation::AddImmediate(to, from, 0),
            (_, 0, 0) => Operation::Other(0),
            (_, base, 0) => Operation::JumpTo(base, 0, true),
            (_, to, from) => Operation::Add(to, to, from),
        },
        (2, 6 | 7) if second == 0 => Operation::StoreZero(SP, i64::from(word >> 7 & 0x3F)),
        (2, 0..=3) => Operation::Other(full),
        _ => Operation::Other(0),
    }
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
