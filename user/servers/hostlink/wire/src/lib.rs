//! What the host and the hostlink server of a machine say to each other.
//!
//! ```text
//!   host                                     machine
//!    | Hello --------------------------------> |
//!    | <--------- Greeting: session, nonce --- |
//!    | Begin(program, length) ---------------> |   one upload at a time
//!    | <------------------------- a ticket --- |
//!    | Chunk, Chunk, Copy, ... --------------> |   in the order of offsets
//!    | <------------ Done or Refused, each --- |
//!    | Commit(ticket, change, signature) ----> |   checked as one, then staged
//!    | <------------------ Done or Refused --- |
//!    |                <--- Trace, Statistics - |   whenever they were asked for
//! ```
//!
//! A [`Request`] carries the session that `Hello` opened and a number, one more
//! than that of the request before it: what was recorded and comes again, or
//! comes in another order, is refused. Each request is answered once, with its
//! number. Every message is one [`frame`].
//!
//! No heap; what is received borrows from the buffer of its frame.

#![no_std]
#![forbid(unsafe_code)]

pub mod frame;
mod message;
mod permission;
mod request;

pub use message::{Code, Event, Greeting, Message, Reply, Standing, Statistics};
pub use permission::{Deed, Permission, Signature};
pub use request::{Action, Change, Request};

/// The version of the protocol.
pub const VERSION: u16 = 3;
/// Most bytes of a [`Action::Chunk`].
pub const CHUNK: usize = 192;
/// Most bytes of a program's name.
pub const NAME: usize = 64;
/// Most bytes of the words of a refusal.
pub const WORDS: usize = 200;
/// Most bytes of the kernel's records in one [`Reply::Records`].
pub const STRETCH: usize = 192;
/// Bytes of a record of the trace.
pub const RECORD: usize = 16;
/// Most records in one [`Event::Trace`].
pub const RECORDS: usize = 12;
