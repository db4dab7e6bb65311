//! The task manager, a peripheral that holds the tasks of an operating system and finds the
//! first of them: its parameters, its simulator, and a model of what software sees of it.
//!
//! After Kohout, Ganesh and Jacob, *Hardware Support for Real-time Operating Systems*
//! (CODES+ISSS 2003), sections 4 and 5.

mod board;
mod cell_area;
mod model;
mod parameters;
mod proof;
pub mod register;
mod simulator;
mod synthesis;
mod tools;

pub use board::{Board, Use, build_for_board, install_for_board};
pub use cell_area::{Area, Library, REGISTER_BIT};
pub use model::{Model, Sense};
pub use parameters::Parameters;
pub use proof::{install, prove};
pub use simulator::{Answer, Error, Simulator, compile};
pub use synthesis::{Device, Logic, Placed, Variant, place, synthesise};
pub use tools::Program;
