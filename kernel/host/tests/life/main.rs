//! Threads and processes that come and go: created, joined, detached, ended, faulted,
//! restarted, supervised; and memory that processes share or allocate.

mod faults;
#[cfg(feature = "services")]
mod owners;
#[cfg(feature = "services")]
mod random;
#[cfg(feature = "services")]
mod regions;
mod restarts;
mod stage;
#[cfg(feature = "services")]
mod supervisors;
mod teardown;
#[cfg(feature = "services")]
mod threads;
