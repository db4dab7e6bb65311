//! The example flight-control in the simulator, with its real task functions.

mod determinism;
mod overload;
mod system;
mod windows;
