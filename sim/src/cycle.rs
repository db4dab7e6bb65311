//! After how long a schedule repeats.

use crate::tables::Tables;
use giornata_abi::{Duration, Opcode};

/// The hyperperiod of a system: the least common multiple of the relative
/// deadlines of all releases, which for a Giotto program are the periods of its
/// tasks. A program with one mode repeats after it, and a system of such
/// programs too. Whole nanoseconds; `None` if nothing is ever released, or if
/// it exceeds 2^64 ns. O(instructions).
pub fn hyperperiod(tables: &Tables) -> Option<Duration> {
    let common = tables.programs.iter().try_fold(1u128, |common, program| {
        lcm(common, program.denominator.max(1).into())
    })?;
    let mut cycle: Option<u128> = None;
    for (nanos, remainder, denominator) in releases(tables) {
        let parts = common / u128::from(denominator);
        let length = u128::from(nanos) * common + u128::from(remainder) * parts;
        if length != 0 {
            cycle = Some(lcm(cycle.unwrap_or(1), length)?);
        }
    }
    // in whole nanoseconds it repeats when it does so in parts of one
    let whole = lcm(cycle?, common)? / common;
    u64::try_from(whole).ok().map(Duration)
}

/// The relative deadline of each release: ns, remainder, denominator.
fn releases(tables: &Tables) -> impl Iterator<Item = (u64, u32, u32)> + '_ {
    tables.programs.iter().flat_map(move |program| {
        let code = program.code as usize..(program.code + program.code_length) as usize;
        let instructions = tables.instructions.get(code).unwrap_or(&[]).iter();
        let released = instructions.filter(|i| i.opcode() == Some(Opcode::Release));
        let durations = program.durations.of(&tables.durations);
        released.filter_map(move |instruction| {
            let duration = durations.get(instruction.b as usize)?;
            let denominator = program.denominator.max(1);
            Some((duration.nanos, duration.remainder, denominator))
        })
    })
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
    use crate::builder::SystemBuilder;

    fn of(program: &str) -> Option<Duration> {
        let mut builder = SystemBuilder::new();
        let process = builder.process();
        for name in ["t1", "t2"] {
            builder.task(process, name, &[], &[]);
        }
        builder.program(program);
        hyperperiod(&builder.finish())
    }

    #[test]
    fn the_hyperperiod_is_the_least_common_multiple_of_the_periods() {
        let cycle = of("release t1 20ms\n release t2 30ms\n return");
        assert_eq!(cycle, Some(Duration::from_millis(60)));
    }

    #[test]
    fn periods_that_are_no_whole_nanoseconds_repeat_with_their_multiple() {
        let cycle = of("release t1 10ms/3\n release t2 10ms\n return");
        assert_eq!(cycle, Some(Duration::from_millis(10)));
        let thirds = of("release t1 10ns/3\n return");
        assert_eq!(thirds, Some(Duration(10)), "in whole nanoseconds");
    }

    #[test]
    fn what_never_repeats_has_none() {
        assert_eq!(of("return"), None);
        let primes =
            "release t1 18446744073709551557ns\n release t2 18446744073709551533ns\n return";
        assert_eq!(of(primes), None);
    }
}
