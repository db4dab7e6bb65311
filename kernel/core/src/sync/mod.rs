//! Objects that threads synchronise by: mutexes, semaphores, conditions.
//!
//! The usual cases of the calls lie in `fast`. Each declines before it has changed anything,
//! and `operation` carries out what is unusual.

#[cfg(feature = "services")]
pub(crate) mod condition;
#[cfg(feature = "services")]
pub(crate) mod fast;
#[cfg(feature = "services")]
pub(crate) mod invariants;
#[cfg(feature = "services")]
pub(crate) mod mutex;
#[cfg(not(feature = "services"))]
pub(crate) mod none;
#[cfg_attr(not(feature = "mail"), allow(dead_code))]
pub mod object;
#[cfg(feature = "services")]
pub(crate) mod object_call;
#[cfg(feature = "services")]
pub(crate) mod owning;
#[cfg(feature = "services")]
pub(crate) mod private;
#[cfg(feature = "slots")]
pub(crate) mod slots;

#[cfg(not(feature = "services"))]
pub(crate) use none as private;
