//! The built-in test: walks a pattern through a register, as much as it is
//! asked to. It touches nothing that flies.

use core::hint::black_box;

/// Tests `work` thousands of words; answers the pattern's end.
pub fn run(work: u32) -> u32 {
    let mut pattern = 1u32;
    for _ in 0..work {
        for _ in 0..1000 {
            pattern = black_box(pattern.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    #[test]
    fn more_work_walks_further() {
        assert_eq!(super::run(0), 1);
        assert_ne!(super::run(1), super::run(2));
    }
}
