//! Requests from the host to the server.

use serde::{Deserialize, Serialize};

use crate::permission::Signature;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request<'a> {
    /// The session of the [`Greeting`](crate::Greeting); any value in a `Hello`.
    pub session: u32,
    /// One higher than that of the previous request of the session; any value in a
    /// `Hello`, with which the numbers of the session start.
    pub number: u32,
    /// What the server should do.
    #[serde(borrow)]
    pub action: Action<'a>,
}

/// What a request asks the server to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action<'a> {
    /// Opens a session; ends the previous one and drops its upload.
    Hello {
        /// The host's [`VERSION`](crate::VERSION).
        version: u16,
    },
    /// Begins an upload; drops the current upload, and the program's held module.
    /// The reply is the ticket of the upload.
    Begin {
        /// The program to be replaced.
        program: &'a str,
        /// Size of the module file, in bytes.
        length: u32,
        /// For a patch: the tag of the running module, from which `Copy` copies.
        base: Option<u32>,
    },
    /// The next bytes of the module file.
    Chunk {
        /// As `Begin` was answered.
        ticket: u32,
        /// How many bytes of the file came before.
        offset: u32,
        /// 1 to [`CHUNK`](crate::CHUNK) bytes.
        bytes: &'a [u8],
    },
    /// The next bytes of the module file are copied from the running module.
    Copy {
        /// As `Begin` was answered.
        ticket: u32,
        /// How many bytes of the file came before.
        offset: u32,
        /// Their offset in the running module.
        from: u32,
        /// Their number.
        length: u32,
    },
    /// The file is complete: the server checks it, then holds it, or stages it and
    /// requests the change.
    Commit {
        /// As `Begin` was answered.
        ticket: u32,
        /// When the module replaces the program.
        change: Change,
        /// Of the deed [`Deed::Commit`](crate::Deed::Commit).
        signature: Option<Signature>,
    },
    /// The held module replaces the program.
    Switch {
        /// The program.
        program: &'a str,
        /// When; not `Hold`.
        change: Change,
        /// Of the deed [`Deed::Switch`](crate::Deed::Switch).
        signature: Option<Signature>,
    },
    /// Empties the program when all its tasks have completed.
    Unload {
        /// The program.
        program: &'a str,
        /// Of the deed [`Deed::Unload`](crate::Deed::Unload).
        signature: Option<Signature>,
    },
    /// Cancels a change that has not happened yet, or drops the held module.
    Withdraw {
        /// The program.
        program: &'a str,
        /// Of the deed [`Deed::Withdraw`](crate::Deed::Withdraw).
        signature: Option<Signature>,
    },
    /// Asks for the status of a program.
    Status {
        /// The index of the program's place, from 0.
        place: u16,
    },
    /// Selects what the server sends without a request for each message.
    Stream {
        /// Trace records from now on.
        trace: bool,
        /// Statistics, about once a second.
        statistics: bool,
    },
    /// Stops the machine. There is a reply only if it does not stop.
    Shutdown {
        /// The exit status of the machine.
        status: u8,
        /// Of the deed [`Deed::Shutdown`](crate::Deed::Shutdown).
        signature: Option<Signature>,
    },
    /// Some bytes of the kernel's records, which the server must have been granted. They
    /// are copied while the kernel runs: not at one instant.
    Read {
        /// The first of them, counted from the first of all records.
        at: u32,
        /// How many; at most [`STRETCH`](crate::STRETCH).
        length: u32,
    },
}

/// When a module replaces another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Change {
    /// It is checked and held until a `Switch`.
    Hold = 0,
    /// When all tasks of the program have completed; the module starts from its beginning.
    Restart = 1,
    /// When the program waits only for its next round; the module continues with that
    /// round and keeps the values of the ports.
    CarryOver = 2,
}
