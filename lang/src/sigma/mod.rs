//! Sigma: stream programs as cyclo-static dataflow graphs.
//!
//! The analyses are pure functions of a [`Graph`] and exact. They follow each other:
//! a graph is consistent or not ([`Repetition`]), a consistent one is live or not
//! ([`Liveness`]), a live one has capacities ([`least_live`], [`fastest`]), a rate
//! ([`rates`]) and the tables by which a kernel runs it ([`Counters`],
//! [`vector_clocks`]).

mod bounds;
pub mod clocks;
pub mod counters;
mod cycle;
mod dependency;
mod effort;
mod execution;
pub mod graph;
mod liveness;
mod ratio;
mod repetition;
mod sizing;
mod throughput;

pub use bounds::{Capacities, least_live, lower_bounds};
pub use clocks::vector_clocks;
pub use counters::Counters;
pub use dependency::{Dependency, dependencies};
pub use effort::{Beyond, MOST_INSTANCES, MOST_STEPS};
pub use execution::{Lack, Resource};
pub use graph::Graph;
pub use liveness::{Liveness, Starvation, Starved};
pub use ratio::Ratio;
pub use repetition::{NoRepetition, Repetition};
pub use sizing::{Sized, fastest};
pub use throughput::{NoRate, Rate, Step, rates};
