//! The kernel's services as plain lists, and random programs that compare a kernel
//! with them.
//!
//! [`Model`] is meant to be obviously right: who waits for what is written down once,
//! with the waiter, and urgencies, wait lists and chains are computed from scratch
//! whenever somebody asks. Its rules are those of the kernel's second design: a
//! waiter keeps its place in the ready queue and the end of its chain runs
//! (sections 2 and 7 there). It depends on no kernel.
#![forbid(unsafe_code)]

pub mod compare;
pub mod model;
pub mod random;
pub mod request;
pub mod system;

pub use model::Model;
pub use request::{Reply, Request};
pub use system::System;
