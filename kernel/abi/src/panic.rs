//! What a panic tells: the bytes that [`Call::Panic`] names.
//!
//! A process that panics names a stretch of its memory, of which up to [`MOST`] bytes are
//! recorded. With any other third argument than [`NOTE`] they are a message, and the
//! argument is a line. With it they begin with a *note*, and what lies behind the note is
//! the stack of the thread:
//!
//! ```text
//! word 0   an address in the function that made the call   PC
//! word 1   the stack pointer there                         SP
//! word 2   the return address there                        RA
//! word 3   the address of the message                      TEXT
//! word 4   its bytes
//! word 5   the address of the file's name                  FILE
//! word 6   its bytes
//! word 7   the line                                        LINE
//! ```
//! Words are as wide as the process's. Message and name lie among its constants, which
//! its executable has too, so that they need not be sent; or behind the note, if they were
//! made at run time.
//!
//! [`Call::Panic`]: crate::call::Call::Panic

/// Most bytes that are recorded.
pub const MOST: usize = 512;
/// Most bytes of a message that is sent without a note.
pub const MESSAGE: usize = 96;
/// The third argument of a panic with a note.
pub const NOTE: usize = 0x676E_6F74;
/// Words of a note.
pub const WORDS: usize = 8;

/// Where in a note which word is.
pub mod word {
    /// An address in the function that made the call.
    pub const PC: usize = 0;
    /// The stack pointer there.
    pub const SP: usize = 1;
    /// What the register of the return address held there.
    pub const RA: usize = 2;
    /// Address of the message; its bytes are in the next word.
    pub const TEXT: usize = 3;
    /// Address of the file's name; its bytes are in the next word.
    pub const FILE: usize = 5;
    /// The line.
    pub const LINE: usize = 7;
}
