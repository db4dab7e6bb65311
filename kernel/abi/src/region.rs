//! How a process attaches a region of shared memory.

/// To read and to write it.
pub const READ_WRITE: usize = 0;
/// To read it only, whatever the process is granted.
pub const READ_ONLY: usize = 1;
