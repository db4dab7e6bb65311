//! A system on the host: the kernel that runs on boards, with real task functions
//! compiled for the host or scripted ones, on a virtual clock.
//!
//! ```text
//!   Model (system file) --+
//!   SystemBuilder --------+--> Description --> records     (giornata-records)
//!                                                 |
//!   Durations --> Simulation [ Rig: kernel, memory, lines, clock ] --> records --> trace
//!   Behaviours -->   run loop                              (giornata-host)
//!   stimuli ------>
//! ```
//!
//! A system for one hart is under the kernel of one, a system for several under that of
//! several: both are in here.
//!
//! A [`Simulation`] is what runs in user mode, and what happens around the machine: it
//! makes the calls of threads, raises interrupt lines and lets time pass. Time passes
//! only when a thread computes on each hart that is not idle, in ticks of the board's timer,
//! whatever its frequency. Nothing depends on the host: equal inputs give equal traces.

mod behaviour;
mod body;
mod builder;
mod chance;
mod cycle;
mod kernel;
mod scheduler;
mod simulation;

pub mod trace;

pub use behaviour::{Act, Behaviour, Moment};
pub use body::{Functions, Native};
pub use builder::{ROOM, Scheduling, Shape, SystemBuilder, Task};
pub use chance::Chance;
pub use cycle::hyperperiod;
pub use giornata_host::{Output, Results};
pub use scheduler::{Scheduler, shortest_deadlines};
pub use simulation::{Ended, Simulation, Work, check_streams, describe};
