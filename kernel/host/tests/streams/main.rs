//! Stream graphs: random ones against a model that counts tokens, on one hart and on several.
//!
//! `STREAMS_SEED` in the environment sets the first graph, `STREAMS_GRAPHS` how many there are.
#![cfg(feature = "streams")]

mod graph;
mod harts;
mod planted;
mod random;
mod stage;
