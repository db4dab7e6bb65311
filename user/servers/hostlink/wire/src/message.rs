//! What the server says.

use core::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

/// One message of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message<'a> {
    /// The answer to a request.
    Answer {
        /// The session of the request.
        session: u32,
        /// The number of the request.
        number: u32,
        /// What came of it.
        #[serde(borrow)]
        reply: Reply<'a>,
    },
    /// What nobody asked for just now.
    Event(#[serde(borrow)] Event<'a>),
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply<'a> {
    /// To `Hello`.
    Greeting(Greeting),
    /// To `Begin`: the upload's ticket, never given again since boot.
    Ticket(u32),
    /// It is done; a change has been asked for.
    Done,
    /// To `Status`.
    Standing(#[serde(borrow)] Standing<'a>),
    /// To `Read`.
    Records {
        /// The thread that has copied them, by its number: it ran meanwhile.
        reader: u16,
        /// As many as were asked for.
        bytes: &'a [u8],
    },
    /// Nothing has changed.
    Refused {
        /// Why, for programs.
        code: Code,
        /// Why and what to do, for people; at most [`WORDS`](crate::WORDS).
        words: &'a str,
    },
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The server's [`VERSION`](crate::VERSION).
    pub version: u16,
    /// The session that this opens.
    pub session: u32,
    /// What this boot of this machine is known by in signatures.
    pub nonce: [u8; 16],
    /// Programs that may be replaced.
    pub places: u16,
    /// Whether deeds must be signed.
    pub signed: bool,
    /// Nanoseconds since the machine started.
    pub clock: u64,
}

/// How a program stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing<'a> {
    /// The program's name.
    pub program: &'a str,
    /// It has code.
    pub loaded: bool,
    /// A change has been asked for and has not happened.
    pub pending: bool,
    /// The checksum of the module that runs.
    pub tag: u32,
    /// How many changes of programs there have been since boot.
    pub changes: u32,
    /// The checksum of a module that is held for a `Switch`.
    pub held: Option<u32>,
    /// Most bytes of a module file.
    pub room: u32,
}

/// What comes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event<'a> {
    /// Records of the trace that follow each other.
    Trace {
        /// The number of the last of them since boot.
        last: u64,
        /// Whole records of [`RECORD`](crate::RECORD) bytes.
        records: &'a [u8],
    },
    /// What the server has counted.
    Statistics(Statistics),
    /// A frame came that is no request.
    Damaged,
}

/// What the server has counted since boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Nanoseconds since the machine started.
    pub clock: u64,
    /// Requests that came whole.
    pub requests: u32,
    /// Requests that were refused.
    pub refused: u32,
    /// Frames that came damaged.
    pub damaged: u32,
    /// Changes of programs that were asked of the kernel.
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

            /// Its name in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The host speaks another version.
    Version, "version";
    /// The request is of another session.
    Session, "session";
    /// The request's number is not the next.
    Number, "number";
    /// There is no such program.
    Program, "program";
    /// A change is under way: try again, or withdraw it.
    Busy, "busy";
    /// The ticket is not that of the upload.
    Ticket, "ticket";
    /// The offset is not the next, or bytes lie outside of what they are part of.
    Offset, "offset";
    /// The file is longer than there is room for, or than was announced.
    Length, "length";
    /// The module that runs is not the one that was patched.
    Base, "base";
    /// Fewer bytes came than were announced.
    Incomplete, "incomplete";
    /// The bytes are no module.
    Module, "module";
    /// The module may not take the program's place.
    Unfit, "unfit";
    /// The module cannot go on where the one that runs is.
    CarryOver, "carry-over";
    /// Nothing is held.
    Nothing, "nothing-held";
    /// The signature is missing or wrong.
    Signature, "signature";
    /// The kernel refuses.
    Kernel, "kernel";
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
