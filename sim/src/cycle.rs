//! After how long a schedule repeats.

use giornata_abi::module::Module;
use giornata_abi::{Duration, Opcode};

/// The hyperperiod of programs: the least common multiple of the relative
/// deadlines of all releases, which for a Giotto program are the periods of its
/// tasks. A program with one mode repeats after it, and a system of such
/// programs too. Whole nanoseconds; `None` if nothing is ever released, or if
/// it exceeds 2^64 ns. O(instructions).
pub fn hyperperiod(modules: &[Module<'_>]) -> Option<Duration> {
    let common = modules.iter().try_fold(1u128, |common, module| {
        lcm(common, module.header().denominator.max(1).into())
    })?;
    let mut cycle: Option<u128> = None;
    for module in modules {
        let parts = common / u128::from(module.header().denominator.max(1));
        let released = module.instructions();
        let released = released.filter(|i| i.opcode() == Some(Opcode::Release));
        for duration in released.filter_map(|release| module.duration(release.b)) {
            let length =
                u128::from(duration.nanos) * common + u128::from(duration.remainder) * parts;
            if length != 0 {
                cycle = Some(lcm(cycle.unwrap_or(1), length)?);
            }
        }
    }
    // in whole nanoseconds it repeats when it does so in parts of one
    let whole = lcm(cycle?, common)? / common;
    u64::try_from(whole).ok().map(Duration)
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
    fn what_never_repeats_has_none() {
        assert_eq!(of("return"), None);
        let primes =
            "release t1, 18446744073709551557ns\nrelease t2, 18446744073709551533ns\nreturn";
        assert_eq!(of(primes), None);
    }
}
