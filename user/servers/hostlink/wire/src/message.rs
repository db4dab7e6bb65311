//! Messages from the server to the host.

use core::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

/// One message from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message<'a> {
    /// The reply to a request.
    Answer {
        /// The session of the request.
        session: u32,
        /// The number of the request.
        number: u32,
        /// The result.
        #[serde(borrow)]
        reply: Reply<'a>,
    },
    /// A message that is not the reply to a request.
    Event(#[serde(borrow)] Event<'a>),
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply<'a> {
    /// Reply to `Hello`.
    Greeting(Greeting),
    /// Reply to `Begin`: the ticket of the upload, unique while the server runs.
    Ticket(u32),
    /// The request succeeded; a change has been requested, but may still be pending.
    Done,
    /// Reply to `Status`.
    Standing(#[serde(borrow)] Standing<'a>),
    /// Reply to `Read`.
    Records {
        /// The thread that has copied them, by its number: it ran meanwhile.
        reader: u16,
        /// As many as were requested.
        bytes: &'a [u8],
    },
    /// The request was refused. Nothing has changed.
    Refused {
        /// The reason, for programs.
        code: Code,
        /// The reason and the remedy, for people; at most [`WORDS`](crate::WORDS) bytes.
        words: &'a str,
    },
}

/// Identifies the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The server's [`VERSION`](crate::VERSION).
    pub version: u16,
    /// The session that this opens.
    pub session: u32,
    /// Distinguishes this boot of this machine from others in signatures.
    pub nonce: [u8; 16],
    /// Number of replaceable programs.
    pub places: u16,
    /// Whether requests that change the machine must be signed.
    pub signed: bool,
    /// Nanoseconds since the machine started.
    pub clock: u64,
}

/// The status of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing<'a> {
    /// The program's name.
    pub program: &'a str,
    /// Whether it has code.
    pub loaded: bool,
    /// Whether a change has been requested and has not happened yet.
    pub pending: bool,
    /// The checksum of the running module.
    pub tag: u32,
    /// Number of changes of all programs since boot.
    pub changes: u32,
    /// The checksum of a module that is held for a `Switch`.
    pub held: Option<u32>,
    /// Largest size of a module file, in bytes.
    pub room: u32,
}

/// A message that the server sends without a request for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event<'a> {
    /// Consecutive records of the trace.
    Trace {
        /// The number of the last of them since boot.
        last: u64,
        /// Whole records of [`RECORD`](crate::RECORD) bytes.
        records: &'a [u8],
    },
    /// The server's counters.
    Statistics(Statistics),
    /// A frame was received that is not a request.
    Damaged,
}

/// The server's counters since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Nanoseconds since the machine started.
    pub clock: u64,
    /// Requests that were received intact.
    pub requests: u32,
    /// Requests that were refused.
    pub refused: u32,
    /// Frames that were received damaged.
    pub damaged: u32,
    /// Changes of programs that were requested from the kernel.
    pub changes: u32,
    /// Records of the trace that were sent.
    pub records: u64,
    /// Records of the trace that were overwritten before they could be sent.
    pub lost: u64,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident, $text:literal;)*) => {
        /// Why a request is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The name of the code in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The host speaks another version.
    Version, "version";
    /// The request belongs to another session.
    Session, "session";
    /// The request's number is not the next one.
    Number, "number";
    /// There is no such program.
    Program, "program";
    /// A change is pending: try again, or withdraw it.
    Busy, "busy";
    /// There is no upload with this ticket.
    Ticket, "ticket";
    /// The offset is not the next one, or a range is out of bounds.
    Offset, "offset";
    /// The file is larger than the place or the announced size, or a piece has a wrong size.
    Length, "length";
    /// The running module is not the one that the patch is based on.
    Base, "base";
    /// Fewer bytes than announced have been received.
    Incomplete, "incomplete";
    /// The bytes are not a valid module.
    Module, "module";
    /// The module must not replace the program.
    Unfit, "unfit";
    /// The module cannot continue the rounds of the running one.
    CarryOver, "carry-over";
    /// There is no held module and, for a `Withdraw`, no pending change either.
    Nothing, "nothing-held";
    /// The signature is missing or wrong.
    Signature, "signature";
    /// The kernel refused a call, or the server lacks a grant.
    Kernel, "kernel";
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
