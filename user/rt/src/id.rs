//! Ids of objects and threads, as the first kernel makes them.

pub use giornata_abi::Id;

/// What an [`Id`] is made of: for the stubs of [`call`](crate::call).
pub type Number = u32;

/// What the word of a private mutex says of its owner, see [`giornata_abi::word`]:
/// the first word of the owner's control page.
#[cfg(not(target_os = "none"))]
pub(crate) const fn owner_word(thread: Number) -> u32 {
    thread
}
