//! How far analyses go before they say that they do not know.
//!
//! Repetition vectors grow exponentially with the length of a graph, and everything
//! behind them with the repetition vector. Each step is counted, so that the same
//! graph has the same answer on every machine, and any graph has one in bounded time.

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Beyond {
    /// One iteration has more than [`MOST_INSTANCES`] instances.
    #[error("an iteration has {0} instances, and the analysis follows {MOST_INSTANCES}")]
    Instances(u64),
    /// The search took too many steps.
    #[error("the search has taken {MOST_STEPS} steps without an end")]
    Steps,
    /// A number does not fit.
    #[error("a time or a count exceeds 128 bits")]
    Numbers,
}

/// The longest iteration that is followed.
pub const MOST_INSTANCES: u64 = 1 << 18;
/// The most steps of one search: instances that run, or dependencies that are looked at.
pub const MOST_STEPS: u64 = 10_000_000;

/// Steps that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort(u64);

impl Effort {
    pub(super) const fn whole() -> Effort {
        Effort(MOST_STEPS)
    }

    /// Takes steps off.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Beyond> {
        self.0 = self.0.checked_sub(steps).ok_or(Beyond::Steps)?;
        Ok(())
    }
}
