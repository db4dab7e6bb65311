//! The task manager, a peripheral that holds the tasks of an operating system and finds the
//! first of them: its parameters, its simulator, and a model of what software sees of it.
//!
//! After Kohout, Ganesh and Jacob, *Hardware Support for Real-time Operating Systems*
//! (CODES+ISSS 2003), sections 4 and 5.

#[cfg(feature = "synthesis")]
mod board;
#[cfg(feature = "synthesis")]
mod cell_area;
mod course;
mod coverage;
mod model;
mod parameters;
mod place;
mod proof;
mod simulator;
#[cfg(feature = "synthesis")]
mod synthesis;
mod tools;

#[cfg(feature = "synthesis")]
pub use board::{Board, Use, build_for_board, install_for_board};
#[cfg(feature = "synthesis")]
pub use cell_area::{Area, Library, REGISTER_BIT};
pub use course::{Carried, Course};
pub use coverage::{Coverage, Share};
pub use giornata_rtm_registers as register;
pub use model::Model;
pub use parameters::Parameters;
pub use proof::{Claim, prove};
pub use simulator::{
    Access, Answer, Bus, Delays, Error, Simulator, compile, compile_for_coverage, sources,
    sources_on_wishbone,
};
#[cfg(feature = "synthesis")]
pub use synthesis::{Device, Logic, Placed, Variant, place, synthesise};
pub use tools::{Program, install_yosys};
