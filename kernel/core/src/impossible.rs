//! What cannot happen: counted and recorded, never a panic, never silent.

/// Where the kernel met what cannot happen; code of the `Impossible` record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Place {
    /// An index of a kernel table named no entry.
    Table = 1,
    /// An event of a kind that the hart's state excludes.
    Event = 2,
    /// The E/S machine waits for an upcall that does not run.
    Upcall = 3,
    /// A system table refers outside its tables.
    System = 4,
}
