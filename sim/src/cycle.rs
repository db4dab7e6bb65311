//! After how long a schedule repeats.

use std::collections::BTreeMap;

use giornata_abi::id::NONE;
use giornata_abi::instruction::DurationEntry;
use giornata_abi::module::Module;
use giornata_abi::{Duration, Opcode, PredicateKind};

/// The hyperperiod of programs: after so long they do the same again, if they choose
/// nothing. A program of one round repeats with the least common multiple of the
/// relative deadlines of all releases, which for a Giotto program are the periods of
/// its tasks; one of several triggers, as Psi's tasks are, with that of the rounds of
/// all. Whole nanoseconds; `None` if nothing is ever released, if the triggers of a
/// program go different ways, or if it exceeds 2^64 ns. O(instructions).
pub fn hyperperiod(modules: &[Module<'_>]) -> Option<Duration> {
    let common = modules.iter().try_fold(1u128, |common, module| {
        lcm(common, module.header().denominator.max(1).into())
    })?;
    let mut cycle: Option<u128> = None;
    for module in modules {
        let parts = common / u128::from(module.header().denominator.max(1));
        for Time { nanos, remainder } in lengths(module)? {
            let length = u128::from(nanos) * common + u128::from(remainder) * parts;
            if length != 0 {
                cycle = Some(lcm(cycle.unwrap_or(1), length)?);
            }
        }
    }
    // in whole nanoseconds it repeats when it does so in parts of one
    let whole = lcm(cycle?, common)? / common;
    u64::try_from(whole).ok().map(Duration)
}

/// Nanoseconds, and what is left of one in 1/denominator.
#[derive(Clone, Copy, Debug, Default)]
struct Time {
    nanos: u64,
    remainder: u64,
}

/// What the hyperperiod of a program is a multiple of. `None`: it chooses its way.
fn lengths(module: &Module<'_>) -> Option<Vec<Time>> {
    let header = module.header();
    let rounds = match header.round {
        NONE => triggers(module, header.start)?,
        _ => Vec::new(),
    };
    if !rounds.is_empty() {
        let rounds = rounds.into_iter();
        return rounds.map(|(_, block)| round(module, block)).collect();
    }
    let released = module.instructions();
    let released = released.filter(|i| i.opcode() == Some(Opcode::Release));
    let deadlines = released.filter_map(|release| module.duration(release.b));
    let time = |deadline: DurationEntry| Time {
        nanos: deadline.nanos,
        remainder: deadline.remainder.into(),
    };
    Some(deadlines.map(time).collect())
}

/// The triggers that a block leaves: after which time they start which block. `None`:
/// the block branches, or waits for something other than time.
fn triggers(module: &Module<'_>, block: u16) -> Option<Vec<(Time, u16)>> {
    let (mut at, mut found) = (block, Vec::new());
    for _ in 0..module.header().instructions {
        let instruction = module.instruction(at)?;
        at = at.checked_add(1)?;
        match instruction.opcode()? {
            Opcode::Return => return Some(found),
            Opcode::Jump => at = instruction.a,
            Opcode::Branch => return None,
            Opcode::Future => {
                let wait = module.predicate(instruction.a)?;
                let time = match wait.kind()? {
                    PredicateKind::True => Time::default(),
                    PredicateKind::After => Time {
                        nanos: wait.value,
                        remainder: wait.remainder.into(),
                    },
                    _ => return None,
                };
                found.push((time, instruction.b));
            }
            _ => {}
        }
    }
    None
}

/// After how long a block comes again that each time leaves one trigger.
fn round(module: &Module<'_>, first: u16) -> Option<Time> {
    let (mut block, mut time) = (first, Time::default());
    let mut begun: BTreeMap<u16, Time> = BTreeMap::new();
    loop {
        if let Some(before) = begun.insert(block, time) {
            return Some(Time {
                nanos: time.nanos - before.nanos,
                remainder: time.remainder - before.remainder,
            });
        }
        let [(after, next)] = triggers(module, block)?[..] else {
            return None;
        };
        block = next;
        time.nanos = time.nanos.checked_add(after.nanos)?;
        time.remainder += after.remainder;
    }
}

/// The least common multiple of two numbers that are not 0.
fn lcm(a: u128, b: u128) -> Option<u128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_test_microcode::assemble;

    fn of(program: &str) -> Option<Duration> {
        let bytes = assemble(&format!("task t1\ntask t2\n{program}"));
        hyperperiod(&[Module::parse(&bytes).unwrap()])
    }

    #[test]
    fn the_hyperperiod_is_the_least_common_multiple_of_the_periods() {
        let cycle = of("release t1, 20ms\nrelease t2, 30ms\nreturn");
        assert_eq!(cycle, Some(Duration::from_millis(60)));
    }

    #[test]
    fn periods_that_are_no_whole_nanoseconds_repeat_with_their_multiple() {
        let cycle = of("denominator 3\nrelease t1, 10ms/3\nrelease t2, 10ms\nreturn");
        assert_eq!(cycle, Some(Duration::from_millis(10)));
        let thirds = of("denominator 3\nrelease t1, 10ns/3\nreturn");
        assert_eq!(thirds, Some(Duration(10)), "in whole nanoseconds");
    }

    #[test]
    fn programs_repeat_together() {
        let [one, other] = ["20ms", "30ms"]
            .map(|period| assemble(&format!("task t\nrelease t, {period}\nreturn")));
        let modules = [Module::parse(&one).unwrap(), Module::parse(&other).unwrap()];
        assert_eq!(hyperperiod(&modules), Some(Duration::from_millis(60)));
    }

    #[test]
    fn triggers_repeat_with_the_rounds_of_all() {
        // windows of 1 and 2 ms, and of 2 and 3
        let program = "
            start:  release t1, 1ms
                    future after(1ms), second
                    release t2, 2ms
                    future after(2ms), other
                    return
            second: future true, late
                    return
            late:   release t1, 2ms
                    future after(2ms), first
                    return
            first:  release t1, 1ms
                    future after(1ms), second
                    return
            other:  release t2, 3ms
                    future after(3ms), again
                    return
            again:  release t2, 2ms
                    future after(2ms), other
                    return
            start start";
        assert_eq!(of(program), Some(Duration::from_millis(15)));
        let chooses = "port p u8 output\nstart start
            start:  release t1, 1ms
                    branch p == 1, wide
                    future after(1ms), start
                    return
            wide:   future after(3ms), start
                    return";
        assert_eq!(of(chooses), None);
    }

    #[test]
    fn what_never_repeats_has_none() {
        assert_eq!(of("return"), None);
        let primes =
            "release t1, 18446744073709551557ns\nrelease t2, 18446744073709551533ns\nreturn";
        assert_eq!(of(primes), None);
    }
}
