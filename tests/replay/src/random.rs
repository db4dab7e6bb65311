//! Random numbers by seed: SplitMix64 (Steele, Lea and Flood, "Fast splittable
//! pseudorandom number generators", OOPSLA 2014).
//!
//! **Frozen.** A scenario is named by its number alone, so neither this generator
//! nor the order in which scenarios draw from it may change: the recorded answers
//! would belong to other logs.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The stream of a scenario.
    pub(crate) fn of_scenario(number: u32) -> Random {
        let mut random = Random {
            state: u64::from(number) ^ 0x6769_6F72_6E61_7461, // "giornata"
        };
        random.word(); // the seeds of neighbours differ in a few bits only
        random
    }

    /// 64 random bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        (self.word() % u64::from(limit)) as u32
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// An index into a table of `length` entries, which is not empty.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(length as u32) as usize
    }

    /// One of several, which are not none.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// The index of one of several weights, as often as its weight says. Their
    /// sum is not 0.
    pub(crate) fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return index,
            }
        }
        unreachable!("the sum of the weights is above every number drawn")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // reference output of SplitMix64 for seed 1234567
        let mut random = Random { state: 1_234_567 };
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!([0; 3].map(|_| random.word()), expected);
    }

    #[test]
    fn weights_are_respected() {
        let mut random = Random::of_scenario(0);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            counts[random.weighted(&[1, 0, 3])] += 1;
        }
        assert!(counts[1] == 0 && (900..1100).contains(&counts[0]));
    }
}
