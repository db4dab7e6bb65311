//! Ids of objects and threads, as the first kernel makes them.

pub use giornata_abi::Id;

/// What an [`Id`] is made of: for the stubs of [`call`](crate::call).
pub type Number = u32;
