//! The server over a line in memory, above a kernel that remembers what it was
//! told.

mod deeds;
mod hostile;
mod patches;
mod protocol;
#[cfg_attr(feature = "next", path = "next/records.rs")]
mod records;
#[cfg_attr(feature = "next", path = "next/streams.rs")]
mod streams;
mod support;
