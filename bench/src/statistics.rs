//! Samples in three numbers.

use serde::{Deserialize, Serialize};

use crate::Error;

/// Iterations that a row has at least.
pub const LEAST_SAMPLES: usize = 100;

/// Least, middle and largest of the samples of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// The least.
    pub min: u64,
    /// The middle; of an even number the lower middle, so that it was measured.
    pub median: u64,
    /// The largest.
    pub max: u64,
}

/// Which of the three is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// What an operation usually costs.
    #[default]
    Median,
    /// What it can cost.
    Max,
}

impl Statistics {
    /// Of at least [`LEAST_SAMPLES`] samples.
    ///
    /// # Errors
    /// There are fewer.
    pub fn of(samples: &[u64]) -> Result<Statistics, Error> {
        if samples.len() < LEAST_SAMPLES {
            return Err(Error::TooFew {
                found: samples.len(),
                least: LEAST_SAMPLES,
            });
        }
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        Ok(Statistics {
            min: sorted[0],
            median: sorted[(sorted.len() - 1) / 2],
            max: sorted[sorted.len() - 1],
        })
    }

    /// Of the samples of several layouts of one program as if they were one:
    /// with small caches a layout alone is luck.
    ///
    /// # Errors
    /// A layout has fewer than [`LEAST_SAMPLES`] samples, or there is none.
    pub fn over_layouts(layouts: &[Vec<u64>]) -> Result<Statistics, Error> {
        for samples in layouts {
            Statistics::of(samples)?;
        }
        Statistics::of(&layouts.concat())
    }

    /// One of the three.
    pub fn get(&self, statistic: Statistic) -> u64 {
        match statistic {
            Statistic::Median => self.median,
            Statistic::Max => self.max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_an_even_number_was_measured() {
        let samples: Vec<u64> = (0..100).rev().map(|i| i * 10).collect();
        let statistics = Statistics::of(&samples).unwrap();
        assert_eq!(
            statistics,
            Statistics {
                min: 0,
                median: 490,
                max: 990
            }
        );
    }

    #[test]
    fn too_few_samples_are_no_row() {
        assert!(matches!(
            Statistics::of(&[7; 99]),
            Err(Error::TooFew { found: 99, .. })
        ));
        assert!(Statistics::over_layouts(&[]).is_err());
        assert!(Statistics::over_layouts(&[vec![7; 100], vec![7; 99]]).is_err());
    }

    #[test]
    fn layouts_count_as_one() {
        let layouts = [vec![10; 100], vec![30; 100], vec![20; 100]];
        let statistics = Statistics::over_layouts(&layouts).unwrap();
        assert_eq!(
            (statistics.min, statistics.median, statistics.max),
            (10, 20, 30)
        );
    }
}
