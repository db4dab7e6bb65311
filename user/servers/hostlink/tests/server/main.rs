//! The server over a line in memory, above a kernel that remembers what it was
//! told.

mod deeds;
mod hostile;
mod patches;
mod protocol;
mod records;
mod streams;
mod support;
