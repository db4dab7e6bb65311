//! What goes wrong outside: a built-in test that grows far too long.

/// Rounds without trouble at first.
const CALM: u32 = 50;
/// Thousands of words to test in times of trouble: some 30 ms of work.
pub const HEAVY: u32 = 5_000;

/// How far the plan has got.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trouble {
    round: u32,
}

impl Trouble {
    /// The work of the next round.
    pub fn brew(&mut self) -> u32 {
        self.round = self.round.saturating_add(1);
        if self.round <= CALM { 0 } else { HEAVY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_comes_after_a_calm() {
        let mut trouble = Trouble::default();
        let calm = (0..CALM).map(|_| trouble.brew()).max();
        assert_eq!((calm, trouble.brew()), (Some(0), HEAVY));
    }
}
