//! What registers hold, as far as jumps through them depend on it.

use crate::binary::Binary;
use crate::decode::{Effect, Instruction};
use std::collections::{BTreeMap, HashMap};

/// The register of a function's third argument.
pub(crate) const A2: u8 = 12;

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing.
    Unknown,
    /// It is what the function was called with as its third argument.
    Third,
    /// It is this.
    Known(u64),
    /// It is this and some index.
    Indexed(u64),
    /// It is an entry of the table there, of so many bytes.
    Entry(u64, u8),
    /// It is the sum of such an entry and a number.
    Relative(u64, u8, u64),
}

/// What is known of all registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registers([Value; 32]);

impl Registers {
    /// Nothing but that register 0 is 0.
    pub(crate) fn unknown() -> Registers {
        let mut all = [Value::Unknown; 32];
        all[0] = Value::Known(0);
        Registers(all)
    }

    pub(crate) fn get(&self, register: u8) -> Value {
        self.0
            .get(register as usize)
            .copied()
            .unwrap_or(Value::Unknown)
    }

    fn set(&mut self, register: u8, value: Value) {
        if let Some(place) = self.0.get_mut(register as usize).filter(|_| register != 0) {
            *place = value;
        }
    }

    /// What is known where a function begins.
    pub(crate) fn at_entry() -> Registers {
        let mut registers = Registers::unknown();
        registers.set(A2, Value::Third);
        registers
    }

    /// What is known whichever of two ways control came.
    pub(crate) fn meet(&mut self, other: &Registers) -> bool {
        let before = self.clone();
        for (one, other) in self.0.iter_mut().zip(other.0) {
            if *one != other {
                *one = Value::Unknown;
            }
        }
        *self != before
    }

    /// After a function was called: the calling convention keeps sp, gp, tp
    /// and s0 to s11.
    pub(crate) fn call(&mut self) {
        for register in (1..32).filter(|n| !matches!(n, 2..=4 | 8..=9 | 18..=27)) {
            self.set(register, Value::Unknown);
        }
    }

    /// After an instruction.
    pub(crate) fn step(&mut self, instruction: &Instruction, is_64: bool) {
        let wrap = |value: u64| if is_64 { value } else { value & 0xFFFF_FFFF };
        match instruction.effect {
            Effect::None => {}
            Effect::Constant { to, value } => self.set(to, Value::Known(value)),
            Effect::Offset { to, from, by } => {
                let add = |value: u64| wrap(value.wrapping_add_signed(by));
                let value = match self.get(from) {
                    Value::Known(value) => Value::Known(add(value)),
                    Value::Indexed(value) => Value::Indexed(add(value)),
                    other if by == 0 => other,
                    _ => Value::Unknown,
                };
                self.set(to, value);
            }
            Effect::Sum { to, a, b } => {
                let value = sum(self.get(a), self.get(b), wrap);
                self.set(to, value);
            }
            Effect::Load {
                to,
                base,
                offset,
                bytes,
            } => {
                let value = match self.get(base) {
                    Value::Indexed(base) => {
                        Value::Entry(wrap(base.wrapping_add_signed(offset)), bytes)
                    }
                    _ => Value::Unknown,
                };
                self.set(to, value);
            }
            Effect::Unknown { to } => self.set(to, Value::Unknown),
        }
    }
}

fn sum(a: Value, b: Value, wrap: impl Fn(u64) -> u64) -> Value {
    let plain = |value| {
        if value == Value::Third {
            Value::Unknown
        } else {
            value
        }
    };
    match (plain(a), plain(b)) {
        (Value::Known(a), Value::Known(b)) => Value::Known(wrap(a.wrapping_add(b))),
        (Value::Known(known), Value::Entry(table, bytes))
        | (Value::Entry(table, bytes), Value::Known(known)) => Value::Relative(table, bytes, known),
        (Value::Known(known) | Value::Indexed(known), Value::Unknown)
        | (Value::Unknown, Value::Known(known) | Value::Indexed(known)) => Value::Indexed(known),
        _ => Value::Unknown,
    }
}

/// Jump tables of one function, by where they lie: an entry's bytes, and what
/// is added to it.
pub(crate) type Tables = BTreeMap<u64, (u8, u64)>;

/// The targets of a jump through a table: its entries, up to the next table or
/// to the first that does not point into the function. More than the jump can
/// reach does no harm.
pub(crate) fn targets(
    binary: &Binary,
    tables: &Tables,
    table: u64,
    limits: (u64, u64),
) -> Vec<u64> {
    let Some(&(bytes, base)) = tables.get(&table) else {
        return Vec::new();
    };
    let end = tables
        .range(table + 1..)
        .next()
        .map_or(u64::MAX, |(at, _)| *at);
    let mut found = Vec::new();
    let mut at = table;
    while at < end {
        let Some(entry) = binary.word(at, bytes) else {
            break;
        };
        let entry = if bytes == 4 {
            entry as i32 as i64
        } else {
            entry as i64
        };
        let target = base.wrapping_add_signed(entry);
        let target = if binary.is_64 {
            target
        } else {
            target & 0xFFFF_FFFF
        };
        if !(limits.0..limits.1).contains(&target) {
            break;
        }
        found.push(target);
        at += bytes as u64;
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The functions of a table of functions: its entries, up to the first that is none.
pub(crate) fn callees(binary: &Binary, table: u64, bytes: u8) -> Vec<u64> {
    let mut found = Vec::new();
    let mut at = table;
    while let Some(entry) = binary.word(at, bytes) {
        if binary.function(entry).is_none_or(|f| f.start != entry) {
            break;
        }
        found.push(entry);
        at += u64::from(bytes);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What is known at the beginning of each block, by its address.
pub(crate) type Known = HashMap<u64, Registers>;
