//! When aperiodic events arrive: distances with a geometric distribution, the same in each run.

use std::fmt::Write as _;

/// Cycles of a trial: a microsecond of the experiment's clock.
const TRIAL: u32 = 20;
/// One in so many trials succeeds: 10 ms on average.
const MEAN: u64 = 10_000;
/// Distances that a run goes through, from the first again if it needs more.
const COUNT: usize = 512;

/// The header that the experiment is compiled with.
pub(super) fn header() -> String {
    let mut text = String::from("/* Cycles from one arrival to the next. */\n#define ARRIVALS {");
    for distance in distances(COUNT) {
        let _ = write!(text, "{distance}, ");
    }
    text + "}\n"
}

/// Cycles from each arrival to the next, by trial and error: no logarithm differs from host to host.
fn distances(count: usize) -> Vec<u32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut trials = || {
        let mut trials = 1;
        while !xorshift(&mut state).is_multiple_of(MEAN) {
            trials += 1;
        }
        trials
    };
    (0..count).map(|_| TRIAL * trials()).collect()
}

fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_are_ten_milliseconds_apart_on_average_and_forget_how_long_it_has_been() {
        let distances = distances(4000);
        let mean = distances.iter().map(|d| u64::from(*d)).sum::<u64>() / 4000;
        assert!((190_000..210_000).contains(&mean), "{mean}");
        // of a geometric distribution 1/e is beyond the mean, and 1/e^2 beyond twice the mean
        let beyond = |limit| distances.iter().filter(|d| **d > limit).count();
        assert!((1_350..1_600).contains(&beyond(200_000)));
        assert!((460..640).contains(&beyond(400_000)));
    }
}
