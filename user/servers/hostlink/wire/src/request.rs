//! What the host asks for.

use serde::{Deserialize, Serialize};

use crate::permission::Signature;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request<'a> {
    /// As the [`Greeting`](crate::Greeting) said; anything in a `Hello`.
    pub session: u32,
    /// One more than that of the request before it in the session; anything in
    /// a `Hello`, from which the session counts on.
    pub number: u32,
    /// What is asked for.
    #[serde(borrow)]
    pub action: Action<'a>,
}

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action<'a> {
    /// Opens a session; ends the one before, and drops its upload.
    Hello {
        /// The host's [`VERSION`](crate::VERSION).
        version: u16,
    },
    /// Begins an upload; one that was under way, or held, is dropped.
    /// Answered with its ticket.
    Begin {
        /// For which program.
        program: &'a str,
        /// Bytes of the module file.
        length: u32,
        /// A patch: the tag of the module that runs, from which `Copy` takes.
        base: Option<u32>,
    },
    /// The next bytes of the module file.
    Chunk {
        /// As `Begin` was answered.
        ticket: u32,
        /// How many bytes of the file came before.
        offset: u32,
        /// At most [`CHUNK`](crate::CHUNK).
        bytes: &'a [u8],
    },
    /// The next bytes of the module file are some of the module that runs.
    Copy {
        /// As `Begin` was answered.
        ticket: u32,
        /// How many bytes of the file came before.
        offset: u32,
        /// Where they begin in the module that runs.
        from: u32,
        /// How many.
        length: u32,
    },
    /// The file is whole: it is checked, staged, and changed to as asked.
    Commit {
        /// As `Begin` was answered.
        ticket: u32,
        /// When it takes the program's place.
        change: Change,
        /// Of the deed [`Deed::Commit`](crate::Deed::Commit).
        signature: Option<Signature>,
    },
    /// What is held takes the program's place.
    Switch {
        /// Of which program.
        program: &'a str,
        /// When; not `Hold`.
        change: Change,
        /// Of the deed [`Deed::Switch`](crate::Deed::Switch).
        signature: Option<Signature>,
    },
    /// The program becomes empty, when all its tasks have completed.
    Unload {
        /// Which program.
        program: &'a str,
        /// Of the deed [`Deed::Unload`](crate::Deed::Unload).
        signature: Option<Signature>,
    },
    /// A change that has not happened does not happen; what is held is dropped.
    Withdraw {
        /// Of which program.
        program: &'a str,
        /// Of the deed [`Deed::Withdraw`](crate::Deed::Withdraw).
        signature: Option<Signature>,
    },
    /// How a program stands.
    Status {
        /// The place of the program, from 0.
        place: u16,
    },
    /// What the server sends without being asked each time.
    Stream {
        /// The records of the trace, from now on.
        trace: bool,
        /// Statistics, about once a second.
        statistics: bool,
    },
    /// The machine stops. Answered only if it does not.
    Shutdown {
        /// The status that it stops with.
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

/// When a module takes the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Change {
    /// It is checked and staged, and waits for a `Switch`.
    Hold = 0,
    /// When all tasks of the program have completed; it begins anew.
    Restart = 1,
    /// When the program waits for nothing but its next round; the module begins
    /// with that round, and finds the ports as they are.
    CarryOver = 2,
}
