//! The kernel does what the model of its services says, event by event.

mod calls;
mod decisions;
mod faults;
mod host;
mod random;
mod system;
