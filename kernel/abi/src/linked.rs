//! From the records of module files to those of linked order: durations become ticks,
//! comparisons bits, and constants order keys. Names stay the numbers they are.

use crate::instruction::{Instruction, Opcode};
use crate::load::{Linked, LinkedWait, compare, key};
use crate::module::Module;
use crate::predicate::{Comparison, Predicate, PredicateKind};
use crate::value::ValueType;

/// The longest deadline in ticks, which stands for every longer one.
pub const LONGEST: u64 = 1 << 30;

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// Exact conversion of a module's durations to ticks and parts of one.
///
/// The Exactness Invariant: a duration that was included is a whole number of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Ticks in so many units of a duration.
    ticks: u128,
    units: u128,
    /// Units in a nanosecond.
    denominator: u128,
    /// Parts of a tick, below 2^31.
    pub parts: u32,
}

impl Times {
    /// For durations that count remainders in `1/denominator` ns, and a timer's rate in
    /// Hz.
    pub const fn new(denominator: u32, hertz: u32) -> Times {
        let denominator = if denominator == 0 { 1 } else { denominator } as u128;
        Times {
            ticks: hertz as u128,
            units: denominator * NANOS_PER_SECOND,
            denominator,
            parts: 1,
        }
    }

    /// For every duration of a module; `None`: 31 bits cannot name the parts. O(its
    /// predicates and durations).
    pub fn of(module: &Module<'_>, hertz: u32) -> Option<Times> {
        let after = PredicateKind::After as u8;
        let waits = module.predicates().filter(|own| own.kind == after);
        let waits = waits.map(|own| (own.value, own.remainder));
        let durations = module.durations().map(|own| (own.nanos, own.remainder));
        let empty = Times::new(module.header().denominator, hertz);
        waits
            .chain(durations)
            .try_fold(empty, |times, (nanos, remainder)| {
                times.including(nanos, remainder)
            })
    }

    /// The same with parts of which a duration is a whole number; `None`: 31 bits cannot
    /// name them.
    pub const fn including(self, nanos: u64, remainder: u32) -> Option<Times> {
        let own = self.units / common(self.exact(nanos, remainder), self.units);
        let parts = self.parts as u128;
        let parts = parts / common(parts, own) * own;
        if parts >= 1 << 31 {
            return None;
        }
        Some(Times {
            parts: parts as u32,
            ..self
        })
    }

    /// Ticks, in parts of `1/units`.
    const fn exact(&self, nanos: u64, remainder: u32) -> u128 {
        (nanos as u128 * self.denominator + remainder as u128) * self.ticks
    }

    /// Ticks and parts of one.
    pub const fn ticks(&self, nanos: u64, remainder: u32) -> (u64, u32) {
        let exact = self.exact(nanos, remainder);
        let part = exact % self.units * self.parts as u128 / self.units;
        let whole = exact / self.units;
        let is_long = whole > u64::MAX as u128;
        (if is_long { u64::MAX } else { whole as u64 }, part as u32)
    }
}

const fn common(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Linked {
    /// An instruction in ticks. `deadline`: of a release, the duration that it names.
    pub const fn of(own: &Instruction, deadline: Option<(u64, u32)>) -> Linked {
        let is_release = own.opcode == Opcode::Release as u8;
        let (ticks, parts) = match deadline {
            Some((ticks, parts)) if is_release && ticks <= LONGEST => (ticks, parts),
            Some(_) if is_release => (LONGEST, 0),
            _ => (0, 0),
        };
        Linked {
            opcode: own.opcode,
            reserved: 0,
            a: own.a,
            b: if is_release { 0 } else { own.b },
            c: own.c,
            ticks: ticks as u32,
            parts,
        }
    }
}

impl LinkedWait {
    /// A predicate in ticks and order keys. `order`: the type of the port that it compares
    /// with a constant.
    pub fn of(own: &Predicate, times: &Times, order: Option<ValueType>) -> LinkedWait {
        let is_time = own.kind == PredicateKind::After as u8;
        let (value, parts) = match order {
            _ if is_time => times.ticks(own.value, own.remainder),
            Some(order) => (key(order, own.value), 0),
            None => (own.value, 0),
        };
        let compares = [PredicateKind::Constant, PredicateKind::Activation]
            .iter()
            .any(|kind| own.kind == *kind as u8);
        let comparison = Comparison::from_code(own.comparison).filter(|_| compares);
        LinkedWait {
            kind: own.kind,
            comparison: comparison.map_or(0, bits),
            subject: own.subject,
            parts,
            value: [value as u32, (value >> 32) as u32],
        }
    }
}

/// When a comparison holds: bits of [`compare`].
pub const fn bits(comparison: Comparison) -> u8 {
    match comparison {
        Comparison::Equal => compare::EQUAL,
        Comparison::NotEqual => compare::LESS | compare::GREATER,
        Comparison::Less => compare::LESS,
        Comparison::LessOrEqual => compare::LESS | compare::EQUAL,
        Comparison::Greater => compare::GREATER,
        Comparison::GreaterOrEqual => compare::GREATER | compare::EQUAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_exact_in_parts_of_a_tick() {
        // 10 ms / 3 at 10 MHz
        let times = Times::new(3, 10_000_000).including(3_333_333, 1).unwrap();
        assert_eq!(times.parts, 3);
        assert_eq!(times.ticks(3_333_333, 1), (33_333, 1));
        // 1 ns at 32,768 Hz is 64 parts of 1,953,125
        let times = Times::new(1, 32_768).including(1, 0).unwrap();
        assert_eq!((times.parts, times.ticks(1, 0)), (1_953_125, (0, 64)));
        assert_eq!(times.ticks(1_000_000_000, 0), (32_768, 0));
    }

    #[test]
    fn durations_that_need_finer_parts_are_refused() {
        assert_eq!(Times::new(u32::MAX, 32_768).including(1, 1), None);
    }

    #[test]
    fn a_release_has_its_deadline_in_itself() {
        let release = Instruction::new(Opcode::Release, 3, 1, 0);
        let linked = Linked::of(&release, Some((500, 2)));
        assert_eq!((linked.a, linked.b), (3, 0));
        assert_eq!((linked.ticks, linked.parts), (500, 2));
        let longest = Linked::of(&release, Some((u64::MAX, 2)));
        assert_eq!((longest.ticks, longest.parts), (1 << 30, 0));
    }

    proptest! {
        #[test]
        fn what_parts_include_is_whole(
            nanos in 0..=u64::MAX, hertz in 1..=1_000_000_000_u32, third in 0..3_u32
        ) {
            if let Some(times) = Times::new(3, hertz).including(nanos, third) {
                let (ticks, parts) = times.ticks(nanos, third);
                let exact = (u128::from(nanos) * 3 + u128::from(third)) * u128::from(hertz);
                let whole = u128::from(ticks) * u128::from(times.parts) + u128::from(parts);
                prop_assert!(parts < times.parts);
                prop_assert_eq!(
                    exact * u128::from(times.parts),
                    whole * 3 * 1_000_000_000
                );
            }
        }
    }
}
