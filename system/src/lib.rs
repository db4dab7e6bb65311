#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate self as giornata_system;

mod alone;
mod amend;
mod bind;
mod c_options;
mod config;
pub mod describe;
mod interface;
mod mailboxes;
mod manifest;
mod outline;
mod precedence;
mod programs;
pub mod room;
mod s_code;
mod section;
mod several_harts;
mod stand_in;
mod start;
pub mod streams;
mod supervisors;
mod threads;
mod together;
mod waiting;
mod windows;

pub mod board;
mod board_keys;
mod compile_program;
pub mod debug_map;
pub mod definition;
pub mod expect;
pub mod file;
pub mod functions;
pub mod hostlink;
pub mod identifiers;
pub mod image;
mod keys;
pub mod memory_map;
pub mod model;
pub mod names;
pub mod objects;
pub mod place;
pub mod problem;
pub mod project;
mod reference;
pub mod restart;
mod schema;
pub mod services;
pub mod shared;

pub use amend::rewrite;
pub use board::{Board, Emulator};
pub use board_keys::BOARD;
pub use config::CONFIGS;
pub use debug_map::{DebugMap, Stack};
pub use file::SystemFile;
pub use functions::Functions;
pub use giornata_analysis::quantity::duration;
pub use image::{BuildOptions, Built, Report, build, check};
pub use keys::SYSTEM;
pub use model::Model;
pub use names::NameMap;
pub use place::Placement;
pub use problem::{Problem, Refusal};
pub use project::Project;
pub use reference::reference;
pub use schema::schema;
pub use stand_in::stand_ins;
pub use together::whole;
