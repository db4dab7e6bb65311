//! The word of a private semaphore: what the threads of one process take and give
//! without a call as long as nobody waits.
//!
//! ```text
//! mutex       0, or the owner's slot | 16 bits of its serial number << 16 | LOCKED, and
//!             WAITED_FOR
//! semaphore   its count, and WAITED_FOR; from LIMIT on, its highest count
//! ```
//! The kernel says what the highest count is whenever it writes the word. Until it
//! has, that is 0, so the first thread that gives one makes a call.
//!
//! While `WAITED_FOR` is set the kernel alone knows how things stand, and
//! writes the word; while it is not, the word alone does. The kernel believes a
//! word no more than that one thread or another of the same process has the mutex.

/// Somebody waits: to take or to give needs a call.
pub const WAITED_FOR: u32 = 1 << 15;
/// Somebody has the mutex.
pub const LOCKED: u32 = 1 << 14;
/// The highest count of a private semaphore.
pub const MOST: u32 = WAITED_FOR - 1;
/// The bit of a semaphore's word from which on its highest count lies.
pub const LIMIT: u32 = 16;
/// Most threads of a system with private mutexes: what the id leaves free.
pub const THREADS: u16 = LOCKED as u16;
