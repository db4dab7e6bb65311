//! The host as a machine: the real kernel, with real task functions compiled
//! for the host or scripted ones, on a virtual clock.
//!
//! ```text
//!   Tables ----------+            Storage (kernel RAM)
//!   (builder, blob)  |               |
//!                    v               v
//!   Durations --> Simulation [ Kernel<Board> ] --> records --> trace
//!   Behaviours -->   run loop      |
//!   stimuli ------>                +-- Board: memory, lines, registers, clock
//! ```
//!
//! A [`Simulation`] does what the trap path of an architecture does: it hands
//! events to `Kernel::handle` and carries out the outcomes. Time passes only
//! when a thread computes or the hart is idle, in ticks of the board's timer,
//! whatever its frequency. Nothing depends on the host: equal inputs give equal
//! traces.

mod assembly;
mod banks;
mod behaviour;
mod board;
mod body;
mod builder;
mod chance;
mod cycle;
mod loadable;
mod memory;
mod scheduler;
mod shared;
mod simulation;
mod storage;
mod tables;

pub mod trace;

pub use assembly::Assembly;
pub use behaviour::{Act, Answers, Behaviour, Moment, Script};
pub use board::{Board, Store};
pub use body::Native;
pub use builder::{AREA, SHARED, SHARED_SPAN, Scheduling, Shape, SystemBuilder, Task};
pub use chance::Chance;
pub use cycle::hyperperiod;
pub use loadable::Loadable;
pub use memory::{ProcessMemory, SCRATCH, SCRATCH_SIZE};
pub use scheduler::{Scheduler, shortest_deadlines};
pub use shared::Shared;
pub use simulation::{Ended, Simulation, Work};
pub use storage::Storage;
pub use tables::Tables;
