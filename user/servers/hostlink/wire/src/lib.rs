//! The protocol between the host and the hostlink server of a machine.
//!
//! ```text
//!   host                                     machine
//!    | Hello --------------------------------> |
//!    | <--------- Greeting: session, nonce --- |
//!    | Begin(program, length) ---------------> |   one upload at a time
//!    | <------------------------- a ticket --- |
//!    | Chunk, Chunk, Copy, ... --------------> |   in the order of offsets
//!    | <------------ Done or Refused, each --- |
//!    | Commit(ticket, change, signature) ----> |   checked whole, then staged
//!    | <------------------ Done or Refused --- |
//!    |                <--- Trace, Statistics - |   after a request for them
//! ```
//!
//! A [`Request`] carries the session that `Hello` opened, and a number that is one
//! higher than that of the previous request. Requests that are replayed or out of order
//! are therefore refused. Each request gets one reply, with its number; a successful
//! `Shutdown` gets none. Every message is one [`frame`].
//!
//! No heap: a received message borrows from the buffer of its frame.

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
/// Largest size of an [`Action::Chunk`], in bytes.
pub const CHUNK: usize = 192;
/// Longest name of a program, in bytes.
pub const NAME: usize = 64;
/// Longest text of a refusal, in bytes.
pub const WORDS: usize = 200;
/// Largest number of bytes of the kernel's records in one [`Reply::Records`].
pub const STRETCH: usize = 192;
/// Size of a trace record, in bytes.
pub const RECORD: usize = 16;
/// Largest number of records in one [`Event::Trace`].
pub const RECORDS: usize = 12;
