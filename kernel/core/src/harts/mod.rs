//! Several harts: one lock around every entry, one ready queue, the first of which run.
//!
//! An *entry* is a thread's place in the ready queue; its *end* is who runs for it: the owner of
//! what it wants, and so on ([`crate::sched::helping`]), or the reaper of its process if that is
//! not alive. Running threads stay in the queue, as on one hart. Each hart has an idle thread
//! there, the last of all.
//!
//! The Placing Invariant: when the lock is given back, each of the first `count` ends of the
//! queue runs on a hart, or as many harts as there are others have been interrupted and run
//! nobody of them. So no more urgent thread waits while a less urgent one runs, beyond an
//! interrupt's flight and a section. An interrupted hart takes the most urgent end that runs
//! nowhere, or finds that there is none: an interrupt too many is harmless.
//!
//! What an entry into the kernel returns is advice then: [`System::assign`] decides behind it.

#[cfg(feature = "harts")]
mod assign;
#[cfg(feature = "harts")]
mod change;
#[cfg(feature = "harts")]
mod end;
#[cfg(feature = "harts")]
mod invariants;
#[cfg(not(feature = "harts"))]
mod none;
#[cfg(feature = "harts")]
mod place;
mod record;

#[cfg(feature = "harts")]
pub use record::MOST;
pub use record::{Harts, Member, Placement, Placing, Rest};
