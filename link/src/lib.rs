//! The host's end of the hostlink: programs of a running machine are loaded,
//! switched, patched and watched over a line.
//!
//! ```text
//!   Address --open--> bytes --Session--> requests and answers, events
//!                                  ^
//!                     Key: signs   |   Patch: what to send of a module
//! ```
//!
//! What the messages are is in `giornata_hostlink_wire`; what the machine does
//! with them in `giornata_hostlink`.

#![forbid(unsafe_code)]

mod address;
mod key;
mod patch;
mod session;

pub use address::{Address, NoAddress, Transport};
pub use key::{Key, NoKey};
pub use patch::{Edit, edits};
pub use session::{Copied, Failure, Session, Standing, Told};

pub use giornata_hostlink_wire::{Change, Code, Greeting, Statistics};
