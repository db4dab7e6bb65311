//! The host as a hart: a virtual clock, memory and interrupt lines, and a trap path
//! over the kernel's own table of calls. What runs in user mode is whoever drives the
//! [`Rig`].

mod hart;
#[cfg(not(feature = "harts"))]
mod one_hart;
mod rig;
#[cfg(feature = "harts")]
mod several;
#[cfg(feature = "rtm")]
mod task_manager;
mod trap;

pub use hart::{Hart, MEMORY, Output};
pub use rig::{Results, Rig};
