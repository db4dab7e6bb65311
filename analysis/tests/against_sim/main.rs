//! The analyses against the kernel itself: what they promise is what happens.

mod composition;
mod drift;
mod harts;
mod machine;
mod mutants;
mod programs;
mod schedulability;
mod scode;
#[path = "../seed/mod.rs"]
mod seed;
mod threads;
mod views;
mod windows;
