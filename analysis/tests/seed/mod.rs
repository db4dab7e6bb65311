//! Chance from a seed, and how much of it a test takes.

/// SplitMix64 (Steele, Lea, Flood, 2014): the next number of a stream.
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// How many cases a test takes: the first number, or the second in the long
/// form, which the property tests' own variable asks for.
pub(crate) fn cases(quick: u64, long: u64) -> u64 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked: u64 = asked.and_then(|cases| cases.parse().ok()).unwrap_or(0);
    if asked >= 1000 { long } else { quick }
}
