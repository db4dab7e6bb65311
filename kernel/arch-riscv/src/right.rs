//! What memory is checked for.

/// What a process must be allowed to do with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Load from it.
    Read,
    /// Store to it.
    Write,
}
