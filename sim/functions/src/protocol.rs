//! What goes over the pipes: a length of four bytes, little end first, and so many
//! bytes of a request or an answer.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// More bytes are taken for a mistake, not for a message.
const MOST: u32 = 1 << 28;

/// What a client asks for.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// What there is.
    Describe,
    /// Run a function.
    Run {
        process: u16,
        function: u16,
        /// Which life of the process: a new one begins with fresh states.
        life: u32,
        /// The instant, in ns.
        now: u64,
        block: Vec<u64>,
    },
}

/// What a server answers.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The processes, in the order in which requests count them.
    Processes(Vec<Process>),
    /// A function has run.
    Ran {
        block: Vec<u64>,
        value: u64,
        /// Calls that it made: number, arguments, text.
        calls: Vec<(u32, [u64; 6], Vec<u8>)>,
    },
    /// There is no such function.
    Unknown,
}

/// A process and what it provides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its name in the system.
    pub name: String,
    /// Its functions.
    pub functions: Vec<Described>,
}

/// A function of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// `FunctionKind`, as a number.
    pub kind: u8,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// `Direction`, as a number.
    pub direction: u8,
    /// Bytes.
    pub size: u32,
    /// The type's name as the source writes it.
    pub type_name: String,
}

pub(crate) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_allocvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// The next message; `None` where the other end has closed the pipe.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > MOST {
        return Err(io::Error::other(format!("a message of {length} bytes")));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes)
        .map(Some)
        .map_err(io::Error::other)
}
