//! Several harts with one queue: what the tests say, against each other and against what
//! happens.

mod brute_force;
mod examples;
mod properties;
mod runs;
#[path = "../seed/mod.rs"]
mod seed;
mod sets;
