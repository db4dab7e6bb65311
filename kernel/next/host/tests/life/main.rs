//! Threads and processes that come and go: created, joined, detached, ended, faulted,
//! restarted, supervised; and memory that processes share or allocate.

mod faults;
mod owners;
mod regions;
mod stage;
mod supervisors;
mod teardown;
mod threads;
