//! Sets of tasks, all from a seed.

use giornata_abi::Duration;
use giornata_analysis::Periodic;
use giornata_analysis::global::Sporadic;

/// Period, deadline and time.
pub(crate) type Row = (u64, u64, u64);

pub(crate) fn sporadic(rows: &[Row]) -> Vec<Sporadic> {
    tasks(rows).into_iter().map(Sporadic::from).collect()
}

pub(crate) fn tasks(rows: &[Row]) -> Vec<Periodic> {
    let task = |(number, (period, deadline, time)): (usize, &Row)| Periodic {
        task: number as u16,
        period: Duration(*period),
        deadline: Duration(*deadline),
        time: Duration(*time),
    };
    rows.iter().enumerate().map(task).collect()
}

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
}

/// How many sets a test tries: the first number, or the second in the long form, which the
/// property tests' own variable asks for.
pub(crate) fn cases(quick: usize, long: usize) -> usize {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked: usize = asked.and_then(|cases| cases.parse().ok()).unwrap_or(0);
    if asked >= 1000 { long } else { quick }
}
