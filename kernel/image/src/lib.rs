//! What the kernel's binary does besides the machine: checking the system that
//! lies beside it, cutting its tables, framing its last words. Compiled for any
//! host, so that its tests run there.

#![cfg_attr(not(test), no_std)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

pub mod blob;
pub mod carve;
pub mod dump;
#[cfg_attr(not(feature = "load"), path = "no_spare.rs")]
mod spare;
