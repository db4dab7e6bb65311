//! Who runs, and when: threads, the ready queue, helping, time events.
//!
//! ```text
//!   thread ---- what it waits for: wait (one list, by urgency: leftist, heap)
//!     |
//!   place       what its urgency is made of: own, ceilings, clients
//!     |
//!   ready       ranks of equal urgency, in a list or on the task manager
//!     |
//!   helping     for the first of the queue its owner runs; parking: one that cannot
//!     |
//!   timer ----- agenda, clock, epoch: sleepers, timeouts, the next alarm
//!   limit       quanta and budgets (account: replenishments)
//! ```

pub mod account;
pub mod agenda;
pub mod clock;
pub(crate) mod epoch;
#[cfg(feature = "services")]
pub(crate) mod heap;
#[cfg(feature = "services")]
pub(crate) mod helping;
#[cfg(feature = "services")]
pub(crate) mod leftist;
pub mod limit;
#[cfg(feature = "services")]
pub(crate) mod parking;
pub(crate) mod place;
pub(crate) mod priority;
#[cfg_attr(not(feature = "services"), allow(dead_code))]
pub mod ready;
#[cfg_attr(not(feature = "services"), allow(dead_code))]
pub mod thread;
#[cfg_attr(not(feature = "services"), allow(dead_code))]
pub mod timer;
#[cfg_attr(not(feature = "mail"), allow(dead_code))]
pub mod wait;
pub(crate) mod wants;
