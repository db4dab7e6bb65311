//! Analyses of stream graphs: known answers, and random graphs against brute force.

mod brute;
mod build;
mod kernel;
mod known;
mod language;
mod random;
mod robustness;
