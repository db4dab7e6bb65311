//! What a process of Giornata is written with.
//!
//! A process is a `no_std` crate of functions that the timing program and the
//! kernel start: *tasks* (one job per release), *drivers* (sensors, actuators,
//! guards, initialisers; run in logical zero time) and *threads* (run from
//! start to end). *Filters* transform the data of [streams](stream). The attributes [`task`],
//! [`driver`], [`macro@thread`] and [`macro@filter`] turn plain functions into them, and [`process!`](macro@process) names them to the builder:
//!
//! ```
//! # extern crate giornata_rt;
//! use giornata_rt::{driver, process, task};
//!
//! #[driver]
//! fn read_altitude(altitude: &mut f32) {
//!     *altitude = 12.5;
//! }
//!
//! #[task]
//! fn climb(altitude: &f32, thrust: &mut f32, #[state(f32::default)] sum: &mut f32) {
//!     *sum += 20.0 - altitude;
//!     *thrust = 0.1 * *sum;
//! }
//!
//! #[driver]
//! fn is_high(altitude: &f32) -> bool {
//!     *altitude > 100.0
//! }
//!
//! process! { tasks: [climb], drivers: [read_altitude, is_high] }
//! # fn main() {}
//! ```
//!
//! The same source compiles for the host, where the simulator calls the same
//! bodies and handles the system calls through [`host`].

#![no_std]

#[cfg(not(target_os = "none"))]
extern crate std;

pub mod block;
pub mod call;
pub mod clock;
mod control;
pub mod device;
mod driver_cell;
mod handle;
pub mod handler;
pub mod heap;
mod id;
pub mod interrupt;
pub mod log;
pub mod machine;
pub mod mailbox;
pub mod port;
pub mod process;
pub mod records;
pub mod region;
pub mod request;
pub mod restartable;
pub mod ring;
#[cfg(test)]
mod script;
pub mod stream;
mod stubs;
pub mod supervisor;
pub mod sync;
pub mod thread;
pub mod time;
pub mod timer;

#[cfg(all(
    target_os = "none",
    any(target_arch = "riscv64", target_arch = "riscv32")
))]
mod construct;
#[cfg(not(target_os = "none"))]
pub mod host;
#[cfg(target_os = "none")]
mod panic;
#[cfg(all(
    target_os = "none",
    any(target_arch = "riscv64", target_arch = "riscv32")
))]
mod riscv;
#[cfg(all(
    target_os = "none",
    any(target_arch = "riscv64", target_arch = "riscv32")
))]
mod start;

#[cfg(all(
    target_os = "none",
    not(any(target_arch = "riscv64", target_arch = "riscv32"))
))]
compile_error!(
    "giornata-rt has no system-call stubs for this architecture: write one like src/riscv.rs"
);

pub use block::{PortValue, State};
pub use driver_cell::DriverCell;
pub use giornata_abi as abi;
pub use giornata_abi::{Duration, Error, Instant};
pub use giornata_rt_macros::{driver, filter, process, task, thread, value};
pub use id::Id;
pub use machine::shutdown;
pub use port::Port;
pub use thread::{Control, yield_now};
pub use zerocopy;
