//! Several harts: the first of the queue run, whatever happens on which hart and in which order.
#![cfg(feature = "harts")]

mod placing;
mod random;
mod stage;
