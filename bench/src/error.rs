//! What can be wrong with figures.

/// Why figures cannot be read, taken or drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Too few iterations to speak of a minimum and a maximum.
    #[error("{found} samples; a row has at least {least}")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many there must be.
        least: usize,
    },
    /// A catalogue or a budget is not what it should be.
    #[error("{what}: {reason}")]
    Data {
        /// Which file or entry.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An operation that the catalogue of its suite does not know.
    #[error("suite {suite} has no operation `{op}`; its operations.toml names all")]
    UnknownOperation {
        /// The suite.
        suite: String,
        /// The operation.
        op: String,
    },
    /// Rows cannot be read.
    #[error("rows of measurements: {0}")]
    Json(#[from] serde_json::Error),
    /// A plot cannot be drawn.
    #[error("the plot {title}: {reason}")]
    Plot {
        /// Its title.
        title: String,
        /// Why.
        reason: String,
    },
}
