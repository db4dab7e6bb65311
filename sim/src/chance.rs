//! Execution times by chance, from a seed.

use crate::simulation::Work;
use giornata_abi::Duration;

/// A source of chance that keeps no state: what it draws depends on its seed
/// and on which job or upcall asks, not on who asked before. So the third job
/// of a task takes the same time under every scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    seed: u64,
}

impl Chance {
    /// The chance of a seed.
    pub const fn new(seed: u64) -> Chance {
        Chance { seed }
    }

    /// 64 bits for this job or upcall, by its number. O(1).
    ///
    /// Every step of SplitMix64 (Steele, Lea, Flood 2014) takes what is known
    /// so far and one part of the place.
    pub fn draw(self, work: Work, number: u32) -> u64 {
        let place = match work {
            Work::Job(thread) => u64::from(thread),
            Work::Upcall(driver) => u64::from(driver) | 1 << 16,
        };
        mix(mix(self.seed) ^ (place << 32 | u64::from(number)))
    }

    /// A duration between 0 and `longest`, all alike but for a bias below
    /// `longest` / 2^64.
    pub fn up_to(self, work: Work, number: u32, longest: Duration) -> Duration {
        let share = u128::from(self.draw(work, number)) * (u128::from(longest.0) + 1);
        Duration((share >> 64) as u64)
    }
}

/// One step of SplitMix64.
const fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_place_and_number_all_matter() {
        let draws = [
            Chance::new(1).draw(Work::Job(0), 1),
            Chance::new(2).draw(Work::Job(0), 1),
            Chance::new(1).draw(Work::Upcall(0), 1),
            Chance::new(1).draw(Work::Job(1), 1),
            Chance::new(1).draw(Work::Job(0), 2),
        ];
        let distinct: std::collections::BTreeSet<u64> = draws.into_iter().collect();
        assert_eq!(distinct.len(), draws.len());
        assert_eq!(draws[0], Chance::new(1).draw(Work::Job(0), 1));
    }

    #[test]
    fn durations_fill_their_range_to_both_ends() {
        let mut seen = [0u32; 4];
        for number in 0..4000 {
            let drawn = Chance::new(7).up_to(Work::Job(3), number, Duration(3));
            seen[drawn.0 as usize] += 1;
        }
        assert!(
            seen.iter().all(|count| (900..1100).contains(count)),
            "{seen:?}"
        );
        let longest = Chance::new(7).up_to(Work::Job(3), 0, Duration(u64::MAX));
        assert!(longest.0 > 0, "no overflow at the largest range");
    }
}
