//! From a system file to an image: names resolved, modules linked, processes
//! laid out in memory.

pub mod names;

pub use names::NameMap;
