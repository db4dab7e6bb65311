//! The server with a line in memory and a simulated kernel that records the calls.

mod deeds;
mod hostile;
mod patches;
mod protocol;
mod records;
mod streams;
mod support;
