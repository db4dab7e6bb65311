//! Processes: what they may use, how they and their threads begin and end, the memory that
//! they share.

pub(crate) mod begin;
#[cfg(feature = "services")]
pub(crate) mod creation;
#[cfg(feature = "services")]
pub(crate) mod ending;
pub(crate) mod fault;
#[cfg(not(feature = "processes"))]
pub(crate) mod none;
pub(crate) mod reaper;
mod record;
pub mod region;
#[cfg(feature = "processes")]
pub(crate) mod sharing;
#[cfg(feature = "processes")]
pub(crate) mod supervisor;

pub use record::*;
